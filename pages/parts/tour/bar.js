// The bar that plays a tour, at the bottom of every page.

function makeBar(root, pages) {
  const page = document.documentElement;
  let stops = null;
  let place = null;

  const press = (name, text, onclick) =>
    make("button", { type: "button", className: name, text, onclick });
  const count = make("span", { className: "count" });
  const note = make("p", { className: "note" });
  const buttons = {
    previous: press("previous", "← Previous", () => move(-1, "previous")),
    next: press("next main", "Next →", () => move(1, "next")),
    end: press("end", "End tour", () => keepPlaying(null)),
  };
  root.append(count, note, make("span", { className: "buttons" }, ...Object.values(buttons)));

  function show() {
    place = playing();
    stops = place && (place.lesson ? fitting(() => checkTour(place.lesson, pages)) : ownTour(pages));
    root.hidden = stops === null;
    page.classList.toggle("tour-plays", !root.hidden);
    if (root.hidden) return;
    place.at = Math.min(Math.max(place.at, 0), stops.length - 1); // stops may have been removed
    count.textContent = `Stop ${place.at + 1} / ${stops.length}`;
    note.textContent = stops[place.at].note;
    buttons.previous.disabled = place.at === 0;
    buttons.next.disabled = place.at === stops.length - 1;
  }

  function move(by, focus = null) {
    if (stops[place.at + by]) go(stops, { ...place, at: place.at + by, focus }, pages);
  }

  // The keys of presenter mode; by: 1 or -1. While a tour plays they are its own, so that it hears
  // of them first, and nothing else that moves by them does.
  function moved(event) {
    if (root.hidden || ![1, -1].includes(event.detail?.by)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    move(event.detail.by);
  }

  // The same keys where nobody presents: a remote's, and the arrows unless a control takes them.
  function onKey(event) {
    const by = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }[event.key];
    const isPresented = page.style.getPropertyValue("--presenter-zoom") !== "";
    if (root.hidden || isPresented || !by || event.ctrlKey || event.metaKey || event.altKey) return;
    const [target] = event.composedPath();
    const isTaken = event.key.startsWith("Page")
      ? target.matches?.("textarea, [contenteditable]")
      : target !== document.body;
    if (isTaken) return;
    event.preventDefault();
    move(by);
  }

  // The bar begins beside the sidebar, and the page ends above the bar (see look.css).
  const main = document.querySelector('[data-testid="stMain"]');
  const resized = new ResizeObserver(() => {
    root.style.left = `${main.getBoundingClientRect().left}px`;
    page.style.setProperty("--tour-bar", `${root.offsetHeight}px`);
  });
  resized.observe(main);
  resized.observe(root);
  document.addEventListener("explorer:move", moved, { capture: true });
  window.addEventListener("keydown", onKey, { capture: true });
  const forget = onChange(show);
  show();
  if (!root.hidden && Object.hasOwn(buttons, place.focus ?? "")) {
    buttons[place.focus].focus(); // so that Enter goes on
    keepPlaying({ ...place, focus: null });
  }
  return {
    end() {
      forget();
      resized.disconnect();
      document.removeEventListener("explorer:move", moved, { capture: true });
      window.removeEventListener("keydown", onKey, { capture: true });
      page.classList.remove("tour-plays");
    },
  };
}

export default function ({ data, parentElement }) {
  return mountOnce(parentElement, () => makeBar(parentElement.querySelector(".bar"), data.pages));
}
