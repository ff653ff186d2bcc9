"""Prints comparisons of all pairs of profiles, with p-values corrected for multiple tests."""

import json
from typing import TYPE_CHECKING, Any

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.terminal.console import fail, out
from backend.cli.terminal.tables import Column, print_table

if TYPE_CHECKING:
    from backend.timelines.analysis.pairwise_comparison import PairMatrix
    from backend.timelines.columns.run_arrays import RunArrays


def print_pairs(runs: "RunArrays", *, as_json: bool) -> None:
    from backend.timelines.analysis.pairwise_comparison import pair_matrix
    from backend.timelines.analysis.verdicts import pairs_sentence
    from backend.timelines.statistics.paired_comparison import MIN_CASES

    matrix = pair_matrix(runs)
    if not matrix.compared_pairs:
        text = f"No two of these profiles share {MIN_CASES} cases, so there is nothing to compare."
        fail(text, WRONG_USAGE)
    rows = _build_pair_rows(runs, matrix)
    sentence, too_few = pairs_sentence(matrix), matrix.pairs_with_too_few_cases
    if as_json:
        result = {"text": sentence, "pairs": rows, "pairs_with_too_few_cases": too_few}
        print(json.dumps(result, indent=2, ensure_ascii=False))
        return
    cells = []
    for row in rows:
        low, high = row["interval"]
        bounds = f"{_format_points(low)} to {_format_points(high)}"
        adjusted = (_format_probability(row[name]) for name in ("p", "p_bh", "p_holm"))
        points = _format_points(row["difference"])
        cells.append([row["ahead"], row["behind"], points, bounds, f"{row['shared_cases']:,}", *adjusted])
    print_table(
        (
            Column("ahead"),
            Column("behind"),
            *(Column(title, "number") for title in ("points", "95%", "cases", "p", "BH", "Holm")),
        ),
        cells,
    )
    out.print(sentence, highlight=False)
    if too_few:
        noun = "pair shares" if too_few == 1 else "pairs share"
        text = f"{too_few:,} {noun} fewer than {MIN_CASES} cases, and so cannot be compared."
        out.print(text, highlight=False)


def _format_points(score: float) -> str:
    """Format points without the sign of a zero."""
    return f"{round(100 * score, 1) + 0.0:.1f}"


def _format_probability(p: float) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _build_pair_rows(runs: "RunArrays", matrix: "PairMatrix") -> list[dict[str, Any]]:
    """Build a row for each pair, ordered by p-value."""
    rows = []
    for i in range(len(matrix.profiles)):
        for j in range(i):
            if not matrix.p[i, j] >= 0:
                continue
            better, worse = (i, j) if matrix.difference[j, i] > 0 else (j, i)
            low, high = matrix.interval(worse, better) or (0.0, 0.0)
            rows.append(
                {
                    "ahead": runs.profiles[matrix.profiles[better]],
                    "behind": runs.profiles[matrix.profiles[worse]],
                    "difference": float(matrix.difference[worse, better]),
                    "interval": [low, high],
                    "shared_cases": int(matrix.cases[i, j]),
                    "p": float(matrix.p[i, j]),
                    "p_bh": float(matrix.bh[i, j]),
                    "p_holm": float(matrix.holm[i, j]),
                }
            )
    rows.sort(key=_get_sort_key)
    return rows


def _get_sort_key(row: dict[str, Any]) -> tuple[float, float]:
    return row["p"], -row["difference"]
