// Asks the session for parts of the page that are due: those near the screen at once, the others one by
// one when the page rests, so that who searches in the page or has it read out finds all of it.
const NEAR = "200px";
const CALM = 1000; // milliseconds without a touch
const LOST = 10000; // until a part that was asked for and did not come is asked for again
const LOOK = 100;

let touched = 0;
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"]) {
  addEventListener(kind, () => { touched = performance.now(); }, { capture: true, passive: true });
}

class Later {
  constructor() {
    this.near = new Set();
    this.marked = new Set();
    this.observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.near[isIntersecting ? "add" : "delete"](target);
      this.look();
    }, { rootMargin: NEAR, scrollMargin: NEAR });
  }

  receive(parts) {
    this.parts = parts;
    this.asked = -Infinity;
    this.began = performance.now();
    touched = Math.max(touched, this.began);
    this.near.clear();
    this.observer.disconnect();
    this.mark();
    this.look();
  }

  // What is shown and no longer true says so, until its turn comes.
  mark() {
    const due = new Set(this.parts.map(({ place }) => place && document.querySelector(place)).filter(Boolean));
    for (const old of this.marked) if (!due.has(old)) old.removeAttribute("aria-busy");
    for (const place of due) {
      place.setAttribute("aria-busy", "true");
      this.observer.observe(place);
    }
    this.marked = due;
  }

  look() {
    clearTimeout(this.timer);
    if (this.gone || !this.parts.length) return;
    const now = performance.now();
    const waits = now - this.asked < LOST || !document.querySelector(RESTS);
    const part = waits ? null : this.next(now);
    if (part) {
      this.asked = now;
      this.ask("due", part);
    }
    this.timer = setTimeout(() => this.look(), LOOK);
  }

  next(now) {
    const timed = this.parts.find(({ after }) => after !== null && now - this.began >= after * 1000);
    const near = this.parts.find(({ place }) => place && this.near.has(document.querySelector(place)));
    const calm = now - touched >= CALM && document.visibilityState === "visible";
    return (near ?? timed ?? (calm ? this.parts.find(({ after }) => after === null) : null))?.part;
  }

  leave() {
    this.gone = true;
    clearTimeout(this.timer);
    this.observer.disconnect();
    for (const old of this.marked) old.removeAttribute("aria-busy");
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const later = (parentElement.cpLater ??= new Later());
  const call = (later.call = (later.call || 0) + 1);
  later.ask = setTriggerValue;
  const text = new TextDecoder().decode(data);
  if (text !== later.text) {
    later.text = text;
    later.receive(JSON.parse(text).parts);
  }
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (later.call !== call) return;
    delete parentElement.cpLater;
    later.leave();
  };
}
