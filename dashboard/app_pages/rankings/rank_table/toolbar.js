// The bar above the table: filter text, facets, watchlists, columns and keys.

class Toolbar {
  constructor(table) {
    this.table = table;
    this.root = el("div", { class: "bar", role: "search" });
    this.message = el("span", { class: "said", role: "status" });
  }

  // Built again when the language or the categories change, else only brought up to date.
  build() {
    const { words } = this.table;
    this.query = el("input", { type: "search", placeholder: words.find, "aria-label": words.find, maxlength: 60,
      autocomplete: "off", spellcheck: "false", oninput: () => this.change({ query: this.query.value }, 450),
      onkeydown: (event) => this.queryKey(event) });
    this.chips = {};
    const chips = el("div", { class: "chips", role: "group", "aria-label": words.facets });
    for (const facet of FACETS) {
      this.chips[facet] = el("button", { type: "button", class: "chip", title: words[`facet_${facet}_why`],
        onclick: () => this.toggle(facet) }, words[`facet_${facet}`]);
      chips.append(this.chips[facet]);
    }
    const choice = (label, options, take) => {
      const node = el("select", { "aria-label": label, onchange: () => take(node.value) });
      for (const [value, text] of options) node.append(el("option", { value }, text));
      return node;
    };
    this.list = choice(words.list, [], (value) => this.pickList(value));
    this.category = choice(words.category, [["", words.any_category], ...this.table.categories], (value) => this.change({ category: value }));
    this.cap = choice(words.min_cap, MIN_CAPS.map((cap, n) => [cap || "", words.caps[n]]), (value) => this.change({ minCap: Number(value || 0) }));
    this.spans = el("div", { class: "seg", role: "group", "aria-label": words.span });
    for (const span of ["24h", "7d"]) this.spans.append(el("button", { type: "button", "data-span": span, onclick: () => this.change({ span }) }, words[`span_${span}`]));
    this.columnsMenu = this.menu(words.columns, this.columnBoxes());
    this.listsMenu = this.menu(words.lists, this.listTools());
    this.keysMenu = this.menu(words.keys, this.keyHelp());
    this.count = el("span", { class: "count", role: "status" });
    this.clear = el("button", { type: "button", class: "link", onclick: () => this.table.clearFilters() }, words.clear);
    this.root.replaceChildren(
      el("div", { class: "line" }, el("label", { class: "find" }, icon("search"), this.query, el("kbd", { "aria-hidden": "true" }, "/")),
        this.list, this.category, this.cap, el("div", { class: "push" }), this.spans, this.columnsMenu, this.listsMenu, this.keysMenu),
      el("div", { class: "line" }, chips, el("div", { class: "push" }), this.message, this.clear, this.count),
    );
  }

  menu(label, ...content) {
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

  columnBoxes() {
    const { words, view } = this.table;
    const group = el("fieldset", {}, el("legend", {}, words.columns_why));
    this.boxes = {};
    for (const code of COLUMNS) {
      const box = el("input", { type: "checkbox", disabled: FIXED.includes(code), onchange: () => {
        const chosen = new Set(this.table.view.columns);
        if (box.checked) chosen.add(code);
        else chosen.delete(code);
        this.change({ columns: COLUMNS.filter((name) => chosen.has(name)) });
      } });
      box.checked = view.columns.includes(code);
      this.boxes[code] = box;
      group.append(el("label", {}, box, words[`col_${code}`]));
    }
    return group;
  }

  listTools() {
    const { words, lists } = this.table;
    const name = el("input", { type: "text", maxlength: 40, "aria-label": words.list_name, placeholder: words.list_name });
    const file = el("input", { type: "file", accept: "application/json,.json", class: "hidden", tabindex: "-1", "aria-label": words.list_import,
      onchange: async () => {
        const count = file.files.length ? lists.fromFile(await file.files[0].text()) : null;
        file.value = "";
        this.say(count === null ? words.list_bad_file : fill(words.list_imported, { n: count }));
        this.table.listsChanged();
      } });
    const act = (label, run) => el("button", { type: "button", onclick: run }, label);
    return el("div", { class: "tools" }, el("p", {}, words.lists_why), name,
      el("div", { class: "row" },
        act(words.list_new, () => { this.table.showList(lists.add(name.value)); name.value = ""; }),
        act(words.list_keep, () => { this.table.showList(lists.add(name.value, [...(this.table.view.watch || [])])); name.value = ""; }),
        act(words.list_rename, () => { this.say(lists.rename(name.value) ? words.list_renamed : words.list_bad_name); this.table.listsChanged(); }),
        act(words.list_remove, () => { lists.remove(); this.table.showList(null); })),
      el("div", { class: "row" },
        act(words.list_export, () => save("watchlists.json", lists.toFile())),
        act(words.list_import, () => file.click()),
        act(words.list_share, () => this.share())), file);
  }

  keyHelp() {
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
    for (const facet of FACETS) setAttr(this.chips[facet], "aria-pressed", view.facets.includes(facet));
    this.category.value = view.category;
    this.cap.value = view.minCap || "";
    for (const button of this.spans.children) setAttr(button, "aria-pressed", button.dataset.span === view.span);
    for (const [code, box] of Object.entries(this.boxes)) {
      box.checked = view.columns.includes(code);
      box.parentNode.hidden = code === "volume" && !this.table.hasVolume;
    }
    const options = [["", words.all_coins], ...lists.lists.map((list) => [`=${list.name}`, `★ ${list.name} (${list.ids.length})`])];
    const own = view.watch && lists.lists.find((list) => same(list.ids, view.watch));
    if (view.watch && !own) options.push(["+", fill(words.shared_list, { n: view.watch.length })]);
    if (!same(options, this.listOptions)) {
      this.listOptions = options;
      this.list.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
    }
    this.list.value = !view.watch ? "" : own ? `=${own.name}` : "+";
    setText(this.count, fill(words.count, { shown, total }));
    this.clear.hidden = !this.table.filtered;
  }

  change(part, wait = 0) {
    this.table.setView({ ...this.table.view, ...part }, wait);
  }

  toggle(facet) {
    const facets = this.table.view.facets;
    const next = facets.includes(facet) ? facets.filter((one) => one !== facet) : [...facets.filter((one) => one !== EXCLUDES[facet]), facet];
    this.change({ facets: next });
  }

  pickList(value) {
    if (value.startsWith("=")) this.table.showList(value.slice(1));
    else if (value === "") this.change({ watch: null });
  }

  queryKey(event) {
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
    link.search = new URLSearchParams({ ...viewParams(view), watch: (view.watch || lists.list.ids).join(",") }).toString();
    this.say((await copy(link.href)) ? words.copied : link.href);
  }

  say(text) {
    setText(this.message, text);
    clearTimeout(this.silence);
    this.silence = setTimeout(() => setText(this.message, ""), 6000);
  }
}
