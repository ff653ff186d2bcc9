// The drawing: laid out anew for each new figure, width or span of time, which takes a frame at most.
const EDGE = { left: 48, right: 12, top: 12, bottom: 40 };
const DOTTED_UP_TO = 60; // points of a line; beyond, dots would hide it
const APART = 92; // pixels between times on the axis
let named = 0;

class TimeLines {
  constructor(host) {
    this.box = make("div");
    this.box.className = "cp-chart tl-lines";
    this.clip = `tl-lines-${(named += 1)}`;
    this.svg = shape("svg", { "aria-hidden": "true" });
    this.pointing = new Pointing(this);
    this.whole = make("button");
    Object.assign(this.whole, { type: "button", className: "tl-lines-whole", hidden: true, onclick: () => this.zoom(null) });
    this.picture = make("div");
    this.picture.className = "tl-lines-picture";
    this.picture.setAttribute("role", "img");
    this.picture.append(this.svg, this.pointing.span, this.pointing.label);
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
    this.whole.textContent = words.zoomed;
    if (!this.folded) {
      this.folded = new FoldedTable(words.as_table);
      this.box.after(this.folded.root);
    }
    this.folded.show({ caption, head, get rows() { return tableRows(drawing.lines); } });
    this.draw();
  }

  zoom(span) {
    if (span && span[1] - span[0] < 60) return;
    if (!span && this.whole.matches(":focus")) this.folded.summary.focus();
    this.zoomed = span;
    this.draw();
  }

  draw() {
    if (!this.width || !this.drawing) return;
    const { width, height } = this;
    this.area = { left: EDGE.left, right: width - EDGE.right, top: EDGE.top, bottom: height - EDGE.bottom };
    this.scale();
    for (const [name, value] of [["width", width], ["height", height]]) this.svg.setAttribute(name, value);
    this.svg.style.color = this.drawing.ink;
    this.svg.replaceChildren(this.clipping(), ...this.axes(), ...this.mark(), this.inside());
    this.halo = null;
    this.whole.hidden = !this.zoomed;
    if (!this.picture.isConnected) this.box.append(this.picture, this.whole);
  }

  scale() {
    const { lines, signs, span } = this.drawing;
    const times = [...lines.flatMap(({ time }) => time), ...signs.map(({ time }) => time)];
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const room = Math.max((last - first) * 0.03, 60);
    this.from = this.zoomed?.[0] ?? first - room;
    this.to = this.zoomed?.[1] ?? last + room;
    const [low, high] = this.zoomed ? this.reach() ?? span : span;
    const { left, right, top, bottom } = this.area;
    this.x = (time) => left + ((time - this.from) / (this.to - this.from)) * (right - left);
    this.y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    Object.assign(this, { low, high });
  }

  // From the lowest to the highest of what a zoom shows, with a little room.
  reach() {
    const seen = this.drawing.lines.flatMap((line) => line.time.flatMap((at, n) =>
      at < this.from || at > this.to ? [] : [line.mean[n], line.low[n], line.high[n]].filter((value) => value !== null)));
    if (!seen.length) return null;
    const [low, high] = [Math.min(...seen), Math.max(...seen)];
    const room = Math.max(high - low, 2) * 0.06;
    return [low - room, high + room];
  }

  timeAt(x) {
    return this.from + ((x - this.area.left) / (this.area.right - this.area.left)) * (this.to - this.from);
  }

  clipping() {
    const { left, right, top, bottom } = this.area;
    const clip = shape("clipPath", { id: this.clip });
    clip.append(shape("rect", { x: left, y: top - 8, width: Math.max(0, right - left + 8), height: bottom - top + 8 }));
    return clip;
  }

  axes() {
    const { left, right, bottom } = this.area;
    const values = valueTicks(this.low, this.high, 8).flatMap(({ at, text }) => {
      const y = near(this.y(at));
      return [
        shape("path", { d: `M${left} ${y}H${right}`, class: "tl-lines-grid" }),
        shape("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, text),
      ];
    });
    const most = Math.max(2, Math.min(9, Math.floor((right - left) / APART)));
    const times = timeTicks(this.from, this.to, most).flatMap(({ at, first, second }) => {
      const x = near(this.x(at));
      const place = { x, "text-anchor": x > right - 18 ? "end" : "middle" };
      return [
        shape("path", { d: `M${x} ${bottom}v5`, class: "tl-lines-grid" }),
        shape("text", { ...place, y: bottom + 18 }, first),
        ...(second ? [shape("text", { ...place, y: bottom + 33 }, second)] : []),
      ];
    });
    return [...values, ...times];
  }

  mark() {
    const { watermark } = this.drawing;
    if (!watermark) return [];
    const place = { x: this.width / 2, y: this.height / 2, class: "tl-lines-mark", "font-size": Math.min(64, this.width / 8) };
    return [shape("text", place, watermark)];
  }

  inside() {
    const group = shape("g", { "clip-path": `url(#${this.clip})`, class: "tl-lines-drawn" });
    const { lines, signs, background } = this.drawing;
    const [x, y] = [this.x, this.y];
    this.points = [];
    const bands = lines.map((line) => [line, bandPaths(line, x, y)]);
    for (const [{ colour }, { surface }] of bands) if (surface) group.append(shape("path", { d: surface, fill: colour, "fill-opacity": 0.11 }));
    for (const [line, { bars }] of bands) {
      const { colour: stroke, dash } = line;
      if (bars) group.append(shape("path", { d: bars, stroke, fill: "none", "stroke-width": 1.5 }));
      group.append(shape("path", { d: linePath(line, x, y), stroke, fill: "none", "stroke-width": 2, "stroke-linejoin": "round", "stroke-dasharray": dash }));
      if (line.time.length <= DOTTED_UP_TO) group.append(shape("path", { d: dotPath(line, x, y), stroke, "stroke-width": 5, "stroke-linecap": "round" }));
      line.time.forEach((at, n) => this.place(at, line.mean[n], line.colour, () => this.told(line, n)));
    }
    for (const { shape: kind, colour, time, value, text } of signs) {
      group.append(shape("path", { d: signPath(kind, x(time), y(value)), fill: colour, stroke: background, "stroke-width": 1.5 }));
      this.place(time, value, colour, () => [text], true);
    }
    return group;
  }

  place(time, value, colour, told, sign = false) {
    if (time >= this.from && time <= this.to) this.points.push({ x: this.x(time), y: this.y(value), colour, told, sign });
  }

  told(line, n) {
    const { date, clock } = stamp(line.time[n]);
    const says = { mean: percent(line.mean[n]), low: percent(line.low[n]), high: percent(line.high[n]), cases: grouped(line.cases[n]), runs: grouped(line.runs[n]) };
    const point = this.words.point.replace(/\{(\w+)\}/g, (_, name) => says[name]);
    return [line.name, `${date} ${clock}`, ...point.split("<br>")];
  }

  ring(point) {
    this.halo?.remove();
    this.halo = null;
    if (!point || point.sign) return;
    this.halo = shape("circle", { cx: near(point.x), cy: near(point.y), r: 6, fill: "none", stroke: point.colour, "stroke-width": 2 });
    this.svg.append(this.halo);
  }

  leave() {
    this.observer.disconnect();
    this.box.remove();
    this.folded?.root.remove();
  }
}

export default function ({ data, parentElement }) {
  const lines = (parentElement.cpLines ??= new TimeLines(parentElement));
  const turn = (lines.turn = (lines.turn || 0) + 1);
  lines.receive(data);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (lines.turn !== turn) return;
    delete parentElement.cpLines;
    lines.leave();
  };
}
