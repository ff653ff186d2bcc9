// The rank table. It keeps row elements by asset id and patches them, so that scrolling, focus, sorting and
// the open coin survive every refresh.

class RankTable {
  constructor(root) {
    this.root = root;
    this.rows = [];
    this.views = new Map();
    this.coin = "";
    this.compare = [];
    this.clockSkew = 0;
    this.keysAllowed = readFlag("chainproof.keys", true);
    this.toolbar = new Toolbar(this);
    this.head = el("tr", { role: "row" });
    this.body = el("tbody", { role: "rowgroup" });
    this.grid = el("table", { role: "grid" }, el("thead", { role: "rowgroup" }, this.head), this.body);
    this.empty = el("div", { class: "empty", hidden: true });
    this.box = el("div", { class: "box" }, this.grid, this.empty);
    this.tip = el("div", { class: "tip", role: "tooltip", hidden: true });
    this.frame = el("div", { class: "rk" }, this.toolbar.root, this.box, this.tip);
    root.append(this.frame);
    this.visibilityObserver = new IntersectionObserver((entries) => this.onVisibilityChange(entries), { root: this.box, rootMargin: "300px 0px" });
    this.box.addEventListener("mousedown", (event) => this.onDown(event));
    this.box.addEventListener("click", (event) => this.onClick(event));
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.box.addEventListener("focusin", (event) => this.onFocus(event));
    this.box.addEventListener("focusout", () => this.hideTip());
    this.box.addEventListener("mouseover", (event) => this.onHover(event));
    this.box.addEventListener("mouseleave", () => this.hideTip());
    this.box.addEventListener("scroll", () => this.hideTip(), { passive: true });
    this.box.addEventListener("animationend", (event) => event.target.classList.remove(...FLASH_CLASSES));
  }

  connect() {
    if (this.connected) return;
    this.connected = new AbortController();
    const { signal } = this.connected;
    document.addEventListener("keydown", (event) => this.onPageKey(event), { signal });
    document.addEventListener("pointerdown", (event) => {
      this.closeMenus(event);
      this.layOutFarRowsLater();
    }, { signal });
    addEventListener("storage", (event) => event.key === WATCH_KEY && (this.lists.read(), this.onListsChange()), { signal });
    phone.addEventListener("change", () => this.render(), { signal }); // the device was turned
    this.clock = setInterval(() => this.tickAges(), 5000);
  }

  disconnect() {
    this.connected?.abort();
    this.connected = null;
    clearInterval(this.clock);
    clearTimeout(this.reportTimer);
    clearTimeout(this.sendTimer);
    clearTimeout(this.quietTimer);
    cancelIdle(this.idleRender);
    cancelIdle(this.layoutStep);
  }

  // Receives the rows. They are drawn when the head of the same version has arrived.
  receive(data, host) {
    this.host = host;
    this.connect();
    const lineEnd = data.indexOf(10); // the first line is the version
    const version = new TextDecoder().decode(data.subarray(0, lineEnd));
    if (version === this.version) return;
    this.load(JSON.parse(new TextDecoder().decode(data.subarray(lineEnd + 1))));
    this.version = version;
  }

  show(head) {
    if (head.version !== this.version) return; // its rows have not arrived yet
    this.acknowledge(head);
    if (!this.isAwaiting("coin")) this.coin = head.coin;
    if (!this.isAwaiting("compare")) this.compare = head.compare;
    // Setting the same value would still recompute the style of every row.
    setAttr(this.frame, "lang", head.lang);
    setAttr(this.frame, "data-mode", head.mode);
    if (this.mode !== head.mode) this.skipFarRows();
    this.mode = head.mode;
    this.adoptView(head.view);
    if (this.needsRebuild) this.toolbar.build();
    const isChanged = this.needsRebuild || this.renderedState !== this.renderState();
    this.needsRebuild = false;
    if (isChanged) this.render();
    else this.markCoin(); // nothing else can have changed
  }

  renderState() {
    return JSON.stringify([this.version, this.frame.lang, this.compare, this.view]);
  }

  markRows() {
    for (const view of this.views.values()) view.updateMarks(this);
  }

  markCoin() {
    for (const id of new Set([this.markedCoin, this.coin])) this.views.get(id)?.updateMarks(this);
    this.markedCoin = this.coin;
  }

