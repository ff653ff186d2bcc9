"""Filters, neighbours, links, terms and exports of the Topics page."""

import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import LANGUAGES, Language
from backend.topics import ai_disclosure
from dashboard.app_pages.topics import export, filter_params, links, topic_text
from dashboard.app_pages.topics.filter_params import Filters

SERVICE = "http://127.0.0.1:8000"


def build_topic(**changes: Any) -> dict[str, Any]:
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


def test_both_days_of_a_range_are_inclusive() -> None:
    params = filter_params.build_query(Filters("ja", "breaking", date(2024, 1, 1), date(2024, 1, 31), page=3))
    assert params == {
        "lang": "ja",
        "page": "3",
        "page_size": "25",
        "category": "0",
        "publish_after": "2024-01-01T00:00:00Z",
        "publish_before": "2024-02-01T00:00:00Z",
    }


def test_the_latest_day_can_be_the_end_of_a_range() -> None:
    assert (
        filter_params.build_query(Filters(until=filter_params.LATEST_DAY))["publish_before"]
        == "2100-01-01T00:00:00Z"
    )


@pytest.mark.parametrize(
    "text", ["", "2024", "20240131", "2024-02-30", "1999-12-31", "9999-12-31", "２０２４-01-01x"]
)
def test_an_invalid_day_is_null(text: str) -> None:
    assert filter_params.parse_day(text) is None


@pytest.mark.parametrize("text", ["", "0", "-1", "1.0", "１", "9" * 19, "1 "])
def test_an_invalid_number_is_null(text: str) -> None:
    assert filter_params.parse_number(text) is None


def test_search_and_entity_become_parameters_of_the_service() -> None:
    filters = Filters(entity="bitcoin-cash", search_text=f"  sec   fund {'x' * 300}")
    params = filter_params.build_query(filters)
    assert params["entity"] == "bitcoin-cash"
    assert params["find"].startswith("sec fund x")
    assert len(params["find"]) == filter_params.MAX_SEARCH_CHARS
    assert filters.is_filtered
    assert not Filters(search_text="  ").is_filtered
    assert "find" not in filter_params.build_query(Filters(search_text="  "))


@pytest.mark.parametrize("text", ["Bitcoin", "a b", "a/b", "-a", "", "a" * 101])
def test_an_invalid_entity_id_is_ignored(text: str) -> None:
    assert filter_params.parse_entity_id(text) == ""


@given(st.lists(st.integers(1, 99), unique=True, min_size=1))
def test_next_and_previous_are_inverse(ids: list[int]) -> None:
    for number in ids:
        before, after = filter_params.find_neighbours(ids, number)
        assert before is None or filter_params.find_neighbours(ids, before).next == number
        assert after is None or filter_params.find_neighbours(ids, after).previous == number
    assert filter_params.find_neighbours(ids, 100) == (None, None)


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
def test_only_urls_of_the_service_become_dashboard_pages(url: str, page: str | None) -> None:
    assert links.find_dashboard_page(url, SERVICE) == page


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://www.sec.gov/rules/2026-1/", "sec.gov/rules/2026-1"),
        ("https://example.com/%E5%85%AC%E5%91%8A?id=1", "example.com/公告"),
        ("https://example.com/%E2%80%AEgpj.exe", "example.com/%E2%80%AEgpj.exe"),
        ("http://[broken/x", "http://[broken/x"),
    ],
)
def test_a_url_is_shortened_to_its_readable_host_and_path(url: str, shown: str) -> None:
    assert links.shorten_url(url) == shown


def test_a_long_url_loses_its_middle() -> None:
    shown = links.shorten_url(f"https://example.com/{'a' * 200}/order.pdf")
    assert len(shown) <= links.MAX_SHOWN_CHARS
    assert shown.startswith("example.com/aaa")
    assert shown.endswith("a/order.pdf")


def test_links_omit_empty_parameters() -> None:
    assert links.build_url({"topic": "", "find": "a b&c"}, page="2") == "/topics?find=a+b%26c&page=2"
    assert links.build_url({"topic": "5"}, topic="") == "/topics"


TERMS = [{"term": "ETF", "definition": "fund"}, {"term": "spot ETF", "definition": "spot fund"}]


