"""Renders comparisons and alerts as sentences for the page and the command line. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from backend.entities.model import Language
from backend.timelines.analysis.alerts import Alert, Watched
from backend.timelines.analysis.comparison import ProfileComparison, Side
from backend.timelines.analysis.pairwise_comparison import PairMatrix
from backend.timelines.analysis.verdict_templates import MONTHS, TEMPLATES
from backend.timelines.columns.run_arrays import instant
from backend.timelines.statistics.cusum import REFERENCE
from backend.timelines.statistics.distributions import Interval
from backend.timelines.statistics.paired_comparison import MIN_CASES, SAME, Paired
from backend.timelines.statistics.power import ALPHA, cases_needed

Kind = Literal[
    "ahead", "level", "borderline", "identical", "too_few", "one_run", "disjoint", "no_runs", "itself"
]
REFUSED: tuple[Kind, ...] = ("disjoint", "no_runs", "itself")
"""Verdicts without a comparison."""
TARGET = 0.02
"""The difference, 2 points, for which a sentence states the number of cases needed to detect it."""
MINUS = "\u2212"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict in one language. ``needed`` is the number of shared cases needed to detect :data:`TARGET`, if
    the text states it."""

    kind: Kind
    text: str
    needed: int | None = None

    @property
    def has_comparison(self) -> bool:
        return self.kind not in REFUSED


def verdict(result: ProfileComparison, language: Language = "en", target: float = TARGET) -> Verdict:
    """Render the verdict of ``result``. A profile is ahead only if the interval and the t test agree."""
    words = TEMPLATES[language]
    kind = kind_of(result)
    paired, names = result.paired, {"a": result.a.profile, "b": result.b.profile}
    if paired is None or kind in REFUSED:
        return Verdict(kind, words[kind].format(**names, **_build_refusal_values(result, words)))
    better_side = result.b if paired.difference > 0 else result.a
    signed = kind in ("ahead", "borderline")
    is_reversed = signed and better_side is result.a
    values = {
        "size": points(-paired.difference if is_reversed else paired.difference),
        "ahead": better_side.profile,
        "single": words["and"].join(_list_single_run_profiles(result)),
        "cases": f"{paired.cases:,}",
        "fewest": MIN_CASES,
        **_format_interval(paired.interval, is_reversed=is_reversed),
        "p": probability(paired.p),
        "missed": _format_missed_differences(paired, words),
    }
    needed = _count_needed_cases(paired, target) if kind in ("ahead", "level", "borderline") else None
    clause = (
        "" if needed is None else words["needed"].format(needed=f"{needed:,}", target=_format_target(target))
    )
    return Verdict(kind, words[kind].format(**names, **values, needed=clause), needed)


def kind_of(result: ProfileComparison) -> Kind:
    paired = result.paired
    if result.a.profile == result.b.profile:
        return "itself"
    if not (result.a.runs and result.b.runs):
        return "no_runs"
    if paired is None:
        return "disjoint"
    if paired.cases == 1 and _list_single_run_profiles(result):
        return "one_run"
    if paired.cases < MIN_CASES or paired.interval is None or paired.p is None:
        return "too_few"
    if paired.ties == paired.cases:
        return "identical"
    excludes_zero = paired.interval.low > 0 or paired.interval.high < 0
    if excludes_zero and paired.p < ALPHA:
        return "ahead"
    return "borderline" if excludes_zero or paired.p < ALPHA else "level"


def _list_single_run_profiles(result: ProfileComparison) -> list[str]:
    return [side.profile for side in (result.a, result.b) if side.runs == 1]


def _build_refusal_values(result: ProfileComparison, words: Mapping[str, str]) -> dict[str, str]:
    sides = (result.a, result.b)
    missing = words["and"].join(side.profile for side in sides if not side.runs)
    return {"a_cases": f"{result.a.cases:,}", "b_cases": f"{result.b.cases:,}", "missing": missing}


def _format_interval(interval: Interval | None, *, is_reversed: bool) -> dict[str, str]:
    if interval is None:
        return {"low": "", "high": ""}
    low, high = (-interval.high, -interval.low) if is_reversed else interval
    return {"low": points(low), "high": points(high)}


def _format_missed_differences(paired: Paired, words: Mapping[str, str]) -> str:
    if paired.detectable_difference is None:
        return words["missed_unknown"]
    return words["missed"].format(least=points(paired.detectable_difference))


