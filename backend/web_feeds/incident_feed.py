"""Builds the feed of market incidents."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from backend.formats.timestamps import parse_instant
from backend.markets.aggregation.state import IncidentKind
from backend.settings import Settings
from backend.web_feeds.model import Entry, Feed

TITLES: Mapping[IncidentKind, str] = {
    "divergent": "the prices of providers diverge",
    "conflict": "the prices of providers conflict",
    "depeg": "the price is off its peg",
    "jump": "an unconfirmed price jump",
}


def build_incident_feed(incidents: Sequence[Mapping[str, Any]], *, url: str, settings: Settings) -> Feed:
    """Build the feed from incidents as ``GET /markets/incidents`` returns them; ``url`` is its address."""
    mode = "" if settings.mode == "live" else f" ({settings.mode})"
    return Feed(
        title=f"Chainproof: Market incidents{mode}",
        url=url,
        home_url=f"{settings.dashboard_public_origin}/rankings",
        language="en",
        entries=[_build_entry(incident, settings) for incident in incidents],
    )


def _build_entry(incident: Mapping[str, Any], settings: Settings) -> Entry:
    opened_at = parse_instant(incident["opened_at"])
    closed_at = None if incident["closed_at"] is None else parse_instant(incident["closed_at"])
    state = "open" if closed_at is None else "closed"
    coin = urlencode({"coin": incident["asset_id"]})
    return Entry(
        id=f"{settings.api_url}/markets/incidents#{incident['id']}",
        title=f"{incident['name']} ({incident['symbol']}): {TITLES[incident['kind']]} ({state})",
        page_url=f"{settings.dashboard_public_origin}/rankings?{coin}",
        published_at=opened_at,
        updated_at=closed_at or opened_at,
        summary=incident["detail"],
        tags=(incident["kind"], state),
    )
