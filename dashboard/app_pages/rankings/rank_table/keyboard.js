// Pointer, keyboard and focus of the table: one tab stop, arrows and letters within.

Object.assign(RankTable.prototype, {
  place(node) {
    const cell = node.closest?.("[data-col]");
    const id = cell?.closest("tr[data-id]")?.dataset.id;
    return id ? { id, col: cell.dataset.col, cell } : null;
  },

  // Exactly one cell of the body takes part in the tab order.
  rove(id = this.at?.id, col = this.at?.col) {
    const view = (id && this.shown.some((row) => row.id === id) && this.views.get(id)) || (this.shown[0] && this.views.get(this.shown[0].id));
    const cell = view ? [...view.node.children].find((node) => node.dataset.col === (col || "name")) || view.node.children[1] : null;
    if (this.stop !== cell) { // writing the same again would still make the browser settle the layout at once
      if (this.stop) this.stop.tabIndex = -1;
      if (cell) cell.tabIndex = 0;
      this.stop = cell;
    }
    if (!cell) return null;
    this.at = { id: view.id, col: cell.dataset.col };
    return cell;
  },

  move(rows, columns) {
    const codes = ["star", ...this.columns];
    const row = this.shown.findIndex((one) => one.id === this.at?.id);
    const to = Math.min(this.shown.length - 1, Math.max(0, row + rows));
    const col = Math.min(codes.length - 1, Math.max(0, codes.indexOf(this.at?.col) + columns));
    const cell = this.shown[to] && this.rove(this.shown[to].id, codes[col]);
    if (!cell) return;
    cell.focus({ preventScroll: true });
    this.reveal(cell);
  },

  // Scroll the box, and only the box, until the cell stands clear of the sticky head and columns.
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
    const cell = this.rove(this.shown[0]?.id, "name");
    if (cell) { cell.focus({ preventScroll: true }); this.box.scrollTop = 0; }
  },

  onKey(event) {
    delete this.box.dataset.by;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const head = event.target.closest("[data-sort]");
    const spot = this.place(event.target);
    const letters = this.keysAllowed;
    const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], Home: [-1e6, 0], End: [1e6, 0],
      PageDown: [10, 0], PageUp: [-10, 0], ...(letters ? { j: [1, 0], k: [-1, 0] } : {}) };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (head) {
      if (key === "ArrowDown" || (letters && key === "j")) this.focusFirst();
      else if (letters && key === "s") this.sortBy(head.dataset.sort, event.shiftKey);
      else return;
    } else if (!spot) return;
    else if (steps[key]) this.move(...steps[key]);
    else if (key === "Enter") this.open(spot.id);
    else if (key === " " && spot.col === "star") this.star(spot.id);
    else if (key === "Escape" && this.coin) this.open("");
    else if (letters && key === "w") this.star(spot.id);
    else if (letters && key === "c") this.toggleCompare(spot.id);
    else if (letters && key === "s") this.sortBy(spot.col, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  },

  // "/" finds from anywhere on the page, unless the reader is typing or has switched letters off.
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

  // To put a caret among so many rows takes the browser longer than the click's own work. Two clicks mark a word
  // all the same, and Shift or Alt a stretch.
  onDown(event) {
    this.box.dataset.by = "pointer";
    this.marks = event.button !== 0 || event.detail > 1 || event.shiftKey || event.altKey;
    if (!this.marks && this.place(event.target) && !event.target.closest("a")) event.preventDefault(); // links are dragged
  },

  onClick(event) {
    const sort = event.target.closest("[data-sort]");
    if (sort) return this.sortBy(sort.dataset.sort, event.shiftKey);
    const spot = this.place(event.target);
    if (!spot || event.ctrlKey || event.metaKey) return undefined; // a new tab, as links do
    event.preventDefault();
    const act = event.target.closest("[data-act]")?.dataset.act;
    this.rove(spot.id, spot.col);
    if (act === "star") this.star(spot.id);
    else if (act === "compare") this.toggleCompare(spot.id);
    else {
      const chosen = getSelection();
      const marked = this.marks && String(chosen).trim(); // of marks in a shadow tree nothing else is told
      // A caret among the rows, even, costs each later frame more than all the rest.
      if (!marked) chosen.removeAllRanges();
      if (!marked || spot.col === "name") this.open(spot.id);
    }
    this.stop?.focus({ preventScroll: true }); // last: it has the page laid out, and the host is on its way by then
    return undefined;
  },

  toggleCompare(id) {
    const limit = 6;
    const on = this.compare.includes(id);
    if (!on && this.compare.length >= limit) return this.toolbar.say(fill(this.words.compare_full, { n: limit }));
    this.compare = on ? this.compare.filter((one) => one !== id) : [...this.compare, id];
    this.render();
    this.toolbar.say(fill(this.words.compare_now, { n: this.compare.length }));
    this.tell("compare", this.compare);
    return undefined;
  },

  onFocus(event) {
    const spot = this.place(event.target);
    if (!spot) return;
    this.relink(spot.id);
    if (this.stop !== spot.cell) this.rove(spot.id, spot.col);
    if (this.hasTip(spot)) this.showTip(spot);
  },

  onHover(event) {
    const spot = this.place(event.target);
    if (spot) this.relink(spot.id);
    if (spot && this.hasTip(spot)) this.showTip(spot);
    else if (this.root.activeElement !== this.tipFor) this.hideTip();
  },

  // A row's link takes along how the page stands when somebody may follow it.
  relink(id) {
    const link = this.views.get(id).cells.name.querySelector("a");
    setAttr(link, "href", this.linkTo(id));
  },

  // Where a figure comes from; for a stale row also beside its greyed figures, with their age.
  hasTip({ id, col }) {
    return col === "source" || (FIGURES.includes(col) && this.views.get(id).row.stale);
  },

  showTip({ id, cell }) {
    const row = this.views.get(id).row;
    this.tipFor = cell;
    this.tip.textContent = row.stale ? `${this.sourceWords(row)} ${this.age(row.at)}` : this.sourceWords(row);
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
      this.toolbar.say(this.words.not_stored);
    }
  },
});
