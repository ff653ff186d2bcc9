"""Converts single values to the JSON that is sent; pure.

Numbers are printed from the exact decimal as raw JSON literals: no float in between.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any

import orjson

from backend.markets.assets.model import Asset
from backend.markets.numbers import format_plain, format_timestamp, json_number
from backend.markets.reasons import Reason


def number(value: Decimal | None) -> orjson.Fragment | None:
    return None if value is None else orjson.Fragment(json_number(value))


def text(value: Decimal | None) -> str | None:
    return None if value is None else format_plain(value)


def told(name: str, reason: Reason | None) -> dict[str, Any]:
    """The fields ``name``, ``name_code`` and ``name_values`` of a reason."""
    if reason is None:
        return {name: None, f"{name}_code": None, f"{name}_values": {}}
    return {name: reason.text, f"{name}_code": reason.code, f"{name}_values": dict(reason.values)}


def icon_url(asset: Asset) -> str:
    return f"/assets/{asset.id}/icon"


def optional_timestamp(moment: datetime | None) -> str | None:
    return None if moment is None else format_timestamp(moment)
