"""The insight of an opened topic: headings, tables, the calendar, and links to earlier topics."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboard.client import Fetched, topics
from dashboard.client.topics import Insight, SectionKind
from dashboard.i18n import LANGUAGES, t
from tests.dashboard.app_pages.topics.conftest import open_topics
from tests.dashboard.conftest import CALM
from tests.support.dashboard.pages import read_live_views

TITLES: dict[SectionKind, str] = {
    "confirmed": "Who says what",
    "points": "Limits and further facts",
    "differ": "Where sources differ",
    "unknown": "What is still unknown",
    "next": "Next date",
    "market": "The market around it",
    "before": "What came before",
}
DUE = (datetime.now(UTC) + timedelta(days=9)).date()
INSIGHT: Insight = {
    "conclusion": "Confirmed at the source: SEC.",
    "sections": [
        {
            "kind": kind,
            "title": title,
            "text": f"{'1 June 2026: ' if kind == 'next' else ''}Text of {kind}.",
            "is_generated": False,
        }
        for kind, title in TITLES.items()
    ],
    "differences": [
        [
            {"figure": "$30M", "source": "Decrypt", "measure": ""},
            {"figure": "$36 million", "source": "CoinDesk, The Block", "measure": ""},
        ],
        [
            {"figure": "$3M", "source": "Decrypt", "measure": "fine"},
            {"figure": "$9M", "source": "CoinDesk", "measure": "fine"},
        ],
    ],
    "next_dates": [{"day": DUE.isoformat(), "text": "A hearing is due.", "source": "SEC"}],
    "moves": [
        {
            "name": "Solana",
            "before": "140",
            "after": "133",
            "before_at": "2026-05-18T12:00:00Z",
            "after_at": "2026-05-18T15:30:00Z",
            "change": "-5.00",
            "market_change": None,
            "is_unusual": True,
        }
    ],
    "is_sample": True,
    "earlier_topics": [{"id": 7, "title": "SEC delays a fund", "published_at": "2026-05-01T12:00:00Z"}],
}


@pytest.fixture
def insight(monkeypatch: pytest.MonkeyPatch) -> Insight:
    content: Insight = json.loads(json.dumps(INSIGHT))
    monkeypatch.setattr(topics, "fetch_insight", lambda number, lang: Fetched(content, CALM))
    return content


def read_opened_topic(ids: dict[str, str], **query: str) -> str:
    return read_live_views(open_topics(topic=ids["page:fund"], **query))


def read_rows(live: str, table: str) -> list[list[str]]:
    """The texts of the cells of each row of a table with this class."""

    def find(node: Any) -> Any:
        if isinstance(node, dict):
            return next((found for value in node.values() if (found := find(value))), None)
        if not isinstance(node, list):
            return None
        if len(node) == 3 and isinstance(node[1], dict) and table in str(node[1].get("class", "")).split():
            return node
        return next((found for child in node if (found := find(child))), None)

    def list_rows(node: Any) -> list[Any]:
        if isinstance(node, str):
            return []
        return [node] if node[0] == "tr" else [row for child in node[2] for row in list_rows(child)]

    def read_text(node: Any) -> str:
        return node if isinstance(node, str) else "".join(read_text(child) for child in node[2])

    found = next(found for line in live.splitlines() if (found := find(json.loads(line))))
    return [[read_text(cell) for cell in row[2]] for row in list_rows(found)]


def test_every_section_has_a_heading_and_text_only_where_it_has_no_data(
    insight: Insight, ids: dict[str, str]
) -> None:
    live = read_opened_topic(ids)
    for kind, title in TITLES.items():
        assert (
            f'"role": "heading", "aria-level": "4", "lang": "en", "key": "title"}}, ["{title}"]' in live
        ) is (kind != "next")
        assert (f"Text of {kind}." in live) is (kind in ("confirmed", "points", "unknown"))


def test_figures_that_differ_stand_side_by_side_in_a_table(insight: Insight, ids: dict[str, str]) -> None:
    live = read_opened_topic(ids)
    assert read_rows(live, "tp-figures") == [
        [t("topics.figure"), t("topics.given_by")],
        ["$30M", "Decrypt"],
        ["$36 million", "CoinDesk, The Block"],
    ]
    assert read_rows(live.replace("tp-figures", "", 1), "tp-figures")[0] == ["Fine", t("topics.given_by")]


def test_moves_are_a_table_that_marks_unusual_ones(insight: Insight, ids: dict[str, str]) -> None:
    live = read_opened_topic(ids)
    row = read_rows(live, "tp-moves")[1]
    assert row == ["Solana", "$140.00", "$133.00", f"▼ −5.00%{t('topics.unusual')}", "–"]
    assert t("topics.unusual_means") in live
    assert t("topics.sample_prices") in live
    assert "18 May 2026 12:00 to 15:30." in live


@pytest.mark.parametrize("lang", LANGUAGES)
def test_next_dates_are_a_calendar_beside_the_text(insight: Insight, ids: dict[str, str], lang: Any) -> None:
    live = read_opened_topic(ids, lang=lang, topic_lang="en")
    assert t("topics.calendar", lang=lang) in live
    assert t("topics.in_days", lang=lang, n=(DUE - datetime.now(UTC).date()).days) in live
    assert f'"datetime": "{DUE.isoformat()}"' in live
    assert "A hearing is due." in live


def test_times_that_are_no_exact_day_stand_in_the_text(insight: Insight, ids: dict[str, str]) -> None:
    section = next(one for one in insight["sections"] if one["kind"] == "next")
    section["text"] = "1 June 2026: A hearing is due.\nBy the end of Q1 (2027): Rules will follow."
    live = read_opened_topic(ids)
    assert "By the end of Q1 (2027): Rules will follow." in live
    assert "1 June 2026" not in live


@pytest.mark.parametrize(
    "line",
    [
        "1 June 2026: A hearing is due.",
        "8–9 December 2026: Meeting",
        "3 October 2026 – 5 November 2026: Vote",
        "2026年6月1日：公聴会",
        "2026年10月3日〜5日：会合",
        "2026年10月3日至2026年11月5日：表决",
    ],
)
def test_exact_days_are_not_repeated_in_the_text(insight: Insight, ids: dict[str, str], line: str) -> None:
    section = next(one for one in insight["sections"] if one["kind"] == "next")
    section["text"] = line
    assert line not in read_opened_topic(ids)


@pytest.mark.parametrize(
    "line", ["11月上旬（2026年）：公開", "2026年11月9日ごろ：公開", "9 November or so (2026): Vote"]
)
def test_vague_times_are_told_beside_a_calendar(insight: Insight, ids: dict[str, str], line: str) -> None:
    section = next(one for one in insight["sections"] if one["kind"] == "next")
    section["text"] = f"1 June 2026: A hearing is due.\n{line}"
    assert line in read_opened_topic(ids)


def test_a_topic_without_dates_has_no_calendar(insight: Insight, ids: dict[str, str]) -> None:
    insight["next_dates"] = []
    assert t("topics.calendar") not in read_opened_topic(ids)


def test_earlier_topics_are_links_with_their_days(insight: Insight, ids: dict[str, str]) -> None:
    live = read_opened_topic(ids)
    assert '"data-open": "7"' in live
    assert live.index("1 May 2026") < live.index("SEC delays a fund")


def test_generated_prose_stands_before_the_data(insight: Insight, ids: dict[str, str]) -> None:
    for section in insight["sections"]:
        section["is_generated"] = True
    live = read_opened_topic(ids)
    assert live.index("Text of differ.") < live.index("CoinDesk, The Block")
    assert live.index("Text of market.") < live.index("$140.00")
    assert "Text of next." in live
