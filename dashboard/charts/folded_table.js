// The figures behind a drawing, folded away; the cells are made when a reader opens them.
class FoldedTable {
  constructor(label) {
    this.root = document.createElement("details");
    this.root.className = "cp-fold";
    this.summary = make("summary", label);
    this.place = make("div");
    Object.assign(this.place, { className: "cp-scroll", tabIndex: 0, role: "region", ariaLabel: label });
    this.root.append(this.summary, this.place);
    this.root.addEventListener("toggle", () => this.fill());
  }

  show(table) {
    this.table = table;
    this.filled = false;
    this.fill();
  }

  fill() {
    if (!this.root.open || this.filled) return;
    this.filled = true;
    const { caption, head, rows } = this.table;
    const root = make("table");
    root.className = "cp-table";
    const name = make("caption", caption);
    name.className = "cp-sr";
    const names = make("tr");
    for (const text of head) names.append(make("th", text, "col"));
    const body = make("tbody");
    for (const [first, ...rest] of rows) {
      const row = make("tr");
      row.append(make("th", first, "row"), ...rest.map((text) => make("td", text)));
      body.append(row);
    }
    const top = make("thead");
    top.append(names);
    root.append(name, top, body);
    this.place.replaceChildren(root);
  }
}

// Text only ever enters as text, never as markup.
function make(tag, text = "", scope = "") {
  const node = document.createElement(tag);
  node.textContent = text;
  if (scope) node.setAttribute("scope", scope);
  return node;
}
