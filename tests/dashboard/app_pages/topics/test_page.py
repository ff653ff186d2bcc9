"""The Topics page with the real service: languages, filters, the list, and error states."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboard.app_pages.topics import days
from dashboard.client import Fetched, topics
from dashboard.i18n import LANGUAGES, t
from tests.dashboard.app_pages.topics.conftest import (
    EVIL,
    click,
    open_topics,
)
from tests.dashboard.conftest import CALM
from tests.support.dashboard.pages import find_bound, html, read_live_views, read_url_params
from tests.support.dashboard.transport import CuttableTransport

# --- the list


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_list_uses_the_language_of_the_dashboard(lang: Any) -> None:
    app = open_topics(lang=lang)
    live = read_live_views(app)
    assert html(app).count("<h1") == 1
    assert t("topics.title", lang=lang) in html(app)
    assert f"Ethereum upgrade {lang}" in live
    assert t("frame.category_important", lang=lang) in live
    assert "blog.ethereum.org" in live


def test_top_stories_of_the_last_day_are_above_the_list() -> None:
    live = read_live_views(open_topics())
    assert live.index(t("topics.top")) < live.index("SEC approves") < live.index(t("topics.stream"))
    top = live[: live.index(t("topics.stream"))]
    assert "Ethereum upgrade" not in top
    assert t("topics.top_none", lang="zh") in read_live_views(open_topics(lang="zh"))


def build_item(number: int, title: str, published_at: datetime) -> dict[str, Any]:
    """A topic of a list as the service sends it."""
    return {
        "id": number,
        "title": title,
        "subtitle": None,
        "summary": None,
        "summary_bullets": [],
        "category": 2,
        "lang": "en",
        "published_at": f"{published_at:%Y-%m-%dT%H:%M:%SZ}",
        "url": "https://news.example/1",
    }


@pytest.fixture
def front(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[dict[str, Any]]]:
    """Two news and a market report of these days, and the rankings of both kinds."""
    now = datetime.now(UTC)
    items = {"news": [build_item(1, "A fund opens", now)], "report": [build_item(2, "Market wrap", now)]}
    earlier = build_item(3, "A court rules", now - timedelta(days=1))
    page = {"topics": [*items["news"], *items["report"], earlier], "total": 3}
    monkeypatch.setattr(topics, "fetch_page", lambda query: Fetched(page, CALM))
    monkeypatch.setattr(
        topics,
        "fetch_ranking",
        lambda lang, kind, *, top: Fetched({"topics": items[kind][:top], "by": "posts"}, CALM),
    )
    return items


def test_market_reports_have_a_strip_of_their_own(front: dict[str, list[dict[str, Any]]]) -> None:
    live = read_live_views(open_topics())
    top, rest = live.split(t("topics.stream"), 1)
    rows, strip = rest.split('"class": "tp-reports"', 1)
    assert "A fund opens" in top
    assert "A fund opens" in rows
    assert "Market wrap" in strip
    assert "Market wrap" not in top + rows
    assert t("topics.count", n="3") in rows


def test_without_market_reports_there_is_no_strip(front: dict[str, list[dict[str, Any]]]) -> None:
    front["report"] = []
    live = read_live_views(open_topics())
    assert t("topics.reports") not in live
    assert "Market wrap" in live


def test_a_list_of_market_reports_alone_shows_them(front: dict[str, list[dict[str, Any]]]) -> None:
    front["report"] += [*front["news"], build_item(3, "A court rules", datetime.now(UTC))]
    assert live_rows(read_live_views(open_topics())) == 3


def live_rows(live: str) -> int:
    """The number of rows of the list."""
    return live.count('"class": "tp-row-title"')


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_list_has_days_as_headings(front: dict[str, list[dict[str, Any]]], lang: Any) -> None:
    live = read_live_views(open_topics(lang=lang))
    words = [t("topics.today", lang=lang), "A fund opens", t("topics.yesterday", lang=lang), "A court rules"]
    places = [live.rindex(word) for word in words]
    assert places == sorted(places)
    assert days.format_day(datetime.now(UTC).date(), lang) in live
    assert live.count('"class": "tp-day"') == 2


def test_names_in_the_list_are_in_the_readers_language() -> None:
    assert "イーサリアム" in read_live_views(open_topics(lang="ja", topic_lang="en", category="important"))


def test_the_language_of_topics_is_in_the_url() -> None:
    app = open_topics(topic_lang="ja")
    assert "Ethereum upgrade ja" in read_live_views(app)
    assert t("topics.stream") in read_live_views(app)
    app.button_group(key="tp_lang").set_value("zh").run()
    assert read_url_params(app)["topic_lang"] == "zh"
    assert "Ethereum upgrade zh" in read_live_views(app)


def test_a_category_filters_the_list_and_returns_to_the_first_page() -> None:
    app = open_topics(page="2")
    app.button_group(key="tp_category").set_value("important").run()
    assert read_url_params(app)["category"] == "important"
    assert "page" not in app.query_params
    live = read_live_views(app)
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert t("topics.count", n="1") in live


def test_days_are_in_the_url_and_both_are_inclusive() -> None:
    day = (CALM - timedelta(days=3)).date().isoformat()
    live = read_live_views(open_topics(**{"from": day, "to": day}))
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert t("topics.count", n="1") in live


@pytest.mark.parametrize("name", ["from", "to", "category", "page", "topic_lang"])
def test_invalid_url_parameters_are_ignored(name: str) -> None:
    assert "SEC approves" in read_live_views(open_topics(**{name: "nonsense"}))


def test_a_long_list_has_pages_and_a_page_past_the_end_says_so() -> None:
    first = read_live_views(open_topics())
    assert t("topics.page_of", n="1", last="2") in first
    assert "/topics?page=2" in first
    assert "Ordinary news number 29" in read_live_views(open_topics(page="2"))
    app = open_topics(page="9")
    assert t("topics.past_end", n=9, last=2) in html(app)
    assert "SEC approves" in read_live_views(click(app, "empty-tp_list-action"))


def test_a_search_covers_all_pages_and_is_in_the_url() -> None:
    app = open_topics()
    app.text_input(key="tp_find").set_value("NUMBER 29").run()
    assert read_url_params(app)["find"] == "NUMBER 29"
    live = read_live_views(app)
    assert "Ordinary news number 29" in live
    assert t("topics.count", n="1") in live
    assert t("topics.matching") in live
    assert t("topics.top") not in live


def test_a_search_without_a_match_offers_to_clear_the_filters() -> None:
    app = open_topics(find="no such words", category="breaking")
    assert t("topics.none_found") in html(app)
    assert "SEC approves" in read_live_views(click(app, "empty-tp_list-action"))
    assert not app.query_params


def test_the_list_can_be_filtered_by_a_coin() -> None:
    app = open_topics(entity="ethereum")
    live = read_live_views(app)
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert app.selectbox(key="tp_entity").value == "ethereum"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_entity_can_be_chosen_and_those_of_the_page_come_first(lang: Any) -> None:
    app = open_topics(lang=lang, topic_lang="en")
    options = find_bound(app.selectbox, "tp_entity").options
    assert options[0] == t("topics.entity_any", lang=lang)
    assert any("Tezos" in option for option in options)
    assert any("Ethereum" in option for option in options[:8])
    find_bound(app.selectbox, "tp_entity").set_value("tezos").run()
    assert not app.exception
    assert t("topics.none_found", lang=lang) in html(app)


def test_a_change_of_the_language_keeps_the_chosen_entity_and_translates_its_label() -> None:
    app = open_topics(entity="ethereum")
    app.query_params["lang"] = "ja"
    app.run()
    assert not app.exception
    chosen = find_bound(app.selectbox, "tp_entity")
    assert (chosen.value, read_url_params(app)["entity"]) == ("ethereum", "ethereum")
    assert chosen.options[0] == t("topics.entity_any", lang="ja")


def test_an_unknown_entity_finds_nothing_and_stays_chosen() -> None:
    app = open_topics(entity="nobody")
    assert t("topics.none_found") in html(app)
    assert app.selectbox(key="tp_entity").value == "nobody"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_service_without_topics_shows_an_explanation(monkeypatch: pytest.MonkeyPatch, lang: Any) -> None:
    empty: Fetched[topics.TopicPage] = Fetched({"topics": [], "total": 0}, CALM)
    monkeypatch.setattr(topics, "fetch_page", lambda query: empty)
    assert t("topics.none_yet", lang=lang) in html(open_topics(lang=lang))


def test_texts_of_sources_are_never_interpreted_as_markup(ids: dict[str, str]) -> None:
    app = open_topics(topic=ids["page:fund"])
    assert EVIL not in html(app)
    assert "&lt;script&gt;" in html(app)
    assert EVIL in read_live_views(app)  # as text of a node


# --- an unavailable service


def test_an_unreachable_service_is_reported_with_a_retry(transport: CuttableTransport) -> None:
    transport.is_cut = True
    app = open_topics()
    assert t("frame.error_unreachable") in html(app)
    transport.is_cut = False
    click(app, "error-tp_list-retry")
    assert "SEC approves" in read_live_views(app)


def test_when_the_service_is_lost_the_content_stays_with_a_warning(
    transport: CuttableTransport, ids: dict[str, str]
) -> None:
    app = open_topics(topic=ids["page:fund"])
    transport.is_cut = True
    app.run()
    assert not app.exception
    page = html(app)
    assert "Long awaited." in page
    assert t("frame.error_unreachable") in page
    assert page.count('class="cp-stale"') == 2
