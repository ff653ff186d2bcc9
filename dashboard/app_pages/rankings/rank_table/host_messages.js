// Sends the reader's actions to the host one at a time. The host responds to each action with the whole URL
// at the time of sending. For two concurrent actions it would overwrite the second one's URL with the first
// one's, and each overwrite adds a history entry that the reader did not cause.

Object.assign(RankTable.prototype, {
  responseTimeoutMs: 3000, // then the next action is sent without a response
  staleUrlTimeoutMs: 20000, // then a URL counts even if it lacks a sent action

  // Queues an action; a newer one of the same kind replaces a queued one.
  send(kind, value) {
    this.queued ??= new Map();
    this.queued.set(kind, value);
    this.sendNext();
  },

  sendNext() {
    clearTimeout(this.sendTimer);
    if (!this.queued?.size) return;
    const waitMs = this.pending ? this.pending.at + this.responseTimeoutMs - Date.now() : 0;
    if (waitMs > 0) {
      this.sendTimer = setTimeout(() => this.sendNext(), waitMs);
      return;
    }
    const [kind, value] = this.queued.entries().next().value;
    this.queued.delete(kind);
    const text = JSON.stringify(value);
    this.sent ??= new Map();
    const isKnown = this.known?.[kind] === text && !this.sent.has(kind); // an earlier action may be on its way
    this.pending = isKnown ? null : { kind, text, at: Date.now() };
    if (this.pending) this.sent.set(kind, this.pending);
    if (!this.pending) this.sendNext(); // the host has this value already and would not respond
    else if (kind === "view") this.sendView(value);
    else this.host.setTriggerValue(kind, value);
  },

  // Replaces the URL (no history entry for each filter) and notifies the host.
  sendView(params) {
    const query = new URLSearchParams(location.search);
    for (const key of OPTIONS.viewParams) query.delete(key);
    for (const [key, value] of Object.entries(params)) query.append(key, value);
    const text = query.toString();
    history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : ""));
    this.host.setStateValue("view", params);
  },

  // Compares the URL of a finished run with the sent actions. A run that began before an action does not
  // include it and, on a slow connection, ends long after it.
  acknowledge(head) {
    this.known = { view: JSON.stringify(head.view), coin: JSON.stringify(head.coin), compare: JSON.stringify(head.compare) };
    for (const { kind, text, at } of this.sent?.values() ?? []) {
      if (this.known[kind] === text || Date.now() - at > this.staleUrlTimeoutMs) this.sent.delete(kind);
    }
    if (!this.pending || (this.known[this.pending.kind] !== this.pending.text && Date.now() - this.pending.at < this.responseTimeoutMs)) return;
    this.pending = null;
    this.sendNext();
  },

  isAwaiting(kind) {
    return Boolean(this.sent?.has(kind) || this.queued?.has(kind));
  },
});
