"""Joints never say that no surface lies over a place where one does."""

from hypothesis import given
from hypothesis import strategies as st

from backend.articles.matching.joints import joints_of, may_go_on, may_join

words = st.text(st.sampled_from("ab -ガ以"), min_size=2, max_size=7)


@given(st.lists(words, max_size=4), words, st.text("ab -ガ以", max_size=3), st.text("ab -ガ以", max_size=3))
def test_every_place_in_a_surface_may_be_a_joint(
    others: list[str], surface: str, before: str, behind: str
) -> None:
    joints = joints_of([*others, surface])
    text = f"\n\n\n{before}{surface}{behind}\n\n\n"
    start = 3 + len(before)
    for place in range(start + 1, start + len(surface)):
        before, following = text[place - 3 : place], text[place : place + 3]
        assert may_join(joints, before, following)
        assert may_go_on(joints, before) or (before[2] + following[0]).isalnum()


def test_words_that_no_surface_holds_together_are_apart() -> None:
    joints = joints_of(["bitcoin cash", "以太坊"])
    assert not may_join(joints, "in ", "fee")
    assert not may_join(joints, "\n我在", "以太坊")
    assert may_join(joints, "in ", "cas")
    assert may_join(joints, "我在以", "太坊是")
    assert not may_go_on(joints, "ash")
