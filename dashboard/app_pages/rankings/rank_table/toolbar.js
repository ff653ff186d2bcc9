// Renders the bar above the table: text filter, facets, watchlists, columns and keys.

class Toolbar {
  constructor(table) {
    this.table = table;
    this.root = el("div", { class: "bar", role: "search" });
    this.message = el("span", { class: "message", role: "status" });
  }

  // Rebuilds the bar after a change of language or categories; update() handles all other changes.
  build() {
    const { words } = this.table;
    this.query = el("input", { type: "search", placeholder: words.find, "aria-label": words.find, maxlength: OPTIONS.maxQueryChars,
      autocomplete: "off", spellcheck: "false", oninput: () => this.change({ query: this.query.value }, 450),
      onkeydown: (event) => this.onQueryKey(event) });
    // On a phone, it shows and hides all controls but the text filter; elsewhere they are always visible.
    this.filters = el("button", { type: "button", class: "filters", "aria-expanded": "false", onclick: () =>
      setAttr(this.filters, "aria-expanded", this.root.classList.toggle("open")) });
    this.chips = {};
    const chips = el("div", { class: "chips", role: "group", "aria-label": words.facets });
    for (const facet of OPTIONS.facets) {
      this.chips[facet] = el("button", { type: "button", class: "chip", title: words[`facet_${facet}_why`],
        onclick: () => this.toggle(facet) }, words[`facet_${facet}`]);
      chips.append(this.chips[facet]);
    }
    const createSelect = (label, options, onPick) => {
      const node = el("select", { "aria-label": label, onchange: () => onPick(node.value) });
      for (const [value, text] of options) node.append(el("option", { value }, text));
      return node;
    };
    this.list = createSelect(words.list, [], (value) => this.pickList(value));
    this.category = createSelect(words.category, [["", words.any_category], ...this.table.categories], (value) => this.change({ category: value }));
    this.cap = createSelect(words.min_cap, OPTIONS.minCaps.map((cap, n) => [cap || "", words.caps[n]]), (value) => this.change({ minCap: Number(value || 0) }));
    this.spans = el("div", { class: "seg", role: "group", "aria-label": words.span });
    for (const span of OPTIONS.spans) this.spans.append(el("button", { type: "button", "data-span": span, onclick: () => this.change({ span }) }, words[`span_${span}`]));
    this.columnsMenu = this.createMenu(words.columns, this.createColumnBoxes());
    this.listsMenu = this.createMenu(words.lists, this.createListTools());
    this.keysMenu = this.createMenu(words.keys, this.createKeyHelp());
    this.count = el("span", { class: "count", role: "status" });
    this.clear = el("button", { type: "button", class: "link", onclick: () => this.table.clearFilters() }, words.clear);
    this.root.classList.remove("open");
    this.root.replaceChildren(
      el("div", { class: "line" }, el("label", { class: "find" }, icon("search"), this.query, el("kbd", { "aria-hidden": "true" }, "/")), this.filters,
        this.list, this.category, this.cap, el("div", { class: "push" }), this.spans, this.columnsMenu, this.listsMenu, this.keysMenu),
      el("div", { class: "line" }, chips, el("div", { class: "push" }), this.message, this.clear, this.count),
    );
  }

  createMenu(label, ...content) {
    const box = el("details", { class: "menu", onkeydown: (event) => {
      if (event.key !== "Escape" || !box.open) return;
      box.open = false;
      box.firstElementChild.focus();
      event.stopPropagation();
    } }, el("summary", {}, label), el("div", { class: "sheet" }, ...content));
    box.addEventListener("toggle", () => {
      if (!box.open) return;
      for (const other of this.root.querySelectorAll("details[open]")) if (other !== box) other.open = false;
    });
    return box;
  }

  createColumnBoxes() {
    const { words, view } = this.table;
    const group = el("fieldset", {}, el("legend", {}, words.columns_why));
    this.boxes = {};
    for (const code of OPTIONS.columns) {
      const box = el("input", { type: "checkbox", disabled: OPTIONS.fixedColumns.includes(code), onchange: () => {
        const chosen = new Set(this.table.view.columns);
        if (box.checked) chosen.add(code);
        else chosen.delete(code);
        this.change({ columns: OPTIONS.columns.filter((name) => chosen.has(name)) });
      } });
      box.checked = view.columns.includes(code);
      this.boxes[code] = box;
      group.append(el("label", {}, box, words[`col_${code}`]));
    }
    return group;
  }

