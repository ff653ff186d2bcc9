// Shows the article as readers see its Markdown. Elements are built from a tree; no markup is parsed.

const RENDERED_TAGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6", "p", "em", "strong", "s", "a", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "br", "table", "thead", "tbody", "tr", "th", "td"]);

function buildRendered(nodes, words) {
  return nodes.flatMap((node) => {
    if (typeof node === "string") return [node];
    const [tag, address, children] = node;
    if (tag === "img") return [el("span", { class: "image" }, fill(words.image, { name: children.join("") }))];
    if (!RENDERED_TAGS.has(tag)) return buildRendered(children, words);
    const isLink = tag === "a" && /^https?:\/\//i.test(address ?? "");
    // A heading of the article is one level below those of the page.
    const name = /^h[1-5]$/.test(tag) ? `h${Number(tag[1]) + 1}` : tag;
    return [el(name, isLink ? { href: address, target: "_blank", rel: "noreferrer noopener" } : {}, ...buildRendered(children, words))];
  });
}
