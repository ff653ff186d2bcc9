// The review of one article: which finding is at hand, what was decided, and the way back.
// What is decided lives here; the dashboard is told of it and keeps it with the article's state.

class Review {
  constructor(host) {
    this.host = host;
    this.findings = [];
    this.decisions = new Map();
    this.filters = { severity: "", rule: "" };
    this.waiting = [];
    this.keysAllowed = readKeysAllowed();
    this.frame = el("div", { class: "review" });
    this.bar = new Bar(this);
    this.marks = new Marks(this);
    this.panel = new Panel(this);
    this.compare = el("div", { class: "compare", tabindex: "0", role: "region", hidden: true });
    this.main = el("div", { class: "main-area" }, this.marks.root, this.compare);
    this.frame.append(this.bar.root, el("div", { class: "columns" }, this.main, this.panel.root));
    host.append(this.frame);
  }

  connect() {
    if (this.connected) return;
    this.connected = new AbortController();
    const { signal } = this.connected;
    document.addEventListener("keydown", (event) => this.onKey(event), { signal });
    document.addEventListener("pointerdown", (event) => event.composedPath().includes(this.bar.root) || this.bar.toggleHelp(false), { signal });
  }

  disconnect() {
    this.connected?.abort();
    this.connected = null;
    clearTimeout(this.telling);
  }

  // The article and its findings, which the head then brings to the state they are in.
  receive(data, setState, trigger) {
    Object.assign(this, { setState, trigger });
    this.connect();
    const cut = data.indexOf(10); // the first line is the version
    const version = new TextDecoder().decode(data.subarray(0, cut));
    if (version === this.version) return;
    Object.assign(this, JSON.parse(new TextDecoder().decode(data.subarray(cut + 1))));
    this.version = version;
    this.head = null;
  }

  show(head) {
    if (head.version !== this.version) return; // its article is on its way
    const fresh = this.head === null;
    const turned = this.head?.turn !== head.turn;
    if (fresh) this.begin(head);
    else if (turned) this.takeDecisions(head);
    this.head = head;
    if (fresh || turned) this.busy = false;
    if (head.message && turned) this.bar.say(head.message);
    this.drawCompare(head);
    this.draw();
    if (fresh) this.takeFocus(head);
    while (!this.busy && this.waiting.length) this.waiting.shift()();
  }

  begin(head) {
    if (this.drawnLang !== this.lang) {
      this.drawnLang = this.lang;
      this.bar.build();
    }
    if (!this.filtersTaken) Object.assign(this, { filters: { severity: head.view.severity, rule: head.view.rule }, view: head.view.view, filtersTaken: true });
    const rules = new Set(this.findings.map((one) => one.rule));
    if (this.filters.rule && !rules.has(this.filters.rule)) this.filters.rule = "";
    if (this.filters.severity && !this.findings.some((one) => one.severity === this.filters.severity)) this.filters.severity = "";
    setAttr(this.frame, "lang", this.lang);
    setAttr(this.compare, "aria-label", this.words.view_compare);
    this.takeDecisions(head);
    this.marks.build();
    this.panel.build();
    this.at = this.nearest(this.marks.root.scrollTop ? this.at ?? 0 : 0);
    this.compareDrawn = null;
  }

  takeDecisions(head) {
    this.decisions = new Map(head.decisions.map(([n, status, text]) => [n, { status, text }]));
    this.log = head.decisions.slice(head.settled).map(([n, status, text]) => [[n, null, { status, text }]]);
    this.ahead = [];
    this.fresh = false;
    clearTimeout(this.telling);
  }

  takeFocus(head) {
    const meeting = globalThis.chainproofReview;
    const active = document.activeElement;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(active?.tagName ?? "") && !active.closest("form, [class*=st-key-cr_]"); // our boxes are going
    if (meeting.focused === head.focus || typing) return;
    meeting.focused = head.focus;
    if (this.findings[this.at] && this.view === "text") this.marks.focus(this.at);
    else this.panel.card.focus({ preventScroll: true });
  }

  // --- which findings are shown, and which one is at hand

  shows(n) {
    const one = this.findings[n];
    return (!this.filters.severity || one.severity === this.filters.severity) && (!this.filters.rule || one.rule === this.filters.rule);
  }

  shown() {
    return [...this.findings.keys()].filter((n) => this.shows(n));
  }

  // The first open finding from `n` on, around the end; else the first one shown.
  nearest(n) {
    const shown = this.shown();
    const order = [...shown.filter((k) => k >= n), ...shown.filter((k) => k < n)];
    return order.find((k) => !this.decisions.has(k)) ?? order[0] ?? -1;
  }

  go(n, focus) {
    if (n < 0 || !this.findings[n]) return;
    const before = this.at;
    this.at = n;
    if (!this.shows(n)) { // pointed at although the filters leave it out
      this.filters = { severity: "", rule: "" };
      this.draw();
      this.tellView();
    }
    if (before !== n) {
      const touched = [before, n].filter((k) => this.findings[k]);
      this.marks.show(touched);
      this.panel.show(touched);
    }
    if (focus && this.view === "text") this.marks.focus(n);
  }

  step(by) {
    const shown = this.shown();
    if (!shown.length) return this.bar.say(this.findings.length ? this.words.none_shown : this.words.clean);
    const here = shown.indexOf(this.at);
    return this.go(shown[(here + by + shown.length) % shown.length], true);
  }

  filterBy(kind, value) {
    this.filters[kind] = kind === "severity" && this.filters.severity === value ? "" : value;
    if (!this.findings[this.at] || !this.shows(this.at)) this.at = this.nearest(0);
    this.draw();
    this.tellView();
  }

