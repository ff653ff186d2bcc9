"""Defines ``chainproof runs compare``: compares profiles, with confidence intervals and a verdict."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from backend.cli.exit_codes import FINDINGS, WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.runs.compare_formats import Output, OutputFormat, print_comparison
from backend.cli.runs.compare_pairs import print_pairs
from backend.cli.terminal.console import err, fail, handle_errors
from backend.settings import Settings
from backend.timelines.model import SplitKind

if TYPE_CHECKING:
    from backend.timelines.analysis.comparison import RunGroup
    from backend.timelines.columns.run_arrays import RunArrays


class Parts(NamedTuple):
    """How a profile is compared with itself: two evaluations or a split; neither for two profiles."""

    evaluations: tuple[str, str] | None = None
    split: tuple[SplitKind, str] | None = None


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
    evaluation: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="With one profile: the two evaluations to compare. Repeatable."),
    ] = None,
    split_at: Annotated[
        str | None,
        typer.Option(metavar="INSTANT", help="With one profile: compare before and after this instant."),
    ] = None,
    split_evaluation: Annotated[
        str | None,
        typer.Option(metavar="ID", help="With one profile: compare before this evaluation and from it on."),
    ] = None,
    split_revision: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With one profile: compare before this revision and from it on."),
    ] = None,
    split_alert: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="With one profile: compare before and after an alert: «latest», or an instant.",
        ),
    ] = None,
    fail_if_behind: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS", help="Exit with 1 if B is behind A by at least this, and surely behind."
        ),
    ] = None,
    fail_if_unsure: Annotated[
        bool,
        typer.Option("--fail-if-unsure", help="Exit with 1 also if B may be behind by that."),
    ] = False,
    why: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=50,
            metavar="N",
            help="Also show answers and graders' words of N dividing cases.",
        ),
    ] = None,
    format: Annotated[OutputFormat, typer.Option(help="Output format.")] = OutputFormat.text,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; the same as --format json.")] = False,
) -> None:
    """Compare two profiles, or a profile before and after a change, with an interval and a verdict.

    Exit codes: 0 compared, and not behind if a limit is given; 1 behind, or unsure with --fail-if-unsure;
    2 wrong use, or nothing to compare; 3 the store failed.
    """
    names = profiles or []
    splits: dict[SplitKind, str | None] = {
        "instant": split_at,
        "evaluation": split_evaluation,
        "revision": split_revision,
        "alert": split_alert,
    }
    parts = _parse_parts(names, evaluation or [], splits, all_pairs=all_pairs)
    output_format = _choose_format(format, as_json=as_json, all_pairs=all_pairs)
    if why is not None and (file is not None or all_pairs):
        fail("--why reads stored runs of two sides, so it excludes --file and --all-pairs.", WRONG_USAGE)
    limit = _parse_limit(fail_if_behind, if_unsure=fail_if_unsure, all_pairs=all_pairs)
    time_range = _parse_time_range(window, since, until)
    with err.status("Reading runs…"):
        runs = _select_runs(file, names, time_range, case, leave_out=leave_out)
        missing = [name for name in names if file is not None and runs.place_of(name) is None]
    if missing:
        fail(f"{file} has no run of the profile '{missing[0]}'.", WRONG_USAGE)
    if all_pairs:
        print_pairs(runs, as_json=output_format is OutputFormat.json)
    else:
        groups = _build_groups(runs, names, parts)
        reasons = None if why is None else _find_reasons(groups, names[0], case or [], why)
        _print_comparison(runs, groups, reasons, output_format, limit, if_unsure=fail_if_unsure)


def _parse_parts(
    names: list[str], evaluations: list[str], splits: Mapping[SplitKind, str | None], *, all_pairs: bool
) -> Parts:
    given = [(kind, value) for kind, value in splits.items() if value is not None]
    if not given and not evaluations:
        if not all_pairs and len(names) != 2:
            fail("Name two profiles to compare, or use --all-pairs.", WRONG_USAGE)
        return Parts()
    if all_pairs or len(names) != 1:
        fail("Name one profile to compare with itself.", WRONG_USAGE)
    if len(given) + bool(evaluations) > 1:
        fail(
            "Use either two of --evaluation or one of the options --split-….",
            WRONG_USAGE,
        )
    if evaluations and (len(evaluations) != 2 or evaluations[0] == evaluations[1]):
        fail("Name two different evaluations, each with --evaluation.", WRONG_USAGE)
    both = (evaluations[0], evaluations[1]) if evaluations else None
    return Parts(both, given[0] if given else None)


def _build_groups(runs: "RunArrays", names: list[str], parts: Parts) -> "tuple[RunGroup, RunGroup]":
    from backend.timelines.comparisons.comparison_request import ComparisonRequest
    from backend.timelines.comparisons.computation import build_groups

    return build_groups(runs, ComparisonRequest(names, parts.evaluations or (), parts.split))[0]


def _find_reasons(
    groups: "tuple[RunGroup, RunGroup]", profile: str, cases: list[str], limit: int
) -> list[dict[str, Any]]:
    """Find the cases that divide both sides, with the texts of their runs."""
    from backend.timelines.comparisons.case_details import build_case_rows
    from backend.timelines.stored_columns import read_timelines

    settings = Settings()
    database = open_database(settings)
    try:
        realm = read_timelines(settings, database)[profile].realm
        return build_case_rows(database, realm, *groups, limit, cases)
    finally:
        database.dispose()


def _choose_format(format: OutputFormat, *, as_json: bool, all_pairs: bool) -> OutputFormat:
    if as_json and format not in (OutputFormat.text, OutputFormat.json):
        fail(f"--json and --format {format} exclude each other.", WRONG_USAGE)
    chosen = OutputFormat.json if as_json else format
    if all_pairs and chosen not in (OutputFormat.text, OutputFormat.json):
        fail(f"--all-pairs prints text or JSON, not {chosen}.", WRONG_USAGE)
    return chosen


def _parse_limit(points: float | None, *, if_unsure: bool, all_pairs: bool) -> float | None:
    """Convert the limit from points to a fraction."""
    if points is None:
        if if_unsure:
            fail("--fail-if-unsure needs --fail-if-behind POINTS.", WRONG_USAGE)
        return None
    if all_pairs:
        fail("--fail-if-behind compares two profiles, so it excludes --all-pairs.", WRONG_USAGE)
    if not math.isfinite(points) or points < 0:
        fail("--fail-if-behind must be a number of points from 0 on, such as 2.", WRONG_USAGE)
    return points / 100


def _print_comparison(
    runs: "RunArrays",
    groups: "tuple[RunGroup, RunGroup]",
    reasons: list[dict[str, Any]] | None,
    format: OutputFormat,
    limit: float | None,
    *,
    if_unsure: bool,
) -> None:
    from backend.timelines.analysis.comparison import compare_runs
    from backend.timelines.analysis.comparison_report import build_report
    from backend.timelines.analysis.gate import judge_gate
    from backend.timelines.analysis.verdicts import verdict

    result = compare_runs(*groups)
    result_verdict = verdict(result)
    gate = None if limit is None or not result_verdict.has_comparison else judge_gate(result, limit)
    fails = gate is not None and gate.fails(if_unsure=if_unsure)
    report = build_report(result, result_verdict, runs.cases)
    print_comparison(Output(report, gate, fails, reasons), format)
    if not result_verdict.has_comparison:
        fail(result_verdict.text, WRONG_USAGE)
    if fails:
        raise typer.Exit(FINDINGS)


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
        exclude_infrastructure_failures=leave_out,
    )