  load(table) {
    const isFirst = !this.words;
    this.needsRebuild ||= isFirst || !isEqual(this.words, table.words) || !isEqual(this.categories, table.categories);
    Object.assign(this, { words: table.words, categories: table.categories, slots: table.slots, hasVolume: table.hasVolume });
    this.lists ??= new Watchlists(table.words.list_first);
    const c = table.columns;
    this.rows = c.id.map((id, n) => {
      const row = { id, order: {} };
      for (const [key, values] of Object.entries(c)) if (key !== "order") row[key] = values[n];
      for (const [code, numbers] of Object.entries(c.order)) row.order[code] = numbers[n];
      row.search = fold(`${row.name} ${row.symbol} ${id} ${row.otherNames}`);
      row.categories = row.categories.map((k) => table.categories[k][0]);
      [row.sourceShort, row.sourceLong] = table.sources[row.source] || ["", ""];
      row.trendLabel = row.low === null ? "" : fill(table.words.trend_label, { low: row.low, high: row.high });
      return row;
    });
    const offset = table.built - Date.now() / 1000;
    if (isFirst) this.clockSkew = Math.abs(offset) > 90 ? offset : 0; // a reader's clock may be far off
  }

  // Adopts the view of the URL, unless the reader has changed it since.
  adoptView(params) {
    if (this.view && (this.reportTimer || this.isAwaiting("view"))) return;
    this.view = parseView(params);
    this.typing = false;
  }

  setView(view, delayMs = 0) {
    this.view = view;
    this.typing = delayMs > 0;
    this.render();
    clearTimeout(this.reportTimer);
    this.reportTimer = setTimeout(() => this.report(), delayMs);
  }

  report() {
    this.reportTimer = null;
    this.typing = false;
    this.send("view", buildViewParams(this.view));
  }

  get isFiltered() {
    const { query, facets, category, minCap, watch } = this.view;
    return Boolean(query.trim() || facets.length || category || minCap || watch);
  }

  clearFilters() {
    this.toolbar.query.value = "";
    this.setView({ ...this.view, query: "", facets: [], category: "", minCap: 0, watch: null });
  }

  render() {
    if (!this.view) return;
    cancelIdle(this.idleRender);
    if (this.mode !== "table") { // hidden rows are drawn when the browser is idle
      this.toolbar.update(selectRows(this.rows, this.view).length, this.rows.length);
      this.idleRender = runWhenIdle(() => this.renderRows());
    } else this.renderRows();
  }

  renderRows() {
    this.renderedState = this.renderState();
    const active = this.root.activeElement;
    this.columns = arrangeColumns(this.view.columns).filter((code) => code !== "volume" || this.hasVolume);
    this.renderHead();
    this.updateWidths();
    this.shown = selectRows(this.rows, this.view);
    const nodes = this.shown.map((row) => {
      const view = this.views.get(row.id);
      if (view) view.update(row, this);
      else this.views.set(row.id, new RowView(row, this));
      return this.views.get(row.id).node;
    });
    this.markedCoin = this.coin;
    arrangeChildren(this.body, nodes);
    if (active && active.isConnected && this.root.activeElement !== active) active.focus({ preventScroll: true });
    this.setTabStop();
    this.grid.setAttribute("aria-label", this.words.table);
    this.grid.setAttribute("aria-rowcount", this.shown.length + 1);
    this.empty.hidden = this.shown.length > 0;
    if (!this.empty.hidden) this.renderEmpty();
    this.toolbar.update(this.shown.length, this.rows.length);
  }

  renderEmpty() {
    const { words } = this;
    this.empty.replaceChildren(el("p", {}, this.rows.length ? words.none_match : words.none_at_all),
      ...(this.isFiltered ? [el("button", { type: "button", onclick: () => this.clearFilters() }, words.clear)] : []));
  }

  renderHead() {
    const headState = JSON.stringify([this.columns, this.words.lang]);
    if (this.renderedHead !== headState) {
      this.renderedHead = headState;
      this.head.replaceChildren(el("th", { role: "columnheader", class: "c-star" }, el("span", { class: "sr" }, this.words.col_star)));
      for (const code of this.columns) {
        const label = el("span", {}, this.words[`head_${code}`]);
        const content = code === "trend" ? label : el("button", { type: "button", "data-sort": code, title: this.words.sort_why },
          label, el("span", { class: "dir", "aria-hidden": "true" }));
        this.head.append(el("th", { role: "columnheader", class: `c-${code}`, "data-col": code }, content));
      }
    }
    for (const cell of this.head.children) {
      const code = cell.dataset.col;
      if (!code) continue;
      if (code === "trend") { setText(cell.firstElementChild, fill(this.words.head_trend, { span: this.words[`span_${this.view.span}`] })); continue; }
      const at = this.view.sort.findIndex((key) => key[0] === code);
      // Only the first key is announced: aria-sort allows one column.
      setAttr(cell, "aria-sort", at === 0 ? (this.view.sort[0][1] ? "descending" : "ascending") : "none");
      const arrow = at < 0 ? "" : this.view.sort[at][1] ? "▼" : "▲";
      setText(cell.querySelector(".dir"), arrow + (at >= 0 && this.view.sort.length > 1 ? String(at + 1) : ""));
    }
  }

