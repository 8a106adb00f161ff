// A row of a list is dragged to another place, by mouse, pen or finger. While it is, rows only look
// moved; the list itself is its owner's to change, once the row is let go.

const EDGE = 70; // pixels from the end of what is seen of the page, where it moves along
const FASTEST = 16; // pixels a frame

// Returns what begins a drag: a handler of pointerdown on the row's grip, given the row.
// drop(from, to) is called with the row's place and another one; Escape calls nothing.
function makeDrag(list, drop) {
  const page = document.querySelector('[data-testid="stMain"]');
  let drag = null;

  // Where the pointer is in the list, however far the page has scrolled and is zoomed.
  function pointerIn(y) {
    const box = list.getBoundingClientRect();
    return ((y - box.top) * list.offsetWidth) / box.width;
  }

  function begin(event, row) {
    if (drag || event.button !== 0) return;
    event.preventDefault(); // no text is marked
    list.getRootNode().activeElement?.blur(); // keeps what was typed
    const grip = event.currentTarget;
    grip.setPointerCapture(event.pointerId);
    const rows = [...list.children];
    const from = rows.indexOf(row);
    const tops = rows.map(({ offsetTop }) => offsetTop - rows[0].offsetTop);
    const ends = rows.map(({ offsetHeight }, i) => tops[i] + offsetHeight);
    const gap = rows.length > 1 ? tops[1] - ends[0] : 0;
    drag = { grip, row, rows, from, to: from, tops, ends, gap };
    drag.y = event.clientY;
    drag.grabbed = pointerIn(drag.y);
    row.classList.add("dragged");
    grip.onpointermove = ({ clientY }) => follow(clientY);
    grip.onpointerup = ({ clientY }) => {
      follow(clientY);
      end(true);
    };
    grip.onpointercancel = () => end(false);
    window.addEventListener("keydown", leave, { capture: true });
    requestAnimationFrame(scroll);
  }

  function follow(y) {
    drag.y = y;
    const { row, rows, from, tops, ends, gap, grabbed } = drag;
    const last = rows.length - 1;
    const wanted = pointerIn(y) - grabbed;
    const by = Math.min(Math.max(wanted, -tops[from]), ends[last] - ends[from]);
    // It takes the place of each row whose middle it has reached.
    const middle = (i) => (tops[i] + ends[i]) / 2;
    const above = rows.findIndex((_, i) => i < from && tops[from] + by <= middle(i));
    const below = rows.findLastIndex((_, i) => i > from && ends[from] + by >= middle(i));
    drag.to = above >= 0 ? above : Math.max(below, from);
    const room = ends[from] - tops[from] + gap;
    rows.forEach((other, i) => {
      const gives = (i > from && i <= drag.to) - (i < from && i >= drag.to);
      other.style.translate = other === row ? `0 ${by}px` : `0 ${-gives * room}px`;
    });
  }

  // At an end of what is seen, the page goes on under the pointer.
  function scroll() {
    if (!drag) return;
    if (!drag.row.isConnected) return end(false); // another tab has changed the list
    const { top, bottom } = page.getBoundingClientRect();
    const into = Math.max(drag.y - bottom + EDGE, 0) - Math.max(top + EDGE - drag.y, 0);
    if (into) {
      page.scrollTop += Math.max(Math.min(into / EDGE, 1), -1) * FASTEST;
      follow(drag.y);
    }
    requestAnimationFrame(scroll);
  }

  function leave(event) {
    if (event.key !== "Escape") return;
    event.stopImmediatePropagation();
    event.preventDefault();
    end(false);
  }

  function end(isDropped) {
    const { grip, row, rows, from, to } = drag;
    drag = null;
    window.removeEventListener("keydown", leave, { capture: true });
    grip.onpointermove = grip.onpointerup = grip.onpointercancel = null;
    row.classList.remove("dragged");
    for (const { style } of rows) style.translate = "";
    if (isDropped && to !== from) drop(from, to);
  }

  return begin;
}
