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
        out: dict[str, Any] = {}
        if self.excluded:
            out["excluded"] = sorted(self.excluded)
        if self.pending:
            pending = self.pending
            out["pending"] = {
                "provider": pending.provider,
                "price": str(pending.price),
                "as_of": write_instant(pending.as_of),
            }
        if self.last_good:
            good = self.last_good
            out["last_good"] = {
                "price": str(good.price),
                "at": write_instant(good.at),
                "providers": list(good.providers),
            }
        if self.newest:
            out["newest"] = write_instant(self.newest)
        if self.incidents:
            out["incidents"] = {kind: _incident_to_json(item) for kind, item in self.incidents.items()}
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "AggregationState":
        pending, good, newest = data.get("pending"), data.get("last_good"), data.get("newest")
        stored = data.get("incidents", {})
        return cls(
            excluded=frozenset(data.get("excluded", ())),
            pending=pending
            and PendingJump(pending["provider"], Decimal(pending["price"]), parse_instant(pending["as_of"])),
            last_good=good
            and GoodFigure(Decimal(good["price"]), parse_instant(good["at"]), tuple(good["providers"])),
            newest=newest and parse_instant(newest),
            incidents={kind: _incident_from_json(stored[kind]) for kind in INCIDENT_KINDS if kind in stored},
        )


def _incident_to_json(item: OpenIncident) -> dict[str, Any]:
    out: dict[str, Any] = {"since": write_instant(item.since), "worst_pct": str(item.worst_pct)}
    if item.calm_since:
        out["calm_since"] = write_instant(item.calm_since)
    return out


def _incident_from_json(data: Mapping[str, Any]) -> OpenIncident:
    calm = data.get("calm_since")
    calm_since = parse_instant(calm) if calm else None
    return OpenIncident(parse_instant(data["since"]), Decimal(data["worst_pct"]), calm_since)
