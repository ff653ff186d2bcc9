"""The Topics page over the real service: every language, filter and refusal, and a service that goes away."""

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
    """The topics of these tests in the service, by their own names."""
    key = {"CP-X-API-KEY": served_market.key}
    answer = loopback.post(f"{served_market.url}/topics", json=[FUND, UPGRADE, *MANY], headers=key)
    assert answer.status_code == 201, answer.text
    stored = {one["external_id"]: str(one["id"]) for one in answer.json()["data"]}
    fund = stored["page:fund"]
    assert loopback.post(f"{served_market.url}/topics/{fund}/media", json=MEDIA, headers=key).is_success
    return stored


@pytest.fixture(autouse=True)
def _ready(ids: dict[str, str], dashboard_backend: Backend) -> None:
    """The topics are there before a page asks."""


def opened(**query: str) -> AppTest:
    return pages.opened("topics", **query)


def linked(app: AppTest) -> dict[str, str]:
    """What the address says."""
    return {
        name: value if isinstance(value, str) else str(value[0]) for name, value in app.query_params.items()
    }


def drawn(app: AppTest) -> str:
    """What the page's live parts hold, as JSON text."""
    return "\n".join(
        json.dumps(json.loads(part.proto.json), ensure_ascii=False)
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.live_view"
    )


