"""Compares the statistics of timelines with naive ones on real runs, and measures their cost.

    python -m benchmarks.timelines.statistics_comparison --runs FILE

``FILE`` is JSON Lines of runs, each with its profile. Scores are normalized; machinery failures are included
unless ``--leave-out-machinery`` is set. Alarm rates come from resampling the profiles' own passes and are the
same in each run. Times are CPU times.
"""

import argparse
import itertools
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from backend.timelines.analysis.alerts import sum_by_pass, watch_profiles
from backend.timelines.analysis.heatmap import heatmap
from backend.timelines.analysis.pairwise_comparison import pair_matrix
from backend.timelines.analysis.scores_over_time import build_score_lines
from backend.timelines.columns.run_arrays import RunArrays, select
from backend.timelines.columns.run_files import load_run_file
from backend.timelines.statistics.cusum import H, drift, pass_values
from backend.timelines.statistics.distributions import Floats, normal_share, two_sided
from backend.timelines.statistics.false_alarms import centre_passes, false_alarm_rate, unchanged_series
from backend.timelines.statistics.means import clustered_error, mean_of_cases
from backend.timelines.statistics.multiple_comparisons import benjamini_hochberg
from backend.timelines.statistics.paired_comparison import all_pairs, difference_interval

ALPHA = 0.05
SERIES = 500


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--leave-out-machinery", action="store_true")
    options = parser.parse_args()
    table = load_run_file(options.runs)
    chosen = select(table, exclude_infrastructure_failures=options.exclude_infrastructure_failures)
    print(f"{len(chosen):,} runs, {len(chosen.profiles)} profiles, {len(chosen.cases)} cases\n")
    errors(chosen)
    pairs(chosen)
    alarms(chosen)
    costs(chosen)


def errors(chosen: RunArrays) -> None:
    """Of each profile's mean: the error clustered by case over the naive one."""
    ratios = []
    for name in chosen.profiles:
        profile_runs = chosen.of(name)
        ratios.append(
            clustered_error(profile_runs.score, profile_runs.case) / _naive_error(profile_runs.score)
        )
    print("Standard error, clustered by case over naive")
    print(f"  mean {np.mean(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}\n")


def pairs(chosen: RunArrays) -> None:
    """How many pairs differ by each test."""
    sides = [chosen.of(name) for name in chosen.profiles]
    means = [mean_of_cases(side.score, side.case) for side in sides]
    naive, unpaired, shrunk = [], [], []
    paired = all_pairs(chosen.by_cell[0])
    for i, j in itertools.combinations(range(len(sides)), 2):
        a, b = means[i], means[j]
        error = np.hypot(_naive_error(sides[i].score), _naive_error(sides[j].score))
        naive.append(2 * normal_share(-abs(sides[i].score.mean() - sides[j].score.mean()) / error))
        if a is None or b is None or a.error is None or b.error is None:
            continue
        pooled_error = np.hypot(a.error, b.error)
        unpaired.append(float(two_sided((a.mean - b.mean) / pooled_error, a.cases + b.cases - 2)))
        shrunk.append(paired.error[i, j] / pooled_error)
    upper = np.triu_indices(len(sides), 1)
    found = pair_matrix(chosen)
    bh = benjamini_hochberg(paired.p[upper])
    print(f"Of {len(naive)} pairs, different at 5 %")
    print(f"  naive, run by run                {_count_significant(naive)}")
    print(f"  clustered by case, unpaired      {_count_significant(unpaired)}")
    print(f"  paired by case, t on case means  {found.found}")
    print(f"  after Benjamini-Hochberg         {found.found_bh}")
    print(f"  after Holm                       {found.found_holm}")
    lost = int(((np.array(naive) < ALPHA) & ~(bh < ALPHA)).sum())
    print(
        f"  naive findings that do not survive {lost}; paired over unpaired error {np.nanmean(shrunk):.2f}\n"
    )


def _count_significant(p: list[float]) -> int:
    return int((np.array(p) < ALPHA).sum())


