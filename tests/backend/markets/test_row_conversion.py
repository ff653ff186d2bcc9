"""Tests that stored rows are loaded unchanged, on SQLite and PostgreSQL."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.markets.model import FearGreed, MarketTotals, PublishedPrice, Quote, QuoteEvaluation
from backend.markets.reasons import Reason
from backend.markets.row_conversion import (
    fear_greed_from_row,
    market_indicator_to_row,
    market_totals_from_row,
    published_price_from_row,
    published_price_to_row,
    quote_from_row,
    quote_to_row,
)
from backend.markets.tables import market_figures, provider_quotes, published_figures
from backend.store.database import Database, upsert
from tests.support.providers.quotes import published

ONE_STORE = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
AMOUNTS = st.decimals("1e-12", "1e15", places=12)
MAYBE = st.one_of(st.none(), AMOUNTS)
INSTANTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
# PostgreSQL holds no NUL, and adapters let none through.
WORDS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=40)
VALUES = st.dictionaries(
    st.sampled_from(["price", "used", "providers"]), st.one_of(WORDS, st.integers(0, 9), st.lists(WORDS))
)
REASONS = st.builds(Reason, st.one_of(st.none(), st.just("two_agree")), WORDS, VALUES)
FIGURES: dict[str, Any] = {
    "market_cap": MAYBE,
    "market_cap_rank": st.one_of(st.none(), st.integers(1, 1_000_000)),
    "volume_24h": MAYBE,
    "pct_change_1h": MAYBE,
    "pct_change_24h": MAYBE,
    "pct_change_7d": MAYBE,
    "pct_change_30d": MAYBE,
    "ath": MAYBE,
    "ath_change_percentage": st.one_of(st.none(), st.decimals("-100", "0", places=5)),
    "ath_date": st.one_of(st.none(), INSTANTS),
}
QUOTES = st.builds(
    Quote,
    provider=st.just("coingecko"),
    asset_id=st.just("coin"),
    external_id=st.just("coin"),
    price=AMOUNTS,
    as_of=INSTANTS,
    received_at=INSTANTS,
    **FIGURES,
)
PUBLISHED = st.builds(
    PublishedPrice,
    asset_id=st.just("coin"),
    price=MAYBE,
    providers=st.sampled_from([(), ("coingecko",), ("coingecko", "coinmarketcap")]),
    stale=st.booleans(),
    last_updated=st.one_of(st.none(), INSTANTS),
    rule=st.sampled_from(["mean", "none"]),
    reason=REASONS,
    flags=st.sampled_from([(), ("divergent",), ("conflict", "depeg")]),
    spread_pct=MAYBE,
    evaluations=st.lists(
        st.builds(
            QuoteEvaluation,
            WORDS,
            st.sampled_from(["fresh", "ageing", "stale", None]),
            st.booleans(),
            REASONS,
        ),
        max_size=3,
    ).map(tuple),
    **FIGURES,
)


@ONE_STORE
@given(quote=QUOTES)
def test_a_quote_survives_storage(database: Database, quote: Quote) -> None:
    with database.write() as connection:
        upsert(connection, provider_quotes, [quote_to_row("live", quote)])
        assert quote_from_row(connection.execute(sa.select(provider_quotes)).mappings().one()) == quote


@ONE_STORE
@given(figure=PUBLISHED)
def test_a_published_figure_survives_storage_with_its_state(
    database: Database, figure: PublishedPrice
) -> None:
    state = {"pending": {"price": "1.5"}, "excluded": ["a"]}
    with database.write() as connection:
        upsert(connection, published_figures, [published_price_to_row("live", figure, state)])
        row = connection.execute(sa.select(published_figures)).mappings().one()
    assert published_price_from_row(row) == (figure, state)


def test_a_figure_of_an_earlier_version_keeps_its_bare_messages(database: Database) -> None:
    figure = published(reason=Reason(None, "For a test."), evaluations=())
    row = published_price_to_row("live", figure, {}) | {
        "reason": "They agree.",
        "judgements": '[{"provider":"coingecko","freshness":null,"used":false,"reason":"Not used."}]',
    }
    with database.write() as connection:
        upsert(connection, published_figures, [row])
        found, _ = published_price_from_row(connection.execute(sa.select(published_figures)).mappings().one())
    assert found.reason == Reason(None, "They agree.")
    assert found.evaluations == (QuoteEvaluation("coingecko", None, False, Reason(None, "Not used.")),)


@ONE_STORE
@given(cap=AMOUNTS, change=MAYBE, volume=MAYBE, value=st.integers(0, 100), label=WORDS)
def test_the_overviews_figures_survive_storage(
    database: Database, cap: Decimal, change: Decimal | None, volume: Decimal | None, value: int, label: str
) -> None:
    at = datetime(2026, 5, 18, tzinfo=UTC) + timedelta(microseconds=7)
    totals = MarketTotals(
        *("coingecko", at, cap, change, volume, None, None),
        credits=1,
        rates={"EUR": cap, "BTC": cap},
        eth_market_cap_percentage=change,
    )
    mood = FearGreed("alternative.me", at, value, label)
    with database.write() as connection:
        upsert(
            connection,
            market_figures,
            [
                market_indicator_to_row("live", "global", totals),
                market_indicator_to_row("live", "fear_greed", mood),
            ],
        )
        rows = {row["kind"]: row for row in connection.execute(sa.select(market_figures)).mappings()}
    assert market_totals_from_row(rows["global"]) == totals
    assert fear_greed_from_row(rows["fear_greed"]) == mood
