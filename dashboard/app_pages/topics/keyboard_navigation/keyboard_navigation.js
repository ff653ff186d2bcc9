// Handles keys: J/K (and arrows, once a topic has the focus) move through the list, Enter follows the focused
// link, Escape closes the topic. Opened topics are stored in the browser and lose their unread mark.
const STORAGE_KEY = "chainproof.topics.read";
const MAX_STORED = 1000;
const STYLE_ID = "tp-read-marks";
const LINKS = ".tp-list a[data-open], .tp-top a[data-open], .tp-reports a[data-open]";
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const INPUTS = "input, textarea, select, [contenteditable=true], [role=dialog], [role=listbox], [data-testid=stPopoverBody]";

function loadReadTopics() {
  try {
    const ids = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter(Number.isSafeInteger) : [];
  } catch {
    return []; // storage may be disabled: all topics count as unread
  }
}

function storeReadTopic(id) {
  const ids = [...loadReadTopics().filter((other) => other !== id), id].slice(-MAX_STORED);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(ids));
  } catch {
    return [id];
  }
  return ids;
}

function hideUnreadMarks(ids) {
  let sheet = document.getElementById(STYLE_ID);
  if (!sheet) {
    sheet = document.createElement("style");
    sheet.id = STYLE_ID;
    document.head.append(sheet);
  }
  const rules = ids.map((id) => `[data-topic="${id}"] .tp-new`);
  sheet.textContent = rules.length ? `:is(${rules.join(",")}) { visibility: hidden; }` : "";
}

function moveFocus(step) {
  const links = [...document.querySelectorAll(LINKS)].filter((link) => link.offsetParent !== null);
  if (!links.length) return false;
  let focused = links.indexOf(document.activeElement);
  if (focused < 0) {
    const shown = links.findIndex((link) => link.getAttribute("aria-current") === "true");
    focused = shown >= 0 ? shown : step > 0 ? -1 : links.length;
  }
  const next = links[Math.min(links.length - 1, Math.max(0, focused + step))];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

// Scrolls the list beside a topic to the topic's row.
function scrollToRow(id) {
  const row = document.querySelector(`.tp-list a[data-open="${id}"]`);
  const list = row?.closest(".tp-list");
  if (!list || list.scrollHeight <= list.clientHeight) return;
  const rowBox = row.getBoundingClientRect(), listBox = list.getBoundingClientRect();
  if (rowBox.top < listBox.top || rowBox.bottom > listBox.bottom) {
    list.scrollTop += rowBox.top - listBox.top - (listBox.height - rowBox.height) / 2;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  hideUnreadMarks(data.opened === null ? loadReadTopics() : storeReadTopic(data.opened));
  if (data.opened !== null && parentElement.opened !== data.opened) setTimeout(scrollToRow, 300, data.opened);
  parentElement.opened = data.opened;
  const previousHandler = document.cpTopicKeyHandler;
  if (previousHandler) document.removeEventListener("keydown", previousHandler);
  const onKey = (event) => {
    if (!parentElement.isConnected) {
      document.removeEventListener("keydown", onKey);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
    const focused = document.activeElement;
    if (focused?.closest?.(INPUTS)) return;
    if (event.key === "Escape") {
      const overlay = document.querySelector("[data-testid=stPopoverBody], [role=dialog], [role=listbox]");
      if (data.opened !== null && !overlay) {
        event.preventDefault();
        setTriggerValue("close", true);
      }
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.shiftKey) return;
    if (event.key.startsWith("Arrow") && !focused?.matches?.(LINKS)) return;
    if (moveFocus(step)) event.preventDefault();
  };
  document.cpTopicKeyHandler = onKey;
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
