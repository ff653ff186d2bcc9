// The review of one article: the current finding, the decisions, undo and redo.
// Decisions are made here and reported to the dashboard, which stores them with the article's state.

class Review {
  constructor(host) {
    this.host = host;
    this.findings = [];
    this.decisions = new Map();
    this.filters = { severity: "", rule: "" };
    this.queuedKeys = [];
    this.keysAllowed = loadKeysAllowed();
    this.frame = el("div", { class: "review" });
    this.bar = new Toolbar(this);
    this.marks = new Marks(this);
    this.panel = new SidePanel(this);
    this.compare = el("div", { class: "compare", tabindex: "0", role: "region", hidden: true });
    this.rendered = el("div", { class: "compare rendered", tabindex: "0", role: "region", hidden: true });
    this.applied = new AppliedList(this);
    this.main = el("div", { class: "main-area" }, this.marks.root, this.rendered, this.compare);
    this.frame.append(this.bar.root, el("div", { class: "columns" }, this.main, this.panel.root));
    host.append(this.frame);
  }

  connect() {
    if (this.connected) return;
    this.connected = new AbortController();
    const { signal } = this.connected;
    document.addEventListener("keydown", (event) => this.onKey(event), { signal });
    document.addEventListener("pointerdown", (event) => event.composedPath().includes(this.bar.root) || this.closeSheets(), { signal });
  }

  closeSheets() {
    this.bar.toggleHelp(false);
    this.applied.toggle(false);
  }

  disconnect() {
    this.connected?.abort();
    this.connected = null;
    clearTimeout(this.reportTimer);
  }

  // Receives the article and its findings; the head then sets their state.
  receive(data, setState, trigger) {
    Object.assign(this, { setState, trigger });
    this.connect();
    const lineEnd = data.indexOf(10); // the first line is the version
    const version = new TextDecoder().decode(data.subarray(0, lineEnd));
    if (version === this.version) return;
    Object.assign(this, JSON.parse(new TextDecoder().decode(data.subarray(lineEnd + 1))));
    this.version = version;
    this.head = null;
  }

  show(head) {
    if (head.version !== this.version) return; // its article has not arrived
    const isNew = this.head === null;
    const hasActed = this.head?.action_count !== head.action_count;
    if (isNew) this.start(head);
    else if (hasActed) this.loadDecisions(head);
    this.head = head;
    if (isNew || hasActed) Object.assign(this, { busy: false, resumeAt: null });
    if (head.message && hasActed) this.bar.say(head.message);
    this.drawCompare(head);
    this.drawRendered(head);
    this.draw();
    if (isNew) this.restoreFocus(head);
    while (!this.busy && this.queuedKeys.length) this.queuedKeys.shift()();
  }

  start(head) {
    if (this.drawnLang !== this.lang) {
      this.drawnLang = this.lang;
      this.bar.build();
    }
    if (!this.filtersLoaded) Object.assign(this, { filters: { severity: head.view.severity, rule: head.view.rule }, view: head.view.view, filtersLoaded: true });
    const rules = new Set(this.findings.map((one) => one.rule));
    if (this.filters.rule && !rules.has(this.filters.rule)) this.filters.rule = "";
    if (this.filters.severity && !this.findings.some((one) => one.severity === this.filters.severity)) this.filters.severity = "";
    setAttr(this.frame, "lang", this.lang);
    setAttr(this.compare, "aria-label", this.words.view_compare);
    setAttr(this.rendered, "aria-label", this.words.view_rendered);
    this.loadDecisions(head);
    this.places = sortPlaces(this.mixed, this.fields);
    this.marks.build();
    this.panel.build();
    this.current = this.findNextOpen(this.resumeAt ?? (this.marks.root.scrollTop ? this.current ?? 0 : 0));
    this.placeNumber = this.findOwnPlace();
    this.compareDrawn = this.renderedDrawn = null;
  }

  loadDecisions(head) {
    this.decisions = new Map(head.decisions.map(([n, status, text]) => [n, { status, text }]));
    this.undoLog = head.decisions.slice(head.carried_count).map(([n, status, text]) => [[n, null, { status, text }]]);
    this.redoLog = [];
    this.hasNewDecisions = false;
    clearTimeout(this.reportTimer);
  }

  restoreFocus(head) {
    const shared = globalThis.chainproofReview;
    const active = document.activeElement;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(active?.tagName ?? "") && !active.closest("form, [class*=st-key-cr_]"); // the form is about to be removed
    if (shared.focused === head.focus || typing) return;
    shared.focused = head.focus;
    if (this.findings[this.current] && this.view === "text") this.marks.focus(this.current);
    else this.panel.card.focus({ preventScroll: true });
  }

