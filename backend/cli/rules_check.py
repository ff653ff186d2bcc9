"""Defines ``chainproof rules check`` and ``rules test``: checks naming rules and runs their specs."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from backend.cli.exit_codes import FINDINGS
from backend.cli.terminal.console import err, handle_errors, out, print_error
from backend.formats.plurals import format_count
from backend.runtime.data_folder import find_scan_folders

if TYPE_CHECKING:
    from backend.articles.rules.pack_loader import PackFile
    from backend.formats.file_errors import FileError

app = typer.Typer(
    help="Naming rules for articles.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Files = Annotated[
    list[Path] | None,
    typer.Argument(help="Packs or folders of packs. By default your own rules folder."),
]
MIN_PROGRESS_ITEMS = 100
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
@handle_errors
def check(files: Files = None, as_json: AsJson = False) -> None:
    """Check rules for errors and likely problems, together with the shipped packs."""
    from backend.articles.lint import linter as lint
    from backend.articles.matching.pack_merging import merge_packs
    from backend.articles.rules import specs
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.rules_loader import locate_failures

    try:
        packs, only = _load_packs(files)
        pack = merge_packs(file.pack for file in packs)
        ids = _list_rule_ids(packs, only)
        with _show_progress("Checking rules", len(ids)) as advance:
            failed = specs.find_failures_in_pack(pack, ids)
            findings = [finding.as_dict() for finding in lint.lint(packs, only, advance)]
        findings = [*(_error_as_dict(place, "spec") for place in locate_failures(failed, packs)), *findings]
    except InvalidRulesError as error:
        findings = [_error_as_dict(error) for error in error.errors]
    if as_json:
        print(json.dumps(findings, indent=2, ensure_ascii=False))
    else:
        for finding in findings:
            rule = f" '{finding['rule']}':" if finding["rule"] else ""
            advice = f" {finding['advice']}" if finding["advice"] else ""
            place = f"{finding['file']}:{finding['line']}"
            print(f"{place}: {finding['severity']}:{rule} {finding['sentence']}{advice} [{finding['kind']}]")
        out.print("No findings." if not findings else f"{format_count(len(findings), 'finding')}.")
    if findings:
        raise typer.Exit(FINDINGS)


@app.command("test")
@handle_errors
def run_specs(files: Files = None, as_json: AsJson = False) -> None:
    """Run the specs of rules, together with the shipped packs."""
    from backend.articles.matching.pack_merging import merge_packs
    from backend.articles.rules import specs
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.rules_loader import locate_failures

    try:
        packs, only = _load_packs(files)
    except InvalidRulesError as error:
        fail_with_errors(error.errors)
    pack = merge_packs(file.pack for file in packs)
    ids = _list_rule_ids(packs, only)
    count = sum(len(rule.specs) for rule in pack.rules if rule.id in ids)
    with _show_progress("Running specs", count) as advance:
        failed = specs.find_failures_in_pack(pack, ids, advance)
    places = locate_failures(failed, packs)
    if as_json:
        failures = [
            {
                "file": str(place.file),
                "line": place.line,
                "rule": failure.rule_id,
                "from": failure.text,
                "wanted": failure.expected,
                "got": failure.actual,
                "reason": failure.reason,
            }
            for failure, place in zip(failed, places, strict=True)
        ]
        print(
            json.dumps({"specs": count, "rules": len(ids), "failed": failures}, indent=2, ensure_ascii=False)
        )
    else:
        for failure, place in zip(failed, places, strict=True):
            print(f"{place.file}:{place.line}: {failure}")
            print(f"    from    {failure.text!r}")
            print(f"    wanted  {failure.expected!r}")
            print(f"    got     {failure.actual!r}")
        outcome = f"{len(failed):,} of them failed" if failed else "all passed"
        out.print(
            f"{format_count(count, 'spec')} of {format_count(len(ids), 'rule')}: {outcome}.", highlight=False
        )
    if failed:
        raise typer.Exit(FINDINGS)


def _load_packs(files: list[Path] | None) -> "tuple[list[PackFile], set[Path] | None]":
    """Load all packs in order. Also returns the selected files; None if all are selected."""
    from backend.articles.rules.pack_loader import default_files, read_packs, user_files

    shipped = default_files()
    if not files:
        return read_packs([*shipped, *user_files(find_scan_folders().rules)]), None
    for file in files:
        if not file.exists():
            raise ValueError(f"The file {file} does not exist.")  # wrong usage, not a finding
    selected = [path for file in files for path in (user_files(file) if file.is_dir() else [file])]
    known = {path.resolve(): path for path in shipped}
    extra = [path for path in dict.fromkeys(selected) if path.resolve() not in known]
    return read_packs([*shipped, *extra]), {known.get(path.resolve(), path) for path in selected}


def _list_rule_ids(packs: "list[PackFile]", only: set[Path] | None) -> set[str]:
    """Return the ids of the rules in the selected files."""
    return {rule.id for file in packs if only is None or file.path in only for rule in file.pack.rules}


@contextmanager
def _show_progress(label: str, total: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar on a terminal for more than :data:`MIN_PROGRESS_ITEMS` items."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    is_shown = err.is_terminal and total > MIN_PROGRESS_ITEMS
    with Progress(*columns, console=err, transient=True, disable=not is_shown) as progress:
        task = progress.add_task(label, total=total)
        yield lambda count: progress.advance(task, count)


def _error_as_dict(error: "FileError", kind: str = "mistake") -> dict[str, Any]:
    return {
        "file": str(error.file),
        "line": error.line,
        "kind": kind,
        "rule": None,
        "severity": "error",
        "sentence": error.reason,
        "advice": "",
    }


def fail_with_errors(errors: "tuple[FileError, ...]", code: int = FINDINGS) -> NoReturn:
    """Print each error on its own line and end the command."""
    for error in errors:
        print(error)
    print_error(f"The rules are refused: {format_count(len(errors), 'error')}.")
    raise typer.Exit(code)
