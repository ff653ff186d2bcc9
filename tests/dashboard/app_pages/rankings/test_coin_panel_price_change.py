"""The section on a coin's price change: each part names its figure, or says that it is not known."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from dashboard.app_pages.rankings.coin_panel_price_change import build_price_change, build_statement
from dashboard.app_pages.rankings.rows import Row

NOW = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)
COINS = [
    Row(f"c{n}", f"C{n}", f"Coin {n}", pct_24h=Decimal(n), categories=("Meme",), source="coingecko")
    for n in range(5)
]
MOVED = Row(
    "x", "X", "Coin <x>", pct_24h=Decimal("-3.02"), categories=("Meme",), source="coingecko", last_updated=NOW
)
INCIDENT: Any = {
    "kind": "divergent",
    "opened_at": "2026-11-26T09:00:00Z",
    "closed_at": None,
    "worst_pct": "1.4",
}
FAILING: Any = {
    "provider": "coingecko",
    "role": ["quotes"],
    "state": "open",
    "failing_since": "2026-11-26T10:02:00Z",
}


def build_quotes(incidents: list[Any], rule: str = "nearest", **fields: Any) -> Any:
    return {"incidents": incidents, "rule": rule, "flags": ["divergent"], "price_usd": "1.2", **fields}


def test_the_move_is_compared_with_the_market_and_its_category() -> None:
    page = build_price_change(
        MOVED, [*COINS, MOVED], None, build_quotes([INCIDENT]), [FAILING], "24h", "en", NOW
    )
    assert "Market, median of 5" in page
    assert "Meme, median of 5" in page
    assert page.count("+2.00%; coin 5.02 points below") == 2
    assert "Divergent quotes (1.40%, still open)" in page
    assert "CoinGecko (11-26 10:02 UTC –)" in page
    assert "Changes from CoinGecko, just now." in page


def test_every_unknown_part_says_so() -> None:
    unknown = Row("y", "Y", "Y")
    page = build_price_change(unknown, [unknown], None, None, None, "24h", "en", NOW)
    assert page.count("<dd>Not known</dd>") == 5
    assert "No provider has a usable price." in page
    assert "/research" not in page


def test_an_incident_is_not_called_open_beside_quotes_that_agree_again() -> None:
    quotes = build_quotes([INCIDENT], rule="mean", flags=[])
    page = build_price_change(MOVED, [MOVED], None, quotes, [], "24h", "en", NOW)
    assert "Divergent quotes (1.40%, quotes agree again)" in page
    assert "still open" not in page


def test_nothing_to_report_differs_from_nothing_known() -> None:
    page = build_price_change(MOVED, [MOVED], None, build_quotes([]), [], "24h", "en", NOW)
    assert page.count("<dd>None</dd>") == 2


def test_a_stale_price_has_no_move() -> None:
    stale = Row("y", "Y", "Y", pct_24h=Decimal(9), source="coingecko:stale")
    page = build_price_change(stale, [stale], None, build_quotes([]), [], "24h", "en", NOW)
    assert "Not known: the price is stale" in page
    assert "+9" not in page


def test_research_gets_the_move_as_a_sentence() -> None:
    assert build_statement(MOVED, "24h") == "Coin <x> (X) fell 3.02% in the 24 hours to 2026-11-26."
    page = build_price_change(MOVED, [MOVED], None, build_quotes([]), [], "24h", "en", NOW)
    assert (
        'href="/research?statement=Coin+%3Cx%3E+%28X%29+fell+3.02%25+in+the+24+hours+to+2026-11-26."' in page
    )
    assert "<x>" not in page
