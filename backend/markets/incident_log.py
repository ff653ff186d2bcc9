"""Stores incidents: when figures diverged, conflicted, jumped or lost their peg, and for how long."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.aggregation.incident_tracking import IncidentEvent
from backend.markets.tables import incidents


def record_incidents(
    connection: Connection, realm: str, events: Iterable[IncidentEvent], now: datetime
) -> None:
    """Open, update and close incidents. An asset has at most one open incident of each kind."""
    for event in events:
        is_open = sa.and_(
            incidents.c.realm == realm,
            incidents.c.asset_id == event.asset_id,
            incidents.c.kind == event.kind,
            incidents.c.closed_at.is_(None),
        )
        if event.action == "close":
            connection.execute(sa.update(incidents).where(is_open).values(closed_at=now))
            continue
        if event.detail is None:
            raise ValueError(f"{event.asset_id}: the event of an open incident needs a detail.")
        row = connection.execute(sa.select(incidents.c.id, incidents.c.worst_pct).where(is_open)).first()
        if row is None:
            connection.execute(
                sa.insert(incidents).values(
                    realm=realm,
                    asset_id=event.asset_id,
                    kind=event.kind,
                    opened_at=now,
                    worst_pct=event.size_pct,
                    detail=event.detail.to_text(),
                )
            )
        elif event.size_pct is not None and (row.worst_pct is None or event.size_pct > row.worst_pct):
            connection.execute(
                sa.update(incidents)
                .where(incidents.c.id == row.id)
                .values(worst_pct=event.size_pct, detail=event.detail.to_text())
            )
