// Fetches the library when the page rests, and has it read and its first drawings behind it before a
// reader asks for one. Each step waits for a pause of its own, so that none is felt.
const pause = globalThis.requestIdleCallback
  ? (wait) => new Promise((done) => requestIdleCallback(done, { timeout: wait }))
  : () => new Promise((done) => setTimeout(done, 300));

// A reader in the middle of something is not to be held up.
const CALM = 600;
let touched = 0;
for (const kind of ["pointerdown", "keydown", "wheel"]) {
  addEventListener(kind, () => { touched = performance.now(); }, { capture: true, passive: true });
}

async function rest() {
  const busy = () => document.readyState !== "complete" || !document.querySelector(IDLE_SELECTOR) || performance.now() - touched < CALM;
  while (busy()) await new Promise((done) => setTimeout(done, 150));
  await pause(5000);
}

function fetched(href) {
  return new Promise((done) => {
    const hint = document.createElement("link");
    Object.assign(hint, { rel: "preload", as: "script", href, fetchPriority: "low", onload: done, onerror: done });
    document.head.append(hint);
  });
}

// Drawings nobody sees, of each kind and about as large as the real ones: what the library and the
// browser do for a kind the first time only, they do here.
const many = (count, value) => Array.from({ length: count }, (_, n) => value(n));
const times = many(48, (n) => new Date(1.7e12 + n * 1.8e6).toISOString().slice(0, 19));
const wave = (shift) => many(48, (n) => 100 + shift + Math.sin(n));
const tiles = many(60, String);
const FIRST = [
  [{ type: "candlestick", x: times, open: wave(0), high: wave(3), low: wave(-3), close: wave(1) },
    { type: "bar", x: times, y: wave(0), yaxis: "y2" }],
  [{ type: "treemap", labels: tiles, parents: tiles.map(() => ""), values: many(60, (n) => 1 / (n + 1)), text: tiles,
    texttemplate: "<b>%{label}</b><br>%{text}", marker: { cornerradius: 4 }, pathbar: { visible: false } }],
  [{ type: "scatter", mode: "lines", x: times, y: wave(0) }, { type: "scatter", mode: "lines", x: times, y: wave(2) }],
];

async function practise(Plotly) {
  const place = document.createElement("div");
  place.setAttribute("aria-hidden", "true");
  place.style.cssText = "position:fixed;left:-2000px;width:400px;height:300px;visibility:hidden";
  document.body.append(place);
  for (const data of FIRST) {
    await rest();
    const annotations = [{ text: "a", showarrow: false }];
    const layout = { width: 400, height: 300, annotations, yaxis: { domain: [0.24, 1] }, yaxis2: { domain: [0, 0.17] } };
    await Plotly.react(place, data, layout, { displayModeBar: false });
  }
  Plotly.purge(place);
  place.remove();
}

async function prepare() {
  await rest();
  if (!globalThis.chainproofPlotly) await fetched(LIBRARY);
  await rest();
  await practise(await library());
}

export default function () {
  // Once for the whole page. A library that cannot be had is told by the chart that needs it.
  globalThis.chainproofPrepared ??= prepare().catch(() => { globalThis.chainproofPrepared = undefined; });
}
