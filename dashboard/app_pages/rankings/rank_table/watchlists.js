// Watchlists without an account: several named lists in this browser's storage. They leave it only
// as a file or inside a link, when the reader asks for that.

const WATCH_KEY = "chainproof.watchlists";
const WATCH_LIMIT = 200;

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
      stored = null; // a damaged or forbidden store is an empty one
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
    list.ids = list.ids.includes(id) ? list.ids.filter((old) => old !== id) : [...list.ids, id].slice(-WATCH_LIMIT);
    this.write();
    return list.ids.includes(id);
  }

  add(name, ids = []) {
    const wanted = name.trim().slice(0, 40) || this.firstName;
    let free = wanted;
    for (let n = 2; this.lists.some((list) => list.name === free); n += 1) free = `${wanted} ${n}`;
    this.lists.push({ name: free, ids });
    this.current = free;
    this.write();
    return free;
  }

  rename(name) {
    const wanted = name.trim().slice(0, 40);
    const list = this.list;
    if (!wanted || !this.lists.includes(list) || this.lists.some((other) => other !== list && other.name === wanted)) return false;
    list.name = wanted;
    this.current = wanted;
    return this.write();
  }

  remove() {
    this.lists = this.lists.filter((list) => list !== this.list);
    this.current = this.lists.length ? this.lists[0].name : null;
    this.write();
  }

  toFile() {
    return JSON.stringify({ format: "chainproof-watchlists", version: 1, lists: this.lists }, null, 2);
  }

  // Returns how many lists were taken in, or null when the text is no such file.
  fromFile(text) {
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
      if (known) known.ids = [...new Set([...known.ids, ...list.ids])].slice(0, WATCH_LIMIT);
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
    const kept = list.ids.filter((id) => typeof id === "string" && id.length > 0 && id.length <= 80 && !id.includes(","));
    clean.push({ name, ids: [...new Set(kept)].slice(0, WATCH_LIMIT) });
  }
  return clean;
}