  // --- shown findings and the current one

  isShown(n) {
    const one = this.findings[n];
    return (!this.filters.severity || one.severity === this.filters.severity) && (!this.filters.rule || one.rule === this.filters.rule);
  }

  listShown() {
    return [...this.findings.keys()].filter((n) => this.isShown(n));
  }

  // Finds the first open finding from `n` on, wrapping around; else the first shown one.
  findNextOpen(n) {
    const shown = this.listShown();
    const order = [...shown.filter((k) => k >= n), ...shown.filter((k) => k < n)];
    return order.find((k) => !this.decisions.has(k)) ?? order[0] ?? -1;
  }

  select(n, focus) {
    if (n < 0 || !this.findings[n]) return;
    const before = this.current;
    this.current = n;
    if (!this.isShown(n)) { // selected although the filters exclude it
      this.filters = { severity: "", rule: "" };
      this.draw();
      this.reportView();
    }
    const placeBefore = this.placeNumber;
    this.placeNumber = this.findOwnPlace();
    if (before !== n || placeBefore !== this.placeNumber) {
      const changed = [before, n].filter((k) => this.findings[k]);
      this.marks.show(changed);
      this.marks.showPlaces();
      this.panel.show(changed);
    }
    if (focus && this.view === "text") this.marks.focus(n);
  }

  selectNext(by) {
    const shown = this.listShown();
    if (!shown.length) return this.bar.say(this.findings.length ? this.words.none_shown : this.words.clean);
    const position = shown.indexOf(this.current);
    return this.select(shown[(position + by + shown.length) % shown.length], true);
  }

  filterBy(kind, value) {
    this.filters[kind] = kind === "severity" && this.filters.severity === value ? "" : value;
    if (!this.findings[this.current] || !this.isShown(this.current)) this.current = this.findNextOpen(0);
    this.draw();
    this.reportView();
  }

  setView(view) {
    if (view === this.view) return;
    this.view = view;
    this.draw();
    this.reportView();
    if (view === "text" && this.findings[this.current]) this.marks.focus(this.current);
    else this[view === "rendered" ? "rendered" : "compare"].focus({ preventScroll: true });
  }

  replacement(n) {
    return this.decisions.get(n)?.text ?? this.findings[n].suggestion;
  }

  acceptName() {
    const name = this.findings[this.current]?.accept;
    if (name) this.act("accept", name);
  }

  buildLabel(n) {
    const one = this.findings[n];
    const status = this.decisions.get(n)?.status;
    const target = this.replacement(n);
    const parts = [one.text, this.words[one.severity], target === null ? this.words.kind_none : fill(this.words.becomes, { name: target }), status ? this.words[status] : ""];
    return parts.filter(Boolean).join(this.words.comma);
  }

  // Findings with the same text, rule and suggestion.
  findAlike(n) {
    const one = this.findings[n];
    return [...this.findings.keys()].filter((k) => this.findings[k].rule === one.rule && this.findings[k].text === one.text && this.findings[k].suggestion === one.suggestion);
  }

  countApproved() {
    let number = 0;
    for (const [n, { status }] of this.decisions) if (status === "approved" && this.replacement(n) !== null) number += 1;
    return number;
  }

  // --- decisions

  decide(status, all = false) {
    const n = this.current;
    if (!this.findings[n]) return;
    if (status === "approved" && this.cannotReplace(n)) return;
    const numbers = all ? this.findAlike(n) : [n];
    const isRevoked = numbers.every((k) => this.decisions.get(k)?.status === status);
    const text = this.decisions.get(n)?.text ?? null;
    this.applyChange(numbers.map((k) => [k, isRevoked ? null : { status, text: status === "approved" ? text : null }]));
    if (!isRevoked) this.selectNextOpen(n);
  }

  choose(name) {
    const n = this.current;
    if (!this.findings[n]) return;
    this.applyChange([[n, { status: "approved", text: name }]]);
    this.selectNextOpen(n);
  }

  selectNextOpen(n) {
    const next = this.findNextOpen(n + 1);
    this.select(next, true);
    const open = this.listShown().filter((k) => !this.decisions.has(k)).length;
    this.bar.say(open ? fill(this.words.left, { n: open }) : this.words.all_decided);
  }

  applyChange(changes) {
    const batch = changes.map(([n, after]) => [n, this.decisions.get(n) ?? null, after]);
    this.undoLog.push(batch);
    this.redoLog = [];
    this.hasNewDecisions = true;
    this.applyBatch(batch, 2);
  }

