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
    from backend.articles.lint.linter import Finding
    from backend.articles.model import Pack
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
    typer.Argument(help="Packs or folders of packs, .chainproof.yaml, texts. By default your own rules."),
]
MIN_PROGRESS_ITEMS = 100
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
@handle_errors
def check(files: Files = None, as_json: AsJson = False) -> None:
    """Check rules for errors and likely problems, together with the shipped packs.

    Texts among the files are checked for remarks that name unknown rules, and the nearest .chainproof.yaml
    for accepted texts without effect.
    """
    from backend.articles.lint import linter as lint
    from backend.articles.matching.pack_merging import merge_packs
    from backend.articles.rules import specs
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.rules_loader import locate_failures

    try:
        settings, texts, own = _split_files(files)
        packs, only = _load_packs(own)
        pack = merge_packs(file.pack for file in packs)
        ids = _list_rule_ids(packs, only)
        with _show_progress("Checking rules", len(ids)) as advance:
            failed = specs.find_failures_in_pack(pack, ids)
            findings = [finding.as_dict() for finding in lint.lint(packs, only, advance)]
        findings = [
            *(_convert_error_to_dict(location, "spec") for location in locate_failures(failed, packs)),
            *findings,
        ]
        findings += [finding.as_dict() for finding in _check_authors(settings, texts, pack)]
    except InvalidRulesError as error:
        findings = [_convert_error_to_dict(error) for error in error.errors]
    if as_json:
        print(json.dumps(findings, indent=2, ensure_ascii=False))
    else:
        for finding in findings:
            rule = f" '{finding['rule']}':" if finding["rule"] else ""
            advice = f" {finding['advice']}" if finding["advice"] else ""
            location = f"{finding['file']}:{finding['line']}"
            print(
                f"{location}: {finding['severity']}:{rule} {finding['sentence']}{advice} [{finding['kind']}]"
            )
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
        packs, only = _load_packs(files or None)
    except InvalidRulesError as error:
        fail_with_errors(error.errors)
    pack = merge_packs(file.pack for file in packs)
    ids = _list_rule_ids(packs, only)
    count = sum(len(rule.specs) for rule in pack.rules if rule.id in ids)
    with _show_progress("Running specs", count) as advance:
        failed = specs.find_failures_in_pack(pack, ids, advance)
    locations = locate_failures(failed, packs)
    if as_json:
        failures = [
            {
                "file": str(location.file),
                "line": location.line,
                "rule": failure.rule_id,
                "from": failure.text,
                "wanted": failure.expected,
                "got": failure.actual,
                "reason": failure.reason,
            }
            for failure, location in zip(failed, locations, strict=True)
        ]
        print(
            json.dumps({"specs": count, "rules": len(ids), "failed": failures}, indent=2, ensure_ascii=False)
        )
    else:
        for failure, location in zip(failed, locations, strict=True):
            print(f"{location.file}:{location.line}: {failure}")
            print(f"    from    {failure.text!r}")
            print(f"    wanted  {failure.expected!r}")
            print(f"    got     {failure.actual!r}")
        outcome = f"{len(failed):,} of them failed" if failed else "all passed"
        out.print(
            f"{format_count(count, 'spec')} of {format_count(len(ids), 'rule')}: {outcome}.", highlight=False
        )
    if failed:
        raise typer.Exit(FINDINGS)


def _split_files(files: list[Path] | None) -> tuple[list[Path], list[Path], list[Path] | None]:
    """Split ``files`` into settings of repositories, texts and packs; None means all packs."""
    from backend.articles.files import file_io
    from backend.articles.files import repository_settings as settings

    listed = files or []
    texts = [file for file in listed if file.suffix.lower() in file_io.TEXT_SUFFIXES and file.is_file()]
    named = [file for file in listed if file.name == settings.FILE_NAME]
    packs = [file for file in listed if file not in texts and file not in named]
    nearest = settings.find_settings_file(Path.cwd())
    if not named and nearest is not None:
        named = [nearest]
    return named, texts, [] if (listed and not packs) else packs or None


def _check_authors(settings: list[Path], texts: list[Path], pack: "Pack") -> "Iterator[Finding]":
    """Check what authors decide, with the rules of ``pack``."""
    from backend.articles.files.author_checks import check_remarks, check_settings_file
    from backend.articles.matching.rule_set import compile_rules

    if not settings and not texts:
        return
    rules = compile_rules([pack])
    for file in settings:
        yield from check_settings_file(file, rules)
    for file in texts:
        yield from check_remarks(file, rules)


def _load_packs(files: list[Path] | None) -> "tuple[list[PackFile], set[Path] | None]":
    """Load all packs in order. Also returns the selected files; None if all are selected."""
    from backend.articles.rules.pack_loader import default_files, read_packs, user_files

    shipped = default_files()
    if files is None:
        return read_packs([*shipped, *user_files(find_scan_folders().rules)]), None
    for file in files:
        if not file.exists():
            raise ValueError(f"The file {file} does not exist.")  # wrong usage, not a finding
    selected = [path for file in files for path in (user_files(file) if file.is_dir() else [file])]
    shipped_by_path = {path.resolve(): path for path in shipped}
    extra = [path for path in dict.fromkeys(selected) if path.resolve() not in shipped_by_path]
    return read_packs([*shipped, *extra]), {shipped_by_path.get(path.resolve(), path) for path in selected}


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


def _convert_error_to_dict(error: "FileError", kind: str = "mistake") -> dict[str, Any]:
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
