// Builds the chart's SVG paths, and the rows of its table.
const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const round1 = (number) => Math.round(number * 10) / 10;

// Index ranges [first, end) of windows that have a band, within a part of the line without a break.
function bandRanges(line) {
  const ranges = [];
  for (let n = 0; n < line.low.length; n += 1) {
    if (line.low[n] === null) continue;
    const first = n;
    while (n + 1 < line.low.length && line.low[n + 1] !== null && !line.breaks[n + 1]) n += 1;
    ranges.push([first, n + 1]);
  }
  return ranges;
}

// One closed area per range. A single window gets a bar instead.
function bandPaths(line, x, y) {
  let area = "";
  let bars = "";
  for (const [first, end] of bandRanges(line)) {
    if (end - first === 1) {
      const [at, low, high] = [x(line.time[first]), y(line.low[first]), y(line.high[first])];
      bars += `M${round1(at)} ${round1(low)}V${round1(high)}M${round1(at - 4)} ${round1(low)}h8M${round1(at - 4)} ${round1(high)}h8`;
      continue;
    }
    const indexes = Array.from({ length: end - first }, (_, n) => first + n);
    const upper = indexes.map((n) => `${round1(x(line.time[n]))} ${round1(y(line.high[n]))}`);
    const lower = indexes.reverse().map((n) => `${round1(x(line.time[n]))} ${round1(y(line.low[n]))}`);
    area += `M${upper.join("L")}L${lower.join("L")}Z`;
  }
  return { area, bars };
}

function linePath(line, x, y) {
  return line.time.map((at, n) => `${n && !line.breaks[n] ? "L" : "M"}${round1(x(at))} ${round1(y(line.mean[n]))}`).join("");
}

// Dots are strokes of zero length with round ends: one path for all dots of a line.
function dotPath(line, x, y) {
  return line.time.map((at, n) => `M${round1(x(at))} ${round1(y(line.mean[n]))}h0`).join("");
}

function signPath(kind, at, height) {
  const [x, y] = [round1(at), round1(height)];
  if (kind === "diamond") return `M${x} ${round1(y - 7)}l7 7l-7 7l-7 -7Z`;
  return kind === "down" ? `M${round1(x - 8)} ${round1(y - 6)}h16l-8 13Z` : `M${round1(x - 8)} ${round1(y + 6)}h16l-8 -13Z`;
}

const percent = (value) => (value === null ? "–" : `${value.toFixed(1)}%`);
const grouped = (number) => number.toLocaleString("en-US");

function tableRows(lines) {
  return lines.flatMap((line) => line.start.map((start, n) => {
    const { date, clock } = stamp(start);
    const figures = [line.mean, line.low, line.high].map((values) => percent(values[n]));
    return [line.name, `${date} ${clock}`, ...figures, grouped(line.cases[n]), grouped(line.runs[n])];
  }));
}
