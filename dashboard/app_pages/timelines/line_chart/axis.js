// Computes round axis ticks. Times are seconds of the reader's local clock, as if it were UTC.
const [MINUTE, HOUR, DAY] = [60, 3600, 86400];
const TIME_STEPS = [
  1, 5, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR,
  6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 14 * DAY,
];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
const FIRST_MONDAY = 4 * DAY; // the first Monday after the epoch

function stamp(seconds) {
  const text = new Date(seconds * 1000).toISOString();
  return { year: text.slice(0, 4), month: text.slice(0, 7), day: text.slice(5, 10), date: text.slice(0, 10), clock: text.slice(11, 16), exact: text.slice(11, 19) };
}

// At most `maxTicks` ticks, each with a first line of text, and a second line where it changes.
function timeTicks(from, to, maxTicks) {
  const span = TIME_STEPS.find((one) => (to - from) / one <= maxTicks);
  const ticks = span ? timeStepTicks(from, to, span) : monthTicks(from, to, maxTicks);
  let last = "";
  return ticks.map(({ at, first, second }) => {
    const tick = { at, first, second: second === last ? "" : second };
    last = second;
    return tick;
  });
}

function timeStepTicks(from, to, span) {
  const shift = span % (7 * DAY) === 0 ? FIRST_MONDAY : 0;
  const ticks = [];
  for (let at = Math.ceil((from - shift) / span) * span + shift; at <= to; at += span) {
    const { year, day, clock, exact } = stamp(at);
    if (span < MINUTE) ticks.push({ at, first: exact, second: day });
    else ticks.push(span < DAY ? { at, first: clock, second: day } : { at, first: day, second: year });
  }
  return ticks;
}

function monthTicks(from, to, maxTicks) {
  const months = (to - from) / (30.4 * DAY);
  const step = MONTH_STEPS.find((one) => months / one <= maxTicks) ?? MONTH_STEPS.at(-1);
  const fromDate = new Date(from * 1000);
  const first = Math.ceil((fromDate.getUTCFullYear() * 12 + fromDate.getUTCMonth()) / step) * step;
  const ticks = [];
  for (let month = first; ticks.length <= maxTicks + 1; month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12) / 1000;
    if (at > to) break;
    if (at >= from) ticks.push({ at, first: stamp(at).month, second: "" });
  }
  return ticks;
}

function valueTicks(low, high, maxTicks) {
  const rough = (high - low) / maxTicks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let n = Math.ceil(low / step); n * step <= high; n += 1) ticks.push({ at: n * step, text: `${(n * step).toFixed(places)}%` });
  return ticks;
}
