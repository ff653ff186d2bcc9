"""Defines ``chainproof runs import``: imports results of other tools and of our own format."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.runs.redact_texts import compile_patterns
from backend.cli.terminal.console import err, fail, handle_errors, out
from backend.cli.terminal.import_progress import print_errors, show_progress
from backend.formats.plurals import format_count
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.timelines.importers.run_import import FileReport, ImportResult


class FormatName(StrEnum):
    """An enumeration, since typer does not accept a list of literals."""

    chainproof = "chainproof"
    inspect = "inspect"
    promptfoo = "promptfoo"
    llmsnare = "llmsnare"
    aider = "aider"
    lm_eval = "lm-eval"
    junit = "junit"
    csv = "csv"


@handle_errors
def import_(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Result files in any supported format.")
    ],
    format: Annotated[
        FormatName | None, typer.Option(help="Format of the files. Detected by default.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Profile of the runs, if the file states none or another. "
            "May name parts in braces: {model}, {provider}, {task}, {agent}, {file}, ….",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="INSTANT", help="Start time of runs that state none, such as 2026-11-21T09:30:00Z."
        ),
    ] = None,
    add_profiles: Annotated[
        bool, typer.Option("--add-profiles", help="Also add profiles that are not configured yet.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Import the valid entries even if others have errors.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Validate and report without importing.")
    ] = False,
    with_texts: Annotated[
        bool,
        typer.Option(
            "--with-texts", help="Also store questions, answers and graders' words (Inspect, promptfoo)."
        ),
    ] = False,
    text_limit: Annotated[
        int, typer.Option(min=1, max=100_000, metavar="CHARS", help="Maximum length of a stored text.")
    ] = 4_000,
    redact: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Remove what this regular expression matches. Repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import runs. Runs with a known id are skipped."""
    from backend.formats.timestamps import parse_instant
    from backend.timelines.importers.import_store import DatabaseStore
    from backend.timelines.importers.model import Options
    from backend.timelines.importers.run_import import ImportRequest, import_files
    from backend.timelines.importers.run_texts import DEFAULT_TEXT_CHARS, TextOptions

    if (redact or text_limit != DEFAULT_TEXT_CHARS) and not with_texts:
        fail("--redact and --text-limit need --with-texts.", WRONG_USAGE)
    texts = TextOptions(text_limit, compile_patterns(redact or [])) if with_texts else None
    request = ImportRequest(
        Options(profile, parse_instant(at) if at else None, texts),
        format.value if format else None,
        partial,
        dry_run,
        add_profiles,
    )
    files = list(dict.fromkeys(paths))
    settings = Settings()
    store = DatabaseStore(settings, open_database(settings))
    with show_progress(files, is_enabled=not as_json) as advance:
        imported = import_files(store, files, request, advance=advance)
    print_errors(imported)
    if as_json:
        print(json.dumps(_build_result_json(imported, dry_run=dry_run), indent=2, ensure_ascii=False))
    else:
        _print_result(imported, request.partial, dry_run=dry_run)
    if imported.errors:
        raise typer.Exit(WRONG_USAGE)


def _print_result(imported: "ImportResult", partial: bool, *, dry_run: bool) -> None:
    for report in imported.files:
        _print_file(report)
    if imported.new_profiles:
        verb = "would be added" if dry_run else "added"
        names = ", ".join(f"«{name}»" for name in list(imported.new_profiles)[:5])
        unlisted_count = len(imported.new_profiles) - 5
        listed = f"{names} and {unlisted_count} more" if unlisted_count > 0 else names
        if not imported.errors or partial:
            _print(f"{format_count(len(imported.new_profiles), 'profile')} {verb}: {listed}.")
    if imported.errors and not (imported.added or imported.known or dry_run):
        hint = "" if partial else " Use --partial to import the valid entries."
        err.print(f"Nothing was added.{hint}", highlight=False)
    elif dry_run:
        _print(f"Valid: {format_count(imported.runs, 'run')}. Nothing was added.")
    else:
        _print(f"{imported.added} added, {imported.known} known.")
    if imported.known_elsewhere:
        count = format_count(imported.known_elsewhere, "run")
        examples = "; ".join(imported.elsewhere_examples)
        _print(f"{count} not added, because another profile has a run with the same id: {examples}.")


def _print_file(report: "FileReport") -> None:
    notes = report.notes
    _print(
        f"[bold]{escape(report.path.name)}[/]: {report.format.title}, {format_count(notes.runs, 'run')}",
        plain=False,
    )
    for sentence, count in notes.conversions.most_common():
        _print(f"  converted  {sentence} ({count})")
    for name, count, reason in report.explain_null_fields():
        _print(f"  null       {name} in {count}: {reason}")
    for reason, count in notes.skipped.most_common():
        _print(f"  excluded   {count}: {reason}")
    if report.contradictions:
        examples = "; ".join(report.contradiction_examples)
        _print(f"  excluded   {report.contradictions}: the same run id with other content: {examples}")


def _print(sentence: str, *, plain: bool = True) -> None:
    out.print(escape(sentence) if plain else sentence, highlight=False, soft_wrap=True)


def _build_result_json(imported: "ImportResult", *, dry_run: bool) -> dict[str, Any]:
    return {
        "added": imported.added,
        "known": imported.known,
        "known_in_other_profiles": imported.known_elsewhere,
        "runs": imported.runs,
        "dry_run": dry_run,
        "mistakes": imported.error_count,
        "new_profiles": sorted(imported.new_profiles),
        "files": [
            {
                "file": str(report.path),
                "format": report.format.key,
                "runs": report.notes.runs,
                "contradictions": report.contradictions,
                "run_id": report.format.run_id,
                "mapped": dict(report.format.field_sources),
                "converted": dict(report.notes.conversions),
                "left_null": {
                    name: {"runs": count, "reason": reason}
                    for name, count, reason in report.explain_null_fields()
                },
                "left_out": dict(report.notes.skipped),
            }
            for report in imported.files
        ],
    }
