"""Topics as the page reads them: filters, search, neighbours, addresses and terms."""

import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import LANGUAGES, Language
from backend.topics import ai_disclosure
from dashboard.app_pages.topics import export as files
from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics.topic_text import Filters

SERVICE = "http://127.0.0.1:8000"


def topic(**changes: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "title": "SEC approves a fund",
        "subtitle": None,
        "summary": "A decision.",
        "summary_bullets": [["A decision."]],
        "category": 1,
        "lang": "en",
        "published_at": "2026-11-18T09:00:00Z",
        "url": "https://www.sec.gov/x",
        **changes,
    }


def test_both_days_of_a_range_belong_to_it() -> None:
    asked = reading.query(Filters("ja", "breaking", date(2024, 1, 1), date(2024, 1, 31), page=3))
    assert asked == {
        "lang": "ja",
        "page": "3",
        "page_size": "25",
        "category": "0",
        "publish_after": "2024-01-01T00:00:00Z",
        "publish_before": "2024-02-01T00:00:00Z",
    }


def test_the_last_day_that_may_be_chosen_has_a_day_after_it() -> None:
    assert reading.query(Filters(until=reading.LATEST))["publish_before"] == "2100-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "said", ["", "2024", "20240131", "2024-02-30", "1999-12-31", "9999-12-31", "２０２４-01-01x"]
)
def test_what_is_no_day_counts_as_none(said: str) -> None:
    assert reading.day(said) is None


@pytest.mark.parametrize("said", ["", "0", "-1", "1.0", "１", "9" * 19, "1 "])
def test_what_is_no_number_counts_as_none(said: str) -> None:
    assert reading.number(said) is None


def test_a_search_and_an_entity_are_the_services_own_filters() -> None:
    filters = Filters(entity="bitcoin-cash", find=f"  sec   fund {'x' * 300}")
    asked = reading.query(filters)
    assert asked["entity"] == "bitcoin-cash"
    assert asked["find"].startswith("sec fund x")
    assert len(asked["find"]) == reading.LONGEST_SEARCH
    assert filters.narrows
    assert not Filters(find="  ").narrows
    assert "find" not in reading.query(Filters(find="  "))


@pytest.mark.parametrize("text", ["Bitcoin", "a b", "a/b", "-a", "", "a" * 101])
def test_what_can_be_no_entity_filters_nothing(text: str) -> None:
    assert reading.entity_id(text) == ""


@given(st.lists(st.integers(1, 99), unique=True, min_size=1))
def test_the_next_of_the_previous_is_the_topic_itself(ids: list[int]) -> None:
    for number in ids:
        before, after = reading.neighbours(ids, number)
        assert before is None or reading.neighbours(ids, before).next == number
        assert after is None or reading.neighbours(ids, after).previous == number
    assert reading.neighbours(ids, 100) == (None, None)


@pytest.mark.parametrize(
    ("url", "page"),
    [
        (f"{SERVICE}/topics/12?lang=en", "/topics?topic=12"),
        (f"{SERVICE}/prices/unus-sed-leo/quotes", "/rankings?coin=unus-sed-leo"),
        (f"{SERVICE}/crypto/market-overview", "/"),
        (f"{SERVICE}/admin/secrets/of/us", None),
        ("https://evil.example/topics/12", None),
        ("http://[broken/topics/1", None),
    ],
)
def test_addresses_of_the_service_become_pages_and_no_others(url: str, page: str | None) -> None:
    assert reading.own_page(url, SERVICE) == page


def test_a_link_to_a_topic_names_it_on_any_host_but_no_other_path_does() -> None:
    assert reading.topic_of("http://other:1/topics/136?lang=en") == 136
    assert reading.topic_of("http://other:1/topics/0136") is None
    assert reading.topic_of("javascript:alert(1)") is None


def test_links_hold_what_was_chosen_and_nothing_empty() -> None:
    assert reading.address({"topic": "", "find": "a b&c"}, page="2") == "/topics?find=a+b%26c&page=2"
    assert reading.address({"topic": "5"}, topic="") == "/topics"


