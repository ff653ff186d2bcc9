"""Simulates how often the interval of a mean score covers the true mean, and how wide it is.

    python -m benchmarks.timelines.interval_coverage [--samples N]

Each line is a distribution of case means; each column a number of cases. A cell holds the share of samples
whose 95 % interval covers the true mean, the share for Student's t, and the mean width over that of t.
``!`` marks a coverage below the aim, ``w`` a width above its aim where t reaches the aim of coverage.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from backend.timelines.statistics.distributions import Floats, t_quantile
from backend.timelines.statistics.score_intervals import score_intervals

CASES = (5, 10, 20, 50, 100)
SAMPLES = 4_000
COVERAGE_AIM, FEW_CASES_AIM, FEW_CASES = 0.93, 0.90, 5
WIDTH_AIM = 1.4
_SEED = 20_250_103
_ROUNDING = 1e-9

Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


@dataclass(frozen=True, slots=True)
class Design:
    """A distribution of case means with its ``mean``."""

    mean: float
    draw: Draw


def beta(a: float, b: float) -> Design:
    return Design(a / (a + b), lambda rng, size: rng.beta(a, b, size))


def discrete(values: Sequence[float], weights: Sequence[float]) -> Design:
    mean = float(np.dot(values, weights))
    return Design(mean, lambda rng, size: rng.choice(np.array(values), size, p=weights))


def mostly(value: float, share: float, others: Design) -> Design:
    """Mix ``value``, drawn with probability ``share``, with ``others``."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        return np.where(rng.random(size) < share, value, others.draw(rng, size))

    return Design(share * value + (1 - share) * others.mean, draw)


def trials(a: float, b: float, runs: int) -> Design:
    """Pass rates of cases over ``runs`` runs; the cases' own rates follow a beta distribution."""
    return Design(a / (a + b), lambda rng, size: rng.binomial(runs, rng.beta(a, b, size)) / runs)


DESIGNS: Mapping[str, Design] = {
    "binary, rates beta(.6, .6)": trials(0.6, 0.6, 1),
    "beta(.6, .6)": beta(0.6, 0.6),
    "skewed, mean .1, beta(1, 9)": beta(1, 9),
    "skewed, mean .1, beta(.5, 4.5)": beta(0.5, 4.5),
    "skewed, mean .1, beta(.2, 1.8)": beta(0.2, 1.8),
    "skewed, mean .1, 80 % zeros": mostly(0.0, 0.8, beta(1, 1)),
    "binary, mean .1": discrete((0, 1), (0.9, 0.1)),
    "90 % ones, else zero": discrete((1, 0), (0.9, 0.1)),
    "90 % ones, else one half": discrete((1, 0.5), (0.9, 0.1)),
    "90 % ones, else uniform": mostly(1.0, 0.9, beta(1, 1)),
    "mean .95, beta(19, 1)": beta(19, 1),
    "mean .95, beta(4.75, .25)": beta(4.75, 0.25),
    "mean .95, binary": discrete((1, 0), (0.95, 0.05)),
    "all ones": discrete((1, 0), (1, 0)),
    "ties at 0, .5, 1": discrete((0, 0.5, 1), (0.1, 0.2, 0.7)),
    "ties at quarters": discrete((0, 0.25, 0.5, 0.75, 1), (0.2, 0.2, 0.2, 0.2, 0.2)),
    "80 % at .8, else zero": discrete((0.8, 0), (0.8, 0.2)),
    "90 % at .5, else one": discrete((0.5, 1), (0.9, 0.1)),
    "5 runs a case, beta(.6, .6)": trials(0.6, 0.6, 5),
    "5 runs a case, beta(9, 1)": trials(9, 1, 5),
    "3 runs a case, beta(2, 1)": trials(2, 1, 3),
    "uniform": beta(1, 1),
    "narrow, beta(50, 50)": beta(50, 50),
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """``width`` is relative to t; NaN if t has no width."""

    covered: float
    covered_by_t: float
    width: float
    aim: float

    @property
    def is_covered(self) -> bool:
        return self.covered >= self.aim

    @property
    def is_too_wide(self) -> bool:
        return self.covered_by_t >= self.aim and self.width > WIDTH_AIM


def measure(design: Design, cases: int, samples: int = SAMPLES, seed: int = _SEED) -> Coverage:
    """Draw ``samples`` samples of ``cases`` case means and compute their intervals."""
    means = design.draw(np.random.default_rng(seed), (samples, cases))
    low, high = score_intervals(means.ravel(), np.repeat(np.arange(samples), cases), samples)
    centre = means.mean(axis=1)
    reach = t_quantile(0.975, cases - 1) * means.std(axis=1, ddof=1) / np.sqrt(cases)
    width_of_t = 2 * float(reach.mean())
    return Coverage(
        _measure_covered(low, high, design.mean),
        _measure_covered(centre - reach, centre + reach, design.mean),
        float((high - low).mean()) / width_of_t if width_of_t > _ROUNDING else float("nan"),
        FEW_CASES_AIM if cases <= FEW_CASES else COVERAGE_AIM,
    )


def _measure_covered(low: Floats, high: Floats, mean: float) -> float:
    return float(((low <= mean + _ROUNDING) & (high >= mean - _ROUNDING)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=SAMPLES)
    options = parser.parse_args()
    print(f"Coverage of 95 % intervals in {options.samples:,} samples (that of t), width over that of t")
    print(f"{'':32}" + "".join(f"{f'{cases} cases':>20}" for cases in CASES))
    missed = 0
    for name, design in DESIGNS.items():
        found = [measure(design, cases, options.samples) for cases in CASES]
        missed += sum(not cell.is_covered or cell.is_too_wide for cell in found)
        print(f"{name:32}" + "".join(_format_cell(cell) for cell in found), flush=True)
    print(f"{missed} of {len(DESIGNS) * len(CASES)} cells miss their aim")


def _format_cell(cell: Coverage) -> str:
    width = "  –  " if np.isnan(cell.width) else f"{cell.width:5.2f}"
    marks = f"{' ' if cell.is_covered else '!'}{'w' if cell.is_too_wide else ' '}"
    return f"  {cell.covered:.3f} ({cell.covered_by_t:.3f}){width[1:]}{marks}"


if __name__ == "__main__":
    main()
