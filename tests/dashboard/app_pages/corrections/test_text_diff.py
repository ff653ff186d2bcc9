"""The difference of two texts, built from the edits."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.corrections import article_edits, text_diff
from dashboard.app_pages.corrections.article_edits import Edit
from dashboard.app_pages.corrections.text_diff import InsertedPiece, OriginalPiece

WORDS = st.lists(st.sampled_from([*"ab \nか😀𠮷", "\r\n", "e\u0301"]), max_size=40).map("".join)


@st.composite
def draw_history(draw: st.DrawFn) -> tuple[str, list[list[Edit]], str]:
    """A text, rounds of edits of it, each of the text that the round before left, and the last text."""
    original = text = draw(WORDS)
    rounds = []
    for _ in range(draw(st.integers(0, 4))):
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
        spans = zip(cuts[::2], cuts[1::2], strict=False)
        edits = [Edit(start, end, draw(WORDS)) for start, end in spans]
        rounds.append(edits)
        text = article_edits.apply_edits(text, edits)
    return original, rounds, text


def compose_rounds(original: str, rounds: list[list[Edit]]) -> text_diff.TextPieces:
    pieces = text_diff.build_unchanged(original)
    for edits in rounds:
        pieces = text_diff.compose_edits(pieces, edits)
    return pieces


@given(draw_history())
def test_rounds_of_edits_compose_to_the_last_text(history: tuple[str, list[list[Edit]], str]) -> None:
    original, rounds, text = history
    assert text_diff.join_pieces(original, compose_rounds(original, rounds)) == text


@given(draw_history())
def test_segments_join_to_both_texts(history: tuple[str, list[list[Edit]], str]) -> None:
    original, rounds, text = history
    found = text_diff.build_segments(original, compose_rounds(original, rounds))
    assert "".join(segment.old for segment in found) == original
    assert "".join(segment.new for segment in found) == text


@given(draw_history())
def test_lines_join_to_both_texts_and_only_changed_ones_are_marked(
    history: tuple[str, list[list[Edit]], str],
) -> None:
    original, rounds, text = history
    rows = text_diff.build_lines(original, compose_rounds(original, rounds))
    assert "\n".join("".join(part for _, part in row.before) for row in rows) == original
    assert "\n".join("".join(part for _, part in row.after) for row in rows) == text
    for row in rows:
        assert row.changed == any(kind for kind, _ in (*row.before, *row.after))
        assert all(kind != "+" for kind, _ in row.before)
        assert all(kind != "-" for kind, _ in row.after)


def test_a_correction_is_beside_the_text_that_it_replaced() -> None:
    original = "一行目\n😀イーサリウムと𠮷\n三行目"
    pieces = text_diff.compose_edits(text_diff.build_unchanged(original), [Edit(5, 11, "イーサリアム")])
    assert pieces == (OriginalPiece(0, 5), InsertedPiece("イーサリアム"), OriginalPiece(11, len(original)))
    first, second, third = text_diff.build_lines(original, pieces)
    assert not first.changed
    assert not third.changed
    assert second.before == [("", "😀"), ("-", "イーサリウム"), ("", "と𠮷")]
    assert second.after == [("", "😀"), ("+", "イーサリアム"), ("", "と𠮷")]


def test_a_reverted_change_is_no_change() -> None:
    pieces = compose_rounds("abc", [[Edit(1, 2, "X")], [Edit(1, 2, "b")]])
    assert not any(row.changed for row in text_diff.build_lines("abc", pieces))


def test_thousands_of_edits_are_composed() -> None:
    original = "ab" * 50_000
    edits = [Edit(n, n + 1, "XYZ") for n in range(0, len(original), 20)]
    pieces = text_diff.compose_edits(text_diff.build_unchanged(original), edits)
    second_edits = [Edit(n * 22, n * 22 + 3, "Q") for n in range(len(edits))]
    pieces = text_diff.compose_edits(pieces, second_edits)
    assert text_diff.join_pieces(original, pieces) == article_edits.apply_edits(
        article_edits.apply_edits(original, edits), second_edits
    )
