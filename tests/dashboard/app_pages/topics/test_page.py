"""The Topics page with the real service: languages, filters, an opened topic, and error states."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.topics import price_chart
from dashboard.client import Fetched, Problem, markets, topics
from dashboard.components import topic_categories
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, t
from tests.dashboard.conftest import CALM, Backend
from tests.support import pages
from tests.support.line import Line
from tests.support.pages import html
from tests.support.running import loopback

EVIL = "<script>alert(1)</script>"


def at(**earlier: float) -> str:
    return f"{CALM - timedelta(**earlier):%Y-%m-%dT%H:%M:%SZ}"


def text(title: str, **more: Any) -> dict[str, Any]:
    return {"title": title, **more}


FUND = {
    "external_id": "page:fund",
    "category": 0,
    "published_at": at(hours=2),
    "url": "https://www.sec.gov/newsroom/fund",
    "cover_img": "https://evil.example/pixel.png",
    "total_tweet_score": 50,
    "texts": {
        "en": text(
            f"SEC approves a spot Solana fund {EVIL}",
            subtitle="Trading begins on Monday",
            summary="Long awaited.",
            summary_bullets=[["The order approves a spot ETF."], ["Custody is with Coinbase."]],
            terms_concepts=[{"term": "spot ETF", "definition": 'Holds the asset "itself".'}],
        ),
        "ja": text("SEC、現物ソラナファンドを承認", summary="待望の決定。"),
    },
}
UPGRADE = {
    "external_id": "page:upgrade",
    "category": 1,
    "published_at": at(days=3),
    "url": "https://blog.ethereum.org/upgrade",
    "texts": {lang: text(f"Ethereum upgrade {lang}") for lang in LANGUAGES},
}
MANY = [
    {
        "external_id": f"page:many:{n}",
        "category": 2,
        "published_at": at(days=40 + n),
        "url": f"https://news.example/{n}",
        "texts": {"en": text(f"Ordinary news number {n:02}")},
    }
    for n in range(30)
]
MEDIA = {
    "primary_sources": [
        {"url": "https://www.sec.gov/order", "title": "Order", "summary": "Approved.", "site_name": "SEC"}
    ],
    "articles": [{"entry_url": "https://news.example/a", "title": f"News {EVIL}"}],
    "tweets": [{"entry_url": "https://x.com/secgov/status/1", "summary": "It is done.", "score": 3}],
}


@pytest.fixture(scope="module")
def ids(served_market: Backend) -> dict[str, str]:
    """The topics of these tests in the service: their ids by external id."""
    key = {"CP-X-API-KEY": served_market.key}
    answer = loopback.post(f"{served_market.url}/topics", json=[FUND, UPGRADE, *MANY], headers=key)
    assert answer.status_code == 201, answer.text
    stored = {one["external_id"]: str(one["id"]) for one in answer.json()["data"]}
    fund = stored["page:fund"]
    assert loopback.post(f"{served_market.url}/topics/{fund}/media", json=MEDIA, headers=key).is_success
    return stored


@pytest.fixture(autouse=True)
def _ready(ids: dict[str, str], dashboard_backend: Backend) -> None:
    """The topics exist before a page loads them."""


def open_page(**query: str) -> AppTest:
    return pages.opened("topics", **query)


def read_url_params(app: AppTest) -> dict[str, str]:
    """The URL parameters."""
    return {
        name: value if isinstance(value, str) else str(value[0]) for name, value in app.query_params.items()
    }


def read_live_views(app: AppTest) -> str:
    """The trees of the page's live views, as JSON."""
    return "\n".join(
        json.dumps(json.loads(part.proto.json), ensure_ascii=False)
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.live_view"
    )


