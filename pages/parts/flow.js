// Draws the steps of a computation as buttons, joined by lines; names are set as text.

const SVG = "http://www.w3.org/2000/svg";
const drawings = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const flow = parentElement.querySelector(".flow");
  const nodes = flow.querySelector(".nodes");
  const lines = flow.querySelector("svg");

  nodes.style.setProperty("--columns", Math.max(...data.steps.map(({ column }) => column)) + 1);
  while (nodes.children.length > data.steps.length) nodes.lastChild.remove();
  while (nodes.children.length < data.steps.length) {
    const made = document.createElement("button");
    made.type = "button";
    nodes.append(made);
  }
  const buttons = [...nodes.children];
  const chosen = data.steps.findIndex(({ name }) => name === data.chosen);
  data.steps.forEach(({ name, column, lane, is_view, facts }, number) => {
    const button = buttons[number];
    // A name too long for its box breaks after an underscore only.
    const parts = name.split(/(?<=_)/).flatMap((part) => [part, document.createElement("wbr")]);
    button.replaceChildren(...parts);
    button.style.setProperty("--column", column);
    button.style.setProperty("--lane", lane);
    button.classList.toggle("view", is_view);
    button.title = facts;
    button.setAttribute("aria-label", `${name}: ${facts}`);
    if (number === chosen) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.tabIndex = number === chosen ? 0 : -1; // one stop of the tab key; arrows do the rest
    button.onclick = () => choose(number);
  });

  function choose(number) {
    if (number < 0 || number >= data.steps.length) return;
    buttons[number].focus();
    setTriggerValue("pressed", data.steps[number].name);
  }

  nodes.onkeydown = (event) => {
    const at = buttons.indexOf(event.target);
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(to);
  };

  function draw() {
    const zoom = flow.getBoundingClientRect().width / flow.offsetWidth || 1; // a presenter's
    const boxOf = (element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return { left: left / zoom, top: top / zoom, right: right / zoom, bottom: bottom / zoom };
    };
    const origin = boxOf(flow);
    const boxes = buttons.map(boxOf);
    const paths = [];
    data.steps.forEach(({ inputs }, to) => {
      for (const input of inputs) {
        const from = data.steps.findIndex(({ name }) => name === input);
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", curve(boxes[from], boxes[to], origin));
        path.classList.toggle("lit", to === chosen);
        paths.push(path);
      }
    });
    lines.replaceChildren(...paths);
  }

  draw();
  let drawing = drawings.get(parentElement);
  if (!drawing) {
    drawing = { draw };
    drawing.observer = new ResizeObserver(() => drawing.draw());
    drawing.observer.observe(flow);
    drawings.set(parentElement, drawing);
  }
  drawing.draw = draw;
  // Streamlit may clean up and go on in the same place: only what has left the page ends.
  return () => {
    setTimeout(() => {
      if (parentElement.isConnected || drawings.get(parentElement) !== drawing) return;
      drawing.observer.disconnect();
      drawings.delete(parentElement);
    });
  };
}

// From the edge of one box to the facing edge of another, to the right or down.
function curve(from, to, origin) {
  const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const across = to.left >= from.right;
  const [x1, y1] = across ? [from.right, middle(from)[1]] : [middle(from)[0], from.bottom];
  const [x2, y2] = across ? [to.left, middle(to)[1]] : [middle(to)[0], to.top];
  const at = (x, y) => `${x - origin.left} ${y - origin.top}`;
  const bend = across
    ? `${at((x1 + x2) / 2, y1)}, ${at((x1 + x2) / 2, y2)}`
    : `${at(x1, (y1 + y2) / 2)}, ${at(x2, (y1 + y2) / 2)}`;
  return `M ${at(x1, y1)} C ${bend}, ${at(x2, y2)}`;
}
