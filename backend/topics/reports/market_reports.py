"""Which market reports there are to write at a moment, each once in its stretch of time."""

import statistics
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial

from backend.entities.model import Language
from backend.markets.model import FearGreed, GlobalFigures
from backend.topics.model import Category, Topic
from backend.topics.number_format import format_day, format_money, format_percent, format_price
from backend.topics.reports.market_facts import Coin, MarketFacts
from backend.topics.reports.report_builder import Draft, ReportContext, names, say, stands_at
from backend.topics.reports.report_templates import MOODS

MOST_NAMED = 3
FEWEST_COINS = 10
"""With fewer assets there is no market to report on."""
GREAT_MOVE = Decimal(15)
PEG_OFF, PEG_LOST = Decimal("0.5"), Decimal(2)
"""Percent from one dollar at which a stablecoin is reported, and at which that is breaking."""
BUSY = Decimal(10)
"""How many times the median share of its market value a coin's volume is before it is reported."""


def market_reports(facts: MarketFacts, context: ReportContext) -> list[Topic]:
    """Every report that the facts call for; none where too little is known."""
    if len(facts.coins) < FEWEST_COINS:
        return []
    return [
        *_wrap(facts, context),
        *_movers(facts, context),
        *_extremes(facts, context),
        *_singles(facts, context),
    ]


def slot(at: datetime, hours: int) -> datetime:
    """The beginning of the stretch of ``hours`` that holds ``at``, counted from midnight in UTC."""
    return at.replace(hour=at.hour - at.hour % hours, minute=0, second=0, microsecond=0)