def click(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


# --- the list


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_list_uses_the_language_of_the_dashboard(lang: Any) -> None:
    app = open_page(lang=lang)
    live = read_live_views(app)
    assert html(app).count("<h1") == 1
    assert t("topics.title", lang=lang) in html(app)
    assert f"Ethereum upgrade {lang}" in live
    assert t("frame.category_important", lang=lang) in live
    assert "blog.ethereum.org" in live


def test_top_stories_of_the_last_day_are_above_the_list() -> None:
    live = read_live_views(open_page())
    assert live.index(t("topics.top")) < live.index("SEC approves") < live.index(t("topics.stream"))
    top = live[: live.index(t("topics.stream"))]
    assert "Ethereum upgrade" not in top
    assert t("topics.top_none", lang="zh") in read_live_views(open_page(lang="zh"))


def test_the_language_of_topics_is_in_the_url() -> None:
    app = open_page(topic_lang="ja")
    assert "Ethereum upgrade ja" in read_live_views(app)
    assert t("topics.stream") in read_live_views(app)
    app.button_group(key="tp_lang").set_value("zh").run()
    assert read_url_params(app)["topic_lang"] == "zh"
    assert "Ethereum upgrade zh" in read_live_views(app)


def test_a_category_filters_the_list_and_returns_to_the_first_page() -> None:
    app = open_page(page="2")
    app.button_group(key="tp_category").set_value("important").run()
    assert read_url_params(app)["category"] == "important"
    assert "page" not in app.query_params
    live = read_live_views(app)
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert t("topics.count", n="1") in live


def test_days_are_in_the_url_and_both_are_inclusive() -> None:
    day = (CALM - timedelta(days=3)).date().isoformat()
    live = read_live_views(open_page(**{"from": day, "to": day}))
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert t("topics.count", n="1") in live


@pytest.mark.parametrize("name", ["from", "to", "category", "page", "topic_lang"])
def test_invalid_url_parameters_are_ignored(name: str) -> None:
    assert "SEC approves" in read_live_views(open_page(**{name: "nonsense"}))


def test_a_long_list_has_pages_and_a_page_past_the_end_says_so() -> None:
    first = read_live_views(open_page())
    assert t("topics.page_of", n="1", last="2") in first
    assert "/topics?page=2" in first
    assert "Ordinary news number 29" in read_live_views(open_page(page="2"))
    app = open_page(page="9")
    assert t("topics.past_end", n=9, last=2) in html(app)
    assert "SEC approves" in read_live_views(click(app, "empty-tp_list-action"))


def test_a_search_covers_all_pages_and_is_in_the_url() -> None:
    app = open_page()
    app.text_input(key="tp_find").set_value("NUMBER 29").run()
    assert read_url_params(app)["find"] == "NUMBER 29"
    live = read_live_views(app)
    assert "Ordinary news number 29" in live
    assert t("topics.count", n="1") in live
    assert t("topics.top") not in live


def test_a_search_without_a_match_offers_to_clear_the_filters() -> None:
    app = open_page(find="no such words", category="breaking")
    assert t("topics.none_found") in html(app)
    assert "SEC approves" in read_live_views(click(app, "empty-tp_list-action"))
    assert not app.query_params


def test_the_list_can_be_filtered_by_a_coin() -> None:
    app = open_page(entity="ethereum")
    live = read_live_views(app)
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert app.selectbox(key="tp_entity").value == "ethereum"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_entity_can_be_chosen_and_those_of_the_page_come_first(lang: Any) -> None:
    app = open_page(lang=lang, topic_lang="en")
    options = app.selectbox(key="tp_entity").options
    assert options[0] == t("topics.entity_any", lang=lang)
    assert any("Tezos" in option for option in options)
    assert any("Ethereum" in option for option in options[:8])
    app.selectbox(key="tp_entity").set_value("tezos").run()
    assert not app.exception
    assert t("topics.none_found", lang=lang) in html(app)


def test_an_unknown_entity_finds_nothing_and_stays_chosen() -> None:
    app = open_page(entity="nobody")
    assert t("topics.none_found") in html(app)
    assert app.selectbox(key="tp_entity").value == "nobody"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_service_without_topics_shows_an_explanation(monkeypatch: pytest.MonkeyPatch, lang: Any) -> None:
    empty: Fetched[topics.TopicPage] = Fetched({"topics": [], "total": 0}, CALM)
    monkeypatch.setattr(topics, "fetch_page", lambda query: empty)
    assert t("topics.none_yet", lang=lang) in html(open_page(lang=lang))


def test_texts_of_sources_are_never_interpreted_as_markup(ids: dict[str, str]) -> None:
    app = open_page(topic=ids["page:fund"])
    assert EVIL not in html(app)
    assert "&lt;script&gt;" in html(app)
    assert EVIL in read_live_views(app)  # as text of a node


# --- a topic


def test_a_topic_shows_text_terms_and_sources_with_primary_sources_first(ids: dict[str, str]) -> None:
    page = html(open_page(topic=ids["page:fund"]))
    for expected in ("Trading begins on Monday", "Long awaited.", "Custody is with Coinbase.", "It is done."):
        assert expected in page
    assert '<abbr title="Holds the asset &quot;itself&quot;." class="tp-term">spot ETF</abbr>' in page
    assert '<dd>Holds the asset "itself".</dd>' in page
    order = [page.index(f'class="{group}"') for group in ("tp-primary", "tp-articles", "tp-posts")]
    assert order == sorted(order)


def test_links_to_sources_open_a_new_tab_and_load_no_images(ids: dict[str, str]) -> None:
    page = html(open_page(topic=ids["page:fund"]))
    assert "<img" not in page
    assert t("topics.cover", host="evil.example") in page
    outward = [part.split(">")[0] for part in page.split("<a ")[1:] if 'href="https' in part.split(">")[0]]
    assert len(outward) >= 4
    assert all('target="_blank"' in link and "noopener" in link for link in outward)


def test_the_insight_has_a_conclusion(ids: dict[str, str]) -> None:
    live = read_live_views(open_page(topic=ids["page:fund"]))
    assert t("topics.insight") in live
    assert "tp-conclusion" in live


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_missing_language_is_reported_with_the_available_ones(ids: dict[str, str], lang: Any) -> None:
    app = open_page(lang=lang, topic=ids["page:fund"], topic_lang="zh")
    names = t("topics.between", lang=lang).join(LANGUAGE_NAMES[code] for code in ("en", "ja"))
    assert t("topics.lacks", lang=lang, language=LANGUAGE_NAMES["zh"], languages=names) in html(app)
    click(app, "tp_read_ja")
    assert "待望の決定。" in html(app)
    assert read_url_params(app)["topic_lang"] == "ja"


def test_available_languages_are_shown_side_by_side(ids: dict[str, str]) -> None:
    app = open_page(topic=ids["page:fund"])
    app.toggle(key="tp_beside").set_value(True).run()
    page = html(app)
    assert read_url_params(app)["beside"] == "1"
    assert page.count('class="tp-language"') == 2
    assert "待望の決定。" in page
    assert "Long awaited." in page
    assert t("topics.beside_lacks", languages=LANGUAGE_NAMES["zh"]) in page


@pytest.mark.parametrize("topic", ["999999", "nonsense", "-1", "9" * 40])
def test_an_unknown_topic_is_reported_and_can_be_closed(topic: str) -> None:
    app = open_page(topic=topic)
    assert t("topics.unknown") in html(app)
    click(app, "empty-tp_topic-action")
    assert "topic" not in app.query_params


def test_next_and_previous_cross_the_pages_of_the_list(ids: dict[str, str]) -> None:
    app = open_page(topic=ids["page:many:22"])  # the last of the first page, after two others
    assert t("topics.page_of", n="1", last="2") in read_live_views(app)
    click(app, "tp_next")
    assert read_url_params(app)["topic"] == ids["page:many:23"]
    assert read_url_params(app)["page"] == "2"
    click(app, "tp_previous")
    assert read_url_params(app)["topic"] == ids["page:many:22"]
    assert "page" not in app.query_params


def test_closing_a_topic_keeps_the_filters_and_returns_the_focus(ids: dict[str, str]) -> None:
    app = open_page(topic=ids["page:fund"], category="breaking")
    click(app, "tp_close")
    assert read_url_params(app) == {"category": "breaking"}
    (part,) = [
        part.proto for part in app.get("bidi_component") if part.proto.component_name == "chainproof.focus"
    ]
    assert json.loads(part.json) == {"id": f"tp-item-{ids['page:fund']}", "turn": 1}


def test_coins_of_a_topic_link_to_the_rankings(ids: dict[str, str]) -> None:
    assert 'href="/rankings?coin=solana"' in html(open_page(topic=ids["page:fund"]))


def test_unavailable_assets_are_reported_instead_of_the_prices(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    gone = Problem("unreachable", "connection refused")
    monkeypatch.setattr(markets, "fetch_assets", lambda: Fetched(None, error=gone))
    app = open_page(topic=ids["page:fund"])
    assert t("frame.error_unreachable") in html(app)
    assert app.button(key="error-tp_prices-retry")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_event_without_stored_prices_says_so(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str], lang: Any
) -> None:
    monkeypatch.setattr(topic_categories, "RECENT_PERIOD", timedelta(hours=1))
    assert t("topics.prices_none", lang=lang) in html(open_page(lang=lang, topic=ids["page:upgrade"]))


def test_an_earlier_event_is_drawn_with_stored_candles(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    start = int((CALM - timedelta(days=4)).timestamp() * 1000)
    rows = [(start + n * 14_400_000, 1.0, 2.0, 0.5, 1.5, None) for n in range(12)]
    kept = {"id": "ethereum", "at": at(days=3), "interval_seconds": 14_400, "source": None, "candles": rows}
    monkeypatch.setattr(topic_categories, "RECENT_PERIOD", timedelta(hours=1))
    monkeypatch.setattr(markets, "fetch_candles_around", lambda asset, event: Fetched(kept, CALM))
    page = html(open_page(topic=ids["page:upgrade"]))
    assert t("topics.kept_14400") in page
    assert t("topics.prices_event", time=f"{CALM - timedelta(days=3):%Y-%m-%d %H:%M} UTC") in page


def test_an_event_is_drawn_only_if_the_candles_reach_it() -> None:
    start = int(CALM.timestamp() * 1000)
    rows = [(start + n * 1_800_000, 1.0, 2.0, 0.5, 1.5, None) for n in range(48)]

    def draw_event_layout(event: datetime) -> dict[str, Any] | None:
        layout: dict[str, Any] = {"margin": {"l": 0, "r": 4}}
        there = price_chart.draw_event({"layout": layout}, rows, event.replace(tzinfo=None), event, "#000")
        return layout if there else None

    layout = draw_event_layout(CALM + timedelta(hours=2))
    assert layout is not None
    assert layout["shapes"][0]["x0"] == (CALM + timedelta(hours=2)).replace(tzinfo=None)
    assert layout["annotations"][0]["xanchor"] == "left"
    assert draw_event_layout(CALM - timedelta(minutes=1)) is None
    assert draw_event_layout(CALM + timedelta(days=2)) is None
    assert draw_event_layout(datetime.fromtimestamp(rows[-1][0] / 1000 + 600, UTC)) is not None


# --- an unavailable service


def test_an_unreachable_service_is_reported_with_a_retry(line: Line) -> None:
    line.cut = True
    app = open_page()
    assert t("frame.error_unreachable") in html(app)
    line.cut = False
    click(app, "error-tp_list-retry")
    assert "SEC approves" in read_live_views(app)


def test_when_the_service_is_lost_the_content_stays_with_a_warning(line: Line, ids: dict[str, str]) -> None:
    app = open_page(topic=ids["page:fund"])
    line.cut = True
    app.run()
    assert not app.exception
    page = html(app)
    assert "Long awaited." in page
    assert t("frame.error_unreachable") in page
    assert page.count('class="cp-stale"') == 2
