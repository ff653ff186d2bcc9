"""Watchlists in links and files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.services.rankings import MAX_LIST, parse_ids
from dashboard.services.watchlists import WatchlistFileError, from_file, link_value, split_known, to_file

ids = st.text("abcdefgh-0123456789.", min_size=1, max_size=20)
lists = st.dictionaries(
    st.text(min_size=1, max_size=20).filter(lambda name: name == name.strip() and name.isprintable()),
    st.lists(ids, max_size=10, unique=True).map(tuple),
    max_size=5,
)


@given(lists)
def test_lists_survive_their_file(some: dict[str, tuple[str, ...]]) -> None:
    assert from_file(to_file(some)) == some


@given(st.lists(ids, max_size=20, unique=True))
def test_a_list_survives_its_link(some: list[str]) -> None:
    assert parse_ids(link_value(some)) == tuple(some)


def test_a_hand_written_link_is_read_kindly() -> None:
    assert parse_ids(" bitcoin, ,ethereum,bitcoin,") == ("bitcoin", "ethereum")
    assert len(parse_ids(",".join(map(str, range(1000))))) == MAX_LIST


def test_ids_that_are_not_here_are_told_apart() -> None:
    assert split_known(("gone", "bitcoin"), {"bitcoin"}) == (("bitcoin",), ("gone",))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format":"other","lists":[]}', '{"format":"chainproof-watchlists"}']
)
def test_a_file_of_another_kind_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(WatchlistFileError, match=r"^The file .*\.$"):
        from_file(text)


def test_damaged_entries_are_left_out_and_the_rest_is_kept() -> None:
    text = """{"format": "chainproof-watchlists", "version": 1, "lists": [
        {"name": " Mine ", "ids": ["bitcoin", 7, "", "a,b", "bitcoin", "ethereum"]},
        {"name": "", "ids": ["x"]}, {"ids": []}, 3, {"name": "No ids"}]}"""
    assert from_file(text) == {"Mine": ("bitcoin", "ethereum")}
