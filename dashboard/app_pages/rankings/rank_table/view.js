// Parses and builds the view of a link, and selects and sorts the rows of a view.
// The rules are those of dashboard/app_pages/rankings/rows.py. Amounts are not parsed for sorting: the
// server sends the exact order of each column as ordinals.

// The server inserts these facts (dashboard/app_pages/rankings/columns.py).
const OPTIONS = "TABLE_OPTIONS";
const phone = matchMedia("(max-width: 480px)");

const fold = (text) => text.normalize("NFKC").toLowerCase();
const isEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const parseIds = (text) => [...new Set(text.split(",").map((id) => id.trim()).filter(Boolean))];

function parseView(params) {
  const sort = [];
  for (const part of (params.sort || "").split(",")) {
    const code = part.replace(/^-/, "");
    if (OPTIONS.sortable.includes(code) && !sort.some((key) => key[0] === code)) sort.push([code, part.startsWith("-")]);
  }
  const columns = new Set([...OPTIONS.fixedColumns, ...(params.cols || "").split(",")]);
  return {
    query: params.q || "",
    sort: sort.length ? sort.slice(0, OPTIONS.maxSortKeys) : OPTIONS.defaultSort,
    facets: (params.facet || "").split(",").filter((facet) => OPTIONS.facets.includes(facet)),
    category: params.cat || "",
    minCap: Number(params.min || 0),
    watch: params.watch === undefined ? null : parseIds(params.watch),
    columns: params.cols ? OPTIONS.columns.filter((code) => columns.has(code)) : OPTIONS.defaultColumns,
    span: OPTIONS.spans.includes(params.span) ? params.span : OPTIONS.spans[0],
  };
}

// Returns the columns in screen order; hidden ones are not in `codes`.
function arrangeColumns(codes) {
  return (phone.matches ? OPTIONS.phoneColumns : OPTIONS.columns).filter((code) => codes.includes(code));
}

function buildViewParams(view) {
  const params = {
    q: view.query.split(/\s+/).filter(Boolean).join(" ").slice(0, OPTIONS.maxQueryChars),
    sort: buildSortParam(view.sort),
    facet: OPTIONS.facets.filter((facet) => view.facets.includes(facet)).join(","),
    cat: view.category,
    min: view.minCap ? String(view.minCap) : "",
    cols: view.columns.join(","),
    span: view.span,
  };
  const defaults = { sort: buildSortParam(OPTIONS.defaultSort), cols: OPTIONS.defaultColumns.join(","), span: OPTIONS.spans[0] };
  const changed = {};
  for (const [key, value] of Object.entries(params)) if (value && value !== defaults[key]) changed[key] = value;
  if (view.watch) changed.watch = view.watch.join(",");
  return changed;
}

function buildSortParam(sort) {
  return sort.map(([code, descending]) => (descending ? "-" : "") + code).join(",");
}

function matchesView(row, view, terms) {
  if (!terms.every((term) => row.search.includes(term))) return false;
  if (view.watch && !view.watch.includes(row.id)) return false;
  if (view.category && !row.categories.includes(view.category)) return false;
  if (view.minCap && !(row.tier >= OPTIONS.minCaps.indexOf(view.minCap))) return false;
  const change = (view.span === "7d" ? row["7d"] : row["24h"]) || "";
  return view.facets.every((facet) => {
    if (facet === "gainers") return !row.stale && change.startsWith("+");
    if (facet === "losers") return !row.stale && change.startsWith("-");
    if (facet === "stable") return row.stable;
    if (facet === "unpegged") return !row.stable;
    return row.stale || row.flags.length > 0;
  });
}

function selectRows(rows, view) {
  const terms = fold(view.query).split(/\s+/).filter(Boolean);
  const shown = rows.filter((row) => matchesView(row, view, terms));
  return shown.sort((a, b) => {
    for (const [code, descending] of view.sort) {
      const left = a.order[code];
      const right = b.order[code];
      if (left === right) continue;
      if (left === null) return 1; // unknown values are last in either direction
      if (right === null) return -1;
      return descending ? right - left : left - right;
    }
    return a.place - b.place; // by rank, then id
  });
}

// Returns the next order after a click on a column: first its natural direction, then the other one.
function toggleSort(sort, code, several) {
  const descendsFirst = !["rank", "name"].includes(code);
  const found = sort.find((key) => key[0] === code);
  const key = [code, found ? !found[1] : descendsFirst];
  if (!several) return [key];
  return found ? sort.map((old) => (old[0] === code ? key : old)) : [...sort, key].slice(-OPTIONS.maxSortKeys);
}
