// Opens the search palette with Ctrl+K (⌘K) or a button of the page's head, and sends the chosen page or action to
// the session. It also copies the page's address, and opens the links of the bottom bar without a reload.
const LISTED_WITHOUT_QUERY = new Set(["topics", "pages", "actions"]);
const TOAST_MS = 4000;
const index = { url: "", groups: null };

function isPlain(event) {
  return event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
}

function create(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function say(text) {
  let toast = document.querySelector(".cp-toast");
  if (!toast) document.body.append(toast = create("div", { class: "cp-toast", role: "status" }));
  toast.textContent = text;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { toast.textContent = ""; }, TOAST_MS);
}

async function copyLink(texts) {
  try {
    await navigator.clipboard.writeText(location.href);
    say(texts.copied);
  } catch { // no permission, or no clipboard without HTTPS
    say(texts.copy_failed);
  }
}

// Loads the index once per page load and language; an incomplete one is loaded again at the next opening.
async function loadIndex(url) {
  if (index.url === url && index.groups) return index.groups;
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`The search index answered ${answer.status}.`);
  const { is_complete, ...content } = await answer.json();
  const groups = Object.entries(content).map(([kind, items]) => ({ kind, items: prepare(items) }));
  Object.assign(index, { url, groups: is_complete ? groups : null });
  return groups;
}

// Adds the language of the open address, as all links between pages do.
function keepLanguage(href) {
  const lang = new URLSearchParams(location.search).get("lang");
  const [path, query] = href.split("?");
  const params = new URLSearchParams(query);
  if (lang) params.set("lang", lang);
  return params.size ? `${path}?${params}` : path;
}

// Opens a page of the dashboard without a reload: Streamlit shows the page of the address after a step in the history.
function openPage(href) {
  if (href === location.pathname + location.search) return;
  history.pushState({}, "", href);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

function openPalette(data) {
  const { texts } = data;
  const own = [["pages", data.pages], ["actions", data.actions]].map(([kind, items]) => ({ kind, items: prepare(items) }));
  let groups = own, isLoading = true, hasFailed = false, selected = 0, options = [];

  const input = create("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "cp-palette-list", "aria-autocomplete": "list",
    "aria-label": texts.field, placeholder: texts.field, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    enterkeyhint: "go", maxlength: "200",
  });
  const close = create("button", { type: "button", class: "cp-palette-close" }, texts.close);
  const list = create("div", { id: "cp-palette-list", role: "listbox", "aria-label": texts.results });
  const status = create("p", { role: "status" });
  const dialog = create("dialog", { class: "cp-palette", "aria-label": texts.title },
    create("div", { class: "cp-palette-field" }, input, close), list,
    create("div", { class: "cp-palette-foot" }, status, create("p", { class: "cp-palette-keys" }, texts.keys)));

  function buildOption(item) {
    const option = create(item.href.startsWith("/") ? "a" : "div", { role: "option", id: `cp-palette-${options.length}`, tabindex: "-1" });
    if (option.tagName === "A") option.href = keepLanguage(item.href);
    option.append(create("span", {}, item.label));
    if (item.note) option.append(create("span", { class: "cp-palette-note" }, item.note));
    option.target = option.tagName === "A" ? "_self" : "";
    option.cpItem = item;
    options.push(option);
    return option;
  }

  function select(position) {
    options[selected]?.setAttribute("aria-selected", "false");
    selected = (position + options.length) % options.length;
    options[selected].setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", options[selected].id);
    options[selected].scrollIntoView({ block: "nearest" });
  }

  function draw() {
    const query = input.value.trim();
    const found = findMatches(query ? groups : groups.filter(({ kind }) => LISTED_WITHOUT_QUERY.has(kind)), query);
    const count = found.reduce((sum, { items }) => sum + items.length, 0);
    status.textContent = hasFailed ? texts.failed : count || !query ? "" : isLoading ? texts.loading : texts.none;
    if (query) {
      const href = `/topics?${new URLSearchParams({ find: query })}`;
      const search = { label: texts.find_topics.replace("{query}", query), note: "", href };
      const shown = found.find(({ kind }) => kind === "topics");
      if (shown) shown.items.push(search);
      else found.push({ kind: "topics", items: [search] });
    }
    options = [];
    list.replaceChildren(...found.map(({ kind, items }) => create("div", { role: "group", "aria-label": texts[kind] },
      create("div", { class: "cp-palette-group", "aria-hidden": "true" }, texts[kind]), ...items.map(buildOption))));
    options.forEach((option) => option.setAttribute("aria-selected", "false"));
    select(0);
    list.scrollTop = 0;
  }

  function follow(item) {
    dialog.close();
    choose(item.href);
  }

  input.oninput = draw;
  dialog.onkeydown = (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) select(selected + step);
    else if (event.key === "Enter" && event.target === input) {
      if (event.ctrlKey || event.metaKey) options[selected].dispatchEvent(new MouseEvent("click", { ctrlKey: true, metaKey: true, bubbles: true }));
      else follow(options[selected].cpItem);
    } else {
      if (!((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k")) event.stopPropagation(); // not a key of the page
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  list.onclick = (event) => {
    const option = event.target.closest("[role=option]");
    if (!option || (option.tagName === "A" && !isPlain(event))) return;
    event.preventDefault();
    follow(option.cpItem);
  };
  list.onmousedown = (event) => event.preventDefault(); // the field keeps the focus
  close.onclick = () => dialog.close();
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); }; // beside it
  dialog.onclose = () => dialog.remove();

  document.body.append(dialog);
  draw();
  dialog.showModal();
  input.focus();
  loadIndex(data.index).then((loaded) => { groups = [...loaded, ...own]; }, () => { hasFailed = true; }).finally(() => {
    isLoading = false;
    if (dialog.isConnected) draw();
  });
}

// The listeners stay while Streamlit replaces the component, as it does at each change of the page. Then no key is lost.
let session = null;

function choose(choice) {
  if (choice.startsWith("/")) openPage(keepLanguage(choice));
  else if (choice === "clear") openPage(keepLanguage(location.pathname));
  else if (choice === "copy_link") copyLink(session.data.texts);
  else if (choice === "settings") document.querySelector(".st-key-settings button")?.click();
  else session.setTriggerValue("action", choice);
}

function toggle() {
  const opened = document.querySelector("dialog.cp-palette");
  if (opened) opened.close();
  else openPalette(session.data);
}

function onKey(event) {
  const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k";
  if (!isShortcut || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  toggle();
}

function onClick(event) {
  const target = event.target.closest?.("[data-cp-do], a[data-cp-open]");
  if (!target || !isPlain(event)) return;
  event.preventDefault();
  if (target.dataset.cpDo === "search") toggle();
  else choose(target.dataset.cpDo ?? target.getAttribute("href"));
}

export default function ({ data, setTriggerValue }) {
  if (!session) {
    document.documentElement.dataset.platform = /mac|iphone|ipad/i.test(navigator.platform) ? "mac" : "other";
    window.addEventListener("keydown", onKey, true);
    document.addEventListener("click", onClick);
  }
  session = { data, setTriggerValue };
}
