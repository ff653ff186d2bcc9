// Computes the widths of columns. Each row is a grid of its own, so that the browser lays out only rows near
// the screen. The longest text of a column determines its width, without measuring in the browser.

const GROW_FACTORS = { name: 36 }; // shares of the remaining width; a figure has one per digit
const FIXED_WIDTHS = ["rank", "trend", "source"];
const HEAD_FONT_RATIO = 0.9; // relative to the figures' font size
const FIRST_WIDE_CODE_POINT = 0x2e80; // CJK characters from here on are twice as wide as digits

// Estimates the width of a text in digits.
function estimateDigits(text) {
  let count = 0;
  for (const char of text) count += char === "," || char === "." ? 0.7 : char.codePointAt(0) < FIRST_WIDE_CODE_POINT ? 1 : 2;
  return count;
}

function findLongest(code, rows, words) {
  const field = { price: "priceText", cap: "capText", volume: "volumeText" }[code];
  const widest = rows.reduce((known, row) => Math.max(known, estimateDigits(row[field ?? code] ?? "")), 2);
  const head = HEAD_FONT_RATIO * (estimateDigits(words[`head_${code}`]) + 1.5); // with its arrow
  return Math.max(field ? widest : widest + 3, head).toFixed(1); // a change has its arrow and the percent sign
}

// Builds the grid's tracks and its minimum width; the style sheet defines --w-… and --pad.
function buildTracks(columns, rows, words) {
  const widths = ["var(--w-star)"];
  const template = ["var(--w-star)"];
  for (const code of columns) {
    const isFixed = code === "name" || FIXED_WIDTHS.includes(code);
    const count = isFixed ? 0 : findLongest(code, rows, words);
    const width = isFixed ? `var(--w-${code})` : `(${count}ch + 2 * var(--pad))`;
    widths.push(width);
    template.push(FIXED_WIDTHS.includes(code) ? width : `minmax(calc(${width}), ${GROW_FACTORS[code] ?? count}fr)`);
  }
  return { template: template.join(" "), minWidth: `calc(${widths.join(" + ")})` };
}