def _wrap(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    totals = facts.totals
    bitcoin = next((coin for coin in facts.coins if coin.id == "bitcoin"), None)
    if totals is None or totals.market_cap_change_24h is None or bitcoin is None:
        return
    change = totals.market_cap_change_24h

    def wording(language: Language) -> Draft:
        cap, moved = format_money(totals.market_cap, language), format_percent(change)
        when = format_day(facts.at, language)
        return Draft(
            say(language, "wrap", cap=cap, change=moved),
            say(language, "wrap_sub", price=format_price(bitcoin.price, language), day=when),
            [
                say(language, "wrap_cap", cap=cap, change=moved),
                stands_at(bitcoin, language),
                *_rest(facts, totals, language),
            ],
        )

    yield context.topic(facts, "wrap", slot(facts.at, 6), Category.IMPORTANT, wording)


def _rest(facts: MarketFacts, totals: GlobalFigures, language: Language) -> Iterator[str]:
    if totals.volume_24h is not None:
        yield say(language, "wrap_volume", volume=format_money(totals.volume_24h, language))
    if totals.btc_market_cap_percentage is not None:
        share = format_percent(totals.btc_market_cap_percentage, signed=False)
        yield say(language, "wrap_share", share=share)
    if facts.mood is not None:
        yield say(language, "mood_stands", value=str(facts.mood.value), label=_label(facts.mood, language))
    moved = _by_change(facts)
    count = str(len(facts.coins))
    yield say(language, "wrap_best", count=count, names=names(moved[:MOST_NAMED], language))
    yield say(language, "wrap_worst", names=names(moved[: -MOST_NAMED - 1 : -1], language))


def _movers(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    """The day's largest rise and fall, if there are any."""
    moved = _by_change(facts)
    for kind, coins in (("up", moved[:MOST_NAMED]), ("down", moved[: -MOST_NAMED - 1 : -1])):
        first = coins[0]
        if (first.change <= 0) == (kind == "up"):
            continue
        great = abs(first.change) >= GREAT_MOVE
        yield context.topic(
            facts,
            f"movers-{kind}",
            slot(facts.at, 6),
            Category.IMPORTANT if great else Category.NORMAL,
            partial(_moved, kind, coins, len(facts.coins)),
            coins,
        )


def _moved(kind: str, coins: Sequence[Coin], count: int, language: Language) -> Draft:
    first = coins[0]
    return Draft(
        say(language, kind, name=first.name(language), change=format_percent(first.change)),
        say(language, "movers_sub", count=str(count)),
        [stands_at(coin, language) for coin in coins],
    )


def _extremes(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    """Coins beyond what a week has seen, the largest first."""
    moving = [coin for coin in facts.coins if not coin.is_stable]
    high = [coin for coin in moving if coin.week_high is not None and coin.price > coin.week_high]
    low = [coin for coin in moving if coin.week_low is not None and coin.price < coin.week_low]
    for kind, coins in (("high", high[:MOST_NAMED]), ("low", low[:MOST_NAMED])):
        if coins:
            yield context.topic(
                facts,
                f"week-{kind}",
                slot(facts.at, 12),
                Category.NORMAL,
                partial(_passed, kind, coins),
                coins,
            )


def _passed(kind: str, coins: Sequence[Coin], language: Language) -> Draft:
    return Draft(
        say(language, kind, names=names(coins, language, changes=False)),
        say(language, "extreme_sub"),
        [_beyond(coin, kind, language) for coin in coins],
    )


def _beyond(coin: Coin, kind: str, language: Language) -> str:
    bound = coin.week_high if kind == "high" else coin.week_low
    return say(
        language,
        f"extreme_{kind}",
        name=coin.name(language),
        price=format_price(coin.price, language),
        bound=format_price(bound or Decimal(0), language),
    )


def _singles(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    if facts.mood is not None:
        yield _mood(facts, facts.mood, context)
    for coin in facts.coins:
        if coin.is_dollar and abs(coin.price - 1) * 100 >= PEG_OFF:
            yield _peg(facts, coin, context)
    shares = {coin.id: coin.volume / coin.cap for coin in facts.coins if coin.volume and coin.cap}
    if len(shares) < FEWEST_COINS:
        return
    median = statistics.median(shares.values())
    busy = [coin for coin in facts.coins if not coin.is_stable and shares.get(coin.id, 0) >= BUSY * median]
    for coin in sorted(busy, key=lambda coin: -shares[coin.id])[:1]:
        yield _turnover(facts, coin, shares[coin.id], median, context)


def _mood(facts: MarketFacts, mood: FearGreed, context: ReportContext) -> Topic:
    def wording(language: Language) -> Draft:
        label = _label(mood, language)
        values = {"value": str(mood.value), "label": label}
        provider = "sample" if facts.realm == "sample" else mood.provider
        under = say(language, "mood_sub", day=format_day(mood.as_of, language), provider=provider)
        sentences = [say(language, "mood_stands", **values), say(language, "mood_text")]
        return Draft(say(language, "mood", **values), under, sentences)

    return context.topic(facts, "mood", slot(facts.at, 24), Category.NORMAL, wording)


def _peg(facts: MarketFacts, coin: Coin, context: ReportContext) -> Topic:
    off = abs(coin.price - 1) * 100

    def wording(language: Language) -> Draft:
        name, at = coin.name(language), format_price(coin.price, language)
        deviation = format_percent(off, signed=False)
        return Draft(
            say(language, "peg", name=name, deviation=deviation),
            say(language, "peg_sub", price=at, day=format_day(facts.at, language)),
            [say(language, "peg_text", name=name, price=at), stands_at(coin, language)],
        )

    category = Category.BREAKING if off >= PEG_LOST else Category.IMPORTANT
    return context.topic(facts, f"peg:{coin.id}", slot(facts.at, 24), category, wording, [coin])


def _turnover(
    facts: MarketFacts, coin: Coin, share: Decimal, median: Decimal, context: ReportContext
) -> Topic:
    def wording(language: Language) -> Draft:
        times = format((share / median).quantize(Decimal(1)), "f")
        shown = format_percent(share * 100, signed=False)
        return Draft(
            say(language, "turnover", name=coin.name(language), share=shown),
            say(language, "turnover_sub", volume=format_money(coin.volume or Decimal(0), language)),
            [
                say(language, "turnover_text", times=times, count=str(len(facts.coins))),
                stands_at(coin, language),
            ],
        )

    return context.topic(facts, f"turnover:{coin.id}", slot(facts.at, 24), Category.NORMAL, wording, [coin])


def _by_change(facts: MarketFacts) -> list[Coin]:
    moving = [coin for coin in facts.coins if not coin.is_stable]
    return sorted(moving, key=lambda coin: (-coin.change, coin.id))


def _label(mood: FearGreed, language: Language) -> str:
    return MOODS.get(mood.label, {}).get(language, mood.label)
