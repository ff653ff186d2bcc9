// Stores the editor's work in this tab for a day, offers it to a new session, and warns before it is lost.
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const PREFIX = "chainproof.work.";
const KINDS = ["article", "batch"];
const DOWNLOADS = { article: '[class*="st-key-cr_download_"]', batch: ".st-key-cr_batch_jsonl" };

function load(name) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name));
  } catch {
    return null; // storage may be disabled
  }
}

function save(name, record) {
  try {
    if (record) sessionStorage.setItem(PREFIX + name, JSON.stringify(record));
    else sessionStorage.removeItem(PREFIX + name);
  } catch {
    try {
      sessionStorage.removeItem(PREFIX + name); // full: an outdated record must not be restored
    } catch {
      return; // storage may be disabled
    }
  }
}

// One for the whole visit: the work stays in the session while another page is open.
class UnsavedWork {
  constructor() {
    this.tokens = {}; // of the work that is neither copied nor downloaded, by kind
    this.copied = {};
    this.typed = {};
    this.sent = {};
    addEventListener("beforeunload", (event) => this.exists() && event.preventDefault());
    document.addEventListener("input", () => this.readTyped());
    document.addEventListener("chainproof-copied", () => this.markCopied("article"));
    document.addEventListener("chainproof-decided", (event) => this.storeDecisions(event.detail));
    document.addEventListener("click", (event) => {
      for (const kind of KINDS) if (event.target.closest?.(DOWNLOADS[kind])) this.markCopied(kind);
    });
  }

  exists() {
    this.readTyped();
    return KINDS.some((kind) => this.typed[kind] || (this.tokens[kind] && this.tokens[kind] !== this.copied[kind]));
  }

  // Compares the text boxes with what was last checked.
  readTyped() {
    for (const kind of KINDS) {
      const fields = Object.entries(this.sent[kind] ?? {});
      const boxes = fields.map(([field, value]) => [document.querySelector(`.st-key-${field} :is(textarea, input)`), value]).filter(([box]) => box);
      if (boxes.length || !fields.length) this.typed[kind] = boxes.some(([box, value]) => box.value !== value);
    }
  }

  markCopied(kind) {
    this.copied[kind] = this.tokens[kind];
    const record = load(kind);
    if (record) save(kind, { ...record, copied: this.tokens[kind] });
  }

  // Decisions are stored at once; the record of the article follows with the dashboard's answer.
  storeDecisions(decided) {
    save("decisions", decided);
    this.tokens.article = decided.decisions.length ? JSON.stringify(decided) : this.tokens.article;
  }

  receive(kind, data) {
    Object.assign(this.tokens, data.unsaved);
    this.sent[kind] = data.sent;
    this.readTyped();
    const before = load(kind);
    const isOwn = before?.session === data.session;
    if (kind === "article" && isOwn !== Boolean(data.text)) save("decisions", null); // they belong to other steps
    if (data.text) save(kind, { at: Date.now(), owner: data.owner, session: data.session, text: data.text, copied: this.copied[kind] });
    else if (isOwn) save(kind, null);
  }

  // Returns the work of an earlier session of this tab.
  takeEarlier(data) {
    const earlier = {};
    for (const kind of KINDS) {
      const record = load(kind);
      if (!record || record.session === data.session) continue;
      if (record.owner !== data.owner || Date.now() - record.at > MAX_AGE_MS) save(kind, null);
      else {
        earlier[kind] = record.text;
        this.copied[kind] = record.copied;
      }
    }
    if (earlier.article) earlier.decided = load("decisions");
    return earlier;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const work = (globalThis.chainproofWork ??= new UnsavedWork());
  if (data.restores && parentElement.offeredTo !== data.session) {
    parentElement.offeredTo = data.session;
    const earlier = work.takeEarlier(data);
    if (!data.text && (earlier.article || earlier.batch)) setTriggerValue("restore", earlier);
  }
  work.receive(data.kind, data);
}