def pressed(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


# --- the list


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_list_opens_in_the_dashboards_own_language(lang: Any) -> None:
    app = opened(lang=lang)
    live = drawn(app)
    assert html(app).count("<h1") == 1
    assert t("topics.title", lang=lang) in html(app)
    assert f"Ethereum upgrade {lang}" in live
    assert t("frame.category_important", lang=lang) in live
    assert "blog.ethereum.org" in live


def test_the_top_stories_of_the_last_day_stand_above_the_list() -> None:
    live = drawn(opened())
    assert live.index(t("topics.top")) < live.index("SEC approves") < live.index(t("topics.stream"))
    top = live[: live.index(t("topics.stream"))]
    assert "Ethereum upgrade" not in top
    assert t("topics.top_none", lang="zh") in drawn(opened(lang="zh"))


def test_another_language_of_the_topics_is_chosen_in_the_link() -> None:
    app = opened(topic_lang="ja")
    assert "Ethereum upgrade ja" in drawn(app)
    assert t("topics.stream") in drawn(app)
    app.button_group(key="tp_lang").set_value("zh").run()
    assert linked(app)["topic_lang"] == "zh"
    assert "Ethereum upgrade zh" in drawn(app)


def test_a_category_narrows_the_list_and_begins_it_anew() -> None:
    app = opened(page="2")
    app.button_group(key="tp_category").set_value("important").run()
    assert linked(app)["category"] == "important"
    assert "page" not in app.query_params
    live = drawn(app)
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert t("topics.count", n="1") in live


def test_days_are_part_of_the_link_and_both_belong_to_the_range() -> None:
    day = (CALM - timedelta(days=3)).date().isoformat()
    live = drawn(opened(**{"from": day, "to": day}))
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert t("topics.count", n="1") in live


@pytest.mark.parametrize("name", ["from", "to", "category", "page", "topic_lang"])
def test_nonsense_in_a_link_counts_as_not_said(name: str) -> None:
    assert "SEC approves" in drawn(opened(**{name: "nonsense"}))


def test_a_list_of_several_pages_is_turned_and_its_end_is_told() -> None:
    first = drawn(opened())
    assert t("topics.page_of", n="1", last="2") in first
    assert "/topics?page=2" in first
    assert "Ordinary news number 29" in drawn(opened(page="2"))
    app = opened(page="9")
    assert t("topics.past_end", n=9, last=2) in html(app)
    assert "SEC approves" in drawn(pressed(app, "empty-tp_list-action"))


def test_a_search_looks_through_all_pages_and_stands_in_the_link() -> None:
    app = opened()
    app.text_input(key="tp_find").set_value("NUMBER 29").run()
    assert linked(app)["find"] == "NUMBER 29"
    live = drawn(app)
    assert "Ordinary news number 29" in live
    assert t("topics.count", n="1") in live
    assert t("topics.top") not in live


def test_a_search_without_a_hit_says_so_and_drops_the_filters() -> None:
    app = opened(find="no such words", category="breaking")
    assert t("topics.none_found") in html(app)
    assert "SEC approves" in drawn(pressed(app, "empty-tp_list-action"))
    assert not app.query_params


def test_the_list_is_narrowed_to_those_that_name_a_coin() -> None:
    app = opened(entity="ethereum")
    live = drawn(app)
    assert "Ethereum upgrade" in live
    assert "SEC approves" not in live
    assert app.selectbox(key="tp_entity").value == "ethereum"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_anybody_of_the_catalogue_can_be_chosen_and_who_is_named_here_comes_first(lang: Any) -> None:
    app = opened(lang=lang, topic_lang="en")
    options = app.selectbox(key="tp_entity").options
    assert options[0] == t("topics.entity_any", lang=lang)
    assert any("Tezos" in option for option in options)
    assert any("Ethereum" in option for option in options[:8])
    app.selectbox(key="tp_entity").set_value("tezos").run()
    assert not app.exception
    assert t("topics.none_found", lang=lang) in html(app)


def test_an_entity_that_no_topic_names_is_told_and_stays_chosen() -> None:
    app = opened(entity="nobody")
    assert t("topics.none_found") in html(app)
    assert app.selectbox(key="tp_entity").value == "nobody"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_service_without_topics_says_what_will_come(monkeypatch: pytest.MonkeyPatch, lang: Any) -> None:
    empty: Fetched[topics.TopicPage] = Fetched({"topics": [], "total": 0}, CALM)
    monkeypatch.setattr(topics, "fetch_page", lambda query: empty)
    assert t("topics.none_yet", lang=lang) in html(opened(lang=lang))


def test_texts_of_sources_are_never_markup(ids: dict[str, str]) -> None:
    app = opened(topic=ids["page:fund"])
    assert EVIL not in html(app)
    assert "&lt;script&gt;" in html(app)
    assert EVIL in drawn(app)  # as text of a node


# --- a topic


def test_a_topic_tells_its_text_its_terms_and_its_sources_first_hand_first(ids: dict[str, str]) -> None:
    page = html(opened(topic=ids["page:fund"]))
    for said in ("Trading begins on Monday", "Long awaited.", "Custody is with Coinbase.", "It is done."):
        assert said in page
    assert '<abbr title="Holds the asset &quot;itself&quot;." class="tp-term">spot ETF</abbr>' in page
    assert '<dd>Holds the asset "itself".</dd>' in page
    order = [page.index(f'class="{group}"') for group in ("tp-primary", "tp-articles", "tp-posts")]
    assert order == sorted(order)


def test_links_to_sources_open_apart_and_nothing_is_loaded_from_them(ids: dict[str, str]) -> None:
    page = html(opened(topic=ids["page:fund"]))
    assert "<img" not in page
    assert t("topics.cover", host="evil.example") in page
    outward = [part.split(">")[0] for part in page.split("<a ")[1:] if 'href="https' in part.split(">")[0]]
    assert len(outward) >= 4
    assert all('target="_blank"' in link and "noopener" in link for link in outward)


def test_the_insight_tells_who_confirms_the_topic(ids: dict[str, str]) -> None:
    live = drawn(opened(topic=ids["page:fund"]))
    assert t("topics.insight") in live
    assert "tp-conclusion" in live


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_that_a_topic_lacks_is_told_with_those_it_has(ids: dict[str, str], lang: Any) -> None:
    app = opened(lang=lang, topic=ids["page:fund"], topic_lang="zh")
    names = t("topics.between", lang=lang).join(LANGUAGE_NAMES[code] for code in ("en", "ja"))
    assert t("topics.lacks", lang=lang, language=LANGUAGE_NAMES["zh"], languages=names) in html(app)
    pressed(app, "tp_read_ja")
    assert "待望の決定。" in html(app)
    assert linked(app)["topic_lang"] == "ja"


def test_the_languages_that_there_are_stand_side_by_side(ids: dict[str, str]) -> None:
    app = opened(topic=ids["page:fund"])
    app.toggle(key="tp_beside").set_value(True).run()
    page = html(app)
    assert linked(app)["beside"] == "1"
    assert page.count('class="tp-language"') == 2
    assert "待望の決定。" in page
    assert "Long awaited." in page
    assert t("topics.beside_lacks", languages=LANGUAGE_NAMES["zh"]) in page


@pytest.mark.parametrize("topic", ["999999", "nonsense", "-1", "9" * 40])
def test_a_topic_that_is_not_there_is_told_and_closed(topic: str) -> None:
    app = opened(topic=topic)
    assert t("topics.unknown") in html(app)
    pressed(app, "empty-tp_topic-action")
    assert "topic" not in app.query_params


def test_the_next_topic_follows_over_the_end_of_a_page_and_back(ids: dict[str, str]) -> None:
    app = opened(topic=ids["page:many:22"])  # the last of the first page, after two others
    assert t("topics.page_of", n="1", last="2") in drawn(app)
    pressed(app, "tp_next")
    assert linked(app)["topic"] == ids["page:many:23"]
    assert linked(app)["page"] == "2"
    pressed(app, "tp_previous")
    assert linked(app)["topic"] == ids["page:many:22"]
    assert "page" not in app.query_params


def test_closing_a_topic_leaves_the_filters_and_gives_the_focus_back(ids: dict[str, str]) -> None:
    app = opened(topic=ids["page:fund"], category="breaking")
    pressed(app, "tp_close")
    assert linked(app) == {"category": "breaking"}
    (part,) = [
        part.proto for part in app.get("bidi_component") if part.proto.component_name == "chainproof.focus"
    ]
    assert json.loads(part.json) == {"id": f"tp-item-{ids['page:fund']}", "turn": 1}


def test_coins_of_a_topic_are_linked_to_the_rankings(ids: dict[str, str]) -> None:
    assert 'href="/rankings?coin=solana"' in html(opened(topic=ids["page:fund"]))


def test_assets_that_cannot_be_asked_for_are_said_in_place_of_the_prices(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    gone = Problem("unreachable", "connection refused")
    monkeypatch.setattr(markets, "fetch_assets", lambda: Fetched(None, error=gone))
    app = opened(topic=ids["page:fund"])
    assert t("frame.error_unreachable") in html(app)
    assert app.button(key="error-tp_prices-retry")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_event_of_which_no_price_is_stored_says_so(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str], lang: Any
) -> None:
    monkeypatch.setattr(topic_categories, "NEAR", timedelta(hours=1))
    assert t("topics.prices_none", lang=lang) in html(opened(lang=lang, topic=ids["page:upgrade"]))


def test_an_earlier_event_is_drawn_out_of_the_candles_that_are_kept(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    start = int((CALM - timedelta(days=4)).timestamp() * 1000)
    rows = [(start + n * 14_400_000, 1.0, 2.0, 0.5, 1.5, None) for n in range(12)]
    kept = {"id": "ethereum", "at": at(days=3), "interval_seconds": 14_400, "source": None, "candles": rows}
    monkeypatch.setattr(topic_categories, "NEAR", timedelta(hours=1))
    monkeypatch.setattr(markets, "fetch_candles_around", lambda asset, event: Fetched(kept, CALM))
    page = html(opened(topic=ids["page:upgrade"]))
    assert t("topics.kept_14400") in page
    assert t("topics.prices_event", time=f"{CALM - timedelta(days=3):%Y-%m-%d %H:%M} UTC") in page


def test_an_event_is_drawn_where_the_candles_reach_it() -> None:
    start = int(CALM.timestamp() * 1000)
    rows = [(start + n * 1_800_000, 1.0, 2.0, 0.5, 1.5, None) for n in range(48)]

    def marked(event: datetime) -> dict[str, Any] | None:
        layout: dict[str, Any] = {"margin": {"l": 0, "r": 4}}
        there = price_chart.mark({"layout": layout}, rows, event.replace(tzinfo=None), event, "#000")
        return layout if there else None

    layout = marked(CALM + timedelta(hours=2))
    assert layout is not None
    assert layout["shapes"][0]["x0"] == (CALM + timedelta(hours=2)).replace(tzinfo=None)
    assert layout["annotations"][0]["xanchor"] == "left"
    assert marked(CALM - timedelta(minutes=1)) is None
    assert marked(CALM + timedelta(days=2)) is None
    assert marked(datetime.fromtimestamp(rows[-1][0] / 1000 + 600, UTC)) is not None


# --- a service that goes away


def test_a_service_that_does_not_answer_is_told_with_a_retry(line: Line) -> None:
    line.cut = True
    app = opened()
    assert t("frame.error_unreachable") in html(app)
    line.cut = False
    pressed(app, "error-tp_list-retry")
    assert "SEC approves" in drawn(app)


def test_when_the_service_goes_away_what_was_read_stays_and_says_so(line: Line, ids: dict[str, str]) -> None:
    app = opened(topic=ids["page:fund"])
    line.cut = True
    app.run()
    assert not app.exception
    page = html(app)
    assert "Long awaited." in page
    assert t("frame.error_unreachable") in page
    assert page.count('class="cp-stale"') == 2
