"""Why a figure, a quote or a provider is as it is: a code with values, and the sentence they make. Pure.

Codes are stable words by which other languages tell the same; the sentence is English. A value's
name says what it is: ``…_pct`` a percentage as a decimal string, ``…_seconds`` a whole number,
``as_of`` and ``retry_at`` RFC 3339 instants, ``price`` a plain decimal in USD, ``provider``,
``providers`` and ``left_out`` names of providers. ``said`` holds a provider's own words (or ours on
what went wrong) and ``fault`` their kind; both come behind the sentence of any code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import orjson

from backend.markets.numbers import plain, stamp
from backend.markets.provider_names import title

Value = str | int | list[str]

_DIFFER = "{providers} differ by {spread_pct} (limit {limit_pct})"
_CAMPS = "{total} providers fall into camps farther than {limit_pct} from their middle"
_HELD = "the last good figure, of {as_of}, stands until it is {hold_seconds} old."
_UNHELD = "and no good figure is younger than {hold_seconds}: {provider} as the primary."
_MOVED = "{provider}'s price moved by {move_pct} (limit {limit_pct})"

SENTENCES: Mapping[str, str] = {
    # of a figure
    "nothing_yet": "No provider has given a usable price yet.",
    "single": "{provider} alone has a usable quote.",
    "two_agree": "{providers} agree within {spread_pct} (limit {limit_pct}): their mean.",
    "nearer_of_two": f"{_DIFFER}: no mean; {{provider}} is nearer the last published price.",
    "primary_of_two": (
        f"{_DIFFER}: no mean; no recently published price decides, so {{provider}} as the primary."
    ),
    "median": "{providers}: the median of {used} of {total} quotes.",
    "median_without": (
        "{providers}: the median of {used} of {total} quotes. {left_out} left out as too far."
    ),
    "conflict_held": f"{_DIFFER}: {_HELD}",
    "conflict_primary": f"{_DIFFER} {_UNHELD}",
    "camps_held": f"{_CAMPS}: {_HELD}",
    "camps_primary": f"{_CAMPS} {_UNHELD}",
    "jump_confirmed": f"{_MOVED}, which a second observation bears out.",
    "jump_held": f"{_MOVED} and no second observation bears that out yet: the last price stands.",
    "last_known": "No provider's quote is recent enough: the last known price, {providers} at {as_of}.",
    "latest_known": ("No provider's quote is recent enough: {provider}'s of {as_of} is the latest known."),
    "expired": ("The last known price, of {as_of}, is older than {limit_seconds} and is no longer shown."),
    # of one provider's quote
    "only_quote": "The only usable quote.",
    "in_mean": "Used in the mean.",
    "nearer": "Nearer the last published price, {price}.",
    "farther": "Differs by {spread_pct}, farther from the last published price, {price}.",
    "primary": "The primary, since no recently published price decides.",
    "not_primary": "Differs by {spread_pct} from the primary.",
    "in_median": "In the median: {distance_pct} from the middle.",
    "out_of_median": ("Left out: {distance_pct} from the median (limit {limit_pct}, back below {back_pct})."),
    "in_conflict": "In conflict: not used for now.",
    "primary_in_conflict": "The primary, in a conflict that outlasted the last good figure.",
    "against_primary": "In conflict with the primary.",
    "jump_waits": "Waits for a second observation: moved by {move_pct}.",
    "ageing": "Ageing: of {as_of}, more than {limit_seconds} old, and a fresh quote exists.",
    "stale": "Stale: of {as_of}, more than {limit_seconds} old.",
    "stale_but_latest": (
        "Stale: of {as_of}, more than {limit_seconds} old. The latest known price all the same."
    ),
    "not_renewed": "Not renewed in time: stale.",
    "not_judged": "Not judged yet.",
    "price_not_finite": "Refused: {figure} is not a finite price.",
    "price_not_positive": "Refused: the price is not above zero.",
    "price_out_of_range": "Refused: no price is that small, that large or that long.",
    "time_ahead": "Refused: its time, {as_of}, is more than {limit_seconds} ahead of ours.",
    # of an incident, beside those of a figure
    "conflict": f"{_DIFFER}.",
    "camps": f"{_CAMPS}.",
    "off_peg": "The price is {off_pct} from one dollar (limit {limit_pct}).",
    # of a provider
    "recent_failures": "{failures} recent failures.",
    "failed_repeatedly": "It failed repeatedly; asked again at {retry_at}.",
    "probing": "The wait is over; one probe decides.",
    "throttled": "The provider asked us to wait; asked again at {retry_at}.",
    "quota_spent": "The quota is spent; asked again at {retry_at}.",
    "key_refused": "The key was refused; asked again at {retry_at}, and at once when the key is changed.",
    "access_refused": "It refused access; asked again at {retry_at}, and at once after a restart.",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """``code`` is null where only a sentence is known: what was stored before there were codes."""

    code: str | None
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "text": self.text, "values": dict(self.values)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str) -> "Reason":
        """Out of what :meth:`to_json` gave, or of a bare sentence."""
        if isinstance(data, str):
            return cls(None, data)
        return cls(data["code"], data["text"], data["values"])

    def to_text(self) -> str:
        """For a column of text."""
        return orjson.dumps(self.to_json()).decode()

    @classmethod
    def from_text(cls, text: str) -> "Reason":
        """Out of a column that holds what :meth:`to_text` gave, or a bare sentence; none begins so."""
        return cls.from_json(orjson.loads(text) if text.startswith('{"code":') else text)


def say(code: str, *, said: str = "", fault: str = "", **given: Any) -> Reason:
    """The reason ``code`` with its values: names, decimals, instants and durations as they are.

    Raises :class:`KeyError` for a code that has no sentence, and for a value that the sentence lacks.
    """
    values = {name: _wire(name, value) for name, value in given.items()}
    sentence = SENTENCES[code].format_map({name: _shown(name, value) for name, value in values.items()})
    if said:
        values["said"] = said
        sentence += f" It said: {said}"
    if fault:
        values["fault"] = fault
    return Reason(code, sentence, values)


def names(providers: list[str]) -> str:
    """``CoinGecko, CoinMarketCap and third``."""
    titles = [title(provider) for provider in providers]
    return " and ".join([", ".join(titles[:-1]), titles[-1]] if len(titles) > 1 else titles)


def words(duration: timedelta) -> str:
    """A duration for a sentence: ``45 s``, ``12 min``, ``5 h``, ``3 d`` (rounded down)."""
    seconds = int(duration.total_seconds())
    for size, unit, least in ((86_400, "d", 172_800), (3600, "h", 7200), (60, "min", 120)):
        if seconds >= least:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _wire(name: str, value: Any) -> Value:
    """What is stored and sent: percentages to the hundredth unless their digits were chosen."""
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, timedelta):
        return int(value.total_seconds())
    if isinstance(value, Decimal):
        return f"{value:.2f}" if name.endswith("_pct") else plain(value)
    return value if isinstance(value, int | list) else str(value)


def _shown(name: str, value: Value) -> str:
    if isinstance(value, list):
        return names(value)
    if name == "provider":
        return title(str(value))
    if name == "move_pct":
        return f"{value} %" if str(value).startswith("-") else f"+{value} %"
    if name.endswith("_pct"):
        return f"{value} %"
    if name.endswith("_seconds"):
        return words(timedelta(seconds=int(value)))
    return str(value)
