// Handles keys. Single letters work inside the review and if nothing has the focus, but never while typing.

// Keys in the help sheet, each with the name of its text. `findAction` binds them.
const KEY_HELP = [
  [["n", "j", "↓"], "key_next"],
  [["p", "k", "↑"], "key_previous"],
  [["f"], "key_apply"],
  [["a"], "key_approve"],
  [["i", "⇧i"], "key_ignore"],
  [["1", "…", "9"], "key_choose"],
  [["w"], "key_accept"],
  [["m", "⇧m"], "key_place"],
  [["s"], "key_safe"],
  [["↵", "⇧a"], "key_approved"],
  [["z", "⇧z"], "key_undo"],
  [["l"], "key_applied"],
  [["v"], "key_rendered"],
  [["d"], "key_compare"],
  [["c"], "key_copy"],
  [["e"], "key_edit"],
  [["?"], "key_help"],
];

const RESPONSE_TIMEOUT_MS = 10_000;
const KEYS_STORAGE_KEY = "chainproof.keys";

function loadKeysAllowed() {
  try {
    return localStorage.getItem(KEYS_STORAGE_KEY) !== "false";
  } catch {
    return true; // storage may be disabled
  }
}

// Finds the Latin letter of a key in any layout or input method.
function findLetter(event) {
  if (/^[ -~]$/.test(event.key) || event.key.length > 1) {
    if (event.key !== "Process" && event.key !== "Dead") return event.key;
  }
  const code = /^(?:Key|Digit)([A-Z0-9])$/.exec(event.code);
  return code ? (event.shiftKey ? code[1] : code[1].toLowerCase()) : event.key;
}

Object.assign(Review.prototype, {
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
    const path = event.composedPath();
    const target = path[0];
    const inside = path.includes(this.frame);
    const typing = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName || "");
    if (typing || !(inside || target === document.body)) return;
    const key = findLetter(event);
    const shift = event.shiftKey;
    if (this.isBusy()) { // keys pressed meanwhile are queued
      if (key.length > 1 && key !== "Enter") return;
      this.queuedKeys.push(() => this.findAction(key, shift, this.panel.card)?.());
    } else {
      const act = this.head && this.findAction(key, shift, target);
      if (!act) return;
      act();
    }
    event.preventDefault();
    event.stopPropagation();
  },

  // Whether the dashboard works on an action; a missing response is not awaited longer than this.
  isBusy() {
    return this.busy && Date.now() - this.requestedAt < RESPONSE_TIMEOUT_MS;
  },

  findAction(key, shift, target) {
    const onMark = /\b(mark|place-name)\b/.test(target.className) || target === document.body || target === this.panel.card;
    const named = { ArrowDown: () => this.selectNext(1), ArrowUp: () => this.selectNext(-1), Enter: () => this.act("approved"), " ": () => this.select(this.current, true) };
    if (key === "Escape" && !this.applied.sheet.hidden) return () => { this.applied.toggle(false); this.applied.button.focus(); };
    if (key === "Escape" && !this.bar.sheet.hidden) return () => { this.bar.toggleHelp(false); this.bar.keys.focus(); };
    if (key in named) return onMark && (key !== " " || target.classList?.contains("mark")) ? named[key] : null;
    if (!this.keysAllowed) return null;
    const choice = this.findings[this.current]?.choices[Number(key) - 1];
    if (/^[1-9]$/.test(key)) return choice ? () => this.chooseNumber(Number(key)) : null;
    const letters = {
      n: () => this.selectNext(1), j: () => this.selectNext(1), p: () => this.selectNext(-1), k: () => this.selectNext(-1),
      a: () => (shift ? this.act("approved") : this.decide("approved")), i: () => this.decide("ignored", shift), s: () => this.act("safe"),
      z: () => (shift ? this.redo() : this.undo()), c: () => this.copyAll(), d: () => this.setView(this.view === "compare" ? "text" : "compare"),
      v: () => this.setView(this.view === "rendered" ? "text" : "rendered"), f: () => this.applyOne(), l: () => this.applied.toggle(),
      e: () => this.act("edit"), w: () => this.acceptName(), m: () => this.selectPlace(shift ? -1 : 1), "?": () => this.bar.toggleHelp(),
    };
    return letters[key.toLowerCase()] ?? null;
  },

  chooseNumber(number) {
    const name = this.findings[this.current]?.choices[number - 1];
    if (name) this.choose(name);
  },

  allowKeys(allowed) {
    this.keysAllowed = allowed;
    try {
      localStorage.setItem(KEYS_STORAGE_KEY, String(allowed));
    } catch {
      this.bar.say(this.words.not_stored);
    }
  },
});
