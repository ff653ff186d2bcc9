// One drawing, changed in place by Plotly.react for each new figure.

const PARKED = 3;
// Drawings whose place is gone for now: going back to them takes no new drawing. Oldest first.
const parked = (globalThis.chainproofCharts ??= new Map());

function park(key, plot) {
  globalThis.Plotly.Fx.unhover(plot);
  plot.remove();
  discard(key);
  parked.set(key, plot);
  for (const oldest of [...parked.keys()].slice(0, Math.max(0, parked.size - PARKED))) discard(oldest);
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
    // The width comes from the browser's own layout: to ask for it would have one done at once. A place
    // that has no width yet is drawn into when it has one.
    this.observer = new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry.contentRect.width);
      this.draw();
    });
  }

  receive(data) {
    const cut = data.indexOf(10); // the first line tells about the figure, which is the second
    const [about, figure] = [data.subarray(0, cut), data.subarray(cut + 1)].map((part) => new TextDecoder().decode(part));
    if (about !== this.aboutText) this.tell(JSON.parse(about));
    this.aboutText = about;
    if (figure !== this.figure || this.failed) {
      this.figure = figure;
      this.failed = false;
      this.draw();
    }
  }

  tell(about) {
    this.about = about;
    const { alt, height, late, table, words } = about;
    this.box.setAttribute("role", "img");
    this.box.setAttribute("aria-label", alt);
    this.box.style.height = `${height}px`;
    this.observer.observe(this.box);
    if (late && !this.near) this.await();
    if (table && !this.folded) {
      this.folded = new FoldedTable(words.as_table);
      this.box.after(this.folded.root);
    }
    if (table) this.folded.show(table);
  }

  // Far down a page a drawing waits until its reader comes near.
  await() {
    if (this.coming) return;
    const margins = { rootMargin: "600px", scrollMargin: "600px" };
    this.coming = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.near = true;
      this.coming.disconnect();
      this.draw();
    }, margins);
    this.coming.observe(this.box);
  }

  async draw() {
    if (!this.width || (this.about.late && !this.near)) return;
    try {
      const Plotly = globalThis.Plotly ?? (await library());
      if (this.gone) return;
      this.plot ??= this.adopt();
      await this.change(Plotly, this.plot);
      this.listen(this.plot);
    } catch (fault) {
      this.fail(fault);
    }
  }

  // A click is told with what the figure itself says of the point, which no later figure changes.
  listen(plot) {
    plot.removeAllListeners?.("plotly_click");
    if (!this.about.picks) return;
    plot.on("plotly_click", ({ points: [{ x, y, customdata }] }) => this.pick("picked", { x, y, id: customdata ?? null }));
  }

  change(Plotly, plot) {
    const { config, height } = this.about;
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

  adopt() {
    const { key } = this.about;
    const plot = parked.get(key) ?? document.createElement("div");
    parked.delete(key);
    this.box.replaceChildren(plot);
    return plot;
  }

  fail(fault) {
    console.error(fault);
    if (this.gone) return;
    const note = make("p", this.about.words.failed);
    note.className = "cp-chart-failed";
    this.box.removeAttribute("role"); // the words are to be read
    this.box.removeAttribute("aria-label");
    this.box.replaceChildren(note);
    if (this.plot) globalThis.Plotly.purge(this.plot);
    this.plot = this.aboutText = null;
    this.failed = true;
  }

  leave() {
    this.gone = true;
    this.observer.disconnect();
    this.coming?.disconnect();
    if (this.plot) park(this.about.key, this.plot);
    this.box.remove();
    this.folded?.root.remove();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const chart = (parentElement.cpChart ??= new Chart(parentElement));
  const turn = (chart.turn = (chart.turn || 0) + 1);
  chart.pick = setTriggerValue;
  chart.receive(data);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (chart.turn !== turn) return;
    delete parentElement.cpChart;
    chart.leave();
  };
}
