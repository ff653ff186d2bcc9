"""What changes where one text is written for another, as far as it depends on these two alone."""

import re
from dataclasses import dataclass

from backend.articles.matching.joints import WIDTH, may_go_on
from backend.articles.matching.reading import MOST_KNOWN, Reading
from backend.articles.text.boundaries import CLASS, KATAKANA
from backend.articles.text.folding import fold

_ORDINARY = re.compile(r"[^\W_](?:(?:[\w \-・·―－＝]| & )*[^\W_])?")
"""Names that hold nothing that markup, tokens or sentences are told by."""
_DOTTED = re.compile(r"[A-Za-z0-9]+\.[A-Za-z]+")
"""Names that are a token of their own where white space stands on both sides."""
_SMALL = re.compile("[a-z\u00df-\u00f6\u00f8-\u00ff\uff41-\uff5a]")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A harmless one: nothing in the new text is wrong, wherever it stands."""

    head: str
    tail: str
    """The first and the last few characters of the new text, folded: as many as joints have."""
    may_go_on: bool
    """Whether some surface goes on behind them."""
    same_edges: bool
    """Whether the classes of the first and of the last character stay."""
    binds_left: bool
    binds_right: bool
    """Whether to a neighbour that binds the new text binds otherwise than the old one did."""
    is_dotted: bool
    changes_spaces: bool
    leaves_latin: bool
    """Whether only one of the two has Latin letters at its edges, by which a slip beside it may be told to
    stand among Latin words. That means nothing to articles in English."""
    changes_capitals: bool
    """Whether only one of the two holds small letters."""


def exchange(reading: Reading, old: str, new: str) -> Exchange | None:
    """What changes where ``new`` is written for ``old`` in fields like that of ``reading``; None where that
    is not harmless."""
    memory = reading.rules.exchanges
    key = (reading.bit, old, new)
    if key in memory:
        return memory[key]
    found = _exchange(reading, old, new)
    if len(memory) < MOST_KNOWN:
        memory[key] = found
    return found


def _exchange(reading: Reading, old: str, new: str) -> Exchange | None:
    is_dotted = _ORDINARY.fullmatch(new) is None
    if (is_dotted and _DOTTED.fullmatch(new) is None) or not _ORDINARY.fullmatch(old):
        return None
    if not reading.alone(new)[0]:
        return None
    low = fold(new).text
    return Exchange(
        head=low[:WIDTH],
        tail=low[-WIDTH:],
        may_go_on=may_go_on(reading.rules.joints, low[-WIDTH:]),
        same_edges=CLASS[old[0]] == CLASS[low[0]] and CLASS[old[-1]] == CLASS[low[-1]],
        binds_left=not _bind_alike(old[0], new[0]),
        binds_right=not _bind_alike(old[-1], new[-1]),
        is_dotted=is_dotted,
        changes_spaces=old.count(" ") != new.count(" "),
        leaves_latin=reading.language != "en"
        and (_is_latin(old[0]) != _is_latin(new[0]) or _is_latin(old[-1]) != _is_latin(new[-1])),
        changes_capitals=bool(_SMALL.search(old)) != bool(_SMALL.search(new)),
    )


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _bind_alike(old: str, new: str) -> bool:
    # That one of them is katakana means something to katakana alone.
    same = CLASS[old] & ~KATAKANA == CLASS[new] & ~KATAKANA
    return same and old.isascii() == new.isascii() and old.isalnum() == new.isalnum()
