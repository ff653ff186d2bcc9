"""The stochastic part of the sample market: hourly log prices of one cycle of thirty days at a time.

Each cycle is a bridge. Its two ends are levels around each asset's anchor (a first-order
autoregression over cycles, cut off after two years and bounded); between them run hourly returns

    r = sigma (m F + a G + c N),   m^2 + a^2 + c^2 = 1,

with a market factor F, an alt factor G and own noise N, each a Student t times its own volatility.
Log volatility is the sum of a slow and a fast Ornstein-Uhlenbeck process, cut off after four
relaxation times or more, times the hour of the day and the script's factor. So a cycle depends on
nothing but the seed, costs the same at any date, and prices stay near their anchors for ever.
"""

from dataclasses import dataclass

import numpy as np

from backend.markets.sample import random_numbers
from backend.markets.sample.event_schedule import CYCLE_HOURS, EPOCH_SECONDS
from backend.markets.sample.random_numbers import Floats, Keys, Stream
from backend.markets.sample.scenario import volatility
from backend.markets.sample.universe import LEVEL_LIMIT, PEG_SD, Universe

EPOCH_HOUR = int(EPOCH_SECONDS // 3600)
NU = 8.0
"""Degrees of freedom of the innovations; the mixture over volatilities has fatter tails."""
LARGEST_INNOVATION = 9.0
_SLOW_GRID = 6
_SLOW_HOURS, _OWN_SLOW_HOURS, _SLOW_REACH = 600.0, 240.0, 400
_FAST_HOURS, _FAST_REACH = 8.0, 128
_LEVEL_MEMORY, _LEVEL_REACH = 0.7, 24
_SD = {"market": (0.45, 0.28), "alt": (0.30, 0.28), "own": (0.28, 0.32)}
"""Standard deviations of the slow and the fast part of each log volatility."""
_SHARED = {"alt": 0.6, "own": 0.7}
"""How far the alt factor's and the own volatility follow the market's."""
_DAY_SHAPE = np.array(
    [0.95, 0.92, 0.88, 0.84, 0.80, 0.78, 0.80, 0.88, 0.96, 1.0, 0.98, 0.97,
     1.05, 1.22, 1.35, 1.36, 1.28, 1.18, 1.1, 1.06, 1.04, 1.02, 1.0, 0.98]
)  # fmt: skip
"""Volatility by hour of the day (UTC): quiet in the Asian noon, busy when New York opens."""
_WEEKEND = 0.8


@dataclass(frozen=True, slots=True)
class Cycle:
    """Hours by assets. ``log_price`` holds both ends; ``spread`` is each hour's own volatility."""

    log_price: Floats
    spread: Floats


def generate(universe: Universe, number: int) -> Cycle:
    """Cycle ``number`` (0 begins at the epoch, negative ones lie before it) of the whole universe."""
    first = EPOCH_HOUR + number * CYCLE_HOURS
    hours = np.arange(first, first + CYCLE_HOURS, dtype=np.int64)
    keys = np.concatenate([universe.factors, universe.keys])
    fast = _generate_fast_volatility(keys, first)
    scale = (
        _compute_volatilities(fast[:-1], _generate_slow_volatility(keys, first))
        * _compute_hour_factor(hours)[:, None]
    )
    draws = _draw_innovations(keys, hours)
    moves = scale * draws
    returns = universe.sigma * (
        moves[:, :1] * universe.market + moves[:, 1:2] * universe.alt + moves[:, 2:] * universe.own
    )
    spread = _compute_hour_spread(universe, scale, draws)
    path = _build_bridge(
        returns, spread, _compute_levels(universe, number), _compute_levels(universe, number + 1)
    )
    # A smooth limit that leaves ordinary distances alone: |x / (1 + |x/b|^8)^(1/8)| < b.
    path /= (1 + (path / universe.bound) ** 8) ** 0.125
    path[:, universe.pegged] = PEG_SD * fast[:, 2:][:, universe.pegged]
    spread[:, universe.pegged] = PEG_SD / 2
    return Cycle(universe.log_anchor + path, spread)


def _generate_autoregression(draws: Floats, memory: Floats | float) -> Floats:
    """x[t] = memory x[t-1] + sqrt(1 - memory^2) e[t] along the first axis, from zero."""
    draws *= np.sqrt(1 - np.square(memory))
    for row in range(1, len(draws)):
        draws[row] += memory * draws[row - 1]
    return draws


def _generate_fast_volatility(keys: Keys, first: int) -> Floats:
    """(hours + 1, keys): unit variance, relaxing in hours; the last row belongs to the next cycle."""
    hours = np.arange(first - _FAST_REACH, first + CYCLE_HOURS + 1, dtype=np.int64)
    draws = random_numbers.normal(keys, hours[:, None], Stream.FAST_VOLATILITY)
    return _generate_autoregression(draws, float(np.exp(-1 / _FAST_HOURS)))[_FAST_REACH:]


def _generate_slow_volatility(keys: Keys, first: int) -> Floats:
    """(hours, keys): unit variance, relaxing in weeks; drawn every six hours and interpolated."""
    start = first // _SLOW_GRID
    grid = np.arange(start - _SLOW_REACH, start + CYCLE_HOURS // _SLOW_GRID + 1, dtype=np.int64)
    relaxation = np.full(len(keys), _OWN_SLOW_HOURS)
    relaxation[0] = _SLOW_HOURS
    draws = random_numbers.normal(keys, grid[:, None], Stream.SLOW_VOLATILITY)
    points = _generate_autoregression(draws, np.exp(-_SLOW_GRID / relaxation))[_SLOW_REACH:]
    share = (np.arange(_SLOW_GRID) / _SLOW_GRID)[None, :, None]
    between = points[:-1, None] * (1 - share) + points[1:, None] * share
    return np.asarray(between.reshape(CYCLE_HOURS, len(keys)), dtype=np.float64)


def _compute_volatilities(fast: Floats, slow: Floats) -> Floats:
    """(hours, keys): factors on the volatility with a mean square of one; the market's is first."""
    log_scale = np.empty_like(fast)
    market_sd = _SD["market"]
    market_variance = market_sd[0] ** 2 + market_sd[1] ** 2
    market = market_sd[0] * slow[:, 0] + market_sd[1] * fast[:, 0]
    log_scale[:, 0] = market - market_variance
    for name, part in (("alt", slice(1, 2)), ("own", slice(2, None))):
        slow_sd, fast_sd = _SD[name]
        variance = slow_sd**2 + fast_sd**2 + _SHARED[name] ** 2 * market_variance
        own_scale = slow_sd * slow[:, part] + fast_sd * fast[:, part]
        log_scale[:, part] = own_scale + _SHARED[name] * market[:, None] - variance
    return np.asarray(np.exp(log_scale), dtype=np.float64)


def _compute_hour_factor(hours: random_numbers.Ints) -> Floats:
    """Factor of the hour: time of day, weekend, and the script's phase."""
    weekday = (hours // 24 + 3) % 7  # the Unix epoch was a Thursday
    shape = _DAY_SHAPE[hours % 24] * np.where(weekday >= 5, _WEEKEND, 1.0)
    shape /= np.sqrt(np.mean(_DAY_SHAPE**2) * (5 + 2 * _WEEKEND**2) / 7)
    return np.asarray(shape * volatility(hours.astype(np.float64) * 3600), dtype=np.float64)


def _draw_innovations(keys: Keys, hours: random_numbers.Ints) -> Floats:
    raw = random_numbers.student_t(keys, hours[:, None], Stream.RETURN, nu=NU) * np.sqrt((NU - 2) / NU)
    return np.asarray(np.clip(raw, -LARGEST_INNOVATION, LARGEST_INNOVATION), dtype=np.float64)


def _compute_hour_spread(universe: Universe, scale: Floats, draws: Floats) -> Floats:
    """Volatility inside each hour, given its return.

    A Student t is a normal whose variance is random; given the draw x (in units of the t's scale)
    its expectation is (nu + x^2) / (nu - 1). So a violent hour is violent inside too.
    """
    squared = draws**2 * (NU / (NU - 2))
    variance = scale**2 * ((NU - 2) / NU) * (NU + squared) / (NU - 1)
    weighted = (
        variance[:, :1] * universe.market**2
        + variance[:, 1:2] * universe.alt**2
        + variance[:, 2:] * universe.own**2
    )
    return np.asarray(universe.sigma * np.sqrt(weighted), dtype=np.float64)


def _compute_levels(universe: Universe, number: int) -> Floats:
    """Log distance from the anchor at the start of cycle ``number``: bounded, correlated as returns are."""
    keys = np.concatenate([universe.factors, universe.keys])
    cycles = np.arange(number - _LEVEL_REACH, number + 1, dtype=np.int64)
    state = _generate_autoregression(
        random_numbers.normal(keys, cycles[:, None], Stream.LEVEL), _LEVEL_MEMORY
    )[-1]
    level = universe.market * state[0] + universe.alt * state[1] + universe.own * state[2:]
    return np.asarray(universe.level_sd * LEVEL_LIMIT * np.tanh(level / LEVEL_LIMIT), dtype=np.float64)


def _build_bridge(returns: Floats, spread: Floats, start: Floats, end: Floats) -> Floats:
    """(hours + 1, assets): the sum of ``returns`` from ``start``, tilted so that it reaches ``end``.

    The tilt goes by each asset's own variance and not by the clock: spread evenly it would show as
    a steady drift through quiet weeks.
    """
    path = np.empty((len(returns) + 1, returns.shape[1]))
    path[0] = start
    np.cumsum(returns, axis=0, out=path[1:])
    path[1:] += start
    elapsed = np.cumsum(spread**2, axis=0)
    path[1:] += elapsed / elapsed[-1] * (end - path[-1])
    return path
