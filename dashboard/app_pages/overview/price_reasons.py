"""The service's reasons in the reader's language: by their code, else the English sentence as it came.

Where the service says why (``reason``, ``detail``, ``message``), a code and values stand beside the
sentence. A code that is not known here, or whose values are not those expected, leaves the sentence.
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

FAULTS = ("throttled", "quota_spent", "unauthorised", "refused", "not_found", "unavailable", "malformed")


@dataclass(frozen=True, slots=True)
class Explanation:
    """``lang`` names the language of ``text`` where it is not the reader's.

    ``fault`` says of what kind a provider's last failure was, in the reader's language; ``said`` is
    what it said, in its own words; null where there is nothing to say.
    """

    text: str
    lang: str | None = None
    fault: str | None = None
    said: str | None = None


def explain(
    sentence: str, code: str | None, values: Mapping[str, ReasonValue], now: datetime | None = None
) -> Explanation:
    """What a reader is told of a reason; ``now`` decides whether a time of day needs its date."""
    fields = _fields(f"reasons.code_{code}")
    if fields is None or not fields <= values.keys():
        return Explanation(sentence, None if language() == "en" else "en")
    present = now or datetime.now(UTC)
    shown: dict[str, Any] = {name: _shown(name, values[name], present) for name in fields}
    told, kind = t(f"reasons.code_{code}", **shown), values.get("fault")
    fault = t("reasons.fault", fault=t(f"reasons.fault_{kind}")) if kind in FAULTS else None
    said = values.get("said")
    return Explanation(told, fault=fault, said=str(said) if said else None)


def _fields(key: str) -> set[str] | None:
    """What the text of ``key`` is made with; null if there is no such text."""
    versions = catalogue().get(key)
    if versions is None:
        return None
    return {name for _, name, _, _ in string.Formatter().parse(versions[language()]) if name}


def _shown(name: str, value: ReasonValue, now: datetime) -> str:
    """A value as its name says that it is meant; see the service's description of ``reason_values``."""
    if isinstance(value, list):
        return _listed([provider_name(provider) for provider in value])
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
        return formats.price_label(Decimal(str(value)), language())
    return str(value)


def _listed(names: list[str]) -> str:
    """``A, B and C``, as the reader's language joins them."""
    if len(names) < 2:
        return "".join(names)
    return t("reasons.and").join([t("reasons.comma").join(names[:-1]), names[-1]])
