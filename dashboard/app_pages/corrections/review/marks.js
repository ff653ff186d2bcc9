// Builds the article's text with a button per finding. Later updates change only what differs.

const GLYPHS = { error: "✕", warning: "▲", info: "●" };
const WORD_JOINER = "\u2060"; // prevents a line break between a glyph and its word

class Marks {
  constructor(review) {
    this.review = review;
    this.root = el("div", { class: "text" });
    this.root.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-n]");
      if (mark) review.select(Number(mark.dataset.n), true);
    });
    this.root.addEventListener("focusin", (event) => {
      const mark = event.target.closest("[data-n]");
      if (mark) review.select(Number(mark.dataset.n), false);
    });
    this.nodes = [];
  }

  build() {
    const { fields, findings, words } = this.review;
    this.nodes = [];
    this.placeNodes = this.review.places.map(() => []);
    const tags = el("div", { class: "tags" });
    const parts = [];
    for (const field of fields) {
      const body = el("div", { class: `prose ${field.kind}`, lang: field.lang });
      const mine = [...findings.map((one, n) => ({ ...one, n })), ...this.listPlaces()].filter((one) => one.field === field.path);
      mine.sort((a, b) => a.start - b.start || a.end - b.end);
      this.appendText(body, field.text, mine);
      if (field.kind !== "tag") {
        const copy = el("button", { type: "button", class: "quiet", "aria-label": fill(words.with_label, { label: words.copy_field, value: field.label }), onclick: () => this.review.copyField(field) }, words.copy_field);
        parts.push(el("section", { class: "field" }, el("header", {}, el("h2", {}, field.label), copy), body));
      } else {
        if (!tags.firstChild) parts.push(el("section", { class: "field" }, el("header", {}, el("h2", {}, words.tags)), tags));
        tags.append(body);
      }
    }
    this.root.replaceChildren(...parts);
  }

  // Places of mixed names at which no finding is.
  listPlaces() {
    return this.review.places.flatMap((places, mixed) => places.map((place, number) => ({ ...place, mixed, number })).filter((place) => place.finding === null));
  }

  appendText(body, text, found) {
    const at = toUnitOffsets(text, [...new Set(found.flatMap((one) => [one.start, one.end]))].sort((a, b) => a - b));
    const points = [...new Set(found.flatMap((one) => [one.start, one.end]))].sort((a, b) => a - b);
    const unit = new Map(points.map((point, n) => [point, at[n]]));
    let line = el("div", { class: "line" });
    let position = 0;
    const appendPlain = (end) => {
      const pieces = text.slice(position, end).split("\n");
      pieces.forEach((piece, n) => {
        if (n) {
          if (!line.firstChild) line.append(el("br"));
          body.append(line);
          line = el("div", { class: "line" });
        }
        if (piece) line.append(piece);
      });
      position = end;
    };
    for (const one of found) {
      const start = unit.get(one.start);
      const end = unit.get(one.end);
      if (start < position) { // inside the previous mark: only the list and the card show it
        if (one.n !== undefined) this.nodes[one.n] = this.nodes[one.n - 1];
        continue;
      }
      appendPlain(start);
      const written = text.slice(start, end);
      line.append(one.n === undefined ? this.buildPlace(one, written) : this.buildMark(one, written));
      position = end;
    }
    appendPlain(text.length);
    if (line.firstChild || !body.firstChild) body.append(line);
  }

  buildMark(one, text) {
    const mark = el("span", { role: "button", class: "mark", tabindex: "-1", "data-n": one.n, "data-severity": one.severity, "data-safe": one.safe },
      el("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[one.severity] + WORD_JOINER), el("span", { class: "was" }, text), el("span", { class: "new" }));
    this.nodes[one.n] = mark;
    return mark;
  }

  buildPlace({ mixed, number }, text) {
    const node = el("span", { class: "place-name", tabindex: "-1" }, text);
    this.placeNodes[mixed][number] = node;
    return node;
  }

  // Marks the places of the current finding's name.
  showPlaces() {
    const { review } = this;
    const mixed = review.getMixed();
    for (const [shown, nodes] of this.placeNodes.entries()) {
      for (const [number, node] of nodes.entries()) {
        if (!node) continue;
        setAttr(node, "data-on", shown === mixed);
        setAttr(node, "aria-current", shown === mixed && number === review.placeNumber ? "true" : null);
      }
    }
  }

  focusPlace(mixed, number) {
    const node = this.placeNodes[mixed][number];
    if (!node) return;
    node.focus({ preventScroll: true });
    this.scrollTo(node);
  }

  // Updates the marks of some findings, by default all, to their decisions.
  show(numbers) {
    for (const n of numbers ?? this.nodes.keys()) this.showOne(n);
  }

  showOne(n) {
    const mark = this.nodes[n];
    if (!mark || Number(mark.dataset.n) !== n) return;
    const { review } = this;
    const one = review.findings[n];
    const decision = review.decisions.get(n);
    const status = decision?.status ?? "open";
    setAttr(mark, "data-status", status);
    setAttr(mark, "data-shown", review.isShown(n));
    setAttr(mark, "tabindex", n === review.current ? "0" : "-1");
    setAttr(mark, "aria-current", n === review.current ? "true" : null);
    setText(mark.firstChild, (status === "approved" ? "✓" : status === "ignored" ? "–" : GLYPHS[one.severity]) + WORD_JOINER);
    setText(mark.lastChild, status === "approved" ? review.replacement(n) : "");
    setAttr(mark, "aria-label", review.buildLabel(n));
  }

  focus(n) {
    const mark = this.nodes[n];
    if (!mark) return;
    mark.focus({ preventScroll: true });
    this.scrollTo(mark);
  }

  // Scrolls only the text until the mark is well inside it.
  scrollTo(mark) {
    const box = this.root;
    const outer = box.getBoundingClientRect();
    const inner = mark.getBoundingClientRect();
    const margin = Math.min(90, outer.height / 4);
    if (box.scrollHeight > box.clientHeight + 1) {
      if (inner.top < outer.top + margin || inner.bottom > outer.bottom - margin) box.scrollTop += inner.top - outer.top - outer.height / 3;
    } else {
      const low = innerHeight - this.review.getCoveredHeight();
      if (inner.top < 70 || inner.bottom > low - 20) mark.scrollIntoView({ block: "center" });
    }
  }
}
