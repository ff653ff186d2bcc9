// Draws one chart; Plotly.react updates it in place for each new figure.

const MAX_PARKED = 3;
// Charts whose elements left the page: showing them again needs no new drawing. Oldest first.
const parked = (globalThis.chainproofCharts ??= new Map());

function park(key, plot) {
  globalThis.Plotly.Fx.unhover(plot);
  plot.remove();
  discard(key);
  parked.set(key, plot);
  for (const oldest of [...parked.keys()].slice(0, Math.max(0, parked.size - MAX_PARKED))) discard(oldest);
}

function discard(key) {
  const plot = parked.get(key);
  parked.delete(key);
  if (plot) globalThis.Plotly.purge(plot);
}

class Chart {
  constructor(host) {
    this.box = document.createElement("div");
    this.box.className = "cp-chart";
    host.append(this.box);
    // The observer reports the width after the browser's own layout; reading it would force a layout. A box
    // without a width gets its chart as soon as it has one.
    this.observer = new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry.contentRect.width);
      this.draw();
    });
  }

  receive(data) {
    const lineEnd = data.indexOf(10); // the first line holds the options, the second the figure
    const [options, figure] = [data.subarray(0, lineEnd), data.subarray(lineEnd + 1)].map((part) => new TextDecoder().decode(part));
    if (options !== this.optionsText) this.applyOptions(JSON.parse(options));
    this.optionsText = options;
    if (figure !== this.figure || this.failed) {
      this.figure = figure;
      this.failed = false;
      this.draw();
    }
  }

  applyOptions(options) {
    this.options = options;
    const { alt, height, late, table, words } = options;
    this.box.setAttribute("role", "img");
    this.box.setAttribute("aria-label", alt);
    this.box.style.height = `${height}px`;
    this.observer.observe(this.box);
    if (late && !this.near) this.observeDistance();
    if (table && !this.folded) {
      this.folded = new FoldedTable();
      this.box.after(this.folded.root);
    }
    if (table) this.folded.show(table, words.as_table);
  }

  // Delays drawing of a chart far down the page until it is near the screen.
  observeDistance() {
    if (this.distanceObserver) return;
    const margins = { rootMargin: "600px", scrollMargin: "600px" };
    this.distanceObserver = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.near = true;
      this.distanceObserver.disconnect();
      this.draw();
    }, margins);
    this.distanceObserver.observe(this.box);
  }

  async draw() {
    if (!this.width || (this.options.late && !this.near)) return;
    try {
      const Plotly = globalThis.Plotly ?? (await loadLibrary());
      if (this.removed) return;
      this.plot ??= this.takePlot();
      await this.update(Plotly, this.plot);
      this.listen(this.plot);
    } catch (error) {
      this.fail(error);
    }
  }

  // A click reports the point's own data in its figure, which no later figure changes.
  listen(plot) {
    plot.removeAllListeners?.("plotly_click");
    if (!this.options.picks) return;
    plot.on("plotly_click", ({ points: [{ x, y, customdata }] }) => this.pick("picked", { x, y, id: customdata ?? null }));
  }

  update(Plotly, plot) {
    const { config, height } = this.options;
    const { width, figure } = this;
    const before = plot.cpDrawn ?? {};
    if (before.figure === figure && before.height === height) {
      if (before.width === width) return undefined;
      plot.cpDrawn = { figure, height, width };
      return Plotly.relayout(plot, { width });
    }
    plot.cpDrawn = { figure, height, width };
    const { data, layout } = JSON.parse(figure);
    this.family ??= getComputedStyle(this.box).fontFamily;
    const font = { family: this.family, ...layout.font };
    return Plotly.react(plot, data, { ...layout, width, height, autosize: false, font }, config);
  }

  takePlot() {
    const { key } = this.options;
    const plot = parked.get(key) ?? document.createElement("div");
    parked.delete(key);
    this.box.replaceChildren(plot);
    return plot;
  }

  fail(error) {
    console.error(error);
    if (this.removed) return;
    const note = createNode("p", this.options.words.failed);
    note.className = "cp-chart-failed";
    this.box.removeAttribute("role"); // so that screen readers read the message
    this.box.removeAttribute("aria-label");
    this.box.replaceChildren(note);
    if (this.plot) globalThis.Plotly.purge(this.plot);
    this.plot = this.optionsText = null;
    this.failed = true;
  }

  remove() {
    this.removed = true;
    this.observer.disconnect();
    this.distanceObserver?.disconnect();
    if (this.plot) park(this.options.key, this.plot);
    this.box.remove();
    this.folded?.root.remove();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const chart = (parentElement.cpChart ??= new Chart(parentElement));
  const call = (chart.call = (chart.call || 0) + 1);
  chart.pick = setTriggerValue;
  chart.receive(data);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (chart.call !== call) return;
    delete parentElement.cpChart;
    chart.remove();
  };
}
