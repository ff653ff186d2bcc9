"""What the aggregation rule carries from one tick to the next for one asset; stored as JSON. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from backend.formats.timestamps import parse_instant, write_instant

IncidentKind = Literal["divergent", "conflict", "depeg", "jump"]
KINDS: tuple[IncidentKind, ...] = ("divergent", "conflict", "depeg", "jump")


@dataclass(frozen=True, slots=True)
class GoodFigure:
    """The last price that no open conflict put in doubt."""

    price: Decimal
    at: datetime
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PendingJump:
    """A first observation far from the last published price, which a second one must bear out."""

    provider: str
    price: Decimal
    as_of: datetime


@dataclass(frozen=True, slots=True)
class OpenIncident:
    """An incident that is not over; ``calm_since`` is when its cause was first absent."""

    since: datetime
    worst_pct: Decimal
    calm_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """Everything the rule needs of the past beside the figure that it published last.

    ``excluded``: providers left out of the median, until they are well inside the band again.
    ``newest``: the latest provider time seen so far, by which a late quote is told from an old one.
    """

    excluded: frozenset[str] = frozenset()
    pending: PendingJump | None = None
    last_good: GoodFigure | None = None
    newest: datetime | None = None
    incidents: Mapping[IncidentKind, OpenIncident] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Decimals as strings, instants as RFC 3339 to the microsecond; only what is set."""
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
            out["incidents"] = {kind: _incident_json(item) for kind, item in self.incidents.items()}
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Memory":
        pending, good, newest = data.get("pending"), data.get("last_good"), data.get("newest")
        stored = data.get("incidents", {})
        return cls(
            excluded=frozenset(data.get("excluded", ())),
            pending=pending
            and PendingJump(pending["provider"], Decimal(pending["price"]), parse_instant(pending["as_of"])),
            last_good=good
            and GoodFigure(Decimal(good["price"]), parse_instant(good["at"]), tuple(good["providers"])),
            newest=newest and parse_instant(newest),
            incidents={kind: _incident(stored[kind]) for kind in KINDS if kind in stored},
        )


def _incident_json(item: OpenIncident) -> dict[str, Any]:
    out: dict[str, Any] = {"since": write_instant(item.since), "worst_pct": str(item.worst_pct)}
    if item.calm_since:
        out["calm_since"] = write_instant(item.calm_since)
    return out


def _incident(data: Mapping[str, Any]) -> OpenIncident:
    calm = data.get("calm_since")
    calm_since = parse_instant(calm) if calm else None
    return OpenIncident(parse_instant(data["since"]), Decimal(data["worst_pct"]), calm_since)
