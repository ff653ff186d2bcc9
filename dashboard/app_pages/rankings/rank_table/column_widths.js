// How wide the columns are. Each row is a grid of its own, so that the browser lays out only those near
// the screen; the longest text of a column then tells its width, which no browser has to find by measuring.

const FLEXIBLE = { name: 36 }; // shares of the room that is left; a figure takes as many as it has signs
const FIXED_WIDTHS = ["rank", "trend", "source"];
const HEAD_SIZE = 0.9; // of the figures' letters
const CJK = 0x2e80; // from here on signs are twice as wide as digits

// How many digits take as much room as the text.
function signs(text) {
  let count = 0;
  for (const sign of text) count += sign === "," || sign === "." ? 0.7 : sign.codePointAt(0) < CJK ? 1 : 2;
  return count;
}

function longest(code, rows, words) {
  const field = { price: "priceText", cap: "capText", volume: "volumeText" }[code];
  const most = rows.reduce((known, row) => Math.max(known, signs(row[field ?? code] ?? "")), 2);
  const head = HEAD_SIZE * (signs(words[`head_${code}`]) + 1.5); // with its arrow
  return Math.max(field ? most : most + 3, head).toFixed(1); // a change has its arrow and the percent sign
}

// The grid's tracks and the least width of all; --w-… and --pad are the style sheet's.
function tracks(columns, rows, words) {
  const widths = ["var(--w-star)"];
  const template = ["var(--w-star)"];
  for (const code of columns) {
    const told = code === "name" || FIXED_WIDTHS.includes(code);
    const count = told ? 0 : longest(code, rows, words);
    const width = told ? `var(--w-${code})` : `(${count}ch + 2 * var(--pad))`;
    widths.push(width);
    template.push(FIXED_WIDTHS.includes(code) ? width : `minmax(calc(${width}), ${FLEXIBLE[code] ?? count}fr)`);
  }
  return { template: template.join(" "), least: `calc(${widths.join(" + ")})` };
}
