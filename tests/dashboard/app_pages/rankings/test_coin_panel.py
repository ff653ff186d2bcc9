"""The coin panel of the Rankings page, with the real service."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from dashboard.app_pages.rankings import coin_panel
from dashboard.app_pages.rankings.category_names import translate_category
from dashboard.app_pages.rankings.rows import Row
from dashboard.client import Fetched, Problem, markets, topics
from dashboard.client.market_schemas import CHART_SPANS
from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard.charts import parse_charts
from tests.support.dashboard.pages import change_answer, html, read_url_params
from tests.support.dashboard.rankings_page import open_rankings, parse_table_payloads

pytestmark = pytest.mark.usefixtures("dashboard_backend")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_panel_shows_the_quotes_of_both_providers_and_the_reason(lang: Any) -> None:
    page = html(open_rankings(coin="bitcoin", lang=lang))
    for text in (
        "Bitcoin",
        t("frame.sample_view", letter="A", lang=lang),
        t("frame.sample_view", letter="B", lang=lang),
        t("rankings.rule", lang=lang),
        t("rankings.ath", lang=lang),
    ):
        assert text in page
    quotes = markets.fetch_quotes("bitcoin").data
    assert quotes is not None
    assert t(f"rankings.rule_{quotes['rule']}", lang=lang) in page
    assert {quote["reason_code"] for quote in quotes["quotes"]} == {"in_mean"}
    assert page.count(t("reasons.code_in_mean", lang=lang)) == len(quotes["quotes"])
    assert quotes["reason"] not in page, "the page has its own words for the rule's reason"
    assert "rk-spread" in page


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_panel_links_to_the_topics_about_the_coin(monkeypatch: pytest.MonkeyPatch, lang: Any) -> None:
    assert t("rankings.topics_none", lang=lang) in html(open_rankings(coin="monad", lang=lang))

    def build_latest_topics(entity: str, language: Any, *, limit: int) -> Fetched[topics.TopicPage]:
        items: list[Any] = [
            {"id": n, "title": f"{entity} <b> {n}", "lang": language, "category": 1, "published_at": at}
            for n, at in ((9, "2026-11-14T00:00:00Z"), (7, "2026-11-13T00:00:00Z"))
        ]
        return Fetched({"topics": items[:limit], "total": 5}, datetime.now(UTC))

    monkeypatch.setattr(topics, "fetch_entity_topics", build_latest_topics)
    page = html(open_rankings(coin="cardano", lang=lang))
    assert page.index("cardano &lt;b&gt; 9") < page.index("cardano &lt;b&gt; 7")
    assert f'href="/topics?entity=cardano&amp;topic=9&amp;lang={lang}"' in page
    assert f'href="/topics?entity=cardano&amp;lang={lang}"' in page
    assert t("frame.category_important", lang=lang) in page
    assert t("rankings.topics_all", lang=lang, n="5") in page


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_panel_explains_a_move_and_hands_it_to_research(lang: Any) -> None:
    page = html(open_rankings(coin="dogecoin", chart="7d", lang=lang))
    assert page.index(t("rankings.why", lang=lang)) < page.index(t("rankings.quotes", lang=lang))
    assert t("rankings.why_incidents", lang=lang, span=t("chart.span_7d", lang=lang)) in page
    assert translate_category("Meme", lang) in page
    assert t("rankings.why_volume_source", lang=lang, source=t("frame.source_sample", lang=lang)) in page
    assert t("rankings.why_unknown", lang=lang) not in page
    assert 'href="/research?statement=' in page


def test_topics_of_the_panels_period_come_before_older_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.now(UTC)

    def build_page(*_asked: Any, **_more: Any) -> Fetched[topics.TopicPage]:
        items: list[Any] = [
            {"id": n, "title": f"{n} days", "lang": "en", "category": 1, "published_at": at.isoformat()}
            for n in (2, 8)
            for at in (now - timedelta(days=n),)
        ]
        return Fetched({"topics": items, "total": 2}, now)

    monkeypatch.setattr(topics, "fetch_entity_topics", build_page)
    week, day = (html(open_rankings(coin="cardano", chart=span)) for span in ("7d", "24h"))
    assert "2 days" in week
    assert "8 days" not in week
    assert t("rankings.topics_none_in_span") not in week
    assert day.index(t("rankings.topics_none_in_span")) < day.index("2 days") < day.index("8 days")


def test_the_panel_shows_its_other_parts_if_topics_are_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: Fetched[topics.TopicPage] = Fetched(
        None, error=Problem("unavailable", "The store is away.", status=503)
    )
    monkeypatch.setattr(topics, "fetch_entity_topics", lambda *_asked, **_more: gone)
    app = open_rankings(coin="bitcoin")
    assert "The store is away." in html(app)
    assert t("rankings.rule") in html(app)
    assert len(parse_charts(app)) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_panel_explains_the_longest_change_that_the_service_reports(lang: Any) -> None:
    page = html(open_rankings(coin="dogecoin", chart="1y", lang=lang))
    assert t("rankings.why_move", lang=lang, span=t("chart.span_30d", lang=lang)) in page
    assert t("rankings.topics_in_span", lang=lang, span=t("chart.span_1y", lang=lang)) in page
    page = html(open_rankings(coin="dogecoin", chart="1h", lang=lang))
    assert t("rankings.why_move", lang=lang, span=t("chart.span_1h", lang=lang)) in page


def test_a_period_without_any_history_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    change_answer(monkeypatch, "/assets/dogecoin/candles", lambda series: {**series, "candles": []})
    assert t("rankings.candles_none_far") in html(open_rankings(coin="dogecoin", chart="1y"))
    assert t("rankings.candles_none") in html(open_rankings(coin="dogecoin", chart="24h"))


@pytest.mark.parametrize("span", CHART_SPANS)
def test_the_panels_candles_have_a_text_alternative_and_a_table(span: Any) -> None:
    app = open_rankings(coin="ethereum", chart=span)
    series = markets.fetch_candles("ethereum", span).data
    assert series is not None
    (chart,) = parse_charts(app)
    assert len(chart.options["table"]["rows"]) == len(series["candles"])
    assert "Ethereum" in chart.options["alt"]
    closes = [candle[4] for candle in series["candles"]]
    assert chart.figure["data"][0]["y" if span == "1y" else "close"] == closes
    assert app.query_params["chart"] == span
    assert t(f"chart.basis_{series['basis']}", source=t("frame.source_sample")) in html(app)


def test_every_asset_can_be_opened() -> None:
    ids = [token["id"] for token in markets.fetch_rankings("24h").data or []]
    app = open_rankings(coin=ids[0])
    for asset in (*ids[1:8], *ids[-8:]):
        app.query_params["coin"] = asset
        app.run()
        assert not app.exception, asset


def test_closing_the_panel_removes_it_from_the_link() -> None:
    app = open_rankings(coin="bitcoin")
    app.button(key="rk_close").click().run()
    assert "coin" not in app.query_params
    assert parse_table_payloads(app).state["coin"] == ""


def test_an_unknown_coin_is_named_and_its_panel_can_be_closed() -> None:
    app = open_rankings(coin="no-such-coin")
    assert "no-such-coin" in html(app)
    app.button(key="empty-coin-action").click().run()
    assert not app.exception
    assert "coin" not in app.query_params


def test_the_tab_has_the_price_and_the_change_of_an_open_coin_as_far_as_they_are_known() -> None:
    row = Row("decred", "DCR", "Decred", price=Decimal("17.04"), pct_24h=Decimal("14.21"), source="coingecko")
    assert coin_panel.build_title(row) == "Decred $17.04 +14.2%"
    assert coin_panel.build_title(replace(row, source="coingecko:stale")) == "Decred $17.04"
    assert coin_panel.build_title(Row("decred", "DCR", "Decred")) == "Decred"


def test_the_panel_opens_the_comparison_in_the_period_of_the_table() -> None:
    app = open_rankings(coin="solana", span="7d")
    button = app.button(key="rk_open_comparison")
    assert button.label == t("rankings.tray_compare_with", symbol="BTC", span=t("chart.span_7d"))
    button.click().run()
    assert not app.exception
    params = read_url_params(app)
    assert (params["view"], params["compare"], params["span"]) == ("compare", "solana,bitcoin", "7d")
    assert open_rankings(coin="bitcoin").button(key="rk_open_comparison").label == t(
        "rankings.tray_compare_with", symbol="ETH", span=t("chart.span_24h")
    )


def test_a_full_comparison_is_opened_as_it_is_and_says_that_it_is_full() -> None:
    *first, coin = parse_table_payloads(open_rankings()).table["columns"]["id"][:7]
    full = ",".join(first)
    app = open_rankings(coin=coin, compare=full)
    add = app.button(key="rk_compare")
    assert add.disabled
    assert add.label == t("rankings.compare_full", n=6)
    app.button(key="rk_open_comparison").click().run()
    assert read_url_params(app)["compare"] == full
    assert not open_rankings(coin=first[0], compare=full).button(key="rk_compare").disabled


def test_the_panel_adds_a_coin_to_the_comparison_and_removes_it() -> None:
    app = open_rankings(coin="bitcoin")
    app.button(key="rk_compare").click().run()
    assert parse_table_payloads(app).state["compare"] == ["bitcoin"]
    app.button(key="rk_compare").click().run()
    assert parse_table_payloads(app).state["compare"] == []
