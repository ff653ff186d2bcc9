"""An opened topic with the real service: texts, sources, insight, dates, entities and prices."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboard.app_pages.topics import price_chart
from dashboard.client import Fetched, Problem, markets, topics
from dashboard.client.topics import PrimarySource, TopicDetail, TopicMedia
from dashboard.components import topic_categories
from dashboard.frame import dates
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, Language, t
from tests.dashboard.app_pages.topics.conftest import at, click, open_topics
from tests.dashboard.conftest import CALM
from tests.support.dashboard.pages import html, read_live_views, read_url_params


def test_a_topic_shows_text_terms_and_sources_with_primary_sources_first(ids: dict[str, str]) -> None:
    page = html(open_topics(topic=ids["page:fund"]))
    for expected in ("Trading begins on Monday", "Long awaited.", "Custody is with Coinbase.", "It is done."):
        assert expected in page
    assert '<abbr title="Holds the asset &quot;itself&quot;." class="tp-term">spot ETF</abbr>' in page
    assert '<dd>Holds the asset "itself".</dd>' in page
    order = [page.index(f'class="{group}"') for group in ("tp-primary", "tp-articles", "tp-posts")]
    assert order == sorted(order)


def test_links_to_sources_open_a_new_tab_and_load_no_images(ids: dict[str, str]) -> None:
    page = html(open_topics(topic=ids["page:fund"]))
    assert "<img" not in page
    assert t("topics.cover", host="evil.example") in page
    outward = [part.split(">")[0] for part in page.split("<a ")[1:] if 'href="https' in part.split(">")[0]]
    assert len(outward) >= 4
    assert all('target="_blank"' in link and "noopener" in link for link in outward)


def test_the_insight_has_a_conclusion(ids: dict[str, str]) -> None:
    live = read_live_views(open_topics(topic=ids["page:fund"]))
    assert t("topics.insight") in live
    assert "tp-conclusion" in live


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_missing_language_is_reported_with_the_available_ones(ids: dict[str, str], lang: Any) -> None:
    app = open_topics(lang=lang, topic=ids["page:fund"], topic_lang="zh")
    names = t("topics.between", lang=lang).join(LANGUAGE_NAMES[code] for code in ("en", "ja"))
    assert t("topics.lacks", lang=lang, language=LANGUAGE_NAMES["zh"], languages=names) in html(app)
    click(app, "tp_read_ja")
    assert "待望の決定。" in html(app)
    assert read_url_params(app)["topic_lang"] == "ja"


def test_available_languages_are_shown_side_by_side(ids: dict[str, str]) -> None:
    app = open_topics(topic=ids["page:fund"])
    app.toggle(key="tp_beside").set_value(True).run()
    page = html(app)
    assert read_url_params(app)["beside"] == "1"
    assert page.count('class="tp-language"') == 2
    assert "待望の決定。" in page
    assert "Long awaited." in page
    assert t("topics.beside_lacks", languages=LANGUAGE_NAMES["zh"]) in page


@pytest.mark.parametrize("topic", ["999999", "nonsense", "-1", "9" * 40])
def test_an_unknown_topic_is_reported_and_can_be_closed(topic: str) -> None:
    app = open_topics(topic=topic)
    assert t("topics.unknown") in html(app)
    click(app, "empty-tp_topic-action")
    assert "topic" not in app.query_params


def test_next_and_previous_cross_the_pages_of_the_list(ids: dict[str, str]) -> None:
    app = open_topics(topic=ids["page:many:22"])  # the last of the first page, after two others
    assert t("topics.page_of", n="1", last="2") in read_live_views(app)
    click(app, "tp_next")
    assert read_url_params(app)["topic"] == ids["page:many:23"]
    assert read_url_params(app)["page"] == "2"
    click(app, "tp_previous")
    assert read_url_params(app)["topic"] == ids["page:many:22"]
    assert "page" not in app.query_params


def test_closing_a_topic_keeps_the_filters_and_returns_the_focus(ids: dict[str, str]) -> None:
    app = open_topics(topic=ids["page:fund"], category="breaking")
    click(app, "tp_close")
    assert read_url_params(app) == {"category": "breaking"}
    (part,) = [
        part.proto for part in app.get("bidi_component") if part.proto.component_name == "chainproof.focus"
    ]
    assert json.loads(part.json) == {"id": f"tp-item-{ids['page:fund']}", "turn": 1}


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        ("en", ("U.S. Securities and Exchange Commission", "Solana", "Coinbase")),
        ("ja", ("米証券取引委員会", "ソラナ", "コインベース")),
        ("zh", ("美国证券交易委员会", "Solana", "Coinbase")),
    ],
)
def test_entities_have_names_in_the_readers_language_and_link_to_their_topics(
    ids: dict[str, str], lang: str, names: tuple[str, ...]
) -> None:
    live = read_live_views(open_topics(topic=ids["page:fund"], topic_lang="en", lang=lang))
    aside = live[live.index("tp-entities") :]
    for name in names:
        assert f'["{name}"]' in aside
    assert '"href": "/topics?topic_lang=en&entity=solana", "data-open": "entity=solana"' in aside


def test_entities_of_all_languages_are_listed(ids: dict[str, str]) -> None:
    live = read_live_views(open_topics(topic=ids["page:fund"], topic_lang="ja"))
    assert '"data-open": "entity=coinbase"' in live[live.index("tp-entities") :]  # only English names it


def test_coins_of_a_topic_link_to_the_rankings(ids: dict[str, str]) -> None:
    live = read_live_views(open_topics(topic=ids["page:fund"]))
    assert live.count('"href": "/rankings?coin=') == 1
    assert '"href": "/rankings?coin=solana"' in live


def test_a_primary_source_has_title_and_passage_and_without_a_title_its_page(ids: dict[str, str]) -> None:
    page = html(open_topics(topic=ids["page:fund"]))
    primary = page[page.index('class="tp-primary"') :]
    first, second = primary.split("<li>")[1:3]
    assert ">Order</a>" in first
    assert '<blockquote lang="en">Approved.</blockquote>' in first
    assert ">SEC</span>" in first
    assert ">www.sec.gov" not in second
    assert ">sec.gov/rules/2026-1</a>" in second
    assert ">sec.gov</span>" not in second


def test_a_subtitle_that_is_the_day_of_the_topic_is_left_out(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    real = topics.fetch_detail

    def fetch(number: int, lang: Language) -> Fetched[TopicDetail]:
        answer = real(number, lang)
        if answer.data is None:
            return answer
        day = datetime.fromisoformat(answer.data["published_at"]).date()
        return replace(answer, data={**answer.data, "subtitle": dates.format_date(day, lang)})

    monkeypatch.setattr(topics, "fetch_detail", fetch)
    assert "tp-sub" not in html(open_topics(topic=ids["page:upgrade"]))


def test_only_a_topic_without_primary_sources_links_to_its_own_page_in_its_head(ids: dict[str, str]) -> None:
    with_sources = html(open_topics(topic=ids["page:fund"]))
    assert 'href="https://www.sec.gov/newsroom/fund"' not in with_sources
    without_sources = html(open_topics(topic=ids["page:upgrade"]))
    assert 'href="https://blog.ethereum.org/upgrade"' in without_sources


def test_unavailable_assets_are_reported_instead_of_the_prices(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    gone = Problem("unreachable", "connection refused")
    monkeypatch.setattr(markets, "fetch_assets", lambda: Fetched(None, error=gone))
    app = open_topics(topic=ids["page:fund"])
    assert t("frame.error_unreachable") in html(app)
    assert app.button(key="error-tp_prices-retry")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_event_without_stored_prices_says_so(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str], lang: Any
) -> None:
    monkeypatch.setattr(topic_categories, "RECENT_PERIOD", timedelta(hours=1))
    assert t("topics.prices_none", lang=lang) in html(open_topics(lang=lang, topic=ids["page:upgrade"]))


def test_an_earlier_event_is_drawn_with_stored_candles(
    monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    start = int((CALM - timedelta(days=4)).timestamp() * 1000)
    rows = [(start + n * 14_400_000, 1.0, 2.0, 0.5, 1.5, None) for n in range(12)]
    stored_candles = {
        "id": "ethereum",
        "at": at(days=3),
        "interval_seconds": 14_400,
        "source": None,
        "candles": rows,
    }
    monkeypatch.setattr(topic_categories, "RECENT_PERIOD", timedelta(hours=1))
    monkeypatch.setattr(markets, "fetch_candles_around", lambda asset, event: Fetched(stored_candles, CALM))
    page = html(open_topics(topic=ids["page:upgrade"]))
    assert t("topics.kept_14400") in page
    assert t("topics.prices_event", time=f"{CALM - timedelta(days=3):%Y-%m-%d %H:%M} UTC") in page


def test_an_anniversary_has_the_prices_of_its_event() -> None:
    def find(*times: str | None) -> str:
        source: PrimarySource = {
            "url": "",
            "title": None,
            "summary": None,
            "published_at": None,
            "site_name": None,
        }
        sources: TopicMedia = {
            "primary_sources": [{**source, "published_at": time} for time in times],
            "articles": [{"entry_url": "", "title": None, "published_at": "2026-11-27T00:20:00Z"}],
            "tweets": [],
        }
        return f"{price_chart.find_event_time('2026-11-27T00:00:00Z', sources):%Y-%m-%d}"

    assert find("2019-11-27T04:06:00Z", "2019-11-26T12:00:00Z", None) == "2019-11-27"
    assert find("2019-11-27T04:06:00Z", "2026-11-26T12:00:00Z") == "2026-11-27", "told anew"
    assert find("2024-01-10T00:00:00Z") == "2026-11-27", "only background: no anniversary"
    assert find() == "2026-11-27"
    assert price_chart.find_event_time("2026-11-27T00:00:00Z", None).year == 2026


def test_an_event_is_drawn_only_if_the_candles_reach_it() -> None:
    start = int(CALM.timestamp() * 1000)
    rows = [(start + n * 1_800_000, 1.0, 2.0, 0.5, 1.5, None) for n in range(48)]

    def draw_event_layout(event: datetime) -> dict[str, Any] | None:
        layout: dict[str, Any] = {"margin": {"l": 0, "r": 4}}
        is_drawn = price_chart.draw_event({"layout": layout}, rows, event.replace(tzinfo=None), event, "#000")
        return layout if is_drawn else None

    layout = draw_event_layout(CALM + timedelta(hours=2))
    assert layout is not None
    assert layout["shapes"][0]["x0"] == (CALM + timedelta(hours=2)).replace(tzinfo=None)
    assert layout["annotations"][0]["xanchor"] == "left"
    assert draw_event_layout(CALM - timedelta(minutes=1)) is None
    assert draw_event_layout(CALM + timedelta(days=2)) is None
    assert draw_event_layout(datetime.fromtimestamp(rows[-1][0] / 1000 + 600, UTC)) is not None
