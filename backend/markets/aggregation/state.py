"""Defines the state that the aggregation rule keeps between ticks for one asset, stored as JSON. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from backend.formats.timestamps import parse_instant, write_instant

IncidentKind = Literal["divergent", "conflict", "depeg", "jump"]
INCIDENT_KINDS: tuple[IncidentKind, ...] = ("divergent", "conflict", "depeg", "jump")


@dataclass(frozen=True, slots=True)
class GoodFigure:
    """The last price that was not in conflict."""

    price: Decimal
    at: datetime
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PendingJump:
    """A first observation far from the last published price, which a second one must confirm."""

    provider: str
    price: Decimal
    as_of: datetime


@dataclass(frozen=True, slots=True)
class OpenIncident:
    """An open incident; ``calm_since`` is when its cause was first absent."""

    since: datetime
    worst_pct: Decimal
    calm_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class AggregationState:
    """What the rule needs from earlier ticks in addition to the figure published last.

    ``excluded``: providers excluded from the median until they are within half of the band again.
    ``newest``: the latest provider time so far, which distinguishes a late quote from an old one.
    """

    excluded: frozenset[str] = frozenset()
    pending: PendingJump | None = None
    last_good: GoodFigure | None = None
    newest: datetime | None = None
    incidents: Mapping[IncidentKind, OpenIncident] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Encode decimals as strings and instants as RFC 3339 with microseconds; unset fields are omitted."""
        encoded: dict[str, Any] = {}
        if self.excluded:
            encoded["excluded"] = sorted(self.excluded)
        if self.pending:
            pending = self.pending
            encoded["pending"] = {
                "provider": pending.provider,
                "price": str(pending.price),
                "as_of": write_instant(pending.as_of),
            }
        if self.last_good:
            last_good = self.last_good
            encoded["last_good"] = {
                "price": str(last_good.price),
                "at": write_instant(last_good.at),
                "providers": list(last_good.providers),
            }
        if self.newest:
            encoded["newest"] = write_instant(self.newest)
        if self.incidents:
            encoded["incidents"] = {kind: _encode_incident(item) for kind, item in self.incidents.items()}
        return encoded

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "AggregationState":
        pending, last_good, newest = data.get("pending"), data.get("last_good"), data.get("newest")
        stored = data.get("incidents", {})
        return cls(
            excluded=frozenset(data.get("excluded", ())),
            pending=pending
            and PendingJump(pending["provider"], Decimal(pending["price"]), parse_instant(pending["as_of"])),
            last_good=last_good
            and GoodFigure(
                Decimal(last_good["price"]), parse_instant(last_good["at"]), tuple(last_good["providers"])
            ),
            newest=newest and parse_instant(newest),
            incidents={kind: _decode_incident(stored[kind]) for kind in INCIDENT_KINDS if kind in stored},
        )


def _encode_incident(item: OpenIncident) -> dict[str, Any]:
    encoded: dict[str, Any] = {"since": write_instant(item.since), "worst_pct": str(item.worst_pct)}
    if item.calm_since:
        encoded["calm_since"] = write_instant(item.calm_since)
    return encoded


def _decode_incident(data: Mapping[str, Any]) -> OpenIncident:
    stored_calm_since = data.get("calm_since")
    calm_since = parse_instant(stored_calm_since) if stored_calm_since else None
    return OpenIncident(parse_instant(data["since"]), Decimal(data["worst_pct"]), calm_since)
