"""Lists every text that a regular expression can match, if there are few.

Read are the parts of the syntax that JavaScript, Go and .NET share: groups, alternatives, classes,
optional and counted parts, word boundaries at the edges, and look-around at the edges. What could match
texts without end, or cannot be said as a list of surfaces with neighbours that they must not have, is
refused with its reason.
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


def expand(pattern: str, *, bounded: bool = False, most: int = MAX_EXPANSIONS) -> list[Expansion]:
    """What ``pattern`` matches, in the order in which the expression prefers it.

    A text that it never reaches, since it prefers a shorter one with which that begins, is left out;
    where the whole is ``bounded`` by what surrounds it, every text is reached.

    :raises UnsupportedRegexError: see the module.
    """
    try:
        return _collect_expansions(Parser(pattern).parse(), bounded, most)
    except RecursionError:
        raise UnsupportedRegexError("it is nested too deeply") from None


def _collect_expansions(node: Node, bounded: bool, most: int) -> list[Expansion]:
    found: list[Expansion] = []
    seen: set[tuple[str, tuple[str, ...], tuple[str, ...]]] = set()
    for number, expansion in enumerate(node.walk(Expansion())):
        if number >= most * 10 or len(found) > most:
            raise UnsupportedRegexError(f"it stands for more than {most} surfaces")
        if not expansion.text:
            raise UnsupportedRegexError("it matches the empty text")
        if len(expansion.text) > MAX_EXPANSION_CHARS:
            raise UnsupportedRegexError(f"it stands for a text of more than {MAX_EXPANSION_CHARS} characters")
        identity = (expansion.text, expansion.not_before, expansion.not_after)
        hidden = not bounded and any(_hides(earlier, expansion) for earlier in found)
        if identity not in seen and not hidden:
            seen.add(identity)
            found.append(expansion)
    if len(found) > most:
        raise UnsupportedRegexError(f"it stands for more than {most} surfaces")
    return found


def _hides(earlier: Expansion, later: Expansion) -> bool:
    """Whether wherever ``later`` could match, ``earlier`` is taken before."""
    conditions = earlier.not_before or earlier.not_after or earlier.word_start or earlier.word_end
    return not conditions and later.text.startswith(earlier.text)
