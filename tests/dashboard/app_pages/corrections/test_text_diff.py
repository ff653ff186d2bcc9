"""Before and after, from the edits alone."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.corrections import article_edits, text_diff
from dashboard.app_pages.corrections.article_edits import Edit
from dashboard.app_pages.corrections.text_diff import Kept, Put

WORDS = st.lists(st.sampled_from([*"ab \nか😀𠮷", "\r\n", "e\u0301"]), max_size=40).map("".join)


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[list[Edit]], str]:
    """A text, rounds of edits of it, each of the text that the round before left, and the last text."""
    original = text = draw(WORDS)
    rounds = []
    for _ in range(draw(st.integers(0, 4))):
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
        spans = zip(cuts[::2], cuts[1::2], strict=False)
        edits = [Edit(start, end, draw(WORDS)) for start, end in spans]
        rounds.append(edits)
        text = article_edits.apply(text, edits)
    return original, rounds, text


def composed(original: str, rounds: list[list[Edit]]) -> text_diff.Pieces:
    pieces = text_diff.untouched(original)
    for edits in rounds:
        pieces = text_diff.compose(pieces, edits)
    return pieces


@given(histories())
def test_rounds_of_edits_compose_to_the_last_text(history: tuple[str, list[list[Edit]], str]) -> None:
    original, rounds, text = history
    assert text_diff.text_of(original, composed(original, rounds)) == text


@given(histories())
def test_segments_spell_both_texts(history: tuple[str, list[list[Edit]], str]) -> None:
    original, rounds, text = history
    found = text_diff.segments(original, composed(original, rounds))
    assert "".join(one.old for one in found) == original
    assert "".join(one.new for one in found) == text


@given(histories())
def test_lines_side_by_side_spell_both_texts_and_only_changed_ones_are_marked(
    history: tuple[str, list[list[Edit]], str],
) -> None:
    original, rounds, text = history
    rows = text_diff.lines(original, composed(original, rounds))
    assert "\n".join("".join(part for _, part in row.before) for row in rows) == original
    assert "\n".join("".join(part for _, part in row.after) for row in rows) == text
    for row in rows:
        assert row.changed == any(kind for kind, _ in (*row.before, *row.after))
        assert all(kind != "+" for kind, _ in row.before)
        assert all(kind != "-" for kind, _ in row.after)


def test_a_correction_stands_beside_what_it_replaced() -> None:
    original = "一行目\n😀イーサリウムと𠮷\n三行目"
    pieces = text_diff.compose(text_diff.untouched(original), [Edit(5, 11, "イーサリアム")])
    assert pieces == (Kept(0, 5), Put("イーサリアム"), Kept(11, len(original)))
    first, second, third = text_diff.lines(original, pieces)
    assert not first.changed
    assert not third.changed
    assert second.before == [("", "😀"), ("-", "イーサリウム"), ("", "と𠮷")]
    assert second.after == [("", "😀"), ("+", "イーサリアム"), ("", "と𠮷")]


def test_what_was_changed_and_changed_back_is_no_change() -> None:
    pieces = composed("abc", [[Edit(1, 2, "X")], [Edit(1, 2, "b")]])
    assert not any(row.changed for row in text_diff.lines("abc", pieces))


def test_thousands_of_edits_compose_at_once() -> None:
    original = "ab" * 50_000
    edits = [Edit(n, n + 1, "XYZ") for n in range(0, len(original), 20)]
    pieces = text_diff.compose(text_diff.untouched(original), edits)
    again = [Edit(n * 22, n * 22 + 3, "Q") for n in range(len(edits))]
    pieces = text_diff.compose(pieces, again)
    assert text_diff.text_of(original, pieces) == article_edits.apply(
        article_edits.apply(original, edits), again
    )
