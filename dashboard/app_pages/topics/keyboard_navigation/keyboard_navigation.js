// J/K (and the arrows, once a topic has the focus) move through the list, Enter is the link's own,
// Escape closes. Topics that were opened are remembered here and lose their mark.
const STORE = "chainproof.topics.read";
const MOST = 1000;
const SHEET = "tp-read-marks";
const LINKS = ".tp-list a[data-open], .tp-top a[data-open]";
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const BUSY = "input, textarea, select, [contenteditable=true], [role=dialog], [role=listbox], [data-testid=stPopoverBody]";

function readOnes() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(kept) ? kept.filter(Number.isSafeInteger) : [];
  } catch {
    return []; // storage may be forbidden: then nothing counts as read
  }
}

function remember(id) {
  const kept = [...readOnes().filter((other) => other !== id), id].slice(-MOST);
  try {
    localStorage.setItem(STORE, JSON.stringify(kept));
  } catch {
    return [id];
  }
  return kept;
}

function mark(ids) {
  let sheet = document.getElementById(SHEET);
  if (!sheet) {
    sheet = document.createElement("style");
    sheet.id = SHEET;
    document.head.append(sheet);
  }
  const rules = ids.map((id) => `[data-topic="${id}"] .tp-new`);
  sheet.textContent = rules.length ? `:is(${rules.join(",")}) { visibility: hidden; }` : "";
}

function move(step) {
  const links = [...document.querySelectorAll(LINKS)].filter((link) => link.offsetParent !== null);
  if (!links.length) return false;
  let at = links.indexOf(document.activeElement);
  if (at < 0) {
    const shown = links.findIndex((link) => link.getAttribute("aria-current") === "true");
    at = shown >= 0 ? shown : step > 0 ? -1 : links.length;
  }
  const next = links[Math.min(links.length - 1, Math.max(0, at + step))];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

// The list beside a topic shows where the reader is in it.
function reveal(id) {
  const row = document.querySelector(`.tp-list a[data-open="${id}"]`);
  const list = row?.closest(".tp-list");
  if (!list || list.scrollHeight <= list.clientHeight) return;
  const there = row.getBoundingClientRect(), box = list.getBoundingClientRect();
  if (there.top < box.top || there.bottom > box.bottom) {
    list.scrollTop += there.top - box.top - (box.height - there.height) / 2;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  mark(data.opened === null ? readOnes() : remember(data.opened));
  if (data.opened !== null && parentElement.opened !== data.opened) setTimeout(reveal, 300, data.opened);
  parentElement.opened = data.opened;
  const before = document.cpTopicKeys;
  if (before) document.removeEventListener("keydown", before);
  const onKey = (event) => {
    if (!parentElement.isConnected) {
      document.removeEventListener("keydown", onKey);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
    const at = document.activeElement;
    if (at?.closest?.(BUSY)) return;
    if (event.key === "Escape") {
      const above = document.querySelector("[data-testid=stPopoverBody], [role=dialog], [role=listbox]");
      if (data.opened !== null && !above) {
        event.preventDefault();
        setTriggerValue("close", true);
      }
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.shiftKey) return;
    if (event.key.startsWith("Arrow") && !at?.matches?.(LINKS)) return;
    if (move(step)) event.preventDefault();
  };
  document.cpTopicKeys = onKey;
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
