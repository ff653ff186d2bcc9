// Draws the mini candles of a row from four characters per candle: open, high, low and close as levels
// between the row's lowest and highest price. Rising candles are filled, falling ones hollow.

const TREND_WIDTH = 136;
const TREND_HEIGHT = 36;
const SVG = "http://www.w3.org/2000/svg";

function decodeLevel(text, at) {
  const code = text.charCodeAt(at);
  return code < 92 ? code - 35 : code - 36; // the code of the backslash is skipped, because JSON would escape it
}

function buildTrendPaths(text, slots) {
  const step = TREND_WIDTH / slots;
  const half = Math.max(0.55, step * 0.34);
  const y = (value) => (2 + (1 - value / (OPTIONS.trendLevels - 1)) * (TREND_HEIGHT - 4)).toFixed(1);
  const count = Math.floor(text.length / 4);
  const paths = { up: "", down: "" };
  for (let n = 0; n < count; n += 1) {
    if (text[4 * n] === " ") continue;
    const [open, high, low, close] = [0, 1, 2, 3].map((k) => decodeLevel(text, 4 * n + k));
    const x = (slots - count + n + 0.5) * step;
    const [left, right, mid] = [x - half, x + half, x].map((value) => value.toFixed(2));
    const [top, bottom] = close >= open ? [close, open] : [open, close];
    const body = top === bottom ? `M${left} ${y(top)}H${right}` : `M${left} ${y(top)}H${right}V${y(bottom)}H${left}Z`;
    const wick = `M${mid} ${y(high)}V${y(top)}M${mid} ${y(bottom)}V${y(low)}`;
    paths[close >= open ? "up" : "down"] += wick + body;
  }
  return paths;
}

function drawTrend(cell, row, slots) {
  let svg = cell.firstElementChild;
  if (!svg) {
    svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${TREND_WIDTH} ${TREND_HEIGHT}`);
    svg.setAttribute("width", TREND_WIDTH);
    svg.setAttribute("height", TREND_HEIGHT);
    svg.setAttribute("role", "img");
    for (const name of ["up", "down"]) {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", name);
      svg.append(path);
    }
    cell.append(svg);
  }
  const paths = buildTrendPaths(row.trend, slots);
  svg.children[0].setAttribute("d", paths.up);
  svg.children[1].setAttribute("d", paths.down);
  svg.setAttribute("aria-label", row.trendLabel);
}