  look(view) {
    if (view === this.view) return;
    this.view = view;
    this.draw();
    this.tellView();
    if (view === "text" && this.findings[this.at]) this.marks.focus(this.at);
    else this.compare.focus({ preventScroll: true });
  }

  replacement(n) {
    return this.decisions.get(n)?.text ?? this.findings[n].suggestion;
  }

  label(n) {
    const one = this.findings[n];
    const status = this.decisions.get(n)?.status;
    const target = this.replacement(n);
    const parts = [one.text, this.words[one.severity], target === null ? this.words.kind_none : fill(this.words.becomes, { name: target }), status ? this.words[status] : ""];
    return parts.filter(Boolean).join(", ");
  }

  // The same text under the same rule, with the same way out.
  alike(n) {
    const one = this.findings[n];
    return [...this.findings.keys()].filter((k) => this.findings[k].rule === one.rule && this.findings[k].text === one.text && this.findings[k].suggestion === one.suggestion);
  }

  approved() {
    let number = 0;
    for (const [n, { status }] of this.decisions) if (status === "approved" && this.replacement(n) !== null) number += 1;
    return number;
  }

  // --- deciding

  decide(status, all = false) {
    const n = this.at;
    const one = this.findings[n];
    if (!one) return;
    if (status === "approved" && this.replacement(n) === null) {
      this.bar.say(one.choices.length ? fill(this.words.choose_first, { n: Math.min(9, one.choices.length) }) : this.words.no_suggestion);
      return;
    }
    const numbers = all ? this.alike(n) : [n];
    const same = numbers.every((k) => this.decisions.get(k)?.status === status);
    const text = this.decisions.get(n)?.text ?? null;
    this.change(numbers.map((k) => [k, same ? null : { status, text: status === "approved" ? text : null }]));
    if (!same) this.onward(n);
  }

  choose(name) {
    const n = this.at;
    if (!this.findings[n]) return;
    this.change([[n, { status: "approved", text: name }]]);
    this.onward(n);
  }

  onward(n) {
    const next = this.nearest(n + 1);
    this.go(next, true);
    const open = this.shown().filter((k) => !this.decisions.has(k)).length;
    this.bar.say(open ? fill(this.words.left, { n: open }) : this.words.all_decided);
  }

  change(wanted) {
    const batch = wanted.map(([n, after]) => [n, this.decisions.get(n) ?? null, after]);
    this.log.push(batch);
    this.ahead = [];
    this.fresh = true;
    this.set(batch, 2);
  }

  // Bring the findings of a batch to how they were before (1) or after it (2).
  set(batch, which) {
    for (const entry of batch) {
      this.decisions.delete(entry[0]);
      if (entry[which]) this.decisions.set(entry[0], entry[which]);
    }
    this.draw(batch.map(([n]) => n));
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.tell("keep"), 500);
  }

  canUndo() {
    return this.log.length > 0 || this.head.undo;
  }

  canRedo() {
    return this.ahead.length > 0 || (this.head.redo && !this.fresh);
  }

  undo() {
    if (this.log.length) {
      const batch = this.log.pop();
      this.ahead.push(batch);
      this.set(batch, 1);
      this.go(batch[0][0], true);
      this.bar.say(this.words.undone);
    } else if (this.head.undo) this.act("undo");
  }

  redo() {
    if (this.ahead.length) {
      const batch = this.ahead.pop();
      this.log.push(batch);
      this.set(batch, 2);
      this.go(batch[0][0], true);
      this.bar.say(this.words.redone);
    } else if (this.canRedo()) this.act("redo");
  }

  // --- telling the dashboard

  act(name) {
    if (name === "approved" && !this.approved()) return this.bar.say(this.words.none_approved);
    if (name === "safe" && this.bar.safe.disabled) return this.bar.say(this.words.none_safe);
    if (name === "edit") focusWhenThere(".st-key-cr_content textarea");
    this.busy = true;
    this.askedAt = Date.now();
    this.tell(name);
    return undefined;
  }

  tell(name) {
    clearTimeout(this.telling);
    const decisions = [...this.decisions].map(([n, { status, text }]) => [n, status, text]);
    this.trigger("act", { name, step: this.number, decisions, new: this.fresh });
    if (this.fresh) this.head.redo = false; // what lay ahead is gone once something new is decided
    this.fresh = false;
  }

  tellView() {
    // A state, since of two triggers of one component that come together the host delivers the later one alone.
    this.setState("view", { view: this.view, ...this.filters });
  }

  // --- copying

  async copyField(field) {
    this.bar.say((await copyText(field.text)) ? fill(this.words.copied_field, { field: field.label }) : this.words.copy_failed);
  }

  async copyAll() {
    const texts = this.fields.filter((field) => field.kind !== "tag").map((field) => field.text).filter((text) => text.trim());
    const waiting = this.approved();
    const words = waiting ? fill(this.words.copied_without, { n: waiting }) : this.words.copied;
    this.bar.say((await copyText(texts.join("\n\n"))) ? words : this.words.copy_failed);
  }

  // --- drawing

  draw(numbers) {
    if (!this.head && !this.log) return;
    setAttr(this.frame, "data-view", this.view);
    this.marks.root.hidden = this.view !== "text";
    this.compare.hidden = this.view !== "compare";
    this.marks.show(numbers);
    this.panel.show(numbers);
    if (this.head) this.bar.show();
  }

  drawCompare(head) {
    if (!head.compare || this.compareDrawn === head.compare.version) return;
    this.compareDrawn = head.compare.version;
    this.compare.replaceChildren(...comparison(head.compare, this.words));
  }

  // What the panel covers at the foot of a narrow window.
  coveredBelow() {
    return getComputedStyle(this.panel.root).position === "sticky" && innerWidth < 900 ? this.panel.root.offsetHeight : 0;
  }
}
