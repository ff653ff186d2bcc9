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

    matrix = pair_matrix(runs)
    if not matrix.compared_pairs:
        fail("No two of these profiles share two cases, so there is nothing to compare.", WRONG_USAGE)
    rows = _build_pair_rows(runs, matrix)
    sentence = pairs_sentence(matrix)
    if as_json:
        print(json.dumps({"text": sentence, "pairs": rows}, indent=2, ensure_ascii=False))
        return
    cells = []
    for row in rows:
        low, high = row["interval"]
        bounds = f"{100 * low:.1f} to {100 * high:.1f}"
        adjusted = (f"{row[name]:.4f}" for name in ("p", "p_bh", "p_holm"))
        points = f"{100 * row['difference']:.1f}"
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


def _build_pair_rows(runs: "RunArrays", matrix: "PairMatrix") -> list[dict[str, Any]]:
    """Build a row for each pair, ordered by p-value."""
    rows = []
    for i in range(len(matrix.profiles)):
        for j in range(i):
            if not matrix.p[i, j] >= 0:
                continue
            better, worse = (i, j) if matrix.difference[j, i] > 0 else (j, i)
            difference, reach = float(matrix.difference[worse, better]), float(matrix.reach[i, j])
            rows.append(
                {
                    "ahead": runs.profiles[matrix.profiles[better]],
                    "behind": runs.profiles[matrix.profiles[worse]],
                    "difference": difference,
                    "interval": [difference - reach, difference + reach],
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