  createListTools() {
    const { words, lists } = this.table;
    const name = el("input", { type: "text", maxlength: 40, "aria-label": words.list_name, placeholder: words.list_name });
    const file = el("input", { type: "file", accept: "application/json,.json", class: "hidden", tabindex: "-1", "aria-label": words.list_import,
      onchange: async () => {
        const count = file.files.length ? lists.importFile(await file.files[0].text()) : null;
        file.value = "";
        this.showMessage(count === null ? words.list_bad_file : fill(words.list_imported, { n: count }));
        this.table.onListsChange();
      } });
    const createButton = (label, onclick) => el("button", { type: "button", onclick }, label);
    return el("div", { class: "tools" }, el("p", {}, words.lists_why), name,
      el("div", { class: "row" },
        createButton(words.list_new, () => { this.table.showList(lists.add(name.value)); name.value = ""; }),
        createButton(words.list_keep, () => { this.table.showList(lists.add(name.value, [...(this.table.view.watch || [])])); name.value = ""; }),
        createButton(words.list_rename, () => { this.showMessage(lists.rename(name.value) ? words.list_renamed : words.list_bad_name); this.table.onListsChange(); }),
        createButton(words.list_remove, () => { lists.remove(); this.table.showList(null); })),
      el("div", { class: "row" },
        createButton(words.list_export, () => saveFile("watchlists.json", lists.buildFile())),
        createButton(words.list_import, () => file.click()),
        createButton(words.list_share, () => this.share())), file);
  }

  createKeyHelp() {
    const { words } = this.table;
    const list = el("dl", { class: "keys" });
    for (const [keys, text] of words.key_help) list.append(el("dt", {}, ...keys.map((key) => el("kbd", {}, key))), el("dd", {}, text));
    const box = el("input", { type: "checkbox", onchange: () => this.table.allowKeys(box.checked) });
    box.checked = this.table.keysAllowed;
    return el("div", {}, list, el("label", {}, box, words.keys_allow));
  }

  update(shown, total) {
    const { words, view, lists } = this.table;
    if (this.query.value.trim() !== view.query.trim() && !this.table.typing) this.query.value = view.query;
    for (const facet of OPTIONS.facets) setAttr(this.chips[facet], "aria-pressed", view.facets.includes(facet));
    this.category.value = view.category;
    this.cap.value = view.minCap || "";
    for (const button of this.spans.children) setAttr(button, "aria-pressed", button.dataset.span === view.span);
    for (const [code, box] of Object.entries(this.boxes)) {
      box.checked = view.columns.includes(code);
      box.parentNode.hidden = code === "volume" && !this.table.hasVolume;
    }
    const options = [["", words.all_coins], ...lists.lists.map((list) => [`=${list.name}`, `★ ${list.name} (${list.ids.length})`])];
    const ownList = view.watch && lists.lists.find((list) => isEqual(list.ids, view.watch));
    if (view.watch && !ownList) options.push(["+", fill(words.shared_list, { n: view.watch.length })]);
    if (!isEqual(options, this.listOptions)) {
      this.listOptions = options;
      this.list.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
    }
    this.list.value = !view.watch ? "" : ownList ? `=${ownList.name}` : "+";
    setText(this.count, fill(words.count, { shown, total }));
    this.clear.hidden = !this.table.isFiltered;
    this.root.classList.toggle("filtered", this.table.isFiltered);
    const chosen = view.facets.length + [view.category, view.minCap, view.watch].filter(Boolean).length;
    setText(this.filters, chosen ? `${words.facets} · ${chosen}` : words.facets);
  }

  change(part, delayMs = 0) {
    this.table.setView({ ...this.table.view, ...part }, delayMs);
  }

  toggle(facet) {
    const facets = this.table.view.facets;
    const next = facets.includes(facet) ? facets.filter((one) => one !== facet) : [...facets.filter((one) => one !== OPTIONS.exclusiveFacets[facet]), facet];
    this.change({ facets: next });
  }

  pickList(value) {
    if (value.startsWith("=")) this.table.showList(value.slice(1));
    else if (value === "") this.change({ watch: null });
  }

  onQueryKey(event) {
    if (event.key === "Escape" && this.query.value) {
      this.query.value = "";
      this.change({ query: "" });
      event.stopPropagation();
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      this.table.focusFirst();
    }
  }

  async share() {
    const { words, lists, view } = this.table;
    const link = new URL(location.href);
    link.search = new URLSearchParams({ ...buildViewParams(view), watch: (view.watch || lists.list.ids).join(",") }).toString();
    this.showMessage((await copyText(link.href)) ? words.copied : link.href);
  }

  showMessage(text) {
    setText(this.message, text);
    clearTimeout(this.messageTimer);
    this.messageTimer = setTimeout(() => setText(this.message, ""), 6000);
  }
}
