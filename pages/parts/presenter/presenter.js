// The keys of a lecturer, the counter of steps, and the size of the page in the window.
//
// A key first asks whoever moves by itself: the event "explorer:move" on the document, with the
// detail {by: 1 or -1}. Whoever answers it with preventDefault() makes the move. Else the finest
// walk of the page that can moves by one step; else the page before or after is opened.

const LAYOUT_WIDTH = 1200;
const LEAST_HEIGHT = 600; // of the layout: a window may be wide and low
const AGAIN_MS = 1000;
const MOVES = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
const SCROLLS = { ArrowDown: 0.5, ArrowUp: -0.5 }; // of the window's height
const IS_TYPED =
  ':is(input, textarea, select, [contenteditable], [role="combobox"], [data-testid="stDataFrame"], #portal *)' +
  ":not([type=checkbox], [type=radio], [type=range])";
const TAKES_ARROWS =
  `${IS_TYPED}, input, [role="slider"], [role="radio"], [role="listbox"], [role="option"], [role="tab"]`;

const presenters = new WeakMap();
const live = new Set(); // those on the page: where a page is opened, its own comes before the last one's end
let turned = null; // by which way which page is being left

export default function ({ data, parentElement, setTriggerValue }) {
  let presenter = presenters.get(parentElement);
  if (!presenter) {
    presenter = makePresenter(parentElement);
    presenters.set(parentElement, presenter);
  }
  presenter.take(data, setTriggerValue);
  // Streamlit may clean up and go on in the same place: only what has left the page ends.
  return () => {
    setTimeout(() => {
      if (parentElement.isConnected || presenters.get(parentElement) !== presenter) return;
      presenter.end();
      presenters.delete(parentElement);
    });
  };
}

function makePresenter(host) {
  const part = (selector) => host.querySelector(selector);
  const root = document.documentElement;
  const dialogs = { black: part(".black"), help: part(".help") };
  let shown = {}; // what the server has drawn
  let walks = []; // as they are here: the server may still be on its way to them
  let sent = null; // moves told by this browser
  let heard = 0; // known to the server
  let again = 0; // a timer
  let tellServer = () => {};

  function take(data, setTriggerValue) {
    tellServer = setTriggerValue;
    // Just opened, another page, or the server began anew.
    if (sent === null || data.page !== shown.page || data.told < heard) sent = data.told;
    heard = data.told;
    if (heard < sent) return; // not the last word
    shown = data;
    walks = data.walks.map((walk) => ({ ...walk }));
    say();
    if (turned?.from === data.page) openPage();
    else if (turned) arrive();
  }

  // A page that is come to begins at its first step; from behind, at its last.
  function arrive() {
    const { by } = turned;
    turned = null;
    if (!walks.length) return;
    const at = by > 0 ? 0 : walks[0].names.length - 1;
    if (walks[0].at !== at) go(0, at);
  }

  const canMove = (walk, by) => walk.names[walk.at + by] !== undefined;

  function move(by) {
    if (turned) return; // on its way to another page
    const asked = new CustomEvent("explorer:move", { detail: { by }, cancelable: true });
    if (!document.dispatchEvent(asked)) return;
    const level = walks.findLastIndex((walk) => canMove(walk, by));
    if (level < 0) return turnPage(by);
    go(level, walks[level].at + by);
  }

  function go(level, at) {
    walks.length = level + 1; // another outer step may have other inner ones
    const { key } = walks[level];
    walks[level].at = at;
    sent += 1;
    ask({ page: shown.page, key, at, told: sent });
    main().scrollTo(0, 0); // a step begins at its top
    say();
  }

  const main = () => document.querySelector('[data-testid="stMain"]');

  // A run that another one replaces may leave the server without the last word: it is said again.
  function ask({ page, ...asked }) {
    clearTimeout(again);
    tellServer("asked", asked);
    again = setTimeout(() => {
      if (page === shown.page && heard < asked.told) ask({ page, ...asked });
    }, AGAIN_MS);
  }

  function turnPage(by) {
    const way = by > 0 ? "after" : "before";
    if (!shown[way]) return;
    turned = { from: shown.page, by, way, isOpened: false };
    openPage();
  }

  // Not before the server knows of every step: a step told later would bring it back to this page.
  function openPage() {
    if (turned.isOpened || heard < sent) return;
    turned.isOpened = true;
    document.querySelector(`.st-key-presenter_${turned.way} a`).click();
  }

  function say() {
    const counts = walks.map(({ names, at }) => `${names[at]} ${at + 1} / ${names.length}`);
    const isLast = !walks.some((walk) => canMove(walk, 1));
    const next = !isLast ? [] : [shown.after ? `next: ${shown.after}` : "the end"];
    const text = [...counts, ...next].join("  ·  ");
    part(".page").textContent = shown.page;
    part(".counter").textContent = text;
    part(".said").textContent = `${shown.page}: ${text.replaceAll(" / ", " of ")}`;
    part(".back").disabled = !shown.before && !walks.some((walk) => canMove(walk, -1));
    part(".forward").disabled = isLast && !shown.after;
  }

  const open = (name) => dialogs[name].showModal();
  const leave = () => {
    turned = null;
    tellServer("left", true);
  };
  const toggleControls = () => root.classList.toggle("presenter-controls");
  const acts = {
    b: () => open("black"),
    ".": () => open("black"),
    c: toggleControls,
    "?": () => open("help"),
    Escape: leave,
  };

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = MOVES[event.key];
    const scrolls = SCROLLS[event.key];
    const act = by
      ? () => move(by)
      : scrolls
        ? () => main().scrollBy(0, scrolls * window.innerHeight)
        : acts[event.key.toLowerCase()] ?? acts[event.key];
    const [target] = event.composedPath();
    const isTaken = event.key.startsWith("Page") ? false : isOwn(target, by ?? scrolls);
    if (!act || isTaken) return;
    event.preventDefault();
    event.stopPropagation();
    const opened = Object.values(dialogs).find((dialog) => dialog.open);
    if (opened) opened.close(); // a key brings the page back, and does no more
    else act();
  }

  // Whether a control does something of its own with such a key.
  const isOwn = (target, by) =>
    target instanceof Element && target.closest(by ? TAKES_ARROWS : IS_TYPED) !== null;

  function fit() {
    const zoom = Math.min(window.innerWidth / LAYOUT_WIDTH, window.innerHeight / LEAST_HEIGHT);
    root.style.setProperty("--presenter-zoom", Math.max(1, zoom));
  }

  part(".back").onclick = () => move(-1);
  part(".forward").onclick = () => move(1);
  part(".keys").onclick = acts["?"];
  part(".close").onclick = () => dialogs.help.close();
  part(".leave").onclick = leave;
  part(".controls").onclick = () => {
    dialogs.help.close();
    toggleControls();
  };
  dialogs.black.onclick = () => dialogs.black.close();
  window.addEventListener("keydown", onKey, { capture: true }); // before what Streamlit does
  window.addEventListener("resize", fit, { capture: true }); // before what draws by the zoom
  if (!live.size) measureInLayout();
  live.add(host);
  fit();

  return {
    take,
    end() {
      clearTimeout(again);
      window.removeEventListener("keydown", onKey, { capture: true });
      window.removeEventListener("resize", fit, { capture: true });
      live.delete(host);
      if (live.size) return;
      measureInWindow();
      root.style.removeProperty("--presenter-zoom");
      root.classList.remove("presenter-controls");
    },
  };
}