def test_a_term_is_marked_once_at_its_first_occurrence_as_a_whole_word() -> None:
    seen: set[str] = set()
    pieces = topic_text.split_at_terms("Not ETFs: a Spot ETF, an ETF, another ETF.", TERMS, seen)
    assert [piece for piece in pieces if piece.definition] == [("Spot ETF", "spot fund"), ("ETF", "fund")]
    assert pieces[-1] == (", another ETF.", None)
    assert topic_text.split_at_terms("The spot ETF.", TERMS, seen) == [("The spot ETF.", None)]


def test_a_term_in_a_script_without_spaces_is_found_within_text() -> None:
    terms = [{"term": "現物ETF", "definition": "資産を保有"}]
    assert ("現物ETF", "資産を保有") in topic_text.split_at_terms("SECは現物ETFを承認した。", terms, set())


@given(st.text(alphabet="ETF spot,現物\n"))
def test_pieces_split_at_terms_join_to_the_text(text: str) -> None:
    assert "".join(piece.text for piece in topic_text.split_at_terms(text, TERMS, set())) == text


def test_a_translation_is_recognised_by_the_label_of_the_service() -> None:
    for language in LANGUAGES:
        source: Language = "en" if language != "en" else "ja"
        for own in ("", "A subtitle."):
            assert topic_text.is_machine_translated(
                build_topic(subtitle=ai_disclosure.add_translation_label(language, source, own))
            )
    assert not topic_text.is_machine_translated(build_topic(subtitle="A language model is born."))
    assert not topic_text.is_machine_translated(build_topic())


def test_a_summary_that_the_bullets_contain_is_omitted() -> None:
    assert topic_text.select_summary(build_topic()) == ""
    assert topic_text.select_summary(build_topic(summary="A. B.", summary_bullets=[["A."], ["B."]])) == ""
    assert topic_text.select_summary(build_topic(summary="More.", summary_bullets=[["A."], [" "]])) == "More."
    assert topic_text.list_bullets(build_topic(summary_bullets=[["A."], [" "]])) == [["A."]]


@pytest.mark.parametrize(
    ("title", "summary", "shown"),
    [
        ("Harrow opens a vault", "Harrow opens a vault. Savers came.", "Savers came."),
        ("ハロー、金庫を開設", "ハロー、金庫を開設。貯蓄者が来た。", "貯蓄者が来た。"),
        ("Harrow closes!", "Harrow closes!", ""),
        ("Harrow opens", "Harrow opens a vault.", "Harrow opens a vault."),
        ("Bitcoin hits $100", "Bitcoin hits $100.5K high.", "Bitcoin hits $100.5K high."),
        ("“We close.”", "“We close.” Savers came.", "Savers came."),
    ],
)
def test_a_summary_under_its_title_does_not_repeat_it(title: str, summary: str, shown: str) -> None:
    assert topic_text.omit_title(summary, title) == shown


# --- files


def build_export(**changes: Any) -> export.TopicExport:
    return export.TopicExport([build_topic(**changes)], datetime(2026, 11, 18, 10, tzinfo=UTC), "http://here")


def test_every_csv_row_has_source_and_as_of() -> None:
    (row,) = csv.DictReader(io.StringIO(export.to_csv(build_export()).decode("utf-8-sig")))
    assert row["source"] == "sec.gov"
    assert row["as_of"] == "2026-11-18T10:00:00Z"
    assert row["category"] == "important"
    assert row["link"] == "http://here/topics?topic=7&topic_lang=en"


@pytest.mark.parametrize("title", ["=1+1", "@cmd", "-2", "+3", "\tx"])
def test_csv_cells_that_start_a_formula_are_escaped(title: str) -> None:
    (row,) = csv.DictReader(io.StringIO(export.to_csv(build_export(title=title)).decode("utf-8-sig")))
    assert row["title"] == f"'{title}"


def test_markdown_in_texts_is_escaped() -> None:
    text = export.to_markdown(
        build_export(title="<b>![x](http://evil)\n# y", url="javascript:alert(1)")
    ).decode()
    assert text.startswith("## \\<b\\>!\\[x\\](http://evil) \\# y\n")
    assert "](<javascript" not in text
    assert "as of 2026-11-18T10:00:00Z" in text
