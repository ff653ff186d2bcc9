"""Translates the service's reasons by their codes.

The service sends a code and values with each of its sentences (``reason``, ``detail``, ``message``). An
unknown code, or a code without the expected values, keeps the English sentence.
"""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import streamlit as st

from dashboard.client.market_schemas import ReasonValue
from dashboard.frame import formats
from dashboard.frame.formats import MINUS
from dashboard.frame.freshness import provider_name
from dashboard.i18n import catalogue, language, t
from dashboard.i18n.punctuation import join_items

ERROR_KINDS = ("throttled", "quota_spent", "unauthorised", "refused", "not_found", "unavailable", "malformed")


@dataclass(frozen=True, slots=True)
class Explanation:
    """``lang`` is the language of ``text`` if it is not the reader's.

    ``last_failure`` is a sentence on a provider's last failure in the reader's language, and
    ``provider_message`` its own words; ``None`` without such a failure.
    """

    text: str
    lang: str | None = None
    last_failure: str | None = None
    provider_message: str | None = None


def explain(
    sentence: str, code: str | None, values: Mapping[str, ReasonValue], now: datetime | None = None
) -> Explanation:
    """Translates a reason; ``now`` decides whether a time of day needs its date."""
    fields = _find_placeholders(f"reasons.code_{code}")
    if fields is None or not fields <= values.keys():
        return Explanation(sentence, None if language() == "en" else "en")
    present = now or datetime.now(UTC)
    formatted_values: dict[str, Any] = {name: _format_value(name, values[name], present) for name in fields}
    text, kind = t(f"reasons.code_{code}", **formatted_values), values.get("fault")
    last_failure = (
        t("reasons.last_failure", error=t(f"reasons.error_{kind}")) if kind in ERROR_KINDS else None
    )
    message = values.get("said")
    return Explanation(text, last_failure=last_failure, provider_message=str(message) if message else None)


def _find_placeholders(key: str) -> set[str] | None:
    """Returns the placeholders of the text of ``key``; ``None`` if there is no such text."""
    versions = catalogue().get(key)
    if versions is None:
        return None
    return {name for _, name, _, _ in string.Formatter().parse(versions[language()]) if name}


def _format_value(name: str, value: ReasonValue, now: datetime) -> str:
    """Formats a value according to its name; see the service's description of ``reason_values``."""
    if isinstance(value, list):
        return _join_names([provider_name(provider) for provider in value])
    if name == "provider":
        return provider_name(str(value))
    if name == "move_pct":
        amount = str(value)
        return f"{MINUS}{amount[1:]}%" if amount.startswith("-") else f"+{amount}%"
    if name.endswith("_pct"):
        return f"{value}%"
    if name.endswith("_seconds") and isinstance(value, int):
        return formats.duration(value, language())
    if name in ("as_of", "retry_at"):
        return formats.local_time(datetime.fromisoformat(str(value)), st.context.timezone, now).text
    if name == "price":
        return formats.full_price(Decimal(str(value)), language())
    return str(value)


def _join_names(names: list[str]) -> str:
    """Joins names to ``A, B and C`` in the reader's language."""
    if len(names) < 2:
        return "".join(names)
    return t("reasons.and").join([join_items(names[:-1]), names[-1]])
