// The picture of a stage: every number in its cell, heads named, tokens counted down the side.

function makeStage(canvas) {
  const stage = makeSurface(canvas);

  stage.layOut = (scene, { width, tallest, most, ratio, type, font, gutter, print }) => {
    const { rows, columns } = scene;
    const whole = (pixels) => Math.max(1, Math.floor(pixels * ratio) / ratio);
    const cellWidth = whole(Math.min(56, (width - gutter - 2) / columns));
    // As high as there is room; a little higher where that lets the numbers be printed.
    const gap = 1.5; // or less, between such cells
    const printed = print.fits / print.height + gap;
    const printable =
      numberWidth(cellWidth - gap, scene.N, print) >= print.fits && rows * printed <= most;
    const lowest = Math.max(7, cellWidth * print.lowest, printable ? printed : 0);
    const cellHeight = whole(Math.max(lowest, Math.min(cellWidth * 1.6, 56, tallest / rows)));
    const size = Math.max(print.names, Math.min(16, cellHeight)) * type; // of the names, in CSS pixels
    const top = size + 8;
    stage.resize(width, Math.ceil(top + rows * cellHeight + 4), ratio);
    const left = gutter + (width - gutter - columns * cellWidth) / 2;
    const [wide, high] = [cellWidth * ratio, cellHeight * ratio];
    stage.frame = { left: left * ratio, top: top * ratio, wide, high };
    const place = (cells, start, size) =>
      Float32Array.from(cells, (cell) => (start + cell * size) * ratio);
    stage.places = scene.stages.map(({ row, column }) => ({
      x: place(column, left, cellWidth),
      y: place(row, top, cellHeight),
    }));
    const marked = scene.stages.some(({ misplaced }) => misplaced);
    const how = { ratio, font, marked, print };
    stage.sprites = makeSprites(Math.round(wide), Math.round(high), scene, how);
    stage.type = size * ratio;
    stage.font = `600 ${stage.type}px ${font}`;
    stage.tokenFont = `${stage.type}px ${font}`;
    stage.gutter = gutter;
    stage.context.font = stage.font;
    stage.names = headNames(stage.context, scene, wide);
  };

  stage.draw = (scene, at, colors, followed) => {
    const { context, canvas, places, ratio } = stage;
    const now = Math.floor(at);
    const next = Math.min(now + 1, places.length - 1);
    const along = easeInOut(at - now);
    const current = scene.stages[now];
    context.clearRect(0, 0, canvas.width, canvas.height);
    stage.drawCells(places[now], places[next], along, (n) => isMisplaced(current, n));
    for (const [number, alpha] of [[now, 1 - along], [next, along]]) {
      const { name } = scene.stages[number];
      if (name === "attention") drawFrames(scene.blocks[number], colors, alpha);
    }
    const blocks = blocksBetween(scene.blocks[now], scene.blocks[next], along);
    drawNames(blocks, colors);
    if (places[now].y.every((y, n) => y === places[next].y[n])) {
      drawTokens(blocks, scene, colors, 1);
    } else {
      drawTokens(scene.blocks[now], scene, colors, 1 - 2 * along);
      drawTokens(scene.blocks[next], scene, colors, 2 * along - 1);
    }
    stage.outline(followed, colors);
  };

  // Where attention runs, a line around every head: each attends on its own.
  function drawFrames(blocks, { ink }, alpha) {
    const { context, frame, ratio } = stage;
    const out = 2 * ratio;
    context.globalAlpha = alpha;
    context.strokeStyle = ink;
    context.lineWidth = 1.5 * ratio;
    for (const { left, top, right, bottom } of blocks) {
      const [x, y] = [frame.left + left * frame.wide - out, frame.top + top * frame.high - out];
      const [wide, high] = [(right - left) * frame.wide, (bottom - top) * frame.high];
      context.beginPath();
      context.roundRect(x, y, wide + 2 * out, high + 2 * out, 5 * ratio);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  // A head's name stands above its block and travels with it.
  function drawNames(blocks, colors) {
    const { context, ratio, frame } = stage;
    context.font = stage.font;
    for (const { head, left, right, top } of blocks) {
      const x = frame.left + ((left + right) / 2) * frame.wide;
      const y = frame.top + top * frame.high - Math.min(0.5 * frame.high, 0.75 * stage.type);
      const name = stage.names[head];
      if (name) write(context, name, x, y, { ...colors, ratio, align: "center" });
    }
  }

  function drawTokens(blocks, { B, T }, colors, alpha) {
    if (alpha <= 0) return;
    const { context, ratio, frame, gutter } = stage;
    const word = gutter >= 60 ? "token " : "";
    const label = (text, left, row) => {
      const [x, y] = [frame.left + left * frame.wide - 9 * ratio, frame.top + row * frame.high];
      write(context, text, x, y, { ...colors, ratio, align: "right", alpha });
    };
    context.font = stage.tokenFont;
    const every = Math.ceil(stage.type / frame.high); // no two of them may touch
    const rowsOfBlocks = new Map(); // the leftmost block of every row of blocks
    for (const block of blocks) {
      const key = `${block.batch} ${block.top}`;
      if (!(rowsOfBlocks.get(key)?.left <= block.left)) rowsOfBlocks.set(key, block);
    }
    const named = new Set();
    const above = Math.max(0.5, stage.type / frame.high);
    for (const { batch, left, top } of rowsOfBlocks.values()) {
      for (let token = 0; token < T; token += every) {
        label(`${word}${token}`, left, top + token + 0.5);
      }
      if (B > 1 && !named.has(batch)) label(`${word ? "batch " : "b"}${batch}`, left, top - above);
      named.add(batch);
    }
  }

  return stage;
}

// What to write for each head, so that no two names touch: "head 0" where every block has room,
// else "h0", else only every second number, or fourth …
function headNames(context, { blocks, heads, stages }, wide) {
  const narrowest = Math.min(...blocks.map(([{ left, right }]) => right - left)) * wide;
  const d_head = stages[0].shape.at(-1) / heads;
  const widest = (word) => context.measureText(`${word}${heads - 1} `).width;
  const all = Array.from({ length: heads }, (_, head) => head);
  for (const word of ["head ", "h"]) {
    if (widest(word) <= narrowest) return all.map((head) => `${word}${head}`);
  }
  let every = 1;
  while (widest("") > every * d_head * wide) every *= 2;
  return all.map((head) => (head % every ? "" : String(head)));
}

const easeInOut = (part) => part * part * (3 - 2 * part);
