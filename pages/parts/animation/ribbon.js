// The picture of the memory: the flat buffer in order of address, wrapped after whole tokens, and
// the strides as arrows from address 0.

const LEVEL = 21; // the height of one arrow's line, in CSS pixels
const LOWEST_ROW = 12;
const TALLEST_ROW = 26;
const NARROWEST_CELL = 4;

function makeRibbon(canvas) {
  const ribbon = makeSurface(canvas);

  ribbon.layOut = (scene, { width, tallest, ratio, type, font, gutter, print }) => {
    const { N, C } = scene;
    const room = width - gutter - 2;
    // One row where all numbers can be printed in it; else as few tokens a row as let the rows be
    // high enough, as long as cells can still be told apart.
    const printed = 8 + 9 * String(N - 1).length * type;
    const isTooLow = () => tallest / Math.ceil(N / perRow) < LOWEST_ROW;
    let perRow = C;
    const next = () => room / (perRow + C);
    while (perRow < N && next() >= (isTooLow() ? NARROWEST_CELL : printed)) perRow += C;
    const rows = Math.ceil(N / perRow);
    const cellWidth = Math.min(42, room / perRow);
    const cellHeight = Math.max(print.row, Math.min(TALLEST_ROW, Math.floor(tallest / rows)));
    const isAbove = ({ stride }) => stride % perRow > 0;
    const levels = Math.max(...scene.stages.map((stage) => arrowsOf(stage).filter(isAbove).length));
    const top = levels * LEVEL + 4;
    ribbon.resize(width, Math.ceil(top + rows * cellHeight + 4), ratio);
    const [left, wide, high] = [gutter * ratio, cellWidth * ratio, cellHeight * ratio];
    ribbon.frame = { left, top: top * ratio, wide, high, perRow };
    ribbon.type = 15 * type * ratio;
    ribbon.font = `600 ${ribbon.type}px ${font}`;
    ribbon.places = scene.stages.map(({ address }) => ({
      x: Float32Array.from(address, (at) => left + (at % perRow) * wide),
      y: Float32Array.from(address, (at) => top * ratio + Math.floor(at / perRow) * high),
    }));
    const how = { ratio, font, marked: false, print };
    ribbon.sprites = makeSprites(Math.round(wide), Math.round(high), scene, how);
  };

  ribbon.draw = (scene, at, colors, followed) => {
    const { context, canvas, places } = ribbon;
    const now = Math.floor(at);
    const next = Math.min(now + 1, places.length - 1);
    context.clearRect(0, 0, canvas.width, canvas.height);
    ribbon.drawCells(places[now], places[next], easeInOut(at - now), () => false);
    drawArrows(scene.stages[Math.ceil(at)], colors);
    ribbon.outline(followed, colors);
  };

  // From address 0 to the address that one step along an axis reaches, one arrow an axis. Its line
  // runs above the memory, the shortest step lowest, or beside it where the step is a whole row.
  function drawArrows(stage, colors) {
    const { context, ratio, frame } = ribbon;
    const { perRow } = frame;
    context.font = ribbon.font;
    const labels = [];
    let [level, beside] = [0, 0];
    for (const { axis, stride } of arrowsOf(stage)) {
      const [row, column] = [Math.floor(stride / perRow), stride % perRow];
      const x = (cell) => frame.left + cell * frame.wide;
      const y = (row) => frame.top + row * frame.high;
      const text = `${axis} +${stride}`;
      const room = context.measureText(text).width + 9 * ratio;
      if (column) {
        const line = frame.top - (11 + LEVEL * level++) * ratio;
        const start = [[x(0.5), y(0) - 2 * ratio], [x(0.5), line]];
        // In a lower row it comes between two cells and enters from the side, to cover no number.
        const end = row ? x(column) - ratio : x(column + 0.5);
        const bend = row ? [[end, y(row + 0.5)]] : [];
        const tip = row ? [x(column + 0.25), y(row + 0.5)] : [end, y(0)];
        arrow([...start, [end, line], ...bend], tip, colors);
        const fits = end + room < ribbon.canvas.width;
        labels.push([text, end + (fits ? 9 : -9) * ratio, line, fits ? "left" : "right"]);
      } else {
        const line = x(0) - (10 + 9 * beside++) * ratio;
        arrow([[x(0), y(0.5)], [line, y(0.5)], [line, y(row + 0.5)]], [x(0), y(row + 0.5)], colors);
        if (line > room) labels.push([text, line - 6 * ratio, y((row + 1) / 2), "right"]);
      }
    }
    for (const [text, x, y, align] of labels) write(context, text, x, y, { ...colors, ratio, align });
  }

  // A line through the points to a tip, with a halo where it crosses other cells.
  function arrow(points, [x, y], { ink, ground }) {
    const { context, ratio } = ribbon;
    const size = 4.5 * ratio;
    const [beforeX, beforeY] = points.at(-1);
    const [stepX, stepY] = [Math.sign(Math.round(x - beforeX)), Math.sign(Math.round(y - beforeY))];
    context.lineJoin = "round";
    for (const [color, width] of [[ground, 5], [ink, 2]]) {
      context.strokeStyle = color;
      context.lineWidth = width * ratio;
      context.beginPath();
      points.forEach((point) => context.lineTo(...point));
      context.lineTo(x - stepX * size, y - stepY * size);
      context.stroke();
    }
    context.fillStyle = ink;
    context.beginPath();
    context.moveTo(x, y);
    for (const side of [1, -1]) {
      const [back, aside] = [1.5 * size, side * size];
      context.lineTo(x - back * stepX + aside * stepY, y - back * stepY + aside * stepX);
    }
    context.fill();
  }

  return ribbon;
}

// The axes along which one can step, the shortest step first.
function arrowsOf({ axes, shape, strides }) {
  return axes
    .map((axis, at) => ({ axis, stride: strides[at], length: shape[at] }))
    .filter(({ length }) => length > 1)
    .sort((a, b) => a.stride - b.stride);
}
