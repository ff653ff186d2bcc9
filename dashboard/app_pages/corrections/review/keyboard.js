// The keyboard. Single letters count inside the review, and where nothing has the focus; never while typing.

const KEYS_FLAG = "chainproof.keys";

function readKeysAllowed() {
  try {
    return localStorage.getItem(KEYS_FLAG) !== "false";
  } catch {
    return true; // a browser that stores nothing
  }
}

// The Latin letter of a key, whatever layout or input method is on.
function letterOf(event) {
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
    const deep = path[0];
    const inside = path.includes(this.frame);
    const typing = deep.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(deep.tagName || "");
    if (typing || !(inside || deep === document.body)) return;
    const key = letterOf(event);
    const shift = event.shiftKey;
    if (this.isBusy()) { // a quick hand loses no key
      if (key.length > 1 && key !== "Enter") return;
      this.waiting.push(() => this.actionOf(key, shift, this.panel.card)?.());
    } else {
      const act = this.head && this.actionOf(key, shift, deep);
      if (!act) return;
      act();
    }
    event.preventDefault();
    event.stopPropagation();
  },

  // While the dashboard works on what was asked; an answer that never comes is not waited for.
  isBusy() {
    return this.busy && Date.now() - this.askedAt < 10_000;
  },

  actionOf(key, shift, deep) {
    const onMark = deep.classList?.contains("mark") || deep === document.body || deep === this.panel.card;
    const named = { ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1), Enter: () => this.act("approved"), " ": () => this.go(this.at, true) };
    if (key === "Escape" && !this.bar.sheet.hidden) return () => { this.bar.toggleHelp(false); this.bar.keys.focus(); };
    if (key in named) return onMark && (key !== " " || deep.classList?.contains("mark")) ? named[key] : null;
    if (!this.keysAllowed) return null;
    const choice = this.findings[this.at]?.choices[Number(key) - 1];
    if (/^[1-9]$/.test(key)) return choice ? () => this.chooseNumber(Number(key)) : null;
    const letters = {
      n: () => this.step(1), j: () => this.step(1), p: () => this.step(-1), k: () => this.step(-1),
      a: () => (shift ? this.act("approved") : this.decide("approved")), i: () => this.decide("ignored", shift), s: () => this.act("safe"),
      z: () => (shift ? this.redo() : this.undo()), c: () => this.copyAll(), d: () => this.look(this.view === "text" ? "compare" : "text"),
      e: () => this.act("edit"), "?": () => this.bar.toggleHelp(),
    };
    return letters[key.toLowerCase()] ?? null;
  },

  chooseNumber(number) {
    const name = this.findings[this.at]?.choices[number - 1];
    if (name) this.choose(name);
  },

  allowKeys(allowed) {
    this.keysAllowed = allowed;
    try {
      localStorage.setItem(KEYS_FLAG, String(allowed));
    } catch {
      this.bar.say(this.words.not_stored);
    }
  },
});
