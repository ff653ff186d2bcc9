// What the pointer does: the nearest point is told; a drag along the times zooms, two clicks undo that.
const REACH = 40; // pixels around the pointer
const DRAGGED = 6;

class Pointing {
  constructor(drawing) {
    this.drawing = drawing;
    this.label = make("div");
    this.label.className = "tl-lines-label";
    this.label.hidden = true;
    this.span = make("div");
    this.span.className = "tl-lines-span";
    this.span.hidden = true;
    const { box } = drawing;
    box.addEventListener("pointermove", (event) => this.move(event));
    box.addEventListener("pointerdown", (event) => this.down(event));
    box.addEventListener("pointerup", (event) => this.up(event));
    box.addEventListener("pointercancel", () => this.rest());
    box.addEventListener("pointerleave", () => this.rest());
    box.addEventListener("dblclick", () => drawing.zoom(null));
  }

  at(event) {
    const edge = this.drawing.box.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  }

  down(event) {
    if (event.button !== 0 || event.target.closest("button")) return;
    [this.from] = this.at(event);
    this.drawing.box.setPointerCapture(event.pointerId);
    this.tell(...this.at(event)); // a finger does not hover
  }

  move(event) {
    const [x, y] = this.at(event);
    if (this.from === undefined || Math.abs(x - this.from) < DRAGGED) {
      this.tell(x, y);
      return;
    }
    const { area } = this.drawing;
    const [left, right] = this.ends(x);
    this.label.hidden = true;
    this.span.hidden = false;
    Object.assign(this.span.style, { left: `${left}px`, width: `${right - left}px`, top: `${area.top}px`, height: `${area.bottom - area.top}px` });
  }

  ends(x) {
    const { area } = this.drawing;
    return [this.from, x].map((one) => Math.min(area.right, Math.max(area.left, one))).sort((a, b) => a - b);
  }

  up(event) {
    const [x] = this.at(event);
    const [left, right] = this.ends(x);
    const dragged = this.from !== undefined && right - left >= DRAGGED;
    this.from = undefined;
    this.span.hidden = true;
    if (!dragged) return;
    this.label.hidden = true;
    this.drawing.zoom([this.drawing.timeAt(left), this.drawing.timeAt(right)]);
  }

  rest() {
    this.from = undefined;
    this.span.hidden = true;
    this.label.hidden = true;
    this.drawing.ring(null);
  }

  tell(x, y) {
    let found = null;
    let best = REACH;
    for (const point of this.drawing.points) {
      const apart = Math.hypot(point.x - x, point.y - y) - (point.sign ? 6 : 0); // a sign covers its line
      if (apart < best) [found, best] = [point, apart];
    }
    this.drawing.ring(found);
    this.label.hidden = !found;
    if (!found) return;
    const [head, ...rest] = found.told();
    this.label.replaceChildren(make(found.sign ? "span" : "strong", head), ...rest.map((line) => make("span", line)));
    this.label.style.borderColor = found.colour;
    const { width, area } = this.drawing;
    this.label.style.maxWidth = `${Math.max(150, Math.min(380, width - 24))}px`;
    const [wide, high] = [this.label.offsetWidth, this.label.offsetHeight];
    const left = found.x + 14 + wide > width ? found.x - 14 - wide : found.x + 14;
    const top = Math.max(0, Math.min(found.y - high / 2, area.bottom - high));
    Object.assign(this.label.style, { left: `${Math.max(0, left)}px`, top: `${top}px` });
  }
}
