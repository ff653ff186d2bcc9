// Handles pointer, keyboard and focus of the table: one tab stop, arrows and letters within.

Object.assign(RankTable.prototype, {
  findCell(node) {
    const cell = node.closest?.("[data-col]");
    const id = cell?.closest("tr[data-id]")?.dataset.id;
    return id ? { id, col: cell.dataset.col, cell } : null;
  },

  // Puts exactly one cell of the body into the tab order.
  setTabStop(id = this.position?.id, col = this.position?.col) {
    const view = (id && this.shown.some((row) => row.id === id) && this.views.get(id)) || (this.shown[0] && this.views.get(this.shown[0].id));
    const cell = view ? [...view.node.children].find((node) => node.dataset.col === (col || "name")) || view.node.children[1] : null;
    if (this.tabStop !== cell) { // setting the same value would still force a layout
      if (this.tabStop) this.tabStop.tabIndex = -1;
      if (cell) cell.tabIndex = 0;
      this.tabStop = cell;
    }
    if (!cell) return null;
    this.position = { id: view.id, col: cell.dataset.col };
    return cell;
  },

  move(rows, columns) {
    const codes = ["star", ...this.columns];
    const row = this.shown.findIndex((one) => one.id === this.position?.id);
    const to = Math.min(this.shown.length - 1, Math.max(0, row + rows));
    const col = Math.min(codes.length - 1, Math.max(0, codes.indexOf(this.position?.col) + columns));
    const cell = this.shown[to] && this.setTabStop(this.shown[to].id, codes[col]);
    if (!cell) return;
    cell.focus({ preventScroll: true });
    this.reveal(cell);
  },

  // Scrolls only the box, until the sticky head and columns do not cover the cell.
  reveal(cell) {
    const outer = this.box.getBoundingClientRect();
    const inner = cell.getBoundingClientRect();
    const top = outer.top + this.head.offsetHeight;
    const left = outer.left + (getComputedStyle(this.head.children[2] || this.head).position === "sticky" ? this.head.children[2]?.offsetWidth || 0 : 0);
    if (inner.top < top) this.box.scrollTop -= top - inner.top;
    else if (inner.bottom > outer.bottom) this.box.scrollTop += inner.bottom - outer.bottom + 2;
    if (cell.dataset.col === "name" || cell.dataset.col === "star") this.box.scrollLeft = 0;
    else if (inner.left < left) this.box.scrollLeft -= left - inner.left;
    else if (inner.right > outer.right) this.box.scrollLeft += inner.right - outer.right + 2;
  },

  focusFirst() {
    const cell = this.setTabStop(this.shown[0]?.id, "name");
    if (cell) { cell.focus({ preventScroll: true }); this.box.scrollTop = 0; }
  },

  onKey(event) {
    delete this.box.dataset.by;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const head = event.target.closest("[data-sort]");
    const target = this.findCell(event.target);
    const letters = this.keysAllowed;
    const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], Home: [-1e6, 0], End: [1e6, 0],
      PageDown: [10, 0], PageUp: [-10, 0], ...(letters ? { j: [1, 0], k: [-1, 0] } : {}) };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (head) {
      if (key === "ArrowDown" || (letters && key === "j")) this.focusFirst();
      else if (letters && key === "s") this.sortBy(head.dataset.sort, event.shiftKey);
      else return;
    } else if (!target) return;
    else if (steps[key]) this.move(...steps[key]);
    else if (key === "Enter") this.open(target.id);
    else if (key === " " && target.col === "star") this.star(target.id);
    else if (key === "Escape" && this.coin) this.open("");
    else if (letters && key === "w") this.star(target.id);
    else if (letters && key === "c") this.toggleCompare(target.id);
    else if (letters && key === "s") this.sortBy(target.col, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  },

  // "/" focuses the text filter from anywhere on the page, unless the reader is typing or has disabled letters.
  onPageKey(event) {
    delete this.box.dataset.by;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const deep = event.composedPath()[0];
    const typing = deep.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(deep.tagName || "");
    if (event.key === "/" && !typing && this.keysAllowed) {
      event.preventDefault();
      this.toolbar.query.focus();
      this.toolbar.query.select();
    } else if (event.key === "Escape" && this.coin && !typing && !event.composedPath().includes(this.box)) this.open("");
    else if (deep === document.body && this.keysAllowed && (event.key === "j" || event.key === "ArrowDown")) {
      event.preventDefault();
      this.move(0, 0);
    }
  },

  // Placing a caret among so many rows takes the browser longer than the click itself. A double click still
  // selects a word, and Shift or Alt a range.
  onDown(event) {
    this.box.dataset.by = "pointer";
    this.isSelecting = event.button !== 0 || event.detail > 1 || event.shiftKey || event.altKey;
    if (!this.isSelecting && this.findCell(event.target) && !event.target.closest("a")) event.preventDefault(); // links can be dragged
  },

  onClick(event) {
    const sort = event.target.closest("[data-sort]");
    if (sort) return this.sortBy(sort.dataset.sort, event.shiftKey);
    const target = this.findCell(event.target);
    if (!target || event.ctrlKey || event.metaKey) return undefined; // opens a new tab, like a link
    event.preventDefault();
    const action = event.target.closest("[data-act]")?.dataset.act;
    this.setTabStop(target.id, target.col);
    if (action === "star") this.star(target.id);
    else if (action === "compare") this.toggleCompare(target.id);
    else {
      const selection = getSelection();
      const hasSelection = this.isSelecting && String(selection).trim(); // a shadow tree reports nothing else
      // Even a caret among the rows makes each later frame expensive.
      if (!hasSelection) selection.removeAllRanges();
      if (!hasSelection || target.col === "name") this.open(target.id);
    }
    this.tabStop?.focus({ preventScroll: true }); // last, because it forces a layout; the message to the host has been sent by then
    return undefined;
  },

  toggleCompare(id) {
    const limit = OPTIONS.maxComparedAssets;
    const on = this.compare.includes(id);
    if (!on && this.compare.length >= limit) return this.toolbar.showMessage(fill(this.words.compare_full, { n: limit }));
    this.compare = on ? this.compare.filter((one) => one !== id) : [...this.compare, id];
    this.render();
    this.toolbar.showMessage(fill(this.words.compare_now, { n: this.compare.length }));
    this.send("compare", this.compare);
    return undefined;
  },

  onFocus(event) {
    const target = this.findCell(event.target);
    if (!target) return;
    this.updateLink(target.id);
    if (this.tabStop !== target.cell) this.setTabStop(target.id, target.col);
    if (this.hasTip(target)) this.showTip(target);
  },

  onHover(event) {
    const target = this.findCell(event.target);
    if (target) this.updateLink(target.id);
    if (target && this.hasTip(target)) this.showTip(target);
    else if (this.root.activeElement !== this.tipFor) this.hideTip();
  },

  // Updates a row's link to the page's current state before the reader may follow it.
  updateLink(id) {
    const link = this.views.get(id).cells.name.querySelector("a");
    setAttr(link, "href", this.buildLink(id));
  },

  // The source cell has a tooltip; in a stale row, the greyed figures have one too.
  hasTip({ id, col }) {
    return col === "source" || (FIGURE_COLUMNS.includes(col) && this.views.get(id).row.stale);
  },

  showTip({ id, cell }) {
    const row = this.views.get(id).row;
    this.tipFor = cell;
    this.tip.textContent = row.stale ? `${this.buildSourceText(row)} ${this.formatAge(row.at)}` : this.buildSourceText(row);
    this.tip.hidden = false;
    const [outer, inner] = [this.frame.getBoundingClientRect(), cell.getBoundingClientRect()];
    const left = Math.max(0, Math.min(inner.right - this.tip.offsetWidth, outer.right) - outer.left);
    const below = inner.bottom - outer.top + 4;
    const above = inner.top - outer.top - this.tip.offsetHeight - 4;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${inner.bottom + this.tip.offsetHeight + 8 > innerHeight ? above : below}px`;
  },

  hideTip() {
    this.tip.hidden = true;
    this.tipFor = null;
  },

  closeMenus(event) {
    const path = event.composedPath();
    for (const menu of this.toolbar.root.querySelectorAll("details[open]")) if (!path.includes(menu)) menu.open = false;
  },

  allowKeys(allowed) {
    this.keysAllowed = allowed;
    try {
      localStorage.setItem("chainproof.keys", String(allowed));
    } catch {
      this.toolbar.showMessage(this.words.not_stored);
    }
  },
});