def _count_needed_cases(paired: Paired, target: float) -> int | None:
    """Compute the number of cases needed; None if the existing cases suffice."""
    if (
        paired.deviation is None
        or paired.detectable_difference is None
        or paired.detectable_difference <= target
    ):
        return None
    return cases_needed(paired.deviation, target)


def excluded_runs_sentence(side: Side, language: Language = "en") -> str | None:
    """Render the number of excluded infrastructure failures of ``side``; None if there are none."""
    if not side.excluded_runs:
        return None
    words = TEMPLATES[language]["left_out" if side.excluded_runs > 1 else "left_out_one"]
    return words.format(count=f"{side.excluded_runs:,}", name=side.profile)


def pairs_sentence(matrix: PairMatrix, language: Language = "en") -> str:
    """Render the number of pairs that differ, before and after correction."""
    counts = {"found": matrix.found, "bh": matrix.found_bh, "holm": matrix.found_holm}
    values = {name: f"{count:,}" for name, count in counts.items()}
    return TEMPLATES[language]["pairs"].format(compared=f"{matrix.compared_pairs:,}", **values)


def corrected_sentence(matrix: PairMatrix, row: int, column: int, language: Language = "en") -> str | None:
    """Render whether a pair is significant after correction; None if it was not compared."""
    p = float(matrix.bh[row, column])
    if not 0 <= p <= 1:
        return None
    words = TEMPLATES[language]["significant" if p < ALPHA else "not_significant"]
    return words.format(compared=f"{matrix.compared_pairs:,}", p=probability(p))


def alert_sentence(alert: Alert, name: str, language: Language = "en", *, now: datetime | None = None) -> str:
    """Render ``B fell 5.2 points since 14 Mar (pass 41; false alarm 3% per 100 passes, 9% in any of 3
    profiles)``, without a full stop.

    The year is omitted if it is that of ``now``.
    """
    words = TEMPLATES[language]
    verb = "fell" if alert.fell else "rose"
    size = alert.size.difference if alert.size else 0.0
    sized = size < -SAME if alert.fell else size > SAME
    rate = "" if alert.rate is None else words["rate"].format(rate=_format_percent(alert.rate, words))
    if alert.family_rate is not None and alert.family > 1:
        any_rate = _format_percent(alert.family_rate, words)
        rate += words["family_rate"].format(rate=any_rate, profiles=f"{alert.family:,}")
    return words[verb if sized else f"{verb}_unsized"].format(
        name=name,
        size=points(abs(size)),
        day=day(alert.since, language, now),
        pass_=alert.start,
        rate=rate,
    )


def watch_sentence(watched: Watched, name: str, language: Language = "en") -> str | None:
    """Render why a profile is not monitored; None if it is."""
    if watched.judged:
        return None
    return TEMPLATES[language]["too_few_passes"].format(
        name=name, passes=watched.passes, fewest=REFERENCE + 1
    )


def points(score: float | None) -> str:
    """Format a difference in points with one decimal, or one digit if small: ``4.1``, ``−0.9``, ``0.03``."""
    if score is None:
        return "–"
    if abs(score) <= SAME:
        return "0"
    size = abs(score) * 100
    return f"{MINUS if score < 0 else ''}{f'{size:,.1f}' if size >= 0.05 else f'{size:.1g}'}"


def probability(p: float | None) -> str:
    """Format a p-value: ``0.03``, ``0.004``, ``< 0.001``."""
    if p is None:
        return "–"
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.01 else f"{p:.2f}"


def day(micros: int, language: Language, now: datetime | None = None) -> str:
    """Format the UTC day of an instant: ``14 Mar``, ``14 Mar 2025``, ``2025年3月14日``."""
    moment = instant(micros)
    omits_year = now is not None and now.year == moment.year
    if language == "en":
        return f"{moment.day} {MONTHS[moment.month - 1]}{'' if omits_year else f' {moment.year}'}"
    return f"{'' if omits_year else f'{moment.year}年'}{moment.month}月{moment.day}日"


def _format_percent(rate: float, words: Mapping[str, str]) -> str:
    return words["under"].format(limit="1") if rate < 0.01 else f"{100 * rate:.0f}"


def _format_target(target: float) -> str:
    return f"{target * 100:.10g}"