  // Sets the decisions of a batch to those before (1) or after it (2).
  applyBatch(batch, which) {
    for (const entry of batch) {
      this.decisions.delete(entry[0]);
      if (entry[which]) this.decisions.set(entry[0], entry[which]);
    }
    this.draw(batch.map(([n]) => n));
    clearTimeout(this.reportTimer);
    this.reportTimer = setTimeout(() => this.report("keep"), 500);
    document.dispatchEvent(new CustomEvent("chainproof-decided", { detail: { step: this.number, decisions: this.listDecisions(), new: true } }));
  }

  canUndo() {
    return this.undoLog.length > 0 || this.head.undo;
  }

  canRedo() {
    return this.redoLog.length > 0 || (this.head.redo && !this.hasNewDecisions);
  }

  undo() {
    if (this.undoLog.length) {
      const batch = this.undoLog.pop();
      this.redoLog.push(batch);
      this.applyBatch(batch, 1);
      this.select(batch[0][0], true);
      this.bar.say(this.words.undone);
    } else if (this.head.undo) this.act("undo");
  }

  redo() {
    if (this.redoLog.length) {
      const batch = this.redoLog.pop();
      this.undoLog.push(batch);
      this.applyBatch(batch, 2);
      this.select(batch[0][0], true);
      this.bar.say(this.words.redone);
    } else if (this.canRedo()) this.act("redo");
  }

  // --- reports to the dashboard

  // Runs an action of the dashboard; `text` is its subject, if any.
  act(name, text) {
    if (name === "approved" && !this.countApproved()) return this.bar.say(this.words.none_approved);
    if (name === "safe" && this.bar.safe.disabled) return this.bar.say(this.words.none_safe);
    if (name === "edit") focusWhenDrawn(".st-key-cr_content textarea");
    this.busy = true;
    this.requestedAt = Date.now();
    this.report(name, text);
    return undefined;
  }

  listDecisions() {
    return [...this.decisions].map(([n, { status, text }]) => [n, status, text]);
  }

  report(name, text) {
    clearTimeout(this.reportTimer);
    this.trigger("act", { name, step: this.number, decisions: this.listDecisions(), new: this.hasNewDecisions, text });
    if (this.hasNewDecisions) this.head.redo = false; // a new decision deletes the redo steps
    this.hasNewDecisions = false;
  }

  reportView() {
    // A state: of two simultaneous triggers of a component, Streamlit delivers only the later one.
    this.setState("view", { view: this.view, ...this.filters });
  }

  // --- clipboard

  async copy(text, words, isWhole) {
    const isCopied = await copyText(text);
    if (isCopied && isWhole) document.dispatchEvent(new CustomEvent("chainproof-copied"));
    this.bar.say(isCopied ? words : this.words.copy_failed);
  }

  listCopied() {
    return this.fields.filter((field) => field.kind !== "tag" && field.text.trim());
  }

  copyField(field) {
    return this.copy(field.text, fill(this.words.copied_field, { field: field.label }), this.listCopied().length === 1 && !this.countApproved());
  }

  copyAll() {
    const waiting = this.countApproved();
    const words = waiting ? fill(this.words.copied_without, { n: waiting }) : this.words.copied;
    return this.copy(this.listCopied().map((field) => field.text).join("\n\n"), words, !waiting);
  }

  // --- drawing

  draw(numbers) {
    if (!this.head && !this.undoLog) return;
    setAttr(this.frame, "data-view", this.view);
    this.marks.root.hidden = this.view !== "text";
    this.compare.hidden = this.view !== "compare";
    this.rendered.hidden = this.view !== "rendered";
    this.marks.show(numbers);
    this.marks.showPlaces();
    this.panel.show(numbers);
    if (this.head) this.bar.show();
  }

  drawCompare(head) {
    if (!head.compare || this.compareDrawn === head.compare.version) return;
    this.compareDrawn = head.compare.version;
    this.compare.replaceChildren(...buildComparison(head.compare, this.words));
  }

  drawRendered(head) {
    if (!head.rendered || this.renderedDrawn === head.rendered.version) return;
    this.renderedDrawn = head.rendered.version;
    this.rendered.replaceChildren(el("div", { class: "page", lang: head.rendered.lang }, ...buildRendered(head.rendered.nodes, this.words)));
  }

  // Height that the panel covers at the bottom of a narrow window.
  getCoveredHeight() {
    return getComputedStyle(this.panel.root).position === "sticky" && innerWidth < 900 ? this.panel.root.offsetHeight : 0;
  }
}
