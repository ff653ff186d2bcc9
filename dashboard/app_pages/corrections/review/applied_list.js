// Lists what was applied since the article was opened; each change can be taken back.

class AppliedList {
  constructor(review) {
    this.review = review;
    this.button = el("button", { type: "button", "aria-expanded": "false", onclick: () => this.toggle() });
    this.sheet = el("div", { class: "sheet applied", hidden: true, role: "group", tabindex: "-1" });
    this.root = el("div", { class: "menu" }, this.button, this.sheet);
  }

  toggle(open = this.sheet.hidden) {
    if (open === !this.sheet.hidden) return;
    this.sheet.hidden = !open;
    setAttr(this.button, "aria-expanded", String(open));
    if (open) this.sheet.focus({ preventScroll: true });
  }

  show() {
    const { changes, words } = this.review;
    if (this.drawn === changes && this.drawnWords === words) return;
    Object.assign(this, { drawn: changes, drawnWords: words });
    const label = fill(words.applied, { n: changes.length });
    this.button.replaceChildren(el("span", { class: "label" }, label), el("kbd", { "aria-hidden": "true" }, "L"));
    this.button.title = fill(words.with_note, { text: label, note: "l" });
    setAttr(this.sheet, "aria-label", label);
    const list = changes.length ? el("ol", { class: "changes" }, ...changes.map((change, n) => this.buildItem(change, n))) : el("p", { class: "why" }, words.applied_none);
    this.sheet.replaceChildren(el("p", { class: "sheet-title" }, label), list);
  }

  buildItem({ label, before, after, lang }, n) {
    const { review } = this;
    const { words } = review;
    const name = fill(words.revert_help, { before, after });
    return el("li", {}, el("span", { class: "what" }, label), el("span", { class: "both", lang }, el("del", {}, before), " → ", el("ins", {}, after)),
      el("button", { type: "button", "aria-label": name, title: name, onclick: () => review.revert(n) }, words.revert));
  }
}

Object.assign(Review.prototype, {
  // Applies the current finding's correction; the next open finding is then the current one.
  applyOne() {
    const n = this.current;
    if (!this.findings[n] || this.cannotReplace(n)) return undefined;
    this.resumeAt = n;
    return this.act("single", String(n));
  },

  revert(n) {
    this.applied.button.focus();
    this.act("revert", String(n));
  },

  // Says why a finding cannot be corrected, if so.
  cannotReplace(n) {
    if (this.replacement(n) !== null) return false;
    const { choices } = this.findings[n];
    this.bar.say(choices.length ? fill(this.words.choose_first, { n: Math.min(9, choices.length) }) : this.words.no_suggestion);
    return true;
  },
});
