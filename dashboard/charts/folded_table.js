// A collapsed table with the figures of a chart. Its cells are created when a reader opens it.
class FoldedTable {
  constructor() {
    this.root = document.createElement("details");
    this.root.className = "cp-fold";
    this.summary = createNode("summary");
    this.scrollBox = createNode("div");
    Object.assign(this.scrollBox, { className: "cp-scroll", tabIndex: 0, role: "region" });
    this.root.append(this.summary, this.scrollBox);
    this.root.addEventListener("toggle", () => this.fill());
  }

  show(table, label) {
    this.table = table;
    this.summary.textContent = this.scrollBox.ariaLabel = label;
    this.filled = false;
    this.fill();
  }

  fill() {
    if (!this.root.open || this.filled) return;
    this.filled = true;
    const { caption, head, rows } = this.table;
    const root = createNode("table");
    root.className = "cp-table";
    const name = createNode("caption", caption);
    name.className = "cp-sr";
    const names = createNode("tr");
    for (const text of head) names.append(createNode("th", text, "col"));
    const body = createNode("tbody");
    for (const [first, ...rest] of rows) {
      const row = createNode("tr");
      row.append(createNode("th", first, "row"), ...rest.map((text) => createNode("td", text)));
      body.append(row);
    }
    const top = createNode("thead");
    top.append(names);
    root.append(name, top, body);
    this.scrollBox.replaceChildren(root);
  }
}

// Content is always set as text, never as markup.
function createNode(tag, text = "", scope = "") {
  const node = document.createElement(tag);
  node.textContent = text;
  if (scope) node.setAttribute("scope", scope);
  return node;
}
