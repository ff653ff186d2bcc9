"""When an incident opens, worsens and is over. Pure.

An incident opens at once, and is over when its cause has been absent for ``Policy.quiet``: a spread
that swings about its limit from poll to poll is one incident, not fifty.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from backend.markets.aggregation.state import KINDS, IncidentKind, OpenIncident
from backend.markets.numbers import WIDE
from backend.markets.reasons import Reason

SIZE_STEP = Decimal("0.01")
"""Sizes are told to the hundredth of a percent; smaller growth is no news."""

Action = Literal["open", "update", "close"]


@dataclass(frozen=True, slots=True)
class IncidentEvent:
    """An incident of an asset opens, grows worse or is over.

    ``size_pct`` is the worst so far, in percent; ``detail`` says what is wrong, null when it is over.
    """

    action: Action
    kind: IncidentKind
    asset_id: str
    at: datetime
    size_pct: Decimal
    detail: Reason | None


@dataclass(frozen=True, slots=True)
class Sign:
    """What one tick shows of one kind of incident.

    ``active``: its cause is present. ``over``: it is gone for good, so there is no need to wait.
    ``size_pct`` is how large the cause is, ``detail`` what it is; needless where there is none.
    """

    active: bool
    size_pct: Decimal
    detail: Reason | None = None
    over: bool = False


def advance(
    asset_id: str,
    incidents: Mapping[IncidentKind, OpenIncident],
    signs: Mapping[IncidentKind, Sign],
    now: datetime,
    quiet: timedelta,
) -> tuple[dict[IncidentKind, OpenIncident], tuple[IncidentEvent, ...]]:
    """The incidents that are open after this tick, and what happened to them.

    Kinds without a sign stay as they are: there was nothing to judge them by. Events come in the
    order of :data:`~backend.markets.aggregation.state.KINDS`.
    """
    after, events = dict(incidents), []
    for kind in KINDS:
        if kind not in signs:
            continue
        sign, before = signs[kind], incidents.get(kind)
        now_open, action = _step(before, sign, now, quiet)
        if now_open is None:
            after.pop(kind, None)
        else:
            after[kind] = now_open
        subject = now_open or before
        if action and subject:
            detail = None if action == "close" else sign.detail
            events.append(IncidentEvent(action, kind, asset_id, now, subject.worst_pct, detail))
    return after, tuple(events)


def _step(
    before: OpenIncident | None, sign: Sign, now: datetime, quiet: timedelta
) -> tuple[OpenIncident | None, Action | None]:
    """What one incident is after one tick, and the event to tell, if any."""
    size = WIDE.quantize(sign.size_pct, SIZE_STEP)
    if sign.active:
        if before is None:
            return OpenIncident(now, size), "open"
        if size > before.worst_pct:
            return OpenIncident(before.since, size), "update"
        return replace(before, calm_since=None), None
    if before is None:
        return None, None
    calm_since = before.calm_since or now
    if sign.over or now - calm_since >= quiet:
        return None, "close"
    return replace(before, calm_since=calm_since), None
