"""Price moves of three standard deviations around a story."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import sqlalchemy as sa

from backend.articles.engine import RuleSet
from backend.entities.model import Entity
from backend.markets.assets.registry import load_assets
from backend.markets.candles import price_history
from backend.markets.model import Candle
from backend.markets.sample.event_schedule import EventKind
from backend.markets.sample.market import SampleMarket
from backend.markets.sample.provider import SampleProvider
from backend.markets.sources_by_mode import build_realm
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.grouping.price_moves import PriceMoves, is_large
from backend.topics.grouping.regrouping import regroup
from backend.topics.model import Category
from backend.topics.tables import news_items
from tests.backend.topics.conftest import stored_topics
from tests.support.providers.sample_events import next_event

HOUR, STEP = timedelta(hours=1), timedelta(minutes=30)
AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
BITCOIN = {"bitcoin": Entity(id="bitcoin", type="asset", names={"en": "Bitcoin"})}


def build_closes(
    shock: str = "0", *, at: datetime = AT, noise: str = "0.002", days: float = 7.2
) -> dict[datetime, Decimal]:
    """Half-hourly closes that go up and down by ``noise`` in turn each hour, and by ``shock`` at ``at``."""
    closes, price, end = {}, Decimal(100), AT + 2 * HOUR
    instants = [end - STEP * n for n in range(int(days * 48) + 4)]
    for moment in reversed(instants):
        sign = 1 if (moment - STEP - datetime(2026, 1, 1, tzinfo=UTC)) // HOUR % 2 else -1
        price *= 1 + Decimal(noise) * sign / 2
        if moment == at:
            price *= 1 + Decimal(shock)
        closes[moment] = price
    return closes


def store_closes(
    database: Database, realm: str, closes: dict[datetime, Decimal], asset: str = "bitcoin"
) -> None:
    series = [Candle(moment - STEP, price, price, price, price) for moment, price in closes.items()]
    with database.write() as connection:
        price_history.backfill(connection, realm, {asset: series})


def test_a_move_is_large_from_three_sigma_on_and_in_either_direction() -> None:
    # hourly changes of ±0.2 % in turn: σ is 0.2 %
    assert not is_large(build_closes("0.003"), AT)
    assert is_large(build_closes("0.008"), AT)
    assert is_large(build_closes("-0.009"), AT)


def test_the_baseline_is_the_assets_own() -> None:
    assert is_large(build_closes("0.03", noise="0.002"), AT)
    assert not is_large(build_closes("0.03", noise="0.02"), AT)


@pytest.mark.parametrize(("hours", "large"), [(-2, True), (2, True), (-3, False), (0.5, True)])
def test_a_move_counts_within_two_hours_of_the_story(hours: float, large: bool) -> None:
    assert is_large(build_closes("0.05", at=AT + hours * HOUR), AT) is large


def test_the_noise_of_a_pegged_coin_is_no_move() -> None:
    assert not is_large(build_closes("0.001", noise="0"), AT)
    assert is_large(build_closes("-0.002", noise="0"), AT)


def test_too_little_history_is_no_move() -> None:
    assert not is_large(build_closes("0.5", days=1), AT)
    assert not is_large({}, AT)


def test_only_closed_candles_of_the_same_realm_count(database: Database) -> None:
    store_closes(database, "live", build_closes("0.05", at=AT + HOUR))

    def moved(now: datetime, realm: str = "live", *entities: str) -> bool:
        return PriceMoves(database, realm, BITCOIN, now=now)(entities or ("bitcoin",), AT)

    assert moved(AT + HOUR)
    assert not moved(AT + HOUR - STEP)
    assert not moved(AT + HOUR, "sample-2026")
    assert not moved(AT + HOUR, "live", "nobody")


def test_the_crash_of_the_sample_market_is_a_move_and_its_calm_week_is_not(sqlite_database: Database) -> None:
    settings, assets = Settings(), load_assets()
    market = SampleMarket(settings.sample_seed, assets.all)
    crash = next_event(market.schedule, EventKind.CRASH, AT).starts
    calm_time = next_event(market.schedule, EventKind.CALM, AT).starts + timedelta(days=5, hours=12)
    provider, bitcoin = SampleProvider("sample-a", market), [assets.by_id["bitcoin"]]
    for moment in (crash, calm_time):
        past = provider.past_candles(bitcoin, moment - timedelta(days=8), moment + 3 * HOUR)
        with sqlite_database.write() as connection:
            price_history.backfill(connection, build_realm(settings), past)
    now = max(crash, calm_time) + 6 * HOUR
    moves = PriceMoves(sqlite_database, build_realm(settings), BITCOIN, now=now)
    assert (moves(["bitcoin"], crash), moves(["bitcoin"], calm_time)) == (True, False)


def test_a_story_of_three_outlets_becomes_breaking_with_a_price_move(
    sqlite_database: Database, rules: RuleSet
) -> None:
    title = "Bitcoin whale of the Satoshi era wakes up"
    rows = [
        {
            **dict.fromkeys(("guid_key", "url_key"), f"k{n}"),
            "feed_id": f"f{n}",
            "url": f"https://outlet-{n}.example/a",
            "title": title,
            "text": "",
            "language": "en",
            "published_at": AT + n * timedelta(minutes=9),
            "fetched_at": AT,
            "simhash": 0,
            "entities": '["bitcoin"]',
            "figures": "[]",
        }
        for n in range(3)
    ]
    with sqlite_database.write() as connection:
        connection.execute(sa.insert(news_items), rows)

    def find_category(now: datetime) -> Category:
        price_moves = PriceMoves(sqlite_database, "live", rules.entities, now=now)
        regroup(sqlite_database, rules, now=now, moved=price_moves)
        (topic,) = stored_topics(sqlite_database, "live")
        return topic.category

    assert find_category(AT + HOUR) is Category.IMPORTANT
    store_closes(sqlite_database, "live", build_closes("0.05", at=AT + HOUR + STEP))
    assert find_category(AT + HOUR) is Category.IMPORTANT
    assert find_category(AT + 2 * HOUR) is Category.BREAKING
    assert find_category(AT + 30 * HOUR) is Category.BREAKING
