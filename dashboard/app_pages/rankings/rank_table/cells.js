// One renderer per column: `make` builds the cell once, `patch` brings it up to date.

const ARROWS = { "+": "▲", "-": "▼" };
const STATE_GLYPHS = { sample: "◇", fresh: "●", single: "◐", stale: "◷", divergent: "≠", conflict: "✕", jump: "↯", depeg: "≠", unknown: "○" };

const DOUBTED = ["stale", "divergent", "conflict", "jump", "depeg"];

const FIGURES = ["price", "1h", "24h", "7d", "30d", "cap", "volume"];

const FLASHES = ["flash-up", "flash-down"];

function signClass(text) {
  return text === null ? "none" : text.startsWith("+") ? "up" : text.startsWith("-") ? "down" : "flat";
}

function changeCell(code) {
  return {
    make: (cell) => cell.append(el("span", { class: "arrow", "aria-hidden": "true" }), el("span", {})),
    patch(cell, row, table) {
      const text = row[code];
      const kind = signClass(text);
      if (cell.dataset.kind !== kind) cell.dataset.kind = kind;
      setText(cell.firstElementChild, text === null ? "" : ARROWS[text[0]] || "");
      const words = kind === "up" ? "+" : kind === "down" ? "−" : "";
      setText(cell.lastElementChild, text === null ? table.words.unknown : `${words}${text.replace(/^[+-]/, "")}%`);
    },
  };
}

const plain = (read) => ({ make() {}, patch: (cell, row, table) => setText(cell, read(row) ?? table.words.unknown) });

const CELLS = {
  rank: plain((row) => (row.rank === null ? null : String(row.rank))),
  name: {
    make(cell, row, table) {
      const image = el("img", { alt: "", width: 26, height: 26, loading: "lazy", decoding: "async" });
      image.addEventListener("error", () => table.monogram(image, row));
      const link = el("a", { class: "coin", tabindex: "-1" }, el("span", { class: "full" }), el("span", { class: "sym" }));
      const compare = el("button", { type: "button", class: "cmp", tabindex: "-1", "data-act": "compare" }, icon("compare"));
      cell.append(el("div", { class: "who" }, image, link, compare));
    },
    patch(cell, row, table) {
      const [image, link] = cell.firstElementChild.children;
      if (image.dataset.src !== row.icon) {
        image.dataset.src = row.icon;
        if (row.icon) image.src = row.icon;
        else table.monogram(image, row);
      }
      setText(link.children[0], row.name);
      setText(link.children[1], row.symbol);
      if (!link.hasAttribute("href")) setAttr(link, "href", table.linkTo(row.id));
    },
  },
  price: {
    make() {},
    patch(cell, row, table) {
      const before = cell.dataset.raw;
      setText(cell, row.priceText ?? table.words.unknown);
      if (before === (row.price ?? "")) return;
      cell.dataset.raw = row.price ?? "";
      setAttr(cell, "title", row.price === null ? null : `$${row.price}`);
      // Floats are enough to tell which way the colour flashes; no figure is made from them.
      if (before && row.price) flash(cell, Number(row.price) > Number(before) ? "flash-up" : "flash-down");
    },
  },
  "1h": changeCell("1h"),
  "24h": changeCell("24h"),
  "7d": changeCell("7d"),
  "30d": changeCell("30d"),
  cap: plain((row) => row.capText),
  volume: plain((row) => row.volumeText),
  trend: {
    make() {},
    patch(cell, row, table) {
      const drawn = `${table.view.span}${row.trend}`;
      if (!cell.parentNode.near || cell.drawn === drawn) return;
      cell.drawn = drawn;
      if (row.trend) drawTrend(cell, row, table.slots);
      else setText(cell, table.words.unknown);
    },
  },
  source: {
    make: (cell) => cell.append(el("span", { class: "mark" }, el("span", { class: "glyph", "aria-hidden": "true" }),
      el("span", { class: "from" }), el("span", { class: "age" })), el("span", { class: "sr" })),
    patch(cell, row, table) {
      const [mark, words] = cell.children;
      if (cell.dataset.state !== row.state) cell.dataset.state = row.state;
      setText(mark.children[0], STATE_GLYPHS[row.state]);
      setText(mark.children[1], DOUBTED.includes(row.state) ? table.words.states[row.state] : row.sourceShort);
      setText(mark.children[2], table.age(row.at));
      setText(words, table.sourceWords(row));
    },
  },
};

// The table takes the class away when the animation has ended. Restarting one by force would lay the
// whole table out anew for each cell that changed.
function flash(cell, name) {
  cell.classList.remove(...FLASHES);
  cell.classList.add(name);
}

class RowView {
  constructor(row, table) {
    this.id = row.id;
    this.row = row;
    this.cells = {};
    this.star = el("button", { type: "button", class: "star", tabindex: "-1", "data-act": "star" }, icon("star"));
    // The roles are told: a table that is laid out by grids is none to every browser.
    this.node = el("tr", { "data-id": row.id, role: "row", class: "far" });
    table.seen.observe(this.node);
    this.layout(table);
    this.patch(row, table);
  }

  layout(table) {
    this.columns = table.columns;
    const first = el("td", { class: "c-star", "data-col": "star", tabindex: "-1", role: "gridcell" }, this.star);
    const cells = this.columns.map((code) => {
      if (!this.cells[code]) {
        const name = code === "name";
        const cell = el(name ? "th" : "td", { class: `c-${code}`, "data-col": code, tabindex: "-1",
          role: name ? "rowheader" : "gridcell" });
        CELLS[code].make(cell, this.row, table);
        this.cells[code] = cell;
      }
      return this.cells[code];
    });
    this.node.replaceChildren(first, ...cells);
  }

  // A row that is the same object has nothing new but what depends on the reader.
  update(row, table) {
    if (row !== this.row || !same(this.columns, table.columns)) this.patch(row, table);
    else this.mark(table);
  }

  patch(row, table) {
    this.row = row;
    if (!same(this.columns, table.columns)) this.layout(table);
    this.node.classList.toggle("stale", Boolean(row.stale));
    for (const code of this.columns) CELLS[code].patch(this.cells[code], row, table);
    this.mark(table);
  }

  // What depends on the reader and not on the data.
  mark(table) {
    const starred = table.lists.has(this.id);
    setAttr(this.star, "aria-pressed", starred);
    setAttr(this.star, "aria-label", fill(starred ? table.words.unwatch : table.words.watch, { name: this.row.name }));
    const compared = table.compare.includes(this.id);
    const compare = this.cells.name.querySelector(".cmp");
    setAttr(compare, "aria-pressed", compared);
    setAttr(compare, "aria-label", fill(compared ? table.words.compare_off : table.words.compare_on, { name: this.row.name }));
    setAttr(this.node, "aria-selected", table.coin === this.id);
  }
}
