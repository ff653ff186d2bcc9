// Draws a table with sortable columns; rows of large tables are drawn in parts. Text is inserted as text.

function node(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false || value === "") continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

class SortableTable {
  constructor(root) {
    this.head = node("tr");
    this.body = node("tbody");
    this.caption = node("caption", { class: "sr" });
    this.more = node("button", { type: "button", class: "more", onclick: () => { this.shown += this.table.part; this.draw(); } });
    this.frame = node("div", { class: "sortable-table" }, node("div", { class: "box", tabindex: "0", role: "region" }, node("table", {}, this.caption, node("thead", {}, this.head), this.body)), this.more);
    root.append(this.frame);
    this.sort = { column: null, down: false };
  }

  receive(data, open) {
    this.open = open;
    const text = new TextDecoder().decode(data);
    if (text === this.text) return;
    this.text = text;
    this.table = JSON.parse(text);
    this.shown = this.table.part;
    this.caption.textContent = this.table.caption;
    this.frame.firstChild.setAttribute("aria-label", this.table.caption);
    if (this.sort.column >= this.table.columns.length) this.sort = { column: null, down: false };
    this.draw();
  }

  // First click: numbers descending, texts ascending. A third click restores the original order.
  sortBy(column) {
    const first = this.table.columns[column].kind === "number";
    if (this.sort.column !== column) this.sort = { column, down: first };
    else if (this.sort.down === first) this.sort = { column, down: !first };
    else this.sort = { column: null, down: false };
    this.draw();
    this.head.children[column].firstChild.focus();
  }

  sortRows() {
    const { column, down } = this.sort;
    if (column === null) return this.table.rows;
    const value = ([, cells]) => cells[column][1] ?? cells[column][0];
    const sign = down ? -1 : 1;
    return [...this.table.rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
    });
  }

  draw() {
    const { columns, opens, more } = this.table;
    this.head.replaceChildren(...columns.map((column, n) => {
      const chosen = this.sort.column === n;
      const ariaSort = chosen ? (this.sort.down ? "descending" : "ascending") : "none";
      return node("th", { scope: "col", class: column.kind, "aria-sort": ariaSort },
        node("button", { type: "button", title: column.hint, onclick: () => this.sortBy(n) }, column.label, node("span", { class: "dir", "aria-hidden": "true" }, chosen ? (this.sort.down ? "▼" : "▲") : "")));
    }));
    const rows = this.sortRows();
    this.body.replaceChildren(...rows.slice(0, this.shown).map(([id, cells]) => node("tr", {}, ...cells.map(([text, , tone, lang], n) => {
      const inner = n === opens ? node("button", { type: "button", class: "open", onclick: () => this.open("open", id) }, text) : text;
      return node("td", { class: columns[n].kind, "data-tone": tone, lang }, inner);
    }))));
    const left = rows.length - this.shown;
    this.more.hidden = left <= 0;
    this.more.textContent = more.replace("{n}", String(left));
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  (parentElement.sortableTable ??= new SortableTable(parentElement)).receive(data, setTriggerValue);
}
