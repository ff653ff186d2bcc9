// Builds the comparison side by side, line by line; unchanged lines are folded.

const CONTEXT_LINES = 1;

function buildSide(parts, lang) {
  const cell = el("div", { class: "side", lang });
  for (const [kind, text] of parts) {
    if (kind === "-") cell.append(el("del", {}, text));
    else if (kind === "+") cell.append(el("ins", {}, text));
    else cell.append(text);
  }
  if (!cell.firstChild) cell.append(el("br"));
  return cell;
}

function buildRow(line, lang) {
  const [before, after] = typeof line === "string" ? [[["", line]], [["", line]]] : line;
  return el("div", { class: typeof line === "string" ? "row" : "row changed" }, buildSide(before, lang), buildSide(after, lang));
}

function buildField(field, words) {
  const rows = [];
  const changed = field.lines.map((line) => typeof line !== "string");
  const near = changed.map((_, n) => changed.slice(Math.max(0, n - CONTEXT_LINES), n + CONTEXT_LINES + 1).some(Boolean));
  for (let n = 0; n < field.lines.length; ) {
    if (near[n]) {
      rows.push(buildRow(field.lines[n], field.lang));
      n += 1;
      continue;
    }
    let end = n;
    while (end < field.lines.length && !near[end]) end += 1;
    const hidden = field.lines.slice(n, end);
    const fold = el("button", { type: "button", class: "fold", onclick: () => fold.replaceWith(...hidden.map((line) => buildRow(line, field.lang))) }, fill(words.same_lines, { n: hidden.length }));
    rows.push(hidden.length > 2 ? fold : null, ...(hidden.length > 2 ? [] : hidden.map((line) => buildRow(line, field.lang))));
    n = end;
  }
  return el("section", { class: "field" }, el("header", {}, el("h2", {}, field.label)), el("div", { class: "sides" }, ...rows));
}

function buildComparison(compare, words) {
  const head = el("div", { class: "row heads" }, el("div", {}, words.before), el("div", {}, words.after));
  if (!compare.fields.length) return [el("p", { class: "nothing" }, words.no_change)];
  return [head, ...compare.fields.map((field) => buildField(field, words))];
}
