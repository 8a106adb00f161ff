// Where the tour is kept: the list in this browser, and the place in it in this tab. A browser that
// keeps nothing for us, as some do in private, still keeps a tab's name until the tab is closed.

const NAME = "mha_tour";
const AT = "mha_tour_at";
const CHANGED = "explorer:tour";

function attempt(task) {
  try {
    return task();
  } catch (error) {
    if (error instanceof DOMException || error instanceof SyntaxError) return null;
    throw error;
  }
}

function inTabsName() {
  const held = attempt(() => JSON.parse(window.name || "{}"));
  return held !== null && typeof held === "object" && !Array.isArray(held) ? held : {};
}

function keepInTabsName(key, text) {
  const held = inTabsName();
  if (text === null) delete held[key];
  else held[key] = text;
  window.name = Object.keys(held).length ? JSON.stringify(held) : "";
}

// Storages are named, since even to look at one may throw.
function read(storage, key) {
  return inTabsName()[key] ?? attempt(() => window[storage]?.getItem(key)) ?? null;
}

// Whether the storage has it now, or only the tab's name.
function write(storage, key, text) {
  const isKept = attempt(() => {
    const area = window[storage];
    if (text === null) area?.removeItem(key);
    else area?.setItem(key, text);
    return Boolean(area);
  });
  if (!isKept || key in inTabsName()) keepInTabsName(key, isKept ? null : text);
  return isKept ?? false;
}

function countWords(stops) {
  return stops.length === 1 ? "1 stop" : `${stops.length} stops`;
}

function keptWords(isKept) {
  if (isKept) return "";
  return "This browser does not keep it: save it as a file before you close the tab.";
}

// What another version of the app has kept may not fit any more: then there is none.
function fitting(check) {
  try {
    return check();
  } catch (fault) {
    if (fault instanceof Fault) return null;
    throw fault;
  }
}

// The visitor's own tour, or null.
function ownTour(pages) {
  const text = read("localStorage", NAME);
  return typeof text === "string" ? fitting(() => parseTour(text, pages)) : null;
}

function keepTour(stops) {
  const isKept = write("localStorage", NAME, stops && JSON.stringify(stops));
  document.dispatchEvent(new CustomEvent(CHANGED));
  return isKept;
}

// The place in the tour that plays, or null:
//   at      the stop, counted from 0
//   lesson  the stops of the app's own tour, where that one plays and not the visitor's
//   focus   the button of the bar that brought us here
function playing() {
  const held = attempt(() => JSON.parse(read("sessionStorage", AT)));
  return Number.isInteger(held?.at) ? held : null;
}

function keepPlaying(place) {
  write("sessionStorage", AT, place && JSON.stringify(place));
  document.dispatchEvent(new CustomEvent(CHANGED));
}

function go(stops, place, pages) {
  keepPlaying(place);
  location.assign(addressOf(stops[place.at].link, pages));
}

// Calls back whenever the tour is another one: by this tab, or by another.
function onChange(call) {
  const changed = (event) => {
    if (event.key === undefined || event.key === null || event.key === NAME) call();
  };
  document.addEventListener(CHANGED, changed);
  window.addEventListener("storage", changed);
  return () => {
    document.removeEventListener(CHANGED, changed);
    window.removeEventListener("storage", changed);
  };
}
