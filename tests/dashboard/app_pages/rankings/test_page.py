"""The Rankings page with the real service: languages, views, links and failures."""

import math
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest

from dashboard.app_pages.rankings import data, layout
from dashboard.client import markets
from dashboard.client.market_schemas import SPANS
from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard.charts import parse_charts
from tests.support.dashboard.pages import change_answer, html
from tests.support.dashboard.rankings_page import (
    list_payloads,
    open_rankings,
    parse_table_payloads,
)
from tests.support.dashboard.transport import CuttableTransport

pytestmark = pytest.mark.usefixtures("dashboard_backend")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_has_every_asset_and_the_readers_language(lang: Any) -> None:
    app = open_rankings(lang=lang)
    assert html(app).count("<h1") == 1
    assert t("rankings.title", lang=lang) in html(app)
    state, table = parse_table_payloads(app)
    ranked = markets.fetch_rankings("24h").data or []
    assert table["columns"]["id"] == [token["id"] for token in ranked]
    assert table["words"]["find"] == t("rankings.find", lang=lang)
    assert state["mode"] == "table"


def test_every_priced_row_has_a_source_and_a_time() -> None:
    columns = parse_table_payloads(open_rankings()).table["columns"]
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
    app = open_rankings(
        q="bit", sort="-24h,name", facet="gainers", span="7d", watch="bitcoin", coin="bitcoin"
    )
    state = parse_table_payloads(app).state
    assert state["view"] == {
        "q": "bit",
        "sort": "-24h,name",
        "facet": "gainers",
        "span": "7d",
        "watch": "bitcoin",
    }
    assert state["coin"] == "bitcoin"


def test_invalid_parameters_of_a_link_count_as_absent() -> None:
    app = open_rankings(sort="nothing", facet="x", min="7", cols="zzz", span="1y", view="pie", chart="2y")
    state = parse_table_payloads(app).state
    assert set(state["view"]) <= {"cols"}
    assert state["mode"] == "table"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_treemap_has_a_legend_and_a_table(lang: Any) -> None:
    app = open_rankings(view="treemap", lang=lang)
    assert parse_table_payloads(app).state["mode"] == "bar"
    assert html(app).count('<li style="background') == 7
    (chart,) = parse_charts(app)
    sized_tokens = [token for token in markets.fetch_rankings("24h").data or [] if token["market_cap"]]
    assert len(chart.options["table"]["rows"]) == len(sized_tokens)


def test_a_text_states_that_the_treemap_is_empty() -> None:
    app = open_rankings(view="treemap", q="no such coin at all")
    assert t("rankings.treemap_none") in html(app)
    assert parse_charts(app) == []


def test_when_the_service_is_unreachable_the_table_stays_and_shows_its_age(
    transport: CuttableTransport,
) -> None:
    app = open_rankings()
    before = parse_table_payloads(app).table["columns"]["price"]
    transport.is_cut = True
    app.run()
    assert parse_table_payloads(app).table["columns"]["price"] == before
    assert 'role="status"' in html(app)
    assert t("frame.error_unreachable") in html(app)
    transport.is_cut = False
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


def test_without_any_response_there_is_an_error_with_a_retry(transport: CuttableTransport) -> None:
    transport.is_cut = True
    app = open_rankings()
    assert 'role="alert"' in html(app)
    transport.is_cut = False
    app.button(key="error-rankings-retry").click().run()
    assert parse_table_payloads(app).table["columns"]["id"]


def test_opening_a_coin_does_not_change_the_payload_of_the_rows() -> None:
    app = open_rankings()
    before = list_payloads(app, "rank_table")
    app.query_params["coin"] = "ethereum"
    app.run()
    assert list_payloads(app, "rank_table") == before
    assert parse_table_payloads(app).state["coin"] == "ethereum"


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
    before = parse_table_payloads(app).state["version"]
    moved()
    app.query_params["coin"] = "ethereum"
    app.run()
    assert parse_table_payloads(app).state["version"] == before
    app.run()
    assert parse_table_payloads(app).table["columns"]["price"][0] == "1.25"


def test_a_click_sends_new_rows_if_the_browsers_rows_are_old(
    moved: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_rankings()
    moved()
    monkeypatch.setattr(layout, "ROW_HOLD_SECONDS", 0.0)
    app.query_params["coin"] = "ethereum"
    app.run()
    assert parse_table_payloads(app).table["columns"]["price"][0] == "1.25"


def test_the_table_stays_on_the_page_in_every_view() -> None:
    app = open_rankings(view="compare", compare="bitcoin,ethereum")
    assert parse_table_payloads(app).state["mode"] == "none"
    assert [chart.options["key"] for chart in parse_charts(app)] == ["rk_compare_lines"]


def test_the_tables_of_all_spans_are_prepared_in_advance() -> None:
    open_rankings()
    data.prepare_tables()
    for span in SPANS:
        table = data.load_data(span).table
        assert table is not None
        assert ("en", "USD", Decimal(1)) in table.encoded


def test_unchanged_data_are_encoded_once_for_all_sessions() -> None:
    assert (
        parse_table_payloads(open_rankings()).state["version"]
        == parse_table_payloads(open_rankings()).state["version"]
    )
    assert (
        parse_table_payloads(open_rankings()).state["version"]
        != parse_table_payloads(open_rankings(lang="ja")).state["version"]
    )
