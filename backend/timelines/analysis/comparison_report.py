"""Builds the report of a comparison as JSON values, for the endpoint and the command line."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backend.entities.model import Language
from backend.timelines.analysis.comparison import ProfileComparison, Side
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import Verdict, excluded_runs_sentence
from backend.timelines.statistics.distributions import Interval
from backend.timelines.statistics.multiple_comparisons import benjamini_hochberg, holm
from backend.timelines.statistics.power import ALPHA


def build_report(
    result: ProfileComparison, verdict: Verdict, cases: tuple[str, ...], language: Language = "en"
) -> dict[str, Any]:
    """Build the report. Scores are fractions; ``cases`` are the names that ``result.case`` refers to.

    ``comparison`` is None if the profiles share no case. The rows of ``cases`` have B's largest losses first.
    """
    return {
        "verdict": verdict.kind,
        "text": verdict.text,
        "notes": list_notes(result, language),
        "a": _build_side(result.a),
        "b": _build_side(result.b),
        "comparison": _build_figures(result, verdict),
        "cases": [
            {
                "case_id": cases[case],
                "a": float(a),
                "b": float(b),
                "difference": float(b - a),
                "a_runs": int(a_runs),
                "b_runs": int(b_runs),
            }
            for case, a, b, a_runs, b_runs in zip(
                result.case, result.a_mean, result.b_mean, result.a_runs, result.b_runs, strict=True
            )
        ],
    }


def correct_family(reports: Sequence[dict[str, Any]], language: Language = "en") -> dict[str, Any] | None:
    """Add the p-values corrected for all of ``reports``, and return the counts of differences at 5 %.

    None for fewer than two reports. A report without a p-value does not count as a comparison.
    """
    if len(reports) < 2:
        return None
    figures = [report["comparison"] or {} for report in reports]
    p = np.array([np.nan if found.get("p") is None else found["p"] for found in figures])
    adjusted = {"p_bh": benjamini_hochberg(p), "p_holm": holm(p)}
    for index in np.flatnonzero(~np.isnan(p)):
        figures[index] |= {name: float(values[index]) for name, values in adjusted.items()}
    counts = {
        "found": int((p < ALPHA).sum()),
        "found_bh": int((adjusted["p_bh"] < ALPHA).sum()),
        "found_holm": int((adjusted["p_holm"] < ALPHA).sum()),
    }
    compared = int((~np.isnan(p)).sum())
    text = TEMPLATES[language]["pairs"].format(
        compared=f"{compared:,}",
        found=f"{counts['found']:,}",
        bh=f"{counts['found_bh']:,}",
        holm=f"{counts['found_holm']:,}",
    )
    return {"compared": compared, **counts, "text": text}


def list_notes(result: ProfileComparison, language: Language = "en") -> list[str]:
    """List the sentences about runs that were left out."""
    notes = (excluded_runs_sentence(side, language) for side in (result.a, result.b))
    return [note for note in notes if note]


def _build_figures(result: ProfileComparison, verdict: Verdict) -> dict[str, Any] | None:
    paired = result.paired
    if paired is None:
        return None
    return {
        "difference": paired.difference,
        "interval": _build_interval(paired.interval),
        "t_interval": _build_interval(paired.t_interval),
        "p": paired.p,
        "p_bh": None,
        "p_holm": None,
        "shared_cases": paired.cases,
        "wins": paired.wins,
        "ties": paired.ties,
        "losses": paired.losses,
        "least_detectable": paired.detectable_difference,
        "cases_needed_for_2_points": verdict.needed,
    }


def _build_side(side: Side) -> dict[str, Any]:
    return {
        "profile": side.profile,
        "mean": side.mean.mean if side.mean else None,
        "interval": _build_interval(side.interval),
        "pass_rate": side.rate.rate if side.rate else None,
        "pass_rate_interval": _build_interval(side.rate.interval if side.rate else None),
        "cases": side.cases,
        "runs": side.runs,
        "machinery_failures_left_out": side.excluded_runs,
    }


def _build_interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
