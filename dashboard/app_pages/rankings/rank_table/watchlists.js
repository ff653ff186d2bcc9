// Stores named watchlists in this browser, without an account. They leave the browser only as a file or
// in a link that the reader requests.

const WATCH_KEY = "chainproof.watchlists";

class Watchlists {
  constructor(firstName) {
    this.firstName = firstName;
    this.read();
  }

  read() {
    let stored = null;
    try {
      stored = JSON.parse(localStorage.getItem(WATCH_KEY) || "null");
    } catch {
      stored = null; // a damaged or blocked store counts as empty
    }
    this.lists = cleanLists(stored && stored.lists);
    this.current = stored && this.lists.some((list) => list.name === stored.current) ? stored.current : null;
  }

  write() {
    try {
      localStorage.setItem(WATCH_KEY, JSON.stringify({ version: 1, current: this.current, lists: this.lists }));
      return true;
    } catch {
      return false;
    }
  }

  get list() {
    return this.lists.find((list) => list.name === this.current) || this.lists[0] || { name: this.firstName, ids: [] };
  }

  has(id) {
    return this.list.ids.includes(id);
  }

  toggle(id) {
    const list = this.list;
    if (!this.lists.includes(list)) this.lists.push(list);
    list.ids = list.ids.includes(id) ? list.ids.filter((old) => old !== id) : [...list.ids, id].slice(-OPTIONS.maxWatchedIds);
    this.write();
    return list.ids.includes(id);
  }

  add(name, ids = []) {
    const trimmed = name.trim().slice(0, 40) || this.firstName;
    let unused = trimmed;
    for (let n = 2; this.lists.some((list) => list.name === unused); n += 1) unused = `${trimmed} ${n}`;
    this.lists.push({ name: unused, ids });
    this.current = unused;
    this.write();
    return unused;
  }

  rename(name) {
    const trimmed = name.trim().slice(0, 40);
    const list = this.list;
    if (!trimmed || !this.lists.includes(list) || this.lists.some((other) => other !== list && other.name === trimmed)) return false;
    list.name = trimmed;
    this.current = trimmed;
    return this.write();
  }

  remove() {
    this.lists = this.lists.filter((list) => list !== this.list);
    this.current = this.lists.length ? this.lists[0].name : null;
    this.write();
  }

  buildFile() {
    return JSON.stringify({ format: "chainproof-watchlists", version: 1, lists: this.lists }, null, 2);
  }

  // Imports lists and returns their number; null if the text is not a watchlist file.
  importFile(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      return null;
    }
    if (!file || file.format !== "chainproof-watchlists" || !Array.isArray(file.lists)) return null;
    const lists = cleanLists(file.lists);
    for (const list of lists) {
      const known = this.lists.find((old) => old.name === list.name);
      if (known) known.ids = [...new Set([...known.ids, ...list.ids])].slice(0, OPTIONS.maxWatchedIds);
      else this.lists.push(list);
    }
    this.write();
    return lists.length;
  }
}

function cleanLists(lists) {
  const clean = [];
  for (const list of Array.isArray(lists) ? lists.slice(0, 50) : []) {
    const name = list && typeof list.name === "string" ? list.name.trim().slice(0, 40) : "";
    if (!name || !Array.isArray(list.ids) || clean.some((old) => old.name === name)) continue;
    const validIds = list.ids.filter((id) => typeof id === "string" && id.length > 0 && id.length <= 80 && !id.includes(","));
    clean.push({ name, ids: [...new Set(validIds)].slice(0, OPTIONS.maxWatchedIds) });
  }
  return clean;
}
