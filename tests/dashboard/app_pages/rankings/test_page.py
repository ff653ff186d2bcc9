"""The Rankings page with the real service: languages, views, links and failures."""

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.rankings import coin_panel, data, layout
from dashboard.app_pages.rankings.category_names import translate_category
from dashboard.app_pages.rankings.rows import Row
from dashboard.client import Fetched, Problem, markets, topics
from dashboard.client.market_schemas import CHART_SPANS, CURRENCIES, SPANS, Currency
from dashboard.frame.display_currency import build_money
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.money import Money
from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard import pages
from tests.support.dashboard.pages import change_answer, html
from tests.support.dashboard.service_connection import Line

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def open_rankings(**query: str) -> AppTest:
    return pages.open_page("rankings", **query)


def list_payloads(app: AppTest, component: str) -> list[bytes]:
    """Returns the payload of each instance of a component."""
    name = f"chainproof.{component}"
    return [part.proto.bytes for part in app.get("bidi_component") if part.proto.component_name == name]


def parse_table_payloads(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses the head and the rows that the page sends to the table."""
    (head,), (rows,) = list_payloads(app, "rank_head"), list_payloads(app, "rank_table")
    version, table = rows.split(b"\n", 1)
    state: dict[str, Any] = orjson.loads(head)
    assert state["version"] == version.decode()
    return state, orjson.loads(table)


def parse_charts(app: AppTest) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Parses the options and the figure of each chart."""
    lines = (part.split(b"\n", 1) for part in list_payloads(app, "plotly_chart"))
    return [(orjson.loads(options), orjson.loads(figure)) for options, figure in lines]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_has_every_asset_and_the_readers_language(lang: Any) -> None:
    app = open_rankings(lang=lang)
    assert html(app).count("<h1") == 1
    assert t("rankings.title", lang=lang) in html(app)
    head, table = parse_table_payloads(app)
    ranked = markets.fetch_rankings("24h").data or []
    assert table["columns"]["id"] == [token["id"] for token in ranked]
    assert table["words"]["find"] == t("rankings.find", lang=lang)
    assert head["mode"] == "table"


def test_every_priced_row_has_a_source_and_a_time() -> None:
    _, table = parse_table_payloads(open_rankings())
    columns = table["columns"]
    for n, price in enumerate(columns["price"]):
        if price is not None:
            assert columns["at"][n] is not None
            assert columns["state"][n] != "unknown"


def test_a_price_reaches_the_browser_with_all_digits_of_the_service() -> None:
    _, table = parse_table_payloads(open_rankings())
    prices = markets.fetch_prices().data or {}
    columns = table["columns"]
    for asset, price in zip(columns["id"], columns["price"], strict=True):
        assert price == prices[asset]["price_usd"]


def test_the_link_determines_the_initial_view() -> None:
    head, _ = parse_table_payloads(
        open_rankings(q="bit", sort="-24h,name", facet="gainers", span="7d", watch="bitcoin", coin="bitcoin")
    )
    assert head["view"] == {
        "q": "bit",
        "sort": "-24h,name",
        "facet": "gainers",
        "span": "7d",
        "watch": "bitcoin",
    }
    assert head["coin"] == "bitcoin"


def test_invalid_parameters_of_a_link_count_as_absent() -> None:
    app = open_rankings(sort="nothing", facet="x", min="7", cols="zzz", span="1y", view="pie", chart="2y")
    head, _ = parse_table_payloads(app)
    assert set(head["view"]) <= {"cols"}
    assert head["mode"] == "table"


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


@pytest.mark.parametrize("chart", CHART_SPANS)
def test_the_panels_candles_have_a_text_alternative_and_a_table(chart: Any) -> None:
    app = open_rankings(coin="ethereum", chart=chart)
    series = markets.fetch_candles("ethereum", chart).data
    assert series is not None
    ((options, figure),) = parse_charts(app)
    assert len(options["table"]["rows"]) == len(series["candles"])
    assert "Ethereum" in options["alt"]
    assert figure["data"][0]["y" if chart == "1y" else "close"] == [candle[4] for candle in series["candles"]]
    assert app.query_params["chart"] == chart
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
    assert parse_table_payloads(app)[0]["coin"] == ""


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


def test_the_panel_adds_a_coin_to_the_comparison_and_removes_it() -> None:
    app = open_rankings(coin="bitcoin")
    app.button(key="rk_compare").click().run()
    assert parse_table_payloads(app)[0]["compare"] == ["bitcoin"]
    app.button(key="rk_compare").click().run()
    assert parse_table_payloads(app)[0]["compare"] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_treemap_has_a_legend_and_a_table(lang: Any) -> None:
    app = open_rankings(view="treemap", lang=lang)
    assert parse_table_payloads(app)[0]["mode"] == "bar"
    assert html(app).count('<li style="background') == 7
    ((options, _),) = parse_charts(app)
    sized_tokens = [token for token in markets.fetch_rankings("24h").data or [] if token["market_cap"]]
    assert len(options["table"]["rows"]) == len(sized_tokens)


def test_a_text_states_that_the_treemap_is_empty() -> None:
    app = open_rankings(view="treemap", q="no such coin at all")
    assert t("rankings.treemap_none") in html(app)
    assert parse_charts(app) == []


def test_when_the_service_is_unreachable_the_table_stays_and_shows_its_age(line: Line) -> None:
    app = open_rankings()
    before = parse_table_payloads(app)[1]["columns"]["price"]
    line.cut = True
    app.run()
    assert parse_table_payloads(app)[1]["columns"]["price"] == before
    assert 'role="status"' in html(app)
    assert t("frame.error_unreachable") in html(app)
    line.cut = False
    app.button(key="stale-rankings-retry").click().run()
    assert 'role="status"' not in html(app)


def test_a_missing_worker_is_reported_above_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = {"state": "missing", "seen_at": None, "restarts": 0}
    change_answer(monkeypatch, "/markets/status", lambda status: {**status, "worker": worker})
    assert t("frame.worker_missing") in html(open_rankings())


@pytest.mark.parametrize(("state", "promised"), [("working", True), ("waiting", True), ("missing", False)])
def test_figures_are_announced_only_while_a_worker_may_load_them(
    monkeypatch: pytest.MonkeyPatch, state: str, promised: bool
) -> None:
    worker = {"state": state, "seen_at": None, "restarts": 0}
    change_answer(monkeypatch, "/markets/status", lambda status: {**status, "worker": worker})
    change_answer(monkeypatch, "/prices", lambda prices: {})
    change_answer(monkeypatch, "/rankings", lambda tokens: [{**token, "price_usd": None} for token in tokens])
    assert (t("frame.awaiting") in html(open_rankings())) is promised


def test_without_any_response_there_is_an_error_with_a_retry(line: Line) -> None:
    line.cut = True
    app = open_rankings()
    assert 'role="alert"' in html(app)
    line.cut = False
    app.button(key="error-rankings-retry").click().run()
    assert parse_table_payloads(app)[1]["columns"]["id"]


def test_opening_a_coin_does_not_change_the_payload_of_the_rows() -> None:
    app = open_rankings()
    before = list_payloads(app, "rank_table")
    app.query_params["coin"] = "ethereum"
    app.run()
    assert list_payloads(app, "rank_table") == before
    assert parse_table_payloads(app)[0]["coin"] == "ethereum"


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Returns a function that changes the first asset's price."""

    def move() -> None:
        tokens = deepcopy(markets.fetch_rankings("24h"))
        assert tokens.data is not None
        tokens.data[0].update(price_usd="1.25", last_updated="2999-01-01T00:00:00Z")
        monkeypatch.setattr(markets, "fetch_rankings", lambda span=None: tokens)

    return move


def test_a_click_keeps_the_browsers_rows_and_the_next_refresh_sends_new_ones(
    moved: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "ROW_HOLD_SECONDS", math.inf)
    app = open_rankings()
    before = parse_table_payloads(app)[0]["version"]
    moved()
    app.query_params["coin"] = "ethereum"
    app.run()
    assert parse_table_payloads(app)[0]["version"] == before
    app.run()
    assert parse_table_payloads(app)[1]["columns"]["price"][0] == "1.25"


def test_a_click_sends_new_rows_if_the_browsers_rows_are_old(
    moved: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_rankings()
    moved()
    monkeypatch.setattr(layout, "ROW_HOLD_SECONDS", 0.0)
    app.query_params["coin"] = "ethereum"
    app.run()
    assert parse_table_payloads(app)[1]["columns"]["price"][0] == "1.25"


def test_the_table_stays_on_the_page_in_every_view() -> None:
    app = open_rankings(view="compare", compare="bitcoin,ethereum")
    assert parse_table_payloads(app)[0]["mode"] == "none"
    assert [options["key"] for options, _ in parse_charts(app)] == ["rk_compare_lines"]


def test_the_tables_of_all_spans_are_prepared_in_advance() -> None:
    open_rankings()
    data.prepare_tables()
    for span in SPANS:
        table = data.load_data(span).table
        assert table is not None
        assert ("en", "USD", Decimal(1)) in table.encoded


def test_unchanged_data_are_encoded_once_for_all_sessions() -> None:
    assert (
        parse_table_payloads(open_rankings())[0]["version"]
        == parse_table_payloads(open_rankings())[0]["version"]
    )
    assert (
        parse_table_payloads(open_rankings())[0]["version"]
        != parse_table_payloads(open_rankings(lang="ja"))[0]["version"]
    )


def find_rate(code: Currency) -> Money:
    return build_money(code, markets.fetch_rates(), "en")


def test_amounts_are_in_the_chosen_currency_in_the_same_order_with_the_rate_below() -> None:
    app = open_rankings(coin="bitcoin", cols="rank,name,price,cap,volume")
    dollars = parse_table_payloads(app)[1]["columns"]
    app.segmented_control(key="pref_currency").set_value("JPY").run()
    assert not app.exception
    yen, money = parse_table_payloads(app)[1]["columns"], find_rate("JPY")
    prices = [None if price is None else money.price(Decimal(price)) for price in dollars["price"]]
    assert yen["priceText"] == prices
    assert [yen[name] for name in ("id", "price", "order", "24h")] == [
        dollars[name] for name in ("id", "price", "order", "24h")
    ]
    assert all(text is None or text.startswith("¥") for text in (*yen["capText"], *yen["volumeText"]))
    page = html(app)
    assert f'class="rk-price" title="{money.price_label(Decimal(dollars["price"][0]), "en")}"' in page
    rate = f"1 USD = 142.9 JPY, {t('frame.source_sample')}, "
    assert page.count(rate) == 2, "below the table and in the panel"
    ((_, figure),) = parse_charts(app)
    assert figure["layout"]["yaxis"]["tickprefix"] == "¥"


def test_the_treemap_names_amounts_in_the_chosen_currency() -> None:
    app = open_rankings(view="treemap")
    app.segmented_control(key="pref_currency").set_value("EUR").run()
    ((options, figure),) = parse_charts(app)
    _, price, cap, _, _ = figure["data"][0]["customdata"][0]
    assert (price[0], cap[0]) == ("€", "€")
    assert {row[3][0] for row in options["table"]["rows"] if row[3] != UNKNOWN} == {"€"}


def test_without_a_rate_amounts_are_in_us_dollars_until_one_arrives(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = {"rate": None, "source": None, "last_updated": None}
    with monkeypatch.context() as outage:
        change_answer(
            outage, "/markets/rates", lambda body: {**body, "rates": dict.fromkeys(CURRENCIES, unknown)}
        )
        app = open_rankings()
        app.segmented_control(key="pref_currency").set_value("KRW").run()
        assert t("frame.rate_missing", code="KRW") in html(app)
        assert parse_table_payloads(app)[1]["columns"]["priceText"][0].startswith("$")
    app.run()
    assert t("frame.rate_missing", code="KRW") not in html(app)
    assert parse_table_payloads(app)[1]["columns"]["priceText"][0].startswith("₩")


def test_a_click_keeps_the_browsers_rows_although_the_rate_has_changed(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "ROW_HOLD_SECONDS", math.inf)
    app = open_rankings()
    app.segmented_control(key="pref_currency").set_value("JPY").run()
    app.run()
    before = list_payloads(app, "rank_table")
    newer = {"rate": "200", "source": "sample", "last_updated": "2026-11-18T10:08:00Z"}
    change_answer(monkeypatch, "/markets/rates", lambda body: {**body, "rates": {"JPY": newer}})
    app.query_params["coin"] = "ethereum"
    app.run()
    assert list_payloads(app, "rank_table") == before
    app.run()
    assert list_payloads(app, "rank_table") != before


def test_a_new_reader_accepts_the_currency_of_the_language() -> None:
    app = open_rankings(lang="zh")
    app.button(key="currency_offer_CNY").click().run()
    assert parse_table_payloads(app)[1]["columns"]["priceText"][0].startswith("¥")
    assert "currency_offer_CNY" not in [button.key for button in app.button]
