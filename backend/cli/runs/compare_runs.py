"""Defines ``chainproof runs compare``: compares profiles, with confidence intervals and a verdict."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, fail, handle_errors, out
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.timelines.analysis.comparison import ProfileComparison, Side
    from backend.timelines.analysis.pairwise_comparison import PairMatrix
    from backend.timelines.analysis.verdicts import Verdict
    from backend.timelines.columns.run_arrays import RunArrays

MAX_CASES_SHOWN = 12


@handle_errors
def app(
    profiles: Annotated[
        list[str] | None,
        typer.Argument(metavar="A B", help="Two profiles. With --all-pairs any number, or none for all."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="Compare the runs in a JSON Lines file instead of the stored ones."),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(help="Time window: a number followed by s, m, h, d or w.", show_default="all"),
    ] = None,
    since: Annotated[str | None, typer.Option(help="Start time, inclusive (RFC 3339).")] = None,
    until: Annotated[str | None, typer.Option(help="End time, exclusive (RFC 3339).")] = None,
    case: Annotated[list[str] | None, typer.Option(help="Only this case. Repeatable.")] = None,
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-out-machinery/--keep-machinery",
            help="Exclude runs that failed for reasons other than the model.",
        ),
    ] = True,
    all_pairs: Annotated[
        bool,
        typer.Option("--all-pairs", help="Compare all pairs, with p-values corrected for multiple tests."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two profiles on shared cases, with a confidence interval and a verdict."""
    names = profiles or []
    if not all_pairs and len(names) != 2:
        fail("Name two profiles to compare, or use --all-pairs.", WRONG_USAGE)
    time_range = _parse_time_range(window, since, until)
    with err.status("Reading runs…"):
        runs = _select_runs(file, names, time_range, case, leave_out=leave_out)
        missing = [name for name in names if file is not None and runs.place_of(name) is None]
    if missing:
        fail(f"{file} has no run of the profile '{missing[0]}'.", WRONG_USAGE)
    if all_pairs:
        _print_pairs(runs, as_json=as_json)
    else:
        _print_comparison(runs, names[0], names[1], as_json=as_json)


def _parse_time_range(
    window: str | None, since: str | None, until: str | None
) -> tuple[datetime | None, datetime | None]:
    from backend.formats.timestamps import parse_instant, utc_now

    instants: dict[str, datetime] = {}
    for name, text in (("since", since), ("until", until)):
        try:
            instants |= {name: parse_instant(text)} if text is not None else {}
        except ValueError as error:
            fail(f"--{name} {error}.", WRONG_USAGE)
    end = instants.get("until")
    if window is not None and since is None:
        return (end or utc_now()) - _parse_duration(window), end
    return instants.get("since"), end


def _parse_duration(window: str) -> timedelta:
    from backend.formats.time_window import parse_window

    try:
        return parse_window(window)
    except ValueError as error:
        fail(f"--window {error}.", WRONG_USAGE)


def _select_runs(
    file: Path | None,
    names: list[str],
    time_range: tuple[datetime | None, datetime | None],
    cases: list[str] | None,
    *,
    leave_out: bool,
) -> "RunArrays":
    from backend.timelines.columns.run_arrays import select

    if file is not None:
        from backend.timelines.columns.run_files import load_run_file

        table = load_run_file(file)
    else:
        from backend.timelines.stored_columns import columns_of

        settings = Settings()
        table = columns_of(settings, open_database(settings), names or None)
    since, until = time_range
    return select(
        table,
        profiles=names or None,
        cases=cases or None,
        since=since,
        until=until,
        leave_out_machinery=leave_out,
    )


def _print_comparison(runs: "RunArrays", a: str, b: str, *, as_json: bool) -> None:
    from backend.timelines.analysis.comparison import compare_profiles
    from backend.timelines.analysis.verdicts import excluded_runs_sentence, verdict

    result = compare_profiles(runs, a, b)
    result_verdict = verdict(result)
    notes = [note for note in (excluded_runs_sentence(result.a), excluded_runs_sentence(result.b)) if note]
    if as_json:
        print(
            json.dumps(_comparison_as_json(runs, result, result_verdict, notes), indent=2, ensure_ascii=False)
        )
    else:
        for note in notes:
            err.print(escape(note), highlight=False)
        if result_verdict.has_comparison:
            _print_tables(runs, result)
            out.print(escape(result_verdict.text), highlight=False)
    if not result_verdict.has_comparison:
        fail(result_verdict.text, WRONG_USAGE)


