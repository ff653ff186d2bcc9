// Draws a tree of [tag, attributes, children]. New data changes only what differs, so that focus, selection
// and scroll position stay. Markup is never parsed: texts become text nodes.
const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "line", "g"]);
const TAGS = new Set(
  ("a abbr article caption code dd div dl dt h2 h3 h4 header img li meter ol p section span strong table tbody td th thead time tr ul").split(" "),
);
const ATTRIBUTE = /^(class|id|href|src|alt|title|role|lang|scope|style|datetime|width|height|loading|tabindex|value|min|max|d|cx|cy|r|x1|x2|y1|y2|viewBox|fill|stroke|stroke-width|stroke-linecap|stroke-dasharray|preserveAspectRatio|aria-[a-z]+|data-[a-z]+)$/;
const SAFE_URL = /^(https?:\/\/|rankings(\?|$)|\/(?!\/))/;

const OWN_ATTRIBUTES = new Set(["data-moved", "data-broken"]);

function build(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const [tag, attributes, children] = node;
  if (!TAGS.has(tag) && !SVG_TAGS.has(tag)) throw new Error(`live_view: <${tag}> is not drawn here`);
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  element.cpKey = attributes.key ?? null;
  element.cpTag = tag;
  if (tag === "img") {
    element.onerror = () => { element.dataset.broken = "yes"; };
    element.onload = () => element.removeAttribute("data-broken");
  }
  setAttributes(element, attributes);
  for (const child of children) element.append(build(child));
  return element;
}

function setAttributes(element, attributes) {
  for (const { name } of [...element.attributes]) {
    if (!(name in attributes) && !OWN_ATTRIBUTES.has(name)) element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "key" || !ATTRIBUTE.test(name)) continue;
    if ((name === "href" || name === "src") && !SAFE_URL.test(value)) {
      element.removeAttribute(name);
      continue;
    }
    if (element.getAttribute(name) !== value) {
      if (name === "data-n" && element.hasAttribute(name)) markMoved(element, Number(value) - Number(element.dataset.n));
      element.setAttribute(name, value);
    }
  }
}

// Highlights a changed figure for a moment; the style sheet omits that for reduced motion.
function markMoved(element, by) {
  if (!by) return;
  element.dataset.moved = by > 0 ? "up" : "down";
  clearTimeout(element.cpTimer);
  element.cpTimer = setTimeout(() => element.removeAttribute("data-moved"), 1200);
}

function same(current, node) {
  if (typeof node === "string") return current.nodeType === Node.TEXT_NODE;
  return current.cpTag === node[0] && current.cpKey === (node[1].key ?? null);
}

function patch(current, node) {
  if (typeof node === "string") {
    if (current.data !== node) current.data = node;
    return;
  }
  setAttributes(current, node[1]);
  patchChildren(current, node[2]);
}

function patchChildren(parent, nodes) {
  const keyed = new Map();
  for (const child of parent.childNodes) if (child.cpKey != null) keyed.set(child.cpKey, child);
  nodes.forEach((node, position) => {
    const key = typeof node === "string" ? null : (node[1].key ?? null);
    const existing = parent.childNodes[position] ?? null;
    const candidate = key !== null ? keyed.get(key) : existing;
    if (candidate && candidate.parentNode === parent && same(candidate, node)) {
      if (candidate !== existing) parent.insertBefore(candidate, existing);
      patch(candidate, node);
    } else {
      parent.insertBefore(build(node), existing);
    }
  });
  while (parent.childNodes.length > nodes.length) parent.lastChild.remove();
}

export default function ({ data, parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(":scope > .cp-live");
  if (!root) {
    root = document.createElement("div");
    root.className = "cp-live";
    parentElement.append(root);
  }
  const listLinks = () => [...root.querySelectorAll("a[href]")];
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const position = listLinks().indexOf(focused);
  patchChildren(root, data.tree);
  // A moved row loses the focus; that of a link that is gone goes to the link in its place.
  const target = position < 0 || focused.isConnected ? focused : listLinks()[Math.min(position, listLinks().length - 1)];
  if (target?.isConnected && document.activeElement !== target) target.focus({ preventScroll: true });
  root.onclick = (event) => {
    const link = event.target.closest("a[data-open]");
    const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link && plain) {
      event.preventDefault();
      setTriggerValue("open", link.dataset.open);
    }
  };
}
