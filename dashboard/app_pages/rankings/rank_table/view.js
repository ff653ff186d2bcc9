// The view of the table: what a link says, which rows it shows, and in which order.
// The same rules as dashboard/app_pages/rankings/rows.py; no amount is read as a number to be put in
// order: the server sends each column's exact order as ordinals.

const COLUMNS = ["rank", "name", "price", "1h", "24h", "7d", "30d", "cap", "volume", "trend", "source"];
const SORTABLE = COLUMNS.filter((code) => code !== "trend");
const FIXED = ["name", "price"];
const DEFAULT_COLUMNS = ["rank", "name", "price", "1h", "24h", "7d", "cap", "trend", "source"];
const FACETS = ["gainers", "losers", "stable", "unpegged", "flagged"];
const EXCLUDES = { gainers: "losers", losers: "gainers", stable: "unpegged", unpegged: "stable" };
const MIN_CAPS = [0, 1e7, 1e8, 1e9, 1e10, 1e11];
const MAX_SORT_KEYS = 4;

const fold = (text) => text.normalize("NFKC").toLowerCase();
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const ids = (text) => [...new Set(text.split(",").map((id) => id.trim()).filter(Boolean))];

function parseView(params) {
  const sort = [];
  for (const part of (params.sort || "").split(",")) {
    const code = part.replace(/^-/, "");
    if (SORTABLE.includes(code) && !sort.some((key) => key[0] === code)) sort.push([code, part.startsWith("-")]);
  }
  const columns = new Set([...FIXED, ...(params.cols || "").split(",")]);
  return {
    query: params.q || "",
    sort: sort.length ? sort.slice(0, MAX_SORT_KEYS) : [["cap", true]],
    facets: (params.facet || "").split(",").filter((facet) => FACETS.includes(facet)),
    category: params.cat || "",
    minCap: Number(params.min || 0),
    watch: params.watch === undefined ? null : ids(params.watch),
    columns: params.cols ? COLUMNS.filter((code) => columns.has(code)) : DEFAULT_COLUMNS,
    span: params.span === "7d" ? "7d" : "24h",
  };
}

function viewParams(view) {
  const params = {
    q: view.query.split(/\s+/).filter(Boolean).join(" ").slice(0, 60),
    sort: view.sort.map(([code, down]) => (down ? "-" : "") + code).join(","),
    facet: FACETS.filter((facet) => view.facets.includes(facet)).join(","),
    cat: view.category,
    min: view.minCap ? String(view.minCap) : "",
    cols: view.columns.join(","),
    span: view.span,
  };
  const plain = { sort: "-cap", cols: DEFAULT_COLUMNS.join(","), span: "24h" };
  const kept = {};
  for (const [key, value] of Object.entries(params)) if (value && value !== plain[key]) kept[key] = value;
  if (view.watch) kept.watch = view.watch.join(",");
  return kept;
}

function matches(row, view, terms) {
  if (!terms.every((term) => row.search.includes(term))) return false;
  if (view.watch && !view.watch.includes(row.id)) return false;
  if (view.category && !row.categories.includes(view.category)) return false;
  if (view.minCap && !(row.tier >= MIN_CAPS.indexOf(view.minCap))) return false;
  const change = (view.span === "7d" ? row["7d"] : row["24h"]) || "";
  return view.facets.every((facet) => {
    if (facet === "gainers") return !row.stale && change.startsWith("+");
    if (facet === "losers") return !row.stale && change.startsWith("-");
    if (facet === "stable") return row.stable;
    if (facet === "unpegged") return !row.stable;
    return row.stale || row.flags.length > 0;
  });
}

function select(rows, view) {
  const terms = fold(view.query).split(/\s+/).filter(Boolean);
  const shown = rows.filter((row) => matches(row, view, terms));
  return shown.sort((a, b) => {
    for (const [code, down] of view.sort) {
      const left = a.order[code];
      const right = b.order[code];
      if (left === right) continue;
      if (left === null) return 1; // unknown goes last in either direction
      if (right === null) return -1;
      return down ? right - left : left - right;
    }
    return a.place - b.place; // by rank, then id
  });
}

// The next sorting after a press on a column: first its natural direction, then the other one.
function pressed(sort, code, several) {
  const naturalDown = !["rank", "name"].includes(code);
  const found = sort.find((key) => key[0] === code);
  const key = [code, found ? !found[1] : naturalDown];
  if (!several) return [key];
  return found ? sort.map((old) => (old[0] === code ? key : old)) : [...sort, key].slice(-MAX_SORT_KEYS);
}
