// Builds DOM elements. Text is always inserted as text, never as markup.

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

// Replaces `{name}` by a value, and `{name:row|rows}` by the singular or plural of a number.
function fill(template, values) {
  return template.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, key, one, many) =>
    key in values ? (one === undefined ? values[key] : String(values[key]) === "1" ? one : many) : whole);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission or no HTTPS; the caller reports it
  }
}

// Builds a button that shows its keyboard shortcut.
function keyButton(label, key, onclick, props = {}) {
  return el("button", { type: "button", onclick, ...props }, el("span", { class: "label" }, label), key ? el("kbd", { "aria-hidden": "true" }, key) : null);
}

// Converts ascending offsets in code points, as the service counts, to UTF-16 units, as the browser counts.
function toUnitOffsets(text, points) {
  if (!/[\ud800-\udfff]/.test(text)) return points;
  const offsets = [];
  let unit = 0;
  let point = 0;
  let next = 0;
  for (const char of text) {
    while (next < points.length && points[next] === point) {
      offsets.push(unit);
      next += 1;
    }
    if (next === points.length) break;
    unit += char.length;
    point += 1;
  }
  while (offsets.length < points.length) offsets.push(text.length);
  return offsets;
}

// Focuses an element of the page as soon as it is drawn.
function focusWhenDrawn(selector) {
  const observer = new MutationObserver(() => {
    const node = document.querySelector(selector);
    if (!node) return;
    observer.disconnect();
    node.focus();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), 5000);
}
