// A grid of buttons, one a cell. A press turns its cell over here, at once, and sends the whole
// matrix; what the server sends is taken only when it has heard of every turn made here.

const grids = new WeakMap();
const SHORT = { True: "T", False: "F", "-inf": "−∞" };

function makeCell() {
  const cell = document.createElement("button");
  cell.type = "button";
  cell.setAttribute("role", "gridcell");
  for (const name of ["long", "short"]) {
    const text = document.createElement("span");
    text.className = name;
    cell.append(text);
  }
  return cell;
}

function makeHead(role, className) {
  const head = document.createElement("div");
  head.setAttribute("role", role);
  head.className = className;
  return head;
}

// A row of words across the top, then a word and its cells for each query.
function build(place, rows, columns) {
  const across = makeHead("row", "row");
  across.append(makeHead("presentation", "corner"));
  for (let k = 0; k < columns; k++) {
    const word = makeHead("columnheader", "key");
    word.textContent = `k${k}`;
    across.append(word);
  }
  place.replaceChildren(across);
  const cells = [];
  for (let q = 0; q < rows; q++) {
    const row = makeHead("row", "row");
    const word = makeHead("rowheader", "query");
    word.textContent = `q${q}`;
    row.append(word);
    cells.push(Array.from({ length: columns }, makeCell));
    row.append(...cells[q]);
    place.append(row);
  }
  return cells;
}

export default function ({ data, parentElement, setStateValue }) {
  const place = parentElement.querySelector(".mask");
  let grid = grids.get(parentElement);
  if (!grid) {
    grid = { turn: 0, at: [0, 0], isOn: [] };
    grids.set(parentElement, grid);
  }
  const [rows, columns] = [data.cells.length, data.cells[0].length];
  const fits = grid.isOn.length === rows && grid.isOn[0].length === columns;
  if (!fits || data.heard >= grid.turn) {
    grid.isOn = data.cells.map((row) => [...row]);
    grid.turn = Math.max(grid.turn, data.heard);
  }
  if (!fits) {
    grid.cells = build(place, rows, columns);
    grid.at = [0, 0];
  }
  place.setAttribute("aria-label", data.label);
  place.style.setProperty("--columns", columns);
  place.style.setProperty("--row", `${data.row_pixels}px`);

  const show = (q, k) => {
    const cell = grid.cells[q][k];
    const name = data.names[Number(grid.isOn[q][k])];
    const other = data.names[Number(!grid.isOn[q][k])];
    const [long, short] = cell.children;
    long.textContent = name;
    short.textContent = SHORT[name] ?? name;
    cell.classList.toggle("on", grid.isOn[q][k]);
    cell.setAttribute("aria-label", `query ${q}, key ${k}: ${name}. Press for ${other}.`);
    cell.title = `q${q}, k${k}: ${name}`;
    // One stop of the tab key; arrows do the rest.
    cell.tabIndex = q === grid.at[0] && k === grid.at[1] ? 0 : -1;
  };
  const showAll = () => grid.cells.forEach((row, q) => row.forEach((_, k) => show(q, k)));

  const turnOver = (q, k) => {
    grid.isOn[q][k] = !grid.isOn[q][k];
    grid.turn += 1;
    show(q, k);
    setStateValue("drawn", { turn: grid.turn, cells: grid.isOn.map((row) => [...row]) });
  };

  const goTo = (q, k) => {
    if (q < 0 || k < 0 || q >= rows || k >= columns) return;
    const [oldQ, oldK] = grid.at;
    grid.at = [q, k];
    show(oldQ, oldK);
    show(q, k);
    grid.cells[q][k].focus();
  };

  grid.cells.forEach((row, q) =>
    row.forEach((cell, k) => {
      cell.onclick = () => {
        goTo(q, k);
        turnOver(q, k);
      };
      cell.onkeydown = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const to = {
          ArrowRight: [q, k + 1],
          ArrowLeft: [q, k - 1],
          ArrowDown: [q + 1, k],
          ArrowUp: [q - 1, k],
          Home: [q, 0],
          End: [q, columns - 1],
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        goTo(...to);
      };
    })
  );
  showAll();
}