def alarms(chosen: RunArrays) -> None:
    """False alarms in 100 passes over unchanged profiles, and passes until a fall is found."""
    print(f"False alarms in {SERIES} unchanged series of whole passes, and passes until a fall is found")
    print("  A: raw scores, hard cases first, in one pass. B: the watch itself, in 100 passes.")
    print(f"  {'profile':34} {'A':>7} {'B':>6}   5 points   3 points")
    rows = []
    for name in chosen.profiles:
        sums, counts = sum_by_pass(chosen.of(name))
        passes = centre_passes(sums, counts)
        rate = false_alarm_rate(*passes, series=SERIES)
        if rate is None:
            continue
        row = [_measure_raw_alarms(sums, counts), rate]
        falls = [_format_detection(passes, drop) for drop in (0.05, 0.03)]
        print(f"  {name[:34]:34} {_format_percents(row)}   {falls[0]:8}   {falls[1]:8}")
        rows.append(row)
    if rows:
        print(f"  {'mean':34} {_format_percents(list(np.mean(rows, axis=0)))}\n")


def _format_percents(shares: list[float]) -> str:
    return f"{100 * shares[0]:5.0f} % {100 * shares[1]:4.1f} %"


def _measure_raw_alarms(sums: Floats, counts: Floats) -> float:
    """The share of passes in which a CUSUM over single raw scores alarms, the hardest cases first."""
    scores = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    hardest = np.argsort(np.nanmean(scores, axis=0))
    down, up = drift((scores[:, hardest] - np.nanmean(scores)) / np.nanstd(scores))
    return float((np.maximum(down, up).max(axis=-1) > H).mean())


def _format_detection(passes: tuple[Floats, Floats], drop: float) -> str:
    found = _passes_to_see(passes, drop)
    return "-" if found is None else f"{found:.0f}"


def _naive_error(scores: Floats) -> float:
    """The standard error of the mean as if runs were independent (Miller, section 2.1): sd / root of n."""
    return float(scores.std(ddof=1) / np.sqrt(len(scores)))


def _passes_to_see(passes: tuple[Floats, Floats], drop: float, reference: int = 20) -> float | None:
    """The median number of passes until a fall of every case by ``drop`` after ``reference`` passes is found.

    Series that alarm before the change are left out, as are ends beyond 200 passes (as infinity); null where
    every series does.
    """
    sums, counts = unchanged_series(*passes, 200, reference + 200)
    sums[:, reference:] -= drop * counts[:, reference:]
    down, _ = drift(pass_values(sums, counts))
    over = down > H
    first = np.where(over.any(axis=-1), over.argmax(axis=-1), np.inf)
    fair = first[first >= reference]
    return float(np.median(fair - reference + 1)) if len(fair) else None


def costs(chosen: RunArrays) -> None:
    rng = np.random.default_rng(1)
    mean_matrix = rng.uniform(0, 1, (100, 200))
    mean_matrix[rng.uniform(0, 1, mean_matrix.shape) < 0.1] = np.nan
    first, second = rng.uniform(0, 1, (2, 200))
    large = _enlarge(chosen)
    print("Milliseconds of the processor, the best of 5")
    _print_seconds("interval of a difference, 200 cases", lambda: difference_interval(first, second))
    _print_seconds("all 4,950 pairs of 100 profiles, 200 cases", lambda: all_pairs(mean_matrix))
    print(f"  of {len(large):,} runs:")
    _print_seconds("  selecting", lambda: select(large.table))
    _print_seconds("  lines over time", lambda: build_score_lines(large))
    _print_seconds("  pairs, corrected", lambda: pair_matrix(large))
    _print_seconds("  heatmap", lambda: heatmap(large))
    _print_seconds("  watching every profile", lambda: watch_profiles(large))


def _enlarge(chosen: RunArrays) -> RunArrays:
    """The same runs over and over, to about 100,000."""
    times = max(1, round(100_000 / max(1, len(chosen))))
    rows = np.repeat(chosen.rows, times)
    return select(chosen.table.take(rows))


def _print_seconds(name: str, work: Callable[[], object]) -> None:
    durations = []
    for _ in range(5):
        start = time.process_time()
        work()
        durations.append(time.process_time() - start)
    print(f"  {name:44} {1000 * min(durations):8.1f}")


if __name__ == "__main__":
    main()
