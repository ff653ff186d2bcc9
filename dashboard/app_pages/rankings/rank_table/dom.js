// Creates and updates elements. Content is always set as text, never as markup.

function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setAttr(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

// Puts `nodes` in this order under `parent` and moves only those out of place.
function arrangeChildren(parent, nodes) {
  let next = parent.firstElementChild;
  for (const node of nodes) {
    if (node === next) next = next.nextElementSibling;
    else if (parent.moveBefore && node.parentNode === parent) parent.moveBefore(node, next);
    else parent.insertBefore(node, next);
  }
  while (next) {
    const surplus = next;
    next = next.nextElementSibling;
    surplus.remove();
  }
}

// Fills `{name}` with a value and `{name:row|rows}` with the noun for a number.
function fill(template, values) {
  return template.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, key, one, many) =>
    key in values ? (one === undefined ? values[key] : String(values[key]) === "1" ? one : many) : whole);
}

function saveFile(name, text) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or not a secure page: the caller reports it
  }
}

const ICONS = {
  star: "M8 1.6l2 4.1 4.5.6-3.3 3.2.8 4.5L8 11.9 4 14l.8-4.5L1.5 6.3 6 5.7z",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3 14 14",
  compare: "M3 13V8M8 13V3M13 13V6",
};

function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `i i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

// Runs a function when the browser is idle; not every browser reports that.
const runWhenIdle = globalThis.requestIdleCallback ?? ((run) => setTimeout(run, 200));
const cancelIdle = globalThis.cancelIdleCallback ?? clearTimeout;
