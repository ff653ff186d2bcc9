"""Defines the two views that represent two data providers: the same market, late and slightly different."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from backend.markets.model import ErrorKind, ProviderError
from backend.markets.sample import random_numbers
from backend.markets.sample.event_schedule import VIEW_A, VIEW_B, EventKind, Schedule
from backend.markets.sample.random_numbers import Floats, Stream
from backend.markets.sample.universe import Universe

_TICK_SECONDS = 30
"""Each asset's figures change every thirty seconds, at a second specific to the asset."""
_LAG_SECONDS = 2400.0
_PEG_SHARE = 0.2
"""Factor by which pegged assets deviate less than others."""
DIVERGENCE, DIVERGENCE_SWING, CONFLICT = 0.026, 0.004, -0.08
"""What the second view adds to the log price of the divergent and conflicting assets."""


@dataclass(frozen=True, slots=True)
class View:
    """``delay`` in seconds; ``offset`` and ``noise`` of the log price, the latter a standard deviation."""

    name: str
    delay: float
    offset: float
    noise: float
    disagrees: bool
    """Whether the scripted disagreements are applied to this view."""


VIEWS: Mapping[str, View] = {
    VIEW_A: View(VIEW_A, delay=8, offset=0.0, noise=0.0001, disagrees=False),
    VIEW_B: View(VIEW_B, delay=45, offset=0.0002, noise=0.0002, disagrees=True),
}


def raise_in_outage(view: View, schedule: Schedule, now: datetime) -> None:
    """Raise the scripted error of this view at ``now``, if there is one."""
    for event in schedule.active(EventKind.OUTAGE, now, view.name):
        raise ProviderError(
            view.name,
            ErrorKind.UNAVAILABLE,
            f"no answer until {event.ends:%Y-%m-%d %H:%M} UTC, as the script has it",
        )
    for event in schedule.active(EventKind.THROTTLE, now, view.name):
        raise ProviderError(
            view.name,
            ErrorKind.THROTTLED,
            "too many requests, as the script has it",
            retry_after=max(1.0, (event.ends - now).total_seconds()),
        )


def compute_lags(view: View, universe: Universe, schedule: Schedule, now: datetime) -> Floats:
    """(assets,): age in seconds of each asset's figures at ``now`` in this view."""
    phase = _TICK_SECONDS * random_numbers.uniform(universe.keys, np.array(0, dtype=np.int64), Stream.VIEW)
    visible_seconds = now.timestamp() - view.delay - phase
    ticked = np.floor(np.floor(visible_seconds / _TICK_SECONDS) * _TICK_SECONDS + phase)
    age = now.timestamp() - ticked
    for event in schedule.active(EventKind.LAG, now, view.name):
        age[_find_columns(universe, event.assets)] += _LAG_SECONDS
    return np.asarray(age[: universe.visible], dtype=np.float64)


def compute_price_factors(
    view: View, universe: Universe, schedule: Schedule, now: datetime, as_of: Floats
) -> Floats:
    """(assets,): factors between this view's prices and the market's."""
    keys = universe.keys ^ np.uint64(random_numbers.derive_key(0, view.name))
    drawn = random_numbers.normal(keys[: universe.visible], as_of.astype(np.int64), Stream.VIEW)
    log_offset = view.offset + view.noise * drawn
    log_offset *= np.where(universe.pegged & (universe.base < 0), _PEG_SHARE, 1.0)[: universe.visible]
    if view.disagrees:
        swing = np.sin(2 * np.pi * now.timestamp() / 11_000)
        for event in schedule.active(EventKind.DIVERGENCE, now):
            log_offset[_find_columns(universe, event.assets)] = DIVERGENCE + DIVERGENCE_SWING * swing
        for event in schedule.active(EventKind.CONFLICT, now):
            log_offset[_find_columns(universe, event.assets)] = CONFLICT
    return np.asarray(np.exp(log_offset), dtype=np.float64)


def _find_columns(universe: Universe, asset_ids: tuple[str, ...]) -> list[int]:
    return [
        column
        for name in asset_ids
        if (column := universe.index.get(name, universe.visible)) < universe.visible
    ]
