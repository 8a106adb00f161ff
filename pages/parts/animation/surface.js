// What the two pictures have in common: a crisp canvas of cells that move between places.

function makeSurface(canvas) {
  const surface = { canvas, context: canvas.getContext("2d"), drawn: { x: [], y: [] } };

  // Give the canvas this size in CSS pixels; the drawing is in device pixels.
  surface.resize = (width, height, ratio) => {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    surface.ratio = ratio;
  };

  // Copy every cell to its place on the way from one stage's places to the next one's.
  surface.drawCells = (from, to, along, isWrong) => {
    const { context, sprites, drawn } = surface;
    const N = from.x.length;
    if (drawn.x.length !== N) Object.assign(drawn, { x: new Int16Array(N), y: new Int16Array(N) });
    for (let n = 0; n < N; n++) {
      const x = Math.round(from.x[n] + (to.x[n] - from.x[n]) * along);
      const y = Math.round(from.y[n] + (to.y[n] - from.y[n]) * along);
      drawn.x[n] = x;
      drawn.y[n] = y;
      sprites.paint(context, n, isWrong(n), x, y);
    }
  };

  surface.outline = (n, { ink, ground }) => {
    if (n === null || n >= surface.drawn.x.length) return;
    const { context, sprites, drawn, ratio } = surface;
    const out = 2.5 * ratio;
    for (const [color, width] of [[ground, 7], [ink, 3.5]]) {
      context.strokeStyle = color;
      context.lineWidth = width * ratio;
      context.beginPath();
      context.roundRect(
        drawn.x[n] - out, drawn.y[n] - out,
        sprites.width + 2 * out, sprites.height + 2 * out, 4 * ratio,
      );
      context.stroke();
    }
  };

  // The number under a pointer, or null. The last cell drawn lies on top.
  surface.numberAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) * canvas.width) / box.width;
    const y = ((event.clientY - box.top) * canvas.height) / box.height;
    const { drawn, sprites } = surface;
    const isUnder = (left, top) =>
      x >= left && x <= left + sprites.width && y >= top && y <= top + sprites.height;
    for (let n = drawn.x.length - 1; n >= 0; n--) if (isUnder(drawn.x[n], drawn.y[n])) return n;
    return null;
  };

  // For tests: what is on the canvas now, in device pixels.
  canvas.readCells = () => ({
    x: [...surface.drawn.x],
    y: [...surface.drawn.y],
    width: surface.sprites.width,
    height: surface.sprites.height,
    types: [surface.type, surface.sprites.type].filter(Boolean),
    ...surface.frame,
  });
  return surface;
}

// Text with a halo in the colour of the ground, legible on whatever lies under it.
function write(context, text, x, y, { ink, ground, ratio, align = "left", alpha = 1 }) {
  if (alpha <= 0) return;
  context.globalAlpha = alpha;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.lineWidth = 4 * ratio;
  context.lineJoin = "round";
  context.strokeStyle = ground;
  context.fillStyle = ink;
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
  context.globalAlpha = 1;
}
