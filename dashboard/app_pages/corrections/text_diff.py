"""What became of a text since it was opened: from the edits themselves, so exact in every script. Pure.

No two texts are ever compared. A text is kept as the pieces of the original that are still in it and
the pieces that were put in; each edit cuts and joins them.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from dashboard.app_pages.corrections.article_edits import Edit


class Kept(NamedTuple):
    """``original[start:end]``, still there."""

    start: int
    end: int


class Put(NamedTuple):
    """Text that the original does not have."""

    text: str


Pieces: TypeAlias = tuple[Kept | Put, ...]


class Segment(NamedTuple):
    """A stretch of both texts: the same in both, or ``old`` that became ``new``."""

    old: str
    new: str

    @property
    def same(self) -> bool:
        return self.old == self.new


Side: TypeAlias = list[tuple[Literal["", "-", "+"], str]]
"""A line of one text: stretches that are kept, taken out or put in."""


class Line(NamedTuple):
    """Lines that stand side by side; ``changed`` when they differ."""

    before: Side
    after: Side
    changed: bool


def untouched(text: str) -> Pieces:
    return (Kept(0, len(text)),) if text else ()


def compose(pieces: Pieces, edits: Sequence[Edit]) -> Pieces:
    """The pieces after ``edits``, whose offsets are those of the text that ``pieces`` make."""
    made: list[Kept | Put] = []
    rest = list(reversed(pieces))  # what is not yet taken, the next at the end
    at = 0
    for edit in edits:
        made.extend(_take(rest, edit.start - at))
        for _ in _take(rest, edit.end - edit.start):
            pass
        if edit.text:
            made.append(Put(edit.text))
        at = edit.end
    made.extend(reversed(rest))
    return _joined(made)


def text_of(original: str, pieces: Pieces) -> str:
    return "".join(
        original[piece.start : piece.end] if isinstance(piece, Kept) else piece.text for piece in pieces
    )


def segments(original: str, pieces: Pieces) -> list[Segment]:
    """Both texts in one walk, parted where one begins to differ or ends differing."""
    found: list[Segment] = []
    at, put = 0, ""
    for piece in pieces:
        if isinstance(piece, Put):
            put += piece.text
            continue
        _add(found, original[at : piece.start], put)
        same = original[piece.start : piece.end]
        _add(found, same, same)
        at, put = piece.end, ""
    _add(found, original[at:], put)
    return found


def lines(original: str, pieces: Pieces) -> list[Line]:
    """The two texts side by side; a row ends at each line end that both have."""
    rows: list[Line] = []
    before: Side = []
    after: Side = []
    for segment in segments(original, pieces):
        if not segment.same:
            if segment.old:
                before.append(("-", segment.old))
            if segment.new:
                after.append(("+", segment.new))
            continue
        first, *rest = segment.old.split("\n")
        _both(before, after, first)
        for text in rest:
            rows.append(_row(before, after))
            before, after = [], []
            _both(before, after, text)
    rows.append(_row(before, after))
    return rows


def _take(rest: list[Kept | Put], length: int) -> Iterator[Kept | Put]:
    """The first ``length`` characters of what is left, taken away from it."""
    while length > 0:
        piece = rest.pop()
        has = piece.end - piece.start if isinstance(piece, Kept) else len(piece.text)
        if has > length:
            rest.append(_part(piece, length, has))
            piece = _part(piece, 0, length)
        yield piece
        length -= has


def _part(piece: Kept | Put, start: int, end: int) -> Kept | Put:
    if isinstance(piece, Kept):
        return Kept(piece.start + start, piece.start + end)
    return Put(piece.text[start:end])


def _joined(pieces: Sequence[Kept | Put]) -> Pieces:
    joined: list[Kept | Put] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, Kept) and isinstance(last, Kept) and last.end == piece.start:
            joined[-1] = Kept(last.start, piece.end)
        elif isinstance(piece, Put) and isinstance(last, Put):
            joined[-1] = Put(last.text + piece.text)
        else:
            joined.append(piece)
    return tuple(joined)


def _add(found: list[Segment], old: str, new: str) -> None:
    if not old and not new:
        return
    if found and old == new and found[-1].same:
        found[-1] = Segment(found[-1].old + old, found[-1].new + new)
    else:
        found.append(Segment(old, new))


def _both(before: Side, after: Side, text: str) -> None:
    if text:
        before.append(("", text))
        after.append(("", text))


def _row(before: Side, after: Side) -> Line:
    return Line(before, after, any(kind for kind, _ in (*before, *after)))
