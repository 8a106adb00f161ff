// Streamlit gives a chart or a table the width of its frame as the window shows it, where it wants
// the width in the layout: on a zoomed page it would be drawn too wide. While somebody presents, a
// frame tells what it measures in the layout.

const FRAME = '[data-testid="stFullScreenFrame"], [data-testid="stVegaLiteChart"]';

const inWindow = Element.prototype.getBoundingClientRect;

function measureInLayout() {
  Element.prototype.getBoundingClientRect = function () {
    const box = inWindow.call(this);
    if (!this.matches(FRAME)) return box;
    return new DOMRect(box.x, box.y, this.offsetWidth, this.offsetHeight);
  };
}

function measureInWindow() {
  Element.prototype.getBoundingClientRect = inWindow;
}
