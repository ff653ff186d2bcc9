"""Opens, updates and closes incidents. No I/O.

An incident opens at once and closes when its cause has been absent for ``AggregationPolicy.quiet_period``.
So a spread that crosses its limit from poll to poll is one incident, not fifty.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from backend.markets.aggregation.state import INCIDENT_KINDS, IncidentKind, OpenIncident
from backend.markets.numbers import EXACT_CONTEXT
from backend.markets.reasons import Reason

SIZE_QUANTUM = Decimal("0.01")
"""Sizes are rounded to hundredths of a percent; smaller growth is not an update."""

Action = Literal["open", "update", "close"]


@dataclass(frozen=True, slots=True)
class IncidentEvent:
    """An incident of an asset opens, grows or closes.

    ``size_pct`` is the largest size so far, in percent. ``detail`` is the cause, null when the incident
    closes.
    """

    action: Action
    kind: IncidentKind
    asset_id: str
    at: datetime
    size_pct: Decimal
    detail: Reason | None


@dataclass(frozen=True, slots=True)
class IncidentSignal:
    """What one tick shows about one kind of incident.

    ``active``: the cause is present. ``is_over``: the cause is gone, so the incident closes without waiting.
    ``size_pct`` is the size of the cause, ``detail`` its reason; not needed without a cause.
    """

    active: bool
    size_pct: Decimal
    detail: Reason | None = None
    is_over: bool = False


def track_incidents(
    asset_id: str,
    incidents: Mapping[IncidentKind, OpenIncident],
    signals: Mapping[IncidentKind, IncidentSignal],
    now: datetime,
    quiet_period: timedelta,
) -> tuple[dict[IncidentKind, OpenIncident], tuple[IncidentEvent, ...]]:
    """Return the open incidents after this tick, and the events of the tick.

    Kinds without a signal do not change: there is no information about them. Events come in the order of
    :data:`~backend.markets.aggregation.state.INCIDENT_KINDS`.
    """
    current, events = dict(incidents), []
    for kind in INCIDENT_KINDS:
        if kind not in signals:
            continue
        signal, previous = signals[kind], incidents.get(kind)
        now_open, action = _track_incident(previous, signal, now, quiet_period)
        if now_open is None:
            current.pop(kind, None)
        else:
            current[kind] = now_open
        subject = now_open or previous
        if action and subject:
            detail = None if action == "close" else signal.detail
            events.append(IncidentEvent(action, kind, asset_id, now, subject.worst_pct, detail))
    return current, tuple(events)


def _track_incident(
    previous: OpenIncident | None, signal: IncidentSignal, now: datetime, quiet_period: timedelta
) -> tuple[OpenIncident | None, Action | None]:
    """Return one incident after this tick, and its event if there is one."""
    size = EXACT_CONTEXT.quantize(signal.size_pct, SIZE_QUANTUM)
    if signal.active:
        if previous is None:
            return OpenIncident(now, size), "open"
        if size > previous.worst_pct:
            return OpenIncident(previous.since, size), "update"
        return replace(previous, calm_since=None), None
    if previous is None:
        return None, None
    calm_since = previous.calm_since or now
    if signal.is_over or now - calm_since >= quiet_period:
        return None, "close"
    return replace(previous, calm_since=calm_since), None
