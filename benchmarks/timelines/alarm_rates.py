"""Simulates false alarms of unchanged profiles, the rates that are stated, and how soon falls are found.

    python -m benchmarks.timelines.alarm_rates [--series N] [--profiles N]

Each line is a kind of profile with 24 cases. *True* is the share of unchanged profiles that raise an alarm
within 100 monitored passes. *Stated* is the mean of the rates that the page would state, each computed from
the 42 passes of one such profile (what a listing holds). *Found* is the share of falls by 10 points after 20
passes that raise an alarm within 5 passes. The last lines are the same for a family of ten profiles.
"""

import argparse
from collections.abc import Callable, Mapping

import numpy as np

from backend.timelines.statistics.cusum import REFERENCE, H, drift, pass_values
from backend.timelines.statistics.distributions import Floats
from backend.timelines.statistics.false_alarms import PASSES, centre_passes, false_alarm_rate, family_rate

SERIES, PROFILES, CASES = 1_500, 24, 24
KNOWN_PASSES = 42
FALL, PASSES_BEFORE, PASSES_TO_FIND = 0.10, 20, 5
RATIO_AIM, FOUND_AIM = 1.5, 0.8
FAMILY = 10
NO_FALLS = np.zeros((1, 1))
_SEED = 20_250_104

Size = tuple[int, int, int]
Draw = Callable[[np.random.Generator, Size, Floats], Floats]
"""Draws scores (series, passes, cases) below their level by the falls (passes, 1)."""


def wobbling(noise: float, shock: float) -> Draw:
    """Draw normal scores; ``shock`` is the deviation of a whole pass, in points."""

    def draw(rng: np.random.Generator, size: Size, falls: Floats) -> Floats:
        level = rng.uniform(0.4, 0.8, size[-1]) - falls + _draw_shocks(rng, size, shock)
        return _clip(level + rng.normal(0, noise, size))

    return draw


def heavy_tailed(shock: float, *, passes: bool) -> Draw:
    """Draw runs, or whole ``passes``, with the tails of a t with 3 degrees of freedom."""

    def draw(rng: np.random.Generator, size: Size, falls: Floats) -> Floats:
        level = rng.uniform(0.4, 0.8, size[-1]) - falls
        if passes:
            shocks = rng.standard_t(3, (*size[:2], 1)) * shock / 100 / np.sqrt(3)
            return _clip(level + shocks + rng.normal(0, 0.11, size))
        noise = rng.standard_t(3, size) * 0.11 / np.sqrt(3)
        return _clip(level + noise + _draw_shocks(rng, size, shock))

    return draw


def binary(rate: float, shock: float) -> Draw:
    def draw(rng: np.random.Generator, size: Size, falls: Floats) -> Floats:
        return (rng.random(size) < rate - falls + _draw_shocks(rng, size, shock)).astype(np.float64)

    return draw


def _clip(scores: Floats) -> Floats:
    return np.asarray(np.clip(scores, 0, 1), dtype=np.float64)


def _draw_shocks(rng: np.random.Generator, size: Size, shock: float) -> Floats:
    return rng.normal(0, shock / 100, (*size[:2], 1))


DESIGNS: Mapping[str, Draw] = {
    "independent runs": wobbling(0.11, 0),
    "passes wobble by 1 point": wobbling(0.11, 1),
    "passes wobble by 2 points": wobbling(0.11, 2),
    "passes wobble by 3 points": wobbling(0.11, 3),
    "precise runs, independent": wobbling(0.04, 0),
    "precise runs, 3 points": wobbling(0.04, 3),
    "heavy tails of runs": heavy_tailed(0, passes=False),
    "heavy tails of runs, 2 points": heavy_tailed(2, passes=False),
    "heavy tails of passes, 2 points": heavy_tailed(2, passes=True),
    "pass or fail, p = .97": binary(0.97, 0),
    "pass or fail, p = .97, 1 point": binary(0.97, 1),
}


def raise_alarm(scores: Floats) -> np.ndarray:
    """Whether each series (series, passes, cases) raises an alarm."""
    down, up = drift(pass_values(scores, np.ones_like(scores)))
    return np.asarray(np.maximum(down, up).max(axis=-1) > H)


def state_rate(scores: Floats) -> float:
    """Compute the rate that is stated for a profile with these passes (passes, cases)."""
    return false_alarm_rate(*centre_passes(scores, np.ones_like(scores))) or 0.0


def find_falls(draw: Draw, rng: np.random.Generator, series: int) -> float:
    """Compute the share of series in which a fall after :data:`PASSES_BEFORE` passes is found in time."""
    falls = np.repeat([0.0, FALL], [PASSES_BEFORE, PASSES_TO_FIND])[:, np.newaxis]
    scores = draw(rng, (series, len(falls), CASES), falls)
    down, _ = drift(pass_values(scores, np.ones_like(scores)))
    return float((down[:, PASSES_BEFORE:].max(axis=-1) > H).mean())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--series", type=int, default=SERIES)
    parser.add_argument("--profiles", type=int, default=PROFILES)
    options = parser.parse_args()
    rng = np.random.default_rng(_SEED)
    missed = 0
    print(f"False alarms within {PASSES} passes, and falls of {100 * FALL:.0f} points found in time")
    print(f"  {'':34}{'true':>7}{'stated':>9}{'ratio':>8}{'found':>9}")
    for name, draw in DESIGNS.items():
        scores = draw(rng, (options.series, PASSES + REFERENCE, CASES), NO_FALLS)
        true = float(raise_alarm(scores).mean())
        stated = float(np.mean([state_rate(one[:KNOWN_PASSES]) for one in scores[: options.profiles]]))
        found = find_falls(draw, rng, options.series)
        is_missed = not 1 / RATIO_AIM <= stated / true <= RATIO_AIM or found < FOUND_AIM
        missed += is_missed
        print(
            f"  {name:34}{100 * true:5.1f} %{100 * stated:7.1f} %{stated / true:8.2f}{100 * found:7.0f} %"
            f"{'  !' if is_missed else ''}",
            flush=True,
        )
    _print_family(rng, options.series)
    print(
        f"{missed} of {len(DESIGNS)} lines miss their aim: ratio within {RATIO_AIM:g}, found {FOUND_AIM:.0%}"
    )


def _print_family(rng: np.random.Generator, series: int) -> None:
    size = (series // FAMILY * FAMILY, PASSES + REFERENCE, CASES)
    scores = DESIGNS["passes wobble by 2 points"](rng, size, NO_FALLS)
    true = float(raise_alarm(scores).reshape(-1, FAMILY).any(axis=1).mean())
    rates = [state_rate(one[:KNOWN_PASSES]) for one in scores[:FAMILY]]
    print(f"  any of {FAMILY} that wobble by 2 points: true {100 * true:.0f} %, ", end="")
    print(f"stated {100 * family_rate(rates):.0f} %")


if __name__ == "__main__":
    main()
