// Round places on the axes. Times are seconds of the reader's clock, written as UTC.
const [MINUTE, HOUR, DAY] = [60, 3600, 86400];
const SPANS = [
  1, 5, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR,
  6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 14 * DAY,
];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
const MONDAY = 4 * DAY; // the first one after the epoch

function stamp(seconds) {
  const text = new Date(seconds * 1000).toISOString();
  return { year: text.slice(0, 4), month: text.slice(0, 7), day: text.slice(5, 10), date: text.slice(0, 10), clock: text.slice(11, 16), exact: text.slice(11, 19) };
}

// At most `most` places, each with a first line of text and a second where that is new.
function timeTicks(from, to, most) {
  const span = SPANS.find((one) => (to - from) / one <= most);
  const found = span ? spanTicks(from, to, span) : monthTicks(from, to, most);
  let last = "";
  return found.map(({ at, first, second }) => {
    const tick = { at, first, second: second === last ? "" : second };
    last = second;
    return tick;
  });
}

function spanTicks(from, to, span) {
  const shift = span % (7 * DAY) === 0 ? MONDAY : 0;
  const found = [];
  for (let at = Math.ceil((from - shift) / span) * span + shift; at <= to; at += span) {
    const { year, day, clock, exact } = stamp(at);
    if (span < MINUTE) found.push({ at, first: exact, second: day });
    else found.push(span < DAY ? { at, first: clock, second: day } : { at, first: day, second: year });
  }
  return found;
}

function monthTicks(from, to, most) {
  const months = (to - from) / (30.4 * DAY);
  const step = MONTHS.find((one) => months / one <= most) ?? MONTHS.at(-1);
  const begin = new Date(from * 1000);
  const first = Math.ceil((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / step) * step;
  const found = [];
  for (let month = first; found.length <= most + 1; month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12) / 1000;
    if (at > to) break;
    if (at >= from) found.push({ at, first: stamp(at).month, second: "" });
  }
  return found;
}

function valueTicks(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let n = Math.ceil(low / step); n * step <= high; n += 1) found.push({ at: n * step, text: `${(n * step).toFixed(places)} %` });
  return found;
}
