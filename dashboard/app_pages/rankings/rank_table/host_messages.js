// The reader's doings go to the host one at a time. The host answers each with the whole address as it
// was when it was told; told of two at once it would write the first one's address over the second's,
// and each such rewriting is a step of the history that the reader never took.

Object.assign(RankTable.prototype, {
  patience: 3000, // ms after which the next is told without an answer
  doubt: 20000, // ms after which an address is believed that does not have what was told

  // What waits to be told is replaced by what is newer of its kind.
  tell(kind, value) {
    this.untold ??= new Map();
    this.untold.set(kind, value);
    this.tellNext();
  },

  tellNext() {
    clearTimeout(this.telling);
    if (!this.untold?.size) return;
    const left = this.told ? this.told.at + this.patience - Date.now() : 0;
    if (left > 0) {
      this.telling = setTimeout(() => this.tellNext(), left);
      return;
    }
    const [kind, value] = this.untold.entries().next().value;
    this.untold.delete(kind);
    const text = JSON.stringify(value);
    this.told = this.known?.[kind] === text ? null : { kind, text, at: Date.now() };
    this.sent ??= new Map();
    if (this.told) this.sent.set(kind, this.told);
    if (!this.told) this.tellNext(); // the host knows, and would not answer
    else if (kind === "view") this.tellView(value);
    else this.host.setTriggerValue(kind, value);
  },

  // Write the address in place (no history entry for each filter) and let the host know.
  tellView(params) {
    const address = new URLSearchParams(location.search);
    for (const key of ["q", "sort", "facet", "cat", "min", "cols", "span", "watch"]) address.delete(key);
    for (const [key, value] of Object.entries(params)) address.append(key, value);
    const query = address.toString();
    history.replaceState(history.state, "", location.pathname + (query ? `?${query}` : ""));
    this.host.setStateValue("view", params);
  },

  // What the address says now. A run that began before what was told knows nothing of it, and on a slow
  // line ends long after it.
  hear(head) {
    this.known = { view: JSON.stringify(head.view), coin: JSON.stringify(head.coin), compare: JSON.stringify(head.compare) };
    for (const { kind, text, at } of this.sent?.values() ?? []) {
      if (this.known[kind] === text || Date.now() - at > this.doubt) this.sent.delete(kind);
    }
    if (!this.told || (this.known[this.told.kind] !== this.told.text && Date.now() - this.told.at < this.patience)) return;
    this.told = null;
    this.tellNext();
  },

  awaits(kind) {
    return Boolean(this.sent?.has(kind) || this.untold?.has(kind));
  },
});
