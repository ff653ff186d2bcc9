"""Builds the market reports that are due, each once in its time slot."""

import statistics
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial

from backend.entities.model import Language
from backend.markets.model import FearGreed, MarketTotals
from backend.topics.model import Category, Topic
from backend.topics.number_format import format_day, format_money, format_percent, format_price
from backend.topics.reports.market_facts import Coin, MarketFacts
from backend.topics.reports.report_builder import Draft, ReportContext, fill, format_price_line, join_names
from backend.topics.reports.report_templates import MOODS

MAX_NAMED = 3
MIN_COINS = 10
"""With fewer assets no report is written."""
LARGE_MOVE_PERCENT = Decimal(15)
PEG_REPORTED_PERCENT, PEG_BREAKING_PERCENT = Decimal("0.5"), Decimal(2)
"""Deviation from one dollar, in percent, from which a stablecoin is reported, and from which it is
breaking."""
MIN_TURNOVER_FACTOR = Decimal(10)
"""A coin is reported if its ratio of volume to market cap is this many times the median."""


def build_market_reports(facts: MarketFacts, context: ReportContext) -> list[Topic]:
    """Build every report that the facts justify; none with too few assets."""
    if len(facts.coins) < MIN_COINS:
        return []
    return [
        *_build_wrap(facts, context),
        *_build_movers(facts, context),
        *_build_extremes(facts, context),
        *_build_single_reports(facts, context),
    ]


def slot_start(at: datetime, hours: int) -> datetime:
    """Return the start of the time slot of ``hours`` that contains ``at``, counted from midnight UTC."""
    return at.replace(hour=at.hour - at.hour % hours, minute=0, second=0, microsecond=0)


