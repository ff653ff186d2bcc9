"""Builds the reasons of figures, quotes and provider states: a code, values, and an English message. No I/O.

Codes are stable, so that other languages can translate a reason. The name of a value defines its type:
``…_pct`` is a percentage as a decimal string, ``…_seconds`` a whole number, ``as_of`` and ``retry_at`` are
RFC 3339 instants, ``price`` is a plain decimal in USD, ``provider``, ``providers`` and ``left_out`` are
provider ids. Any code can also have ``said``, the provider's error text or ours, and ``fault``, its kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import orjson

from backend.markets.numbers import format_plain, format_timestamp
from backend.markets.provider_names import title

Value = str | int | list[str]

_DIFFER = "{providers} differ by {spread_pct} (limit {limit_pct})"
_CAMPS = "The quotes of {total} providers split into groups farther than {limit_pct} from their median"
_HELD = "the last good figure, of {as_of}, is used until it is {hold_seconds} old."
_UNHELD = (
    "and no good figure is younger than {hold_seconds}: the quote of the primary provider, {provider}, is "
    "used."
)
_MOVED = "{provider}'s price moved by {move_pct} (limit {limit_pct})"

MESSAGES: Mapping[str, str] = {
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
    "jump_confirmed": f"{_MOVED}, which a second observation confirms.",
    "jump_held": f"{_MOVED} and no second observation confirms that yet: the last price stands.",
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
    "recent_failures": "Recent failures: {failures}.",
    "failed_repeatedly": "It failed repeatedly; asked again at {retry_at}.",
    "probing": "The wait is over; one probe decides.",
    "throttled": "The provider asked us to wait; asked again at {retry_at}.",
    "quota_spent": "The quota is spent; asked again at {retry_at}.",
    "key_refused": "The key was refused; asked again at {retry_at}, and at once when the key is changed.",
    "access_refused": "It refused access; asked again at {retry_at}, and at once after a restart.",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A code with its values and message. ``code`` is None for messages stored by versions without codes."""

    code: str | None
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "text": self.text, "values": dict(self.values)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str) -> "Reason":
        """Parse the result of :meth:`to_json` or a bare message."""
        if isinstance(data, str):
            return cls(None, data)
        return cls(data["code"], data["text"], data["values"])

    def to_text(self) -> str:
        """Encode the reason for a text column."""
        return orjson.dumps(self.to_json()).decode()

    @classmethod
    def from_text(cls, text: str) -> "Reason":
        """Parse a text column: the result of :meth:`to_text`, or a bare message, which is never JSON."""
        return cls.from_json(orjson.loads(text) if text.startswith('{"code":') else text)


def build_reason(
    code: str, *, provider_message: str = "", error_kind: str = "", **values_by_name: Any
) -> Reason:
    """Build the reason ``code`` with its values: names, decimals, instants and durations.

    Raises :class:`KeyError` for a code without a message, and for a value missing from its message.
    """
    values = {name: _to_wire_value(name, value) for name, value in values_by_name.items()}
    message = MESSAGES[code].format_map({name: _format_value(name, value) for name, value in values.items()})
    if provider_message:
        values["said"] = provider_message
        message += f" It said: {provider_message}"
    if error_kind:
        values["fault"] = error_kind
    return Reason(code, message, values)


def join_titles(providers: list[str]) -> str:
    """Join the providers' titles: ``CoinGecko, CoinMarketCap and third``."""
    titles = [title(provider) for provider in providers]
    return " and ".join([", ".join(titles[:-1]), titles[-1]] if len(titles) > 1 else titles)


def format_duration(duration: timedelta) -> str:
    """Format a duration: ``45 s``, ``12 min``, ``5 h``, ``3 d`` (rounded down)."""
    seconds = int(duration.total_seconds())
    for size, unit, threshold in ((86_400, "d", 172_800), (3600, "h", 7200), (60, "min", 120)):
        if seconds >= threshold:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _to_wire_value(name: str, value: Any) -> Value:
    """Convert a value to its stored and sent form. Percentages get two decimals unless given as text."""
    if isinstance(value, datetime):
        return format_timestamp(value)
    if isinstance(value, timedelta):
        return int(value.total_seconds())
    if isinstance(value, Decimal):
        return f"{value:.2f}" if name.endswith("_pct") else format_plain(value)
    return value if isinstance(value, int | list) else str(value)


def _format_value(name: str, value: Value) -> str:
    if isinstance(value, list):
        return join_titles(value)
    if name == "provider":
        return title(str(value))
    if name == "move_pct":
        return f"{value}%" if str(value).startswith("-") else f"+{value}%"
    if name.endswith("_pct"):
        return f"{value}%"
    if name.endswith("_seconds"):
        return format_duration(timedelta(seconds=int(value)))
    return str(value)
