"""Parses Markdown into a tree of the elements that the page can show. Pure.

The browser builds the elements one by one and never parses markup: HTML in the text stays text, images are
only named, and links lead to web addresses alone.
"""

from typing import Any, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

Node: TypeAlias = str | list[Any]
"""A text, or ``[element, address, children]``; the address is null except for links."""

_ELEMENTS = frozenset({
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "em", "strong", "s", "a", "blockquote", "ul", "ol", "li", "hr",
    "br", "table", "thead", "tbody", "tr", "th", "td",
})  # fmt: skip
_WEB = ("https://", "http://")


def build_tree(text: str) -> list[Node]:
    """Build the elements of a Markdown text. A line end in a paragraph stays a line end."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    return _build_children(SyntaxTreeNode(parser.parse(_remove_front_matter(text))))


def _remove_front_matter(text: str) -> str:
    """Remove the settings before the text, which are no part of what readers see."""
    plain = text.removeprefix("\ufeff")
    lines = plain.splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        return plain
    end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    return plain if end is None else "".join(lines[end + 1 :])


def _build_children(parent: SyntaxTreeNode) -> list[Node]:
    return [node for child in parent.children for node in _build_nodes(child)]


def _build_nodes(node: SyntaxTreeNode) -> list[Node]:
    if node.type in ("text", "inline", "html_inline", "html_block"):
        return _build_children(node) if node.children else [node.content]
    if node.type == "softbreak":
        return [["br", None, []]]
    if node.type in ("code_block", "fence"):
        return [["pre", None, [node.content]]]
    if node.type == "code_inline":
        return [["code", None, [node.content]]]
    if node.type == "image":
        return [["img", None, [node.content]]]
    if node.type == "paragraph" and _is_hidden(node):
        return _build_children(node)
    if node.tag not in _ELEMENTS:
        return _build_children(node)
    address = str(node.attrs.get("href", ""))
    is_link = node.tag == "a" and address.lower().startswith(_WEB)
    return [[node.tag, address if is_link else None, _build_children(node)]]


def _is_hidden(node: SyntaxTreeNode) -> bool:
    """Whether the paragraph belongs to a list without blank lines, whose items have no paragraphs."""
    opening: Token | None = node.nester_tokens.opening if node.nester_tokens else None
    return bool(opening and opening.hidden)
