// Renders cells, one renderer per column: `create` builds a cell once, `patch` updates it.

const ARROWS = { "+": "▲", "-": "▼" };
const STATE_GLYPHS = { sample: "◇", fresh: "●", single: "◐", stale: "◷", divergent: "≠", conflict: "✕", jump: "↯", depeg: "≠", unknown: "○" };

const DOUBTFUL_STATES = ["stale", "divergent", "conflict", "jump", "depeg"];

const FIGURE_COLUMNS = ["price", "1h", "24h", "7d", "30d", "cap", "volume"];

const FLASH_CLASSES = ["flash-up", "flash-down"];

function directionOf(text) {
  return text === null ? "none" : text.startsWith("+") ? "up" : text.startsWith("-") ? "down" : "flat";
}

function createChangeRenderer(code) {
  return {
    create: (cell) => cell.append(el("span", { class: "arrow", "aria-hidden": "true" }), el("span", {})),
    patch(cell, row, table) {
      const text = row[code];
      const direction = directionOf(text);
      if (cell.dataset.kind !== direction) cell.dataset.kind = direction;
      setText(cell.firstElementChild, text === null ? "" : ARROWS[text[0]] || "");
      const sign = direction === "up" ? "+" : direction === "down" ? "−" : "";
      setText(cell.lastElementChild, text === null ? table.words.unknown : `${sign}${text.replace(/^[+-]/, "")}%`);
    },
  };
}

const createTextRenderer = (read) => ({ create() {}, patch: (cell, row, table) => setText(cell, read(row) ?? table.words.unknown) });

const CELLS = {
  rank: createTextRenderer((row) => (row.rank === null ? null : String(row.rank))),
  name: {
    create(cell, row, table) {
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
      if (!link.hasAttribute("href")) setAttr(link, "href", table.buildLink(row.id));
    },
  },
  price: {
    create() {},
    patch(cell, row, table) {
      const before = cell.dataset.raw;
      setText(cell, row.priceText ?? table.words.unknown);
      if (before === (row.price ?? "")) return;
      cell.dataset.raw = row.price ?? "";
      setAttr(cell, "title", row.price === null ? null : `$${row.price}`);
      // Floats suffice for the direction of the flash; they are not shown.
      if (before && row.price) flash(cell, Number(row.price) > Number(before) ? "flash-up" : "flash-down");
    },
  },
  "1h": createChangeRenderer("1h"),
  "24h": createChangeRenderer("24h"),
  "7d": createChangeRenderer("7d"),
  "30d": createChangeRenderer("30d"),
  cap: createTextRenderer((row) => row.capText),
  volume: createTextRenderer((row) => row.volumeText),
  trend: {
    create() {},
    patch(cell, row, table) {
      const drawn = `${table.view.span}${row.trend}`;
      if (!cell.parentNode.near || cell.drawn === drawn) return;
      cell.drawn = drawn;
      if (row.trend) drawTrend(cell, row, table.slots);
      else setText(cell, table.words.unknown);
    },
  },
  source: {
    create: (cell) => cell.append(el("span", { class: "mark" }, el("span", { class: "glyph", "aria-hidden": "true" }),
      el("span", { class: "from" }), el("span", { class: "age" })), el("span", { class: "sr" })),
    patch(cell, row, table) {
      const [mark, description] = cell.children;
      if (cell.dataset.state !== row.state) cell.dataset.state = row.state;
      setText(mark.children[0], STATE_GLYPHS[row.state]);
      setText(mark.children[1], DOUBTFUL_STATES.includes(row.state) ? table.words.states[row.state] : row.sourceShort);
      setText(mark.children[2], table.formatAge(row.at));
      setText(description, table.buildSourceText(row));
    },
  },
};

// The table removes the class at the end of the animation. Forcing a restart would lay out the whole
// table for each changed cell.
function flash(cell, name) {
  cell.classList.remove(...FLASH_CLASSES);
  cell.classList.add(name);
}

class RowView {
  constructor(row, table) {
    this.id = row.id;
    this.row = row;
    this.cells = {};
    this.star = el("button", { type: "button", class: "star", tabindex: "-1", "data-act": "star" }, icon("star"));
    // Explicit roles: not every browser exposes a table with grid layout as a table.
    this.node = el("tr", { "data-id": row.id, role: "row", class: "far" });
    table.visibilityObserver.observe(this.node);
    this.layout(table);
    this.patch(row, table);
  }

  layout(table) {
    this.columns = table.columns;
    const starCell = el("td", { class: "c-star", "data-col": "star", tabindex: "-1", role: "gridcell" }, this.star);
    const cells = this.columns.map((code) => {
      if (!this.cells[code]) {
        const isName = code === "name";
        const cell = el(isName ? "th" : "td", { class: `c-${code}`, "data-col": code, tabindex: "-1",
          role: isName ? "rowheader" : "gridcell" });
        CELLS[code].create(cell, this.row, table);
        this.cells[code] = cell;
      }
      return this.cells[code];
    });
    this.node.replaceChildren(starCell, ...cells);
  }

  // An unchanged row object needs an update only of the reader's state.
  update(row, table) {
    if (row !== this.row || !isEqual(this.columns, table.columns)) this.patch(row, table);
    else this.updateMarks(table);
  }

  patch(row, table) {
    this.row = row;
    if (!isEqual(this.columns, table.columns)) this.layout(table);
    this.node.classList.toggle("stale", Boolean(row.stale));
    for (const code of this.columns) CELLS[code].patch(this.cells[code], row, table);
    this.updateMarks(table);
  }

  // Updates the reader's state: star, comparison and open coin.
  updateMarks(table) {
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
