"""Lists every text that a regular expression can match, if there are few.

Supports the syntax that JavaScript, Go and .NET share: groups, alternatives, classes, optional and counted
parts, and word boundaries and look-around at the edges. Expressions that match unlimited texts, or that are
not equivalent to a list of texts with excluded neighbours, are rejected with a reason.
"""

from backend.articles.importers.regex_ast import (
    MAX_EXPANSION_CHARS,
    MAX_EXPANSIONS,
    Expansion,
    Node,
    UnsupportedRegexError,
)
from backend.articles.importers.regex_parser import Parser

__all__ = ["MAX_EXPANSIONS", "Expansion", "UnsupportedRegexError", "expand"]


def expand(pattern: str, *, bounded: bool = False, max_texts: int = MAX_EXPANSIONS) -> list[Expansion]:
    """List the texts that ``pattern`` matches, in its order of preference.

    A text is omitted if the expression always prefers a shorter one that it starts with. If the expression is
    ``bounded`` by word boundaries, it reaches every text.

    :raises UnsupportedRegexError: see the module.
    """
    try:
        return _collect_expansions(Parser(pattern).parse(), bounded, max_texts)
    except RecursionError:
        raise UnsupportedRegexError("it is nested too deeply") from None


def _collect_expansions(node: Node, bounded: bool, max_texts: int) -> list[Expansion]:
    found: list[Expansion] = []
    seen: set[tuple[str, tuple[str, ...], tuple[str, ...]]] = set()
    for number, expansion in enumerate(node.expand(Expansion())):
        if number >= max_texts * 10 or len(found) > max_texts:
            raise UnsupportedRegexError(f"it matches more than {max_texts} texts")
        if not expansion.text:
            raise UnsupportedRegexError("it matches the empty text")
        if len(expansion.text) > MAX_EXPANSION_CHARS:
            raise UnsupportedRegexError(f"it matches a text of more than {MAX_EXPANSION_CHARS} characters")
        identity = (expansion.text, expansion.not_before, expansion.not_after)
        hidden = not bounded and any(_hides(earlier, expansion) for earlier in found)
        if identity not in seen and not hidden:
            seen.add(identity)
            found.append(expansion)
    if len(found) > max_texts:
        raise UnsupportedRegexError(f"it matches more than {max_texts} texts")
    return found


def _hides(earlier: Expansion, later: Expansion) -> bool:
    """True if ``earlier`` always matches before ``later``."""
    conditions = earlier.not_before or earlier.not_after or earlier.word_start or earlier.word_end
    return not conditions and later.text.startswith(earlier.text)
