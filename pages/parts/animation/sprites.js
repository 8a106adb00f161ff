// Cells drawn once each, with their number and their mark, and then only copied: no text is laid
// out while anything moves.

// How the pictures are printed, in CSS pixels. names: their smallest type. fits: the smallest in which
// a number is printed in its cell. height: its size as a part of the cell's height. digit: the width
// of a digit as a part of that size. lowest: the least height of a cell as a part of its width. row:
// the least of a row of the memory. A presenter's type is larger, and the cells may be low.
const PRINT = { names: 11, fits: 9.5, height: 0.6, digit: 0.54, lowest: 0.4, row: 8 };
const PRESENTED_PRINT = { names: 15, fits: 15, height: 0.8, digit: 0.51, lowest: 0, row: 4 };
const CROSS_FITS = 12; // smaller cells have one stroke, which leaves more of their hue
const ROUNDED = 6; // smaller cells have no round corners, which would look like dots

// The size of type in which the longest of N numbers is as wide as a cell, in CSS pixels.
const numberWidth = (cellWidth, N, { digit }) => (cellWidth - 3) / (digit * String(N - 1).length);

// A pen for cells of this size, in device pixels. `paint(context, n, wrong, x, y)` copies one.
function makeSprites(width, height, { owner, N, hues, inks }, { ratio, font, marked, print }) {
  const gap = Math.max(1, Math.round(Math.min(width, height) * 0.06));
  const [w, h] = [width, height].map((side) => (side > 5 * ratio ? side - gap : Math.max(1, side)));
  const size = Math.min(h * print.height, numberWidth(w / ratio, N, print) * ratio, 22 * ratio);
  const numbered = size >= print.fits * ratio;
  const kinds = numbered ? N : hues.length; // without numbers, all cells of a hue are the same
  const across = Math.ceil(Math.sqrt(kinds));
  const down = Math.ceil(kinds / across);
  const atlas = document.createElement("canvas");
  atlas.width = across * w;
  atlas.height = down * h * (marked ? 2 : 1);
  const pen = atlas.getContext("2d");
  pen.font = `600 ${size}px ${font}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let kind = 0; kind < kinds; kind++) {
    for (const wrong of marked ? [false, true] : [false]) {
      pen.save();
      pen.translate((kind % across) * w, (Math.floor(kind / across) + (wrong ? down : 0)) * h);
      const number = (numbered ? owner[kind] : kind) % hues.length;
      const text = numbered ? String(kind) : "";
      drawCell(pen, w, h, { hue: hues[number], ink: inks[number], wrong, text, ratio });
      pen.restore();
    }
  }
  return {
    width: w,
    height: h,
    type: numbered ? size : 0, // in device pixels
    paint(context, n, wrong, x, y) {
      const kind = numbered ? n : owner[n] % hues.length;
      const top = (Math.floor(kind / across) + (wrong ? down : 0)) * h;
      context.drawImage(atlas, (kind % across) * w, top, w, h, x, y, w, h);
    },
  };
}

function drawCell(pen, w, h, { hue, ink, wrong, text, ratio }) {
  const thin = Math.min(w, h);
  pen.beginPath();
  pen.roundRect(0, 0, w, h, thin < ROUNDED * ratio ? 0 : thin * 0.14);
  pen.clip();
  pen.fillStyle = hue;
  pen.fillRect(0, 0, w, h);
  if (wrong) {
    // A cross and a border, in the ink: a mark that needs no colour to be seen.
    const line = Math.max(1, thin * 0.07);
    pen.strokeStyle = ink;
    pen.lineWidth = line;
    pen.beginPath();
    pen.moveTo(line, h - line);
    pen.lineTo(w - line, line);
    if (thin >= CROSS_FITS * ratio) {
      pen.moveTo(line, line);
      pen.lineTo(w - line, h - line);
      pen.roundRect(line, line, w - 2 * line, h - 2 * line, thin * 0.1);
    }
    pen.stroke();
  }
  if (wrong && text) {
    pen.strokeStyle = hue; // the number stays legible on the cross
    pen.lineWidth = thin * 0.3;
    pen.lineJoin = "round";
    pen.strokeText(text, w / 2, h * 0.53);
  }
  pen.fillStyle = ink;
  pen.fillText(text, w / 2, h * 0.53);
}
