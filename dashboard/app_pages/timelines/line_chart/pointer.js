// Handles the pointer: shows the nearest point; a drag zooms into a time range, a double click resets it.
const MAX_DISTANCE_PX = 40;
const MIN_DRAG_PX = 6;

class PointerInput {
  constructor(chart) {
    this.chart = chart;
    this.label = createNode("div");
    this.label.className = "tl-lines-label";
    this.label.hidden = true;
    this.span = createNode("div");
    this.span.className = "tl-lines-span";
    this.span.hidden = true;
    const { box } = chart;
    box.addEventListener("pointermove", (event) => this.move(event));
    box.addEventListener("pointerdown", (event) => this.down(event));
    box.addEventListener("pointerup", (event) => this.up(event));
    box.addEventListener("pointercancel", () => this.reset());
    box.addEventListener("pointerleave", () => this.reset());
    box.addEventListener("dblclick", () => chart.zoom(null));
  }

  position(event) {
    const edge = this.chart.box.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  }

  down(event) {
    if (event.button !== 0 || event.target.closest("button")) return;
    [this.from] = this.position(event);
    this.chart.box.setPointerCapture(event.pointerId);
    this.showNearest(...this.position(event)); // touch has no hover
  }

  move(event) {
    const [x, y] = this.position(event);
    if (this.from === undefined || Math.abs(x - this.from) < MIN_DRAG_PX) {
      this.showNearest(x, y);
      return;
    }
    const { area } = this.chart;
    const [left, right] = this.dragEnds(x);
    this.label.hidden = true;
    this.span.hidden = false;
    Object.assign(this.span.style, { left: `${left}px`, width: `${right - left}px`, top: `${area.top}px`, height: `${area.bottom - area.top}px` });
  }

  dragEnds(x) {
    const { area } = this.chart;
    return [this.from, x].map((one) => Math.min(area.right, Math.max(area.left, one))).sort((a, b) => a - b);
  }

  up(event) {
    const [x] = this.position(event);
    const [left, right] = this.dragEnds(x);
    const dragged = this.from !== undefined && right - left >= MIN_DRAG_PX;
    this.from = undefined;
    this.span.hidden = true;
    if (!dragged) return;
    this.label.hidden = true;
    this.chart.zoom([this.chart.timeAt(left), this.chart.timeAt(right)]);
  }

  reset() {
    this.from = undefined;
    this.span.hidden = true;
    this.label.hidden = true;
    this.chart.highlight(null);
  }

  showNearest(x, y) {
    let nearest = null;
    let best = MAX_DISTANCE_PX;
    for (const point of this.chart.points) {
      const distance = Math.hypot(point.x - x, point.y - y) - (point.sign ? 6 : 0); // a sign has priority over the line below it
      if (distance < best) [nearest, best] = [point, distance];
    }
    this.chart.highlight(nearest);
    this.label.hidden = !nearest;
    if (!nearest) return;
    const [head, ...rest] = nearest.describe();
    this.label.replaceChildren(createNode(nearest.sign ? "span" : "strong", head), ...rest.map((line) => createNode("span", line)));
    this.label.style.borderColor = nearest.colour;
    const { width, area } = this.chart;
    this.label.style.maxWidth = `${Math.max(150, Math.min(380, width - 24))}px`;
    const [wide, high] = [this.label.offsetWidth, this.label.offsetHeight];
    const left = nearest.x + 14 + wide > width ? nearest.x - 14 - wide : nearest.x + 14;
    const top = Math.max(0, Math.min(nearest.y - high / 2, area.bottom - high));
    Object.assign(this.label.style, { left: `${Math.max(0, left)}px`, top: `${top}px` });
  }
}
