// Draws the chart again for each new figure, width or time range, which takes at most one frame.
const MARGIN_PX = { left: 48, right: 12, top: 12, bottom: 40 };
const MAX_DOTS = 60; // per line; more dots would hide the line
const TIME_TICK_PX = 92; // minimum distance of times on the axis
const MIN_VALUE_SPAN = 2; // percent
const VALUE_PADDING = 0.06; // share of the span
let chartCount = 0;

class LineChart {
  constructor(host) {
    this.box = createNode("div");
    this.box.className = "cp-chart tl-lines";
    this.clip = `tl-lines-${(chartCount += 1)}`;
    this.svg = shape("svg", { "aria-hidden": "true" });
    this.pointer = new PointerInput(this);
    this.resetButton = createNode("button");
    Object.assign(this.resetButton, { type: "button", className: "tl-lines-whole", hidden: true, onclick: () => this.zoom(null) });
    this.picture = createNode("div");
    this.picture.className = "tl-lines-picture";
    this.picture.setAttribute("role", "img");
    this.picture.append(this.svg, this.pointer.span, this.pointer.label);
    this.points = [];
    host.append(this.box);
    this.observer = new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry.contentRect.width);
      this.draw();
    });
    this.observer.observe(this.box);
  }

  receive(data) {
    const text = new TextDecoder().decode(data);
    if (text === this.text) return;
    this.text = text;
    const { drawing, height, alt, caption, head, words } = JSON.parse(text);
    if (drawing.identity !== this.drawing?.identity) this.zoomed = null;
    Object.assign(this, { drawing, height, words });
    this.box.style.height = `${height}px`;
    this.picture.setAttribute("aria-label", alt);
    this.resetButton.textContent = words.zoomed;
    if (!this.folded) {
      this.folded = new FoldedTable();
      this.box.after(this.folded.root);
    }
    this.folded.show({ caption, head, get rows() { return tableRows(drawing.lines); } }, words.as_table);
    this.draw();
  }

  zoom(span) {
    if (span && span[1] - span[0] < 60) return;
    if (!span && this.resetButton.matches(":focus")) this.folded.summary.focus();
    this.zoomed = span;
    this.draw();
  }

  draw() {
    if (!this.width || !this.drawing) return;
    const { width, height } = this;
    this.area = { left: MARGIN_PX.left, right: width - MARGIN_PX.right, top: MARGIN_PX.top, bottom: height - MARGIN_PX.bottom };
    this.scale();
    for (const [name, value] of [["width", width], ["height", height]]) this.svg.setAttribute(name, value);
    this.svg.style.color = this.drawing.ink;
    this.svg.replaceChildren(this.buildClipPath(), ...this.buildAxes(), ...this.buildWatermark(), this.buildLines());
    this.highlighted = null;
    this.resetButton.hidden = !this.zoomed;
    if (!this.picture.isConnected) this.box.append(this.picture, this.resetButton);
  }

  scale() {
    const { lines, signs } = this.drawing;
    const times = [...lines.flatMap(({ time }) => time), ...signs.map(({ time }) => time)];
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const padding = Math.max((last - first) * 0.03, 60);
    this.from = this.zoomed?.[0] ?? first - padding;
    this.to = this.zoomed?.[1] ?? last + padding;
    const [low, high] = this.valueRange(this.from, this.to) ?? this.valueRange(-Infinity, Infinity);
    const { left, right, top, bottom } = this.area;
    this.x = (time) => left + ((time - this.from) / (this.to - this.from)) * (right - left);
    this.y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    Object.assign(this, { low, high });
  }

  // Range of lines and bands between two times, with padding; null without points.
  valueRange(from, to) {
    const seen = this.drawing.lines.flatMap((line) => line.time.flatMap((at, n) =>
      at < from || at > to ? [] : [line.mean[n], line.low[n], line.high[n]].filter((value) => value !== null)));
    if (!seen.length) return null;
    const [low, high] = [Math.min(...seen), Math.max(...seen)];
    const padding = Math.max(high - low, MIN_VALUE_SPAN) * VALUE_PADDING;
    return [low - padding, high + padding];
  }

  timeAt(x) {
    return this.from + ((x - this.area.left) / (this.area.right - this.area.left)) * (this.to - this.from);
  }

  buildClipPath() {
    const { left, right, top, bottom } = this.area;
    const clip = shape("clipPath", { id: this.clip });
    clip.append(shape("rect", { x: left, y: top - 8, width: Math.max(0, right - left + 8), height: bottom - top + 8 }));
    return clip;
  }

  buildAxes() {
    const { left, right, bottom } = this.area;
    const values = valueTicks(this.low, this.high, 8).flatMap(({ at, text }) => {
      const y = round1(this.y(at));
      return [
        shape("path", { d: `M${left} ${y}H${right}`, class: "tl-lines-grid" }),
        shape("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, text),
      ];
    });
    const maxTicks = Math.max(2, Math.min(9, Math.floor((right - left) / TIME_TICK_PX)));
    const times = timeTicks(this.from, this.to, maxTicks).flatMap(({ at, first, second }) => {
      const x = round1(this.x(at));
      const place = { x, "text-anchor": x > right - 18 ? "end" : "middle" };
      return [
        shape("path", { d: `M${x} ${bottom}v5`, class: "tl-lines-grid" }),
        shape("text", { ...place, y: bottom + 18 }, first),
        ...(second ? [shape("text", { ...place, y: bottom + 33 }, second)] : []),
      ];
    });
    return [...values, ...times];
  }

  buildWatermark() {
    const { watermark } = this.drawing;
    if (!watermark) return [];
    const place = { x: this.width / 2, y: this.height / 2, class: "tl-lines-mark", "font-size": Math.min(64, this.width / 8) };
    return [shape("text", place, watermark)];
  }

  buildLines() {
    const group = shape("g", { "clip-path": `url(#${this.clip})`, class: "tl-lines-drawn" });
    const { lines, signs, background } = this.drawing;
    const [x, y] = [this.x, this.y];
    this.points = [];
    const bands = lines.map((line) => [line, bandPaths(line, x, y)]);
    for (const [{ colour }, { area }] of bands) if (area) group.append(shape("path", { d: area, fill: colour, "fill-opacity": 0.11 }));
    for (const [line, { bars }] of bands) {
      const { colour: stroke, dash } = line;
      if (bars) group.append(shape("path", { d: bars, stroke, fill: "none", "stroke-width": 1.5 }));
      group.append(shape("path", { d: linePath(line, x, y), stroke, fill: "none", "stroke-width": 2, "stroke-linejoin": "round", "stroke-dasharray": dash }));
      if (line.time.length <= MAX_DOTS) group.append(shape("path", { d: dotPath(line, x, y), stroke, "stroke-width": 5, "stroke-linecap": dash ? "square" : "round" }));
      line.time.forEach((at, n) => this.addPoint(at, line.mean[n], line.colour, () => this.describePoint(line, n)));
    }
    for (const { shape: kind, colour, time, value, text } of signs) {
      group.append(shape("path", { d: signPath(kind, x(time), y(value)), fill: colour, stroke: background, "stroke-width": 1.5 }));
      this.addPoint(time, value, colour, () => [text], true);
    }
    return group;
  }

  addPoint(time, value, colour, describe, sign = false) {
    if (time >= this.from && time <= this.to) this.points.push({ x: this.x(time), y: this.y(value), colour, describe, sign });
  }

  describePoint(line, n) {
    const { date, clock } = stamp(line.time[n]);
    const values = { mean: percent(line.mean[n]), low: percent(line.low[n]), high: percent(line.high[n]), cases: grouped(line.cases[n]), runs: grouped(line.runs[n]) };
    const point = this.words.point.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    return [line.name, `${date} ${clock}`, ...point.split("<br>")];
  }

  highlight(point) {
    this.highlighted?.remove();
    this.highlighted = null;
    if (!point || point.sign) return;
    this.highlighted = shape("circle", { cx: round1(point.x), cy: round1(point.y), r: 6, fill: "none", stroke: point.colour, "stroke-width": 2 });
    this.svg.append(this.highlighted);
  }

  remove() {
    this.observer.disconnect();
    this.box.remove();
    this.folded?.root.remove();
  }
}

export default function ({ data, parentElement }) {
  const chart = (parentElement.cpLineChart ??= new LineChart(parentElement));
  const call = (chart.callCount = (chart.callCount || 0) + 1);
  chart.receive(data);
  // Streamlit may clean up after an older call once a newer one has taken over.
  return () => {
    if (chart.callCount !== call) return;
    delete parentElement.cpLineChart;
    chart.remove();
  };
}