def _print_tables(runs: "RunArrays", result: "ProfileComparison") -> None:
    titles = ("mean", "95 %", "passed", "cases", "runs")
    print_table(
        (Column("profile"), *(Column(title, "number") for title in titles)),
        ([side.profile, *_build_side_cells(side)] for side in (result.a, result.b)),
    )
    cases: list[list[str]] = []
    largest = sorted(abs(result.difference), reverse=True)[:MAX_CASES_SHOWN]
    for place, a, b in zip(result.case, result.a_mean, result.b_mean, strict=True):
        if b != a and abs(b - a) >= largest[-1]:
            points = f"{100 * a:.1f}", f"{100 * b:.1f}", f"{100 * (b - a):+.1f}"
            cases.append([runs.cases[place], *points])
    if cases:
        out.print()
        print_table((Column("case"), *(Column(title, "number") for title in ("A", "B", "B minus A"))), cases)
        out.print()
    paired = result.paired
    if paired is not None:
        out.print(f"B wins {paired.wins}, ties {paired.ties}, loses {paired.losses}.", highlight=False)


def _build_side_cells(side: "Side") -> tuple[str, ...]:
    mean = "" if side.mean is None else f"{100 * side.mean.mean:.1f}"
    interval = side.interval
    bounds = "" if interval is None else f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
    passed = "" if side.rate is None else f"{100 * side.rate.rate:.1f} %"
    return mean, bounds, passed, f"{side.cases:,}", f"{side.runs:,}"


def _comparison_as_json(
    runs: "RunArrays", result: "ProfileComparison", result_verdict: "Verdict", notes: list[str]
) -> dict[str, Any]:
    paired = result.paired
    cases = [
        {"case_id": runs.cases[place], "a": float(a), "b": float(b), "a_runs": int(n), "b_runs": int(m)}
        for place, a, b, n, m in zip(
            result.case, result.a_mean, result.b_mean, result.a_runs, result.b_runs, strict=True
        )
    ]
    return {
        "verdict": result_verdict.kind,
        "text": result_verdict.text,
        "notes": notes,
        "a": _side_as_json(result.a),
        "b": _side_as_json(result.b),
        "comparison": None
        if paired is None
        else {
            "difference": paired.difference,
            "interval": paired.interval,
            "t_interval": paired.t_interval,
            "p": paired.p,
            "shared_cases": paired.cases,
            "wins": paired.wins,
            "ties": paired.ties,
            "losses": paired.losses,
            "least_detectable": paired.detectable_difference,
            "cases_needed_for_2_points": result_verdict.needed,
        },
        "cases": cases,
    }


def _side_as_json(side: "Side") -> dict[str, Any]:
    return {
        "profile": side.profile,
        "mean": side.mean.mean if side.mean else None,
        "interval": side.interval,
        "pass_rate": side.rate.rate if side.rate else None,
        "pass_rate_interval": side.rate.interval if side.rate else None,
        "cases": side.cases,
        "runs": side.runs,
        "machinery_failures_left_out": side.excluded_runs,
    }


def _print_pairs(runs: "RunArrays", *, as_json: bool) -> None:
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
            *(Column(title, "number") for title in ("points", "95 %", "cases", "p", "BH", "Holm")),
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
            ahead, behind = (i, j) if matrix.difference[j, i] > 0 else (j, i)
            difference, reach = float(matrix.difference[behind, ahead]), float(matrix.reach[i, j])
            rows.append(
                {
                    "ahead": runs.profiles[matrix.profiles[ahead]],
                    "behind": runs.profiles[matrix.profiles[behind]],
                    "difference": difference,
                    "interval": [difference - reach, difference + reach],
                    "shared_cases": int(matrix.cases[i, j]),
                    "p": float(matrix.p[i, j]),
                    "p_bh": float(matrix.bh[i, j]),
                    "p_holm": float(matrix.holm[i, j]),
                }
            )
    rows.sort(key=_sort_key)
    return rows


def _sort_key(row: dict[str, Any]) -> tuple[float, float]:
    return row["p"], -row["difference"]