def _build_wrap(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    totals = facts.totals
    bitcoin = next((coin for coin in facts.coins if coin.id == "bitcoin"), None)
    if totals is None or totals.market_cap_change_24h is None or bitcoin is None:
        return
    change = totals.market_cap_change_24h

    def write_draft(language: Language) -> Draft:
        cap, change_text = format_money(totals.market_cap, language), format_percent(change)
        day = format_day(facts.at, language)
        return Draft(
            fill(language, "wrap", cap=cap, change=change_text),
            fill(language, "wrap_sub", price=format_price(bitcoin.price, language), day=day),
            [
                fill(language, "wrap_cap", cap=cap, change=change_text),
                format_price_line(bitcoin, language),
                *_list_wrap_sentences(facts, totals, language),
            ],
        )

    yield context.build_topic(facts, "wrap", slot_start(facts.at, 6), Category.IMPORTANT, write_draft)


def _list_wrap_sentences(facts: MarketFacts, totals: MarketTotals, language: Language) -> Iterator[str]:
    if totals.volume_24h is not None:
        yield fill(language, "wrap_volume", volume=format_money(totals.volume_24h, language))
    if totals.btc_market_cap_percentage is not None:
        share = format_percent(totals.btc_market_cap_percentage, signed=False)
        yield fill(language, "wrap_share", share=share)
    if facts.mood is not None:
        yield fill(
            language, "mood_stands", value=str(facts.mood.value), label=_translate_label(facts.mood, language)
        )
    sorted_coins = _sort_by_change(facts)
    count = str(len(facts.coins))
    yield fill(language, "wrap_best", count=count, names=join_names(sorted_coins[:MAX_NAMED], language))
    yield fill(language, "wrap_worst", names=join_names(sorted_coins[: -MAX_NAMED - 1 : -1], language))


def _build_movers(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    """Build the reports on the day's largest rises and falls, if there are any."""
    sorted_coins = _sort_by_change(facts)
    for kind, coins in (("up", sorted_coins[:MAX_NAMED]), ("down", sorted_coins[: -MAX_NAMED - 1 : -1])):
        first = coins[0]
        if (first.change <= 0) == (kind == "up"):
            continue
        great = abs(first.change) >= LARGE_MOVE_PERCENT
        yield context.build_topic(
            facts,
            f"movers-{kind}",
            slot_start(facts.at, 6),
            Category.IMPORTANT if great else Category.NORMAL,
            partial(_write_movers, kind, coins, len(facts.coins)),
            coins,
        )


def _write_movers(kind: str, coins: Sequence[Coin], count: int, language: Language) -> Draft:
    first = coins[0]
    return Draft(
        fill(language, kind, name=first.name(language), change=format_percent(first.change)),
        fill(language, "movers_sub", count=str(count)),
        [format_price_line(coin, language) for coin in coins],
    )


def _build_extremes(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    """Build the reports on coins beyond their weekly high or low, the largest coins first."""
    moving = [coin for coin in facts.coins if not coin.is_stable]
    high = [coin for coin in moving if coin.week_high is not None and coin.price > coin.week_high]
    low = [coin for coin in moving if coin.week_low is not None and coin.price < coin.week_low]
    for kind, coins in (("high", high[:MAX_NAMED]), ("low", low[:MAX_NAMED])):
        if coins:
            yield context.build_topic(
                facts,
                f"week-{kind}",
                slot_start(facts.at, 12),
                Category.NORMAL,
                partial(_write_extremes, kind, coins),
                coins,
            )


def _write_extremes(kind: str, coins: Sequence[Coin], language: Language) -> Draft:
    return Draft(
        fill(language, kind, names=join_names(coins, language, changes=False)),
        fill(language, "extreme_sub"),
        [_describe_extreme(coin, kind, language) for coin in coins],
    )


def _describe_extreme(coin: Coin, kind: str, language: Language) -> str:
    bound = coin.week_high if kind == "high" else coin.week_low
    return fill(
        language,
        f"extreme_{kind}",
        name=coin.name(language),
        price=format_price(coin.price, language),
        bound=format_price(bound or Decimal(0), language),
    )


def _build_single_reports(facts: MarketFacts, context: ReportContext) -> Iterator[Topic]:
    if facts.mood is not None:
        yield _build_mood(facts, facts.mood, context)
    for coin in facts.coins:
        if coin.is_dollar and abs(coin.price - 1) * 100 >= PEG_REPORTED_PERCENT:
            yield _build_peg(facts, coin, context)
    shares = {coin.id: coin.volume / coin.cap for coin in facts.coins if coin.volume and coin.cap}
    if len(shares) < MIN_COINS:
        return
    median = statistics.median(shares.values())
    busy = [
        coin
        for coin in facts.coins
        if not coin.is_stable and shares.get(coin.id, 0) >= MIN_TURNOVER_FACTOR * median
    ]
    for coin in sorted(busy, key=lambda coin: -shares[coin.id])[:1]:
        yield _build_turnover(facts, coin, shares[coin.id], median, context)


def _build_mood(facts: MarketFacts, mood: FearGreed, context: ReportContext) -> Topic:
    def write_draft(language: Language) -> Draft:
        label = _translate_label(mood, language)
        values = {"value": str(mood.value), "label": label}
        provider = "sample" if facts.realm == "sample" else mood.provider
        subtitle = fill(language, "mood_sub", day=format_day(mood.as_of, language), provider=provider)
        sentences = [fill(language, "mood_stands", **values), fill(language, "mood_text")]
        return Draft(fill(language, "mood", **values), subtitle, sentences)

    return context.build_topic(facts, "mood", slot_start(facts.at, 24), Category.NORMAL, write_draft)


def _build_peg(facts: MarketFacts, coin: Coin, context: ReportContext) -> Topic:
    deviation_percent = abs(coin.price - 1) * 100

    def write_draft(language: Language) -> Draft:
        name, at = coin.name(language), format_price(coin.price, language)
        deviation = format_percent(deviation_percent, signed=False)
        return Draft(
            fill(language, "peg", name=name, deviation=deviation),
            fill(language, "peg_sub", price=at, day=format_day(facts.at, language)),
            [fill(language, "peg_text", name=name, price=at), format_price_line(coin, language)],
        )

    category = Category.BREAKING if deviation_percent >= PEG_BREAKING_PERCENT else Category.IMPORTANT
    return context.build_topic(
        facts, f"peg:{coin.id}", slot_start(facts.at, 24), category, write_draft, [coin]
    )


def _build_turnover(
    facts: MarketFacts, coin: Coin, share: Decimal, median: Decimal, context: ReportContext
) -> Topic:
    def write_draft(language: Language) -> Draft:
        times = format((share / median).quantize(Decimal(1)), "f")
        share_text = format_percent(share * 100, signed=False)
        return Draft(
            fill(language, "turnover", name=coin.name(language), share=share_text),
            fill(language, "turnover_sub", volume=format_money(coin.volume or Decimal(0), language)),
            [
                fill(language, "turnover_text", times=times, count=str(len(facts.coins))),
                format_price_line(coin, language),
            ],
        )

    return context.build_topic(
        facts, f"turnover:{coin.id}", slot_start(facts.at, 24), Category.NORMAL, write_draft, [coin]
    )


def _sort_by_change(facts: MarketFacts) -> list[Coin]:
    moving = [coin for coin in facts.coins if not coin.is_stable]
    return sorted(moving, key=lambda coin: (-coin.change, coin.id))


def _translate_label(mood: FearGreed, language: Language) -> str:
    return MOODS.get(mood.label, {}).get(language, mood.label)
