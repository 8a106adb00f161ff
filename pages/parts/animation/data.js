// What Python has computed, unpacked. Nothing about the numbers is worked out here.

const QUARTERS = 4; // places are sent in quarter cells

function unpack(data) {
  const arrays = data.arrays.map(({ type, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return type === "u1" ? bytes : new Int16Array(bytes.buffer);
  });
  const stages = data.stages.map((stage) => ({
    ...stage,
    index: stage.index.map((number) => arrays[number]),
    belongs: stage.belongs.map((number) => arrays[number]),
    address: arrays[stage.address],
    row: Float32Array.from(arrays[stage.row], (quarters) => quarters / QUARTERS),
    column: Float32Array.from(arrays[stage.column], (quarters) => quarters / QUARTERS),
  }));
  const owner = arrays[data.owner];
  return { ...data, stages, owner, N: owner.length, blocks: stages.map((s) => blocksOf(s, data)) };
}

function isMisplaced(stage, n) {
  return stage.misplaced > 0 && stage.index.some((along, axis) => along[n] !== stage.belongs[axis][n]);
}

// The box, in cells, around the numbers that a stage's tensor holds for each head of each batch.
function blocksOf({ axes, shape, index, row, column }, { heads }) {
  const [B, H, C] = ["B", "h", "C"].map((axis) => index[axes.indexOf(axis)]);
  const d_head = C && shape[axes.indexOf("C")] / heads;
  const blocks = Array.from({ length: shape[0] * heads }, (_, at) => ({
    batch: Math.floor(at / heads), head: at % heads,
    top: Infinity, left: Infinity, bottom: 0, right: 0,
  }));
  row.forEach((top, n) => {
    const block = blocks[B[n] * heads + (H ? H[n] : Math.floor(C[n] / d_head))];
    block.top = Math.min(block.top, top);
    block.left = Math.min(block.left, column[n]);
    block.bottom = Math.max(block.bottom, top + 1);
    block.right = Math.max(block.right, column[n] + 1);
  });
  return blocks;
}

// The boxes on the way from one stage's blocks to the next one's.
function blocksBetween(from, to, along) {
  const between = (block, side, end) => block[side] + (end[side] - block[side]) * along;
  return from.map((block, number) => ({
    ...block,
    ...Object.fromEntries(
      ["top", "left", "bottom", "right"].map((side) => [side, between(block, side, to[number])]),
    ),
  }));
}

// Words

const count = (number) => number.toLocaleString("en-US");
const tuple = (values) => `(${values.join(", ")})`;
const indexOf = (stage, n) => `[${stage.index.map((along) => along[n]).join(", ")}]`;
const withAxes = (axes, values) => tuple(axes.map((axis, at) => `${axis} ${values[at]}`));

function memoryWords({ copied, name }) {
  if (name === "input") return "new: written into memory in order";
  return copied ? "copied: written into new memory" : "view: nothing moved in memory";
}

function misplacedWords({ misplaced }, N) {
  return misplaced ? `${count(misplaced)} of ${count(N)} numbers are in the wrong place` : "";
}

function hereWords(stage, n) {
  const index = withAxes(stage.axes, stage.index.map((along) => along[n]));
  const wrong = isMisplaced(stage, n) ? "; wrong place" : "";
  return `Here: index ${index}, address ${stage.address[n]}${wrong}`;
}

// Where a number is from start to end, in one line.
function pathWords({ stages }, n) {
  const [input] = stages;
  const byHead = stages.find(({ axes }) => axes[1] === "h");
  const copy = stages.find(({ copied }) => copied);
  const end = stages.at(-1);
  const steps = [
    `x${indexOf(input, n)}`,
    `heads${indexOf(byHead, n)}`,
    `address ${input.address[n]}`,
  ];
  if (copy) steps.push(`after the copy address ${copy.address[n]}`);
  steps.push(`merged${indexOf(end, n)}, address ${end.address[n]}`);
  if (isMisplaced(end, n)) {
    steps.push(`wrong: belongs at [${end.belongs.map((along) => along[n]).join(", ")}]`);
  }
  return `${n}: ${steps.join(" → ")}`;
}
