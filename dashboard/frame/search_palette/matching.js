// Ranks items by how well one of their names matches a query. No DOM.
const MAX_PER_GROUP = 8;
const EXACT_SYMBOL = 0, EXACT_NAME = 1, PREFIX = 2, WORD_PREFIX = 3, SUBSTRING = 4;

// Normalises width and letter case, as dashboard/app_pages/rankings/url_state.py does.
export function fold(text) {
  return text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");
}

// An item is [label, note, href, other names by line]; the note is a coin's symbol, or another name.
export function prepare(items) {
  return items.map(([label, note, href, names]) => ({
    label,
    note,
    href,
    symbol: fold(note),
    names: [label, ...(names ? names.split("\n") : [])].map(fold),
  }));
}

function rankName(name, query) {
  if (name === query) return EXACT_NAME;
  const at = name.indexOf(query);
  if (at <= 0) return at < 0 ? Infinity : PREFIX;
  return name.includes(` ${query}`) ? WORD_PREFIX : SUBSTRING;
}

export function rankItem(item, query) {
  if (item.symbol === query) return EXACT_SYMBOL;
  return Math.min(rankName(item.symbol, query), ...item.names.map((name) => rankName(name, query)));
}

// Returns the groups with matches, those with the best match first, each with its best matches. Items and groups
// of the same rank keep their order. An empty query matches everything.
export function findMatches(groups, text) {
  const query = fold(text);
  const found = groups.map(({ kind, items }) => {
    const ranked = items.map((item) => [query ? rankItem(item, query) : 0, item]).filter(([rank]) => rank < Infinity);
    ranked.sort(([one], [other]) => one - other);
    return { kind, best: ranked[0]?.[0], items: ranked.slice(0, MAX_PER_GROUP).map(([, item]) => item) };
  });
  return found.filter(({ items }) => items.length).sort((one, other) => one.best - other.best);
}
