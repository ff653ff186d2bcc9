"""Marked texts show an automaton all surfaces that may stand at word boundaries, and no others in words."""

from hypothesis import example, given
from hypothesis import strategies as st

from backend.articles.text.boundaries import CLASS, edges
from backend.articles.text.folding import encoded, fold
from backend.articles.text.word_marking import looks_like_others, marked, marked_forms

signs = st.sampled_from([*"abkz09 -.\n\t\0_é", "ガ", "以", "\u0301"])
characters = signs | st.characters(exclude_categories=["Cs"])
folded = st.text(characters, max_size=12).map(lambda text: fold(text).text)
boundaries = st.sampled_from(["auto", "word", "none", "katakana-run"])


@given(folded)
@example("")
@example("a\n\tk 0")
def test_marking_keeps_the_number_of_characters(text: str) -> None:
    assert len(marked(encoded(text))) == len(text)


@given(folded, folded.filter(bool), folded, boundaries)
def test_a_surface_at_its_boundaries_is_marked_as_one_of_its_forms(
    before: str, surface: str, behind: str, boundary: str
) -> None:
    left, right = edges(surface, boundary)  # type: ignore[arg-type]  # one of the four
    beside = (before or " ")[-1], (behind or " ")[0]
    if CLASS[beside[0]] & left or CLASS[beside[1]] & right:
        return
    seen = marked(encoded(before + surface + behind))[len(before) : len(before) + len(surface)]
    assert (0, seen) in marked_forms([surface], [left], [right])


@given(folded.filter(bool), folded.filter(bool))
def test_only_surfaces_with_control_characters_can_share_a_marked_form(one: str, other: str) -> None:
    if marked(encoded(one)) == marked(encoded(other)) and not looks_like_others(one):
        assert one == other


def test_a_name_inside_a_word_is_not_marked_as_the_name() -> None:
    (form,) = marked_forms(["rep"], *zip(edges("rep", "auto"), strict=True))
    assert form[1] in marked(b"a rep.")
    assert form[1] not in marked(b"report prep trepan")
