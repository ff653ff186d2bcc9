// Requests pending parts of the page: those near the viewport at once, the others one by one when the page
// is idle, so that search in the page and screen readers find all of it.
const VIEWPORT_MARGIN = "200px";
const IDLE_MS = 1000; // without input
const RETRY_MS = 10000; // before a part that did not arrive is requested again
const POLL_MS = 100;

let lastInputAt = 0;
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"]) {
  addEventListener(kind, () => { lastInputAt = performance.now(); }, { capture: true, passive: true });
}

class LazyLoader {
  constructor() {
    this.near = new Set();
    this.marked = new Set();
    this.observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.near[isIntersecting ? "add" : "delete"](target);
      this.poll();
    }, { rootMargin: VIEWPORT_MARGIN, scrollMargin: VIEWPORT_MARGIN });
  }

  receive(parts) {
    this.parts = parts;
    this.requestedAt = -Infinity;
    this.startedAt = performance.now();
    lastInputAt = Math.max(lastInputAt, this.startedAt);
    this.near.clear();
    this.observer.disconnect();
    this.markOutdated();
    this.poll();
  }

  // Outdated sections are marked as busy until they are redrawn.
  markOutdated() {
    const outdated = new Set(this.parts.map(({ selector }) => selector && document.querySelector(selector)).filter(Boolean));
    for (const section of this.marked) if (!outdated.has(section)) section.removeAttribute("aria-busy");
    for (const section of outdated) {
      section.setAttribute("aria-busy", "true");
      this.observer.observe(section);
    }
    this.marked = outdated;
  }

  poll() {
    clearTimeout(this.timer);
    if (this.removed || !this.parts.length) return;
    const now = performance.now();
    const busy = now - this.requestedAt < RETRY_MS || !document.querySelector(IDLE_SELECTOR);
    const part = busy ? null : this.nextPart(now);
    if (part) {
      this.requestedAt = now;
      this.setTriggerValue("due", part);
    }
    this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  nextPart(now) {
    const timed = this.parts.find(({ after }) => after !== null && now - this.startedAt >= after * 1000);
    const near = this.parts.find(({ selector }) => selector && this.near.has(document.querySelector(selector)));
    const idle = now - lastInputAt >= IDLE_MS && document.visibilityState === "visible";
    return (near ?? timed ?? (idle ? this.parts.find(({ after }) => after === null) : null))?.part;
  }

  remove() {
    this.removed = true;
    clearTimeout(this.timer);
    this.observer.disconnect();
    for (const section of this.marked) section.removeAttribute("aria-busy");
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const loader = (parentElement.cpLazyLoader ??= new LazyLoader());
  const call = (loader.callCount = (loader.callCount || 0) + 1);
  loader.setTriggerValue = setTriggerValue;
  const text = new TextDecoder().decode(data);
  if (text !== loader.text) {
    loader.text = text;
    loader.receive(JSON.parse(text).parts);
  }
  // Streamlit may clean up after an older call once a newer one has taken over.
  return () => {
    if (loader.callCount !== call) return;
    delete parentElement.cpLazyLoader;
    loader.remove();
  };
}
