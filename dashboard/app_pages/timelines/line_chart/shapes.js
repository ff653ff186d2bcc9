// What a drawing consists of, as paths; and the figures of its table.
const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const near = (number) => Math.round(number * 10) / 10;

// Stretches of windows that have a band, as [first, end).
function stretches(line) {
  const found = [];
  for (let n = 0; n < line.low.length; n += 1) {
    if (line.low[n] === null) continue;
    const first = n;
    while (n + 1 < line.low.length && line.low[n + 1] !== null) n += 1;
    found.push([first, n + 1]);
  }
  return found;
}

// One closed surface a stretch. A window alone spans none: it has a bar instead.
function bandPaths(line, x, y) {
  let surface = "";
  let bars = "";
  for (const [first, end] of stretches(line)) {
    if (end - first === 1) {
      const [at, low, high] = [x(line.time[first]), y(line.low[first]), y(line.high[first])];
      bars += `M${near(at)} ${near(low)}V${near(high)}M${near(at - 4)} ${near(low)}h8M${near(at - 4)} ${near(high)}h8`;
      continue;
    }
    const there = Array.from({ length: end - first }, (_, n) => first + n);
    const over = there.map((n) => `${near(x(line.time[n]))} ${near(y(line.high[n]))}`);
    const under = there.reverse().map((n) => `${near(x(line.time[n]))} ${near(y(line.low[n]))}`);
    surface += `M${over.join("L")}L${under.join("L")}Z`;
  }
  return { surface, bars };
}

function linePath(line, x, y) {
  return line.time.map((at, n) => `${n ? "L" : "M"}${near(x(at))} ${near(y(line.mean[n]))}`).join("");
}

// Dots are strokes without a length, with round ends: one path for all of a line.
function dotPath(line, x, y) {
  return line.time.map((at, n) => `M${near(x(at))} ${near(y(line.mean[n]))}h0`).join("");
}

function signPath(kind, at, height) {
  const [x, y] = [near(at), near(height)];
  if (kind === "diamond") return `M${x} ${near(y - 7)}l7 7l-7 7l-7 -7Z`;
  return kind === "down" ? `M${near(x - 8)} ${near(y - 6)}h16l-8 13Z` : `M${near(x - 8)} ${near(y + 6)}h16l-8 -13Z`;
}

const percent = (value) => (value === null ? "–" : `${value.toFixed(1)} %`);
const grouped = (number) => number.toLocaleString("en-US");

function tableRows(lines) {
  return lines.flatMap((line) => line.start.map((start, n) => {
    const { date, clock } = stamp(start);
    const figures = [line.mean, line.low, line.high].map((of) => percent(of[n]));
    return [line.name, `${date} ${clock}`, ...figures, grouped(line.cases[n]), grouped(line.runs[n])];
  }));
}