TERMS = [{"term": "ETF", "definition": "fund"}, {"term": "spot ETF", "definition": "spot fund"}]


def test_each_term_is_explained_once_where_it_first_stands_as_a_whole_word() -> None:
    told: set[str] = set()
    pieces = reading.explained("Not ETFs: a Spot ETF, an ETF, another ETF.", TERMS, told)
    assert [piece for piece in pieces if piece.definition] == [("Spot ETF", "spot fund"), ("ETF", "fund")]
    assert pieces[-1] == (", another ETF.", None)
    assert reading.explained("The spot ETF.", TERMS, told) == [("The spot ETF.", None)]


def test_a_term_of_a_script_without_blanks_is_found_within_the_text() -> None:
    terms = [{"term": "現物ETF", "definition": "資産を保有"}]
    assert ("現物ETF", "資産を保有") in reading.explained("SECは現物ETFを承認した。", terms, set())


@given(st.text(alphabet="ETF spot,現物\n"))
def test_the_pieces_of_an_explained_text_are_the_text(said: str) -> None:
    assert "".join(piece.text for piece in reading.explained(said, TERMS, set())) == said


@given(st.text(alphabet="ab :"), st.dictionaries(st.text("ab", min_size=1), st.integers(1, 9)))
def test_the_pieces_of_a_linked_line_are_the_line(line: str, titles: dict[str, int]) -> None:
    pieces = reading.linked(line, titles)
    assert "".join(piece.text for piece in pieces) == line
    assert all(piece.topic is None or titles[piece.text] == piece.topic for piece in pieces)


def test_a_translation_is_known_by_what_the_service_says_of_it() -> None:
    for language in LANGUAGES:
        source: Language = "en" if language != "en" else "ja"
        for own in ("", "A subtitle."):
            assert reading.is_by_model(
                topic(subtitle=ai_disclosure.add_translation_label(language, source, own))
            )
    assert not reading.is_by_model(topic(subtitle="A language model is born."))
    assert not reading.is_by_model(topic())


def test_a_summary_that_the_bullets_repeat_is_left_out() -> None:
    assert reading.summary_beside(topic()) == ""
    assert reading.summary_beside(topic(summary="A. B.", summary_bullets=[["A."], ["B."]])) == ""
    assert reading.summary_beside(topic(summary="More.", summary_bullets=[["A."], [" "]])) == "More."
    assert reading.bullets(topic(summary_bullets=[["A."], [" "]])) == [["A."]]


# --- files


def listed(**changes: Any) -> files.Listed:
    return files.Listed([topic(**changes)], datetime(2026, 11, 18, 10, tzinfo=UTC), "http://here")


def test_every_row_of_the_csv_has_its_source_and_as_of() -> None:
    (row,) = csv.DictReader(io.StringIO(files.to_csv(listed()).decode("utf-8-sig")))
    assert row["source"] == "sec.gov"
    assert row["as_of"] == "2026-11-18T10:00:00Z"
    assert row["category"] == "important"
    assert row["link"] == "http://here/topics?topic=7&topic_lang=en"


@pytest.mark.parametrize("title", ["=1+1", "@cmd", "-2", "+3", "\tx"])
def test_no_cell_of_the_csv_is_taken_for_a_formula(title: str) -> None:
    (row,) = csv.DictReader(io.StringIO(files.to_csv(listed(title=title)).decode("utf-8-sig")))
    assert row["title"] == f"'{title}"


def test_texts_in_the_markdown_are_text() -> None:
    said = files.to_markdown(listed(title="<b>![x](http://evil)\n# y", url="javascript:alert(1)")).decode()
    assert said.startswith("## \\<b\\>!\\[x\\](http://evil) \\# y\n")
    assert "](<javascript" not in said
    assert "as of 2026-11-18T10:00:00Z" in said
