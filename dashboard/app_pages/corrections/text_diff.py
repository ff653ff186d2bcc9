"""Builds the difference between an original text and its edited version, exact in every script. Pure.

It is built from the edits, without comparing texts. A text is a sequence of pieces of the original and
inserted pieces; each edit splits and merges them.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from dashboard.app_pages.corrections.article_edits import Edit


class OriginalPiece(NamedTuple):
    """``original[start:end]``, unchanged."""

    start: int
    end: int


class InsertedPiece(NamedTuple):
    """Text that is not in the original."""

    text: str


TextPieces: TypeAlias = tuple[OriginalPiece | InsertedPiece, ...]


class Segment(NamedTuple):
    """A part of both texts: equal in both, or ``old`` replaced by ``new``."""

    old: str
    new: str

    @property
    def is_unchanged(self) -> bool:
        return self.old == self.new


Side: TypeAlias = list[tuple[Literal["", "-", "+"], str]]
"""A line of one text: unchanged, deleted and inserted parts."""


class Line(NamedTuple):
    """Lines side by side; ``changed`` if they differ."""

    before: Side
    after: Side
    changed: bool


def build_unchanged(text: str) -> TextPieces:
    return (OriginalPiece(0, len(text)),) if text else ()


def compose_edits(pieces: TextPieces, edits: Sequence[Edit]) -> TextPieces:
    """Apply ``edits`` to the pieces. Offsets refer to the text that ``pieces`` join to."""
    composed: list[OriginalPiece | InsertedPiece] = []
    rest = list(reversed(pieces))  # remaining pieces, the next one last
    position = 0
    for edit in edits:
        composed.extend(_pop_pieces(rest, edit.start - position))
        for _ in _pop_pieces(rest, edit.end - edit.start):
            pass
        if edit.text:
            composed.append(InsertedPiece(edit.text))
        position = edit.end
    composed.extend(reversed(rest))
    return _merge_adjacent(composed)


def join_pieces(original: str, pieces: TextPieces) -> str:
    return "".join(
        original[piece.start : piece.end] if isinstance(piece, OriginalPiece) else piece.text
        for piece in pieces
    )


def build_segments(original: str, pieces: TextPieces) -> list[Segment]:
    """Split both texts at the boundaries of changes."""
    segments: list[Segment] = []
    position, inserted = 0, ""
    for piece in pieces:
        if isinstance(piece, InsertedPiece):
            inserted += piece.text
            continue
        _append_segment(segments, original[position : piece.start], inserted)
        unchanged_text = original[piece.start : piece.end]
        _append_segment(segments, unchanged_text, unchanged_text)
        position, inserted = piece.end, ""
    _append_segment(segments, original[position:], inserted)
    return segments


def build_lines(original: str, pieces: TextPieces) -> list[Line]:
    """Build the lines of both texts side by side; a row ends at each line end that both share."""
    rows: list[Line] = []
    before: Side = []
    after: Side = []
    for segment in build_segments(original, pieces):
        if not segment.is_unchanged:
            if segment.old:
                before.append(("-", segment.old))
            if segment.new:
                after.append(("+", segment.new))
            continue
        first, *rest = segment.old.split("\n")
        _append_unchanged(before, after, first)
        for text in rest:
            rows.append(_build_line(before, after))
            before, after = [], []
            _append_unchanged(before, after, text)
    rows.append(_build_line(before, after))
    return rows


def _pop_pieces(
    remaining: list[OriginalPiece | InsertedPiece], length: int
) -> Iterator[OriginalPiece | InsertedPiece]:
    """Remove and yield the first ``length`` characters of the remaining pieces."""
    while length > 0:
        piece = remaining.pop()
        piece_length = piece.end - piece.start if isinstance(piece, OriginalPiece) else len(piece.text)
        if piece_length > length:
            remaining.append(_slice_piece(piece, length, piece_length))
            piece = _slice_piece(piece, 0, length)
        yield piece
        length -= piece_length


def _slice_piece(piece: OriginalPiece | InsertedPiece, start: int, end: int) -> OriginalPiece | InsertedPiece:
    if isinstance(piece, OriginalPiece):
        return OriginalPiece(piece.start + start, piece.start + end)
    return InsertedPiece(piece.text[start:end])


def _merge_adjacent(pieces: Sequence[OriginalPiece | InsertedPiece]) -> TextPieces:
    joined: list[OriginalPiece | InsertedPiece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, OriginalPiece) and isinstance(last, OriginalPiece) and last.end == piece.start:
            joined[-1] = OriginalPiece(last.start, piece.end)
        elif isinstance(piece, InsertedPiece) and isinstance(last, InsertedPiece):
            joined[-1] = InsertedPiece(last.text + piece.text)
        else:
            joined.append(piece)
    return tuple(joined)


def _append_segment(segments: list[Segment], old: str, new: str) -> None:
    if not old and not new:
        return
    if segments and old == new and segments[-1].is_unchanged:
        segments[-1] = Segment(segments[-1].old + old, segments[-1].new + new)
    else:
        segments.append(Segment(old, new))


def _append_unchanged(before: Side, after: Side, text: str) -> None:
    if text:
        before.append(("", text))
        after.append(("", text))


def _build_line(before: Side, after: Side) -> Line:
    return Line(before, after, any(kind for kind, _ in (*before, *after)))
