// Builds the toolbar above the text: filters, actions and views.

const VIEWS = ["text", "rendered", "compare"];

class Toolbar {
  constructor(review) {
    this.review = review;
    this.root = el("div", { class: "bar" });
    this.status = el("p", { class: "status", role: "status" });
    this.help = null;
  }

  build() {
    const { review } = this;
    const { words } = review;
    this.chips = ["error", "warning", "info"].map((severity) => el("button", { type: "button", class: "chip", "data-severity": severity, onclick: () => review.filterBy("severity", severity) },
      el("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[severity]), el("span", { class: "n" }), el("span", {}, words[`${severity}s`])));
    this.rule = el("select", { "aria-label": words.filter_rule, onchange: () => review.filterBy("rule", this.rule.value) });
    this.safe = keyButton("", "S", () => review.act("safe"), { class: "main" });
    this.approved = keyButton("", "↵", () => review.act("approved"), { class: "main" });
    this.undo = el("button", { type: "button", class: "icon", "aria-label": words.undo, title: fill(words.with_note, { text: words.undo, note: "z" }), onclick: () => review.undo() }, "↶");
    this.redo = el("button", { type: "button", class: "icon", "aria-label": words.redo, title: fill(words.with_note, { text: words.redo, note: "⇧z" }), onclick: () => review.redo() }, "↷");
    this.views = VIEWS.map((view) => el("button", { type: "button", onclick: () => review.setView(view) }, words[`view_${view}`]));
    this.copy = keyButton(words.copy, "C", () => review.copyAll());
    this.edit = keyButton(words.edit, "E", () => review.act("edit"));
    this.keys = el("button", { type: "button", class: "icon", "aria-label": words.keys, title: fill(words.with_note, { text: words.keys, note: "?" }), "aria-expanded": "false", onclick: () => this.toggleHelp() }, "?");
    this.sheet = this.helpSheet();
    this.accepted = el("div", { class: "accepted", role: "group", "aria-label": words.accepted_names, hidden: true });
    this.drawnAccepted = null;
    this.root.replaceChildren(
      el("div", { class: "line1" }, el("div", { class: "chips", role: "group", "aria-label": words.filter_severity }, ...this.chips), this.rule, el("span", { class: "push" }), this.safe, this.approved),
      el("div", { class: "line2" }, el("div", { class: "seg", role: "group", "aria-label": words.view }, ...this.views), this.undo, this.redo, review.applied.root, el("div", { class: "push" }, this.status), this.edit, this.copy, el("div", { class: "menu" }, this.keys, this.sheet)),
      this.accepted,
    );
  }

  helpSheet() {
    const { review } = this;
    const { words } = review;
    const rows = KEY_HELP.flatMap(([keys, name]) => [el("dt", {}, ...keys.flatMap((key) => [el("kbd", {}, key), " "])), el("dd", {}, words.key_help[name])]);
    const box = el("input", { type: "checkbox", onchange: () => review.allowKeys(box.checked) });
    box.checked = review.keysAllowed;
    return el("div", { class: "sheet", hidden: true, role: "group", "aria-label": words.keys }, el("p", { class: "sheet-title" }, words.keys), el("dl", { class: "keys" }, ...rows), el("label", {}, box, words.keys_allow));
  }

  toggleHelp(open = this.sheet.hidden) {
    this.sheet.hidden = !open;
    setAttr(this.keys, "aria-expanded", String(open));
  }

  show() {
    const { review } = this;
    const { words, findings, filters } = review;
    const counts = { error: 0, warning: 0, info: 0 };
    const rules = new Map();
    let safe = 0;
    findings.forEach((one, n) => {
      counts[one.severity] += 1;
      rules.set(one.rule, (rules.get(one.rule) ?? 0) + 1);
      if (one.safe && review.decisions.get(n)?.status !== "ignored") safe += 1;
    });
    for (const chip of this.chips) {
      const { severity } = chip.dataset;
      setText(chip.children[1], String(counts[severity]));
      setText(chip.children[2], review.words[counts[severity] === 1 ? severity : `${severity}s`]);
      setAttr(chip, "aria-pressed", String(filters.severity === chip.dataset.severity));
      chip.disabled = counts[chip.dataset.severity] === 0 && filters.severity !== chip.dataset.severity;
    }
    this.showRules(rules);
    this.showAccepted();
    review.applied.show();
    const approved = review.countApproved();
    setText(this.safe.firstChild, fill(words.apply_safe, { n: safe }));
    setText(this.approved.firstChild, fill(words.apply_approved, { n: approved }));
    this.safe.disabled = safe === 0;
    this.approved.disabled = approved === 0;
    setAttr(this.approved, "data-ready", approved > 0);
    setAttr(this.safe, "data-ready", safe > 0 && approved === 0);
    this.undo.disabled = !review.canUndo();
    this.redo.disabled = !review.canRedo();
    VIEWS.forEach((view, n) => setAttr(this.views[n], "aria-pressed", String(review.view === view)));
  }

  showAccepted() {
    const { review } = this;
    const { words, accepted } = review;
    const serialized = JSON.stringify(accepted);
    if (this.drawnAccepted === serialized) return;
    this.drawnAccepted = serialized;
    this.accepted.hidden = accepted.length === 0;
    setAttr(review.frame, "data-accepted", accepted.length > 0);
    this.accepted.replaceChildren(el("span", { class: "label" }, words.accepted_names), ...accepted.map((name) => {
      const label = fill(words.accept_remove, { name });
      return el("span", { class: "name" }, name, el("button", { type: "button", "aria-label": label, title: label, onclick: () => review.act("unaccept", name) }, "×"));
    }));
  }

  showRules(rules) {
    const { words, filters } = this.review;
    const serialized = JSON.stringify([...rules]);
    if (this.drawnRules !== serialized) {
      this.drawnRules = serialized;
      const sorted = [...rules].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
      this.rule.replaceChildren(el("option", { value: "" }, words.any_rule), ...sorted.map(([rule, n]) => el("option", { value: rule }, fill(words.with_note, { text: rule, note: n }))));
    }
    if (this.rule.value !== filters.rule) this.rule.value = rules.has(filters.rule) ? filters.rule : "";
    this.rule.hidden = rules.size < 2 && !filters.rule;
  }

  say(text) {
    // Cleared first, so that screen readers announce the same text again.
    this.status.textContent = "";
    requestAnimationFrame(() => { this.status.textContent = text; });
  }
}