  updateWidths() {
    const { template, minWidth } = buildTracks(this.columns, this.rows, this.words);
    if (this.template === template) return;
    this.template = template;
    this.skipFarRows();
    this.grid.style.setProperty("--tracks", template);
    this.grid.style.minWidth = minWidth;
  }

  sortBy(code, several) {
    if (OPTIONS.sortable.includes(code)) this.setView({ ...this.view, sort: toggleSort(this.view.sort, code, several) });
  }

  open(id) {
    if (!id !== !this.coin) this.skipFarRows(); // the panel changes the width of the table
    this.coin = id;
    this.send("coin", id);
    this.markCoin();
  }

  star(id) {
    const isShown = this.view.watch && isEqual(this.view.watch, this.lists.list.ids);
    this.lists.toggle(id);
    if (isShown) this.setView({ ...this.view, watch: [...this.lists.list.ids] });
    else this.onListsChange();
  }

  showList(name) {
    if (name !== null) { this.lists.current = name; this.lists.write(); }
    this.setView({ ...this.view, watch: name === null ? null : [...this.lists.list.ids] });
  }

  onListsChange() {
    this.markRows();
    this.toolbar.update(selectRows(this.rows, this.view).length, this.rows.length);
  }

  buildLink(id) {
    const params = new URLSearchParams(location.search);
    params.set("coin", id);
    return `?${params}`;
  }

  formatAge(at) {
    if (at === null) return "";
    const seconds = Math.max(0, Math.round(Date.now() / 1000 + this.clockSkew - at));
    const [unit, size] = seconds < 100 ? ["s", 1] : seconds < 6000 ? ["min", 60] : seconds < 172800 ? ["h", 3600] : ["d", 86400];
    return fill(this.words[`age_${unit}`], { n: Math.round(seconds / size) });
  }

  buildSourceText(row) {
    const { words } = this;
    const parts = [row.sourceLong];
    for (const flag of row.flags) if (words.flag_words[flag]) parts.push(words.flag_words[flag]);
    if (row.stale) parts.push(words.flag_words.stale);
    else if (words.rules[row.rule] && row.state !== "unknown") parts.push(words.rules[row.rule]);
    if (row.spread !== null) parts.push(fill(words.spread_is, { spread: row.spread }));
    if (row.at !== null) parts.push(fill(words.as_of, { time: new Date(row.at * 1000).toISOString().replace(/\.\d+Z/, "Z").replace("T", " ") }));
    return parts.filter(Boolean).join(" ");
  }

  tickAges() {
    if (!this.columns?.includes("source")) return;
    for (const row of this.shown) setText(this.views.get(row.id).cells.source.querySelector(".age"), this.formatAge(row.at));
  }

  // Draws letters in place of a missing icon.
  monogram(image, row) {
    let hue = 0;
    for (const char of row.id) hue = (hue * 31 + char.codePointAt(0)) % 360;
    const letters = [...row.symbol].slice(0, 3).join("").replace(/[^\p{L}\p{N}]/gu, "") || "?";
    const size = letters.length > 2 ? 10 : 12;
    image.src = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="${SVG}" viewBox="0 0 26 26"><circle cx="13" cy="13" r="13" fill="hsl(${hue} 45% 32%)"/><text x="13" y="13" dy=".36em" text-anchor="middle" font-family="sans-serif" font-size="${size}" font-weight="600" fill="#fff">${letters}</text></svg>`)}`;
  }

  onVisibilityChange(entries) {
    for (const entry of entries) {
      entry.target.near = entry.isIntersecting;
      const view = this.views.get(entry.target.dataset.id);
      if (entry.isIntersecting && view?.columns.includes("trend")) CELLS.trend.patch(view.cells.trend, view.row, this);
    }
  }
}

function readFlag(key, fallback) {
  try {
    return (localStorage.getItem(key) ?? String(fallback)) === "true";
  } catch {
    return fallback;
  }
}
