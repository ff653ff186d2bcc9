"""Converts single values to JSON. No I/O.

Numbers are printed from the exact decimal as raw JSON literals, without floats in between.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any

import orjson

from backend.markets.assets.model import Asset
from backend.markets.numbers import format_plain, format_timestamp, json_number
from backend.markets.reasons import Reason


def to_json_number(value: Decimal | None) -> orjson.Fragment | None:
    return None if value is None else orjson.Fragment(json_number(value))


def to_decimal_string(value: Decimal | None) -> str | None:
    return None if value is None else format_plain(value)


def build_reason_fields(name: str, reason: Reason | None) -> dict[str, Any]:
    """Build the fields ``name``, ``name_code`` and ``name_values`` of a reason."""
    if reason is None:
        return {name: None, f"{name}_code": None, f"{name}_values": {}}
    return {name: reason.text, f"{name}_code": reason.code, f"{name}_values": dict(reason.values)}


def build_icon_url(asset: Asset) -> str:
    return f"/assets/{asset.id}/icon"


def optional_timestamp(moment: datetime | None) -> str | None:
    return None if moment is None else format_timestamp(moment)
