// Small means to build elements. Text only ever enters as text, never as markup.

function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function setAttr(node, name, value) {
  if (value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Fills `{name}` with a value and `{name:row|rows}` with the noun for a number.
function fill(template, values) {
  return template.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, key, one, many) =>
    key in values ? (one === undefined ? values[key] : String(values[key]) === "1" ? one : many) : whole);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or not a secure page: the caller says so
  }
}

// A button that shows the key which does the same.
function keyButton(label, key, onclick, props = {}) {
  return el("button", { type: "button", onclick, ...props }, el("span", { class: "label" }, label), key ? el("kbd", { "aria-hidden": "true" }, key) : null);
}

// The service counts code points, the browser UTF-16 units: where each of `points` (ascending) is in `text`.
function unitOffsets(text, points) {
  if (!/[\ud800-\udfff]/.test(text)) return points;
  const found = [];
  let unit = 0;
  let point = 0;
  let next = 0;
  for (const char of text) {
    while (next < points.length && points[next] === point) {
      found.push(unit);
      next += 1;
    }
    if (next === points.length) break;
    unit += char.length;
    point += 1;
  }
  while (found.length < points.length) found.push(text.length);
  return found;
}

// Give the focus to an element of the page that is about to be drawn.
function focusWhenThere(selector) {
  const seen = new MutationObserver(() => {
    const node = document.querySelector(selector);
    if (!node) return;
    seen.disconnect();
    node.focus();
  });
  seen.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => seen.disconnect(), 5000);
}
