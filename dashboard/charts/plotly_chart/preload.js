// Loads Plotly when the page is idle and draws first charts off-screen, before a reader opens one.
// Each step waits for its own idle time, so that readers notice none.
const waitForIdle = globalThis.requestIdleCallback
  ? (timeout) => new Promise((done) => requestIdleCallback(done, { timeout }))
  : () => new Promise((done) => setTimeout(done, 300));

// Do not block a reader who is interacting with the page.
const QUIET_MS = 600;
let lastInput = 0;
for (const kind of ["pointerdown", "keydown", "wheel"]) {
  addEventListener(kind, () => { lastInput = performance.now(); }, { capture: true, passive: true });
}

async function waitForRest() {
  const busy = () => document.readyState !== "complete" || !document.querySelector(IDLE_SELECTOR) || performance.now() - lastInput < QUIET_MS;
  while (busy()) await new Promise((done) => setTimeout(done, 150));
  await waitForIdle(5000);
}

function preloadFile(href) {
  return new Promise((done) => {
    const hint = document.createElement("link");
    Object.assign(hint, { rel: "preload", as: "script", href, fetchPriority: "low", onload: done, onerror: done });
    document.head.append(hint);
  });
}

// Off-screen charts of each type, about as large as the real ones: Plotly and the browser do their
// one-time work for a type here.
const repeat = (count, value) => Array.from({ length: count }, (_, n) => value(n));
const times = repeat(48, (n) => new Date(1.7e12 + n * 1.8e6).toISOString().slice(0, 19));
const wave = (shift) => repeat(48, (n) => 100 + shift + Math.sin(n));
const tiles = repeat(60, String);
const WARM_UP_CHARTS = [
  [{ type: "candlestick", x: times, open: wave(0), high: wave(3), low: wave(-3), close: wave(1) },
    { type: "bar", x: times, y: wave(0), yaxis: "y2" }],
  [{ type: "treemap", labels: tiles, parents: tiles.map(() => ""), values: repeat(60, (n) => 1 / (n + 1)), text: tiles,
    texttemplate: "<b>%{label}</b><br>%{text}", marker: { cornerradius: 4 }, pathbar: { visible: false } }],
  [{ type: "scatter", mode: "lines", x: times, y: wave(0) }, { type: "scatter", mode: "lines", x: times, y: wave(2) }],
];

async function drawWarmUpCharts(Plotly) {
  const place = document.createElement("div");
  place.setAttribute("aria-hidden", "true");
  place.style.cssText = "position:fixed;left:-2000px;width:400px;height:300px;visibility:hidden";
  document.body.append(place);
  for (const data of WARM_UP_CHARTS) {
    await waitForRest();
    const annotations = [{ text: "a", showarrow: false }];
    const layout = { width: 400, height: 300, annotations, yaxis: { domain: [0.24, 1] }, yaxis2: { domain: [0, 0.17] } };
    await Plotly.react(place, data, layout, { displayModeBar: false });
  }
  Plotly.purge(place);
  place.remove();
}

async function preload() {
  await waitForRest();
  if (!globalThis.chainproofPlotly) await preloadFile(LIBRARY);
  await waitForRest();
  await drawWarmUpCharts(await loadLibrary());
}

export default function () {
  // Once for the whole page. If Plotly cannot be loaded, the chart that needs it reports the error.
  globalThis.chainproofPrepared ??= preload().catch(() => { globalThis.chainproofPrepared = undefined; });
}
