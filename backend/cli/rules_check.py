"""``chainproof rules check`` and ``rules test``: naming rules held against their specs and each other."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from backend.cli.exit_codes import FINDINGS
from backend.cli.terminal.console import complain, err, in_words, out
from backend.formats.plurals import counted
from backend.runtime.data_folder import find_scan_folders

if TYPE_CHECKING:
    from backend.articles.rules.pack_loader import PackFile
    from backend.formats.file_errors import FileMistake

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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
@in_words
def check(files: Files = None, as_json: AsJson = False) -> None:
    """Check rules for errors and likely problems, together with the shipped packs."""
    from backend.articles.lint import linter as lint
    from backend.articles.matching.pack_merging import merge_packs
    from backend.articles.rules import specs
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.rules_loader import located

    try:
        packs, only = _packs(files)
        pack = merge_packs(file.pack for file in packs)
        ids = _rules_of(packs, only)
        with _progress("Trying rules", len(ids)) as advance:
            failed = specs.failures_of_all(pack, ids)
            findings = [finding.as_dict() for finding in lint.lint(packs, only, advance)]
        findings = [*(_as_finding(place, "spec") for place in located(failed, packs)), *findings]
    except InvalidRulesError as refused:
        findings = [_as_finding(mistake) for mistake in refused.mistakes]
    if as_json:
        print(json.dumps(findings, indent=2, ensure_ascii=False))
    else:
        for found in findings:
            about = f" '{found['rule']}':" if found["rule"] else ""
            advice = f" {found['advice']}" if found["advice"] else ""
            place = f"{found['file']}:{found['line']}"
            print(f"{place}: {found['severity']}:{about} {found['sentence']}{advice} [{found['kind']}]")
        out.print("No findings." if not findings else f"{counted(len(findings), 'finding')}.")
    if findings:
        raise typer.Exit(FINDINGS)


@app.command("test")
@in_words
def run_specs(files: Files = None, as_json: AsJson = False) -> None:
    """Run the specs of rules, together with the shipped packs."""
    from backend.articles.matching.pack_merging import merge_packs
    from backend.articles.rules import specs
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.rules_loader import located

    try:
        packs, only = _packs(files)
    except InvalidRulesError as refused:
        refuse(refused.mistakes)
    pack = merge_packs(file.pack for file in packs)
    ids = _rules_of(packs, only)
    count = sum(len(rule.specs) for rule in pack.rules if rule.id in ids)
    with _progress("Running specs", count) as advance:
        failed = specs.failures_of_all(pack, ids, advance)
    places = located(failed, packs)
    if as_json:
        told = [
            {
                "file": str(place.file),
                "line": place.line,
                "rule": failure.rule_id,
                "from": failure.text,
                "wanted": failure.wanted,
                "got": failure.got,
                "reason": failure.reason,
            }
            for failure, place in zip(failed, places, strict=True)
        ]
        print(json.dumps({"specs": count, "rules": len(ids), "failed": told}, indent=2, ensure_ascii=False))
    else:
        for failure, place in zip(failed, places, strict=True):
            print(f"{place.file}:{place.line}: {failure}")
            print(
                f"    from    {failure.text!r}\n    wanted  {failure.wanted!r}\n    got     {failure.got!r}"
            )
        outcome = f"{len(failed):,} of them failed" if failed else "all passed"
        out.print(f"{counted(count, 'spec')} of {counted(len(ids), 'rule')}: {outcome}.", highlight=False)
    if failed:
        raise typer.Exit(FINDINGS)


def _packs(files: list[Path] | None) -> "tuple[list[PackFile], set[Path] | None]":
    """All packs in their order, and the files that are asked for; none where all are."""
    from backend.articles.rules.pack_loader import default_files, read_packs, user_files

    shipped = default_files()
    if not files:
        return read_packs([*shipped, *user_files(find_scan_folders().rules)]), None
    for file in files:
        if not file.exists():
            raise ValueError(f"There is no file {file}.")  # wrong use, not a finding
    given = [path for file in files for path in (user_files(file) if file.is_dir() else [file])]
    known = {path.resolve(): path for path in shipped}
    extra = [path for path in dict.fromkeys(given) if path.resolve() not in known]
    return read_packs([*shipped, *extra]), {known.get(path.resolve(), path) for path in given}


def _rules_of(packs: "list[PackFile]", only: set[Path] | None) -> set[str]:
    """Ids of the rules in the files asked for."""
    return {rule.id for file in packs if only is None or file.path in only for rule in file.pack.rules}


@contextmanager
def _progress(words: str, total: int) -> Iterator[Callable[[int], object]]:
    """A bar on a terminal where there is much to do."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    shown = err.is_terminal and total > 100
    with Progress(*columns, console=err, transient=True, disable=not shown) as progress:
        task = progress.add_task(words, total=total)
        yield lambda count: progress.advance(task, count)


def _as_finding(mistake: "FileMistake", kind: str = "mistake") -> dict[str, Any]:
    return {
        "file": str(mistake.file),
        "line": mistake.line,
        "kind": kind,
        "rule": None,
        "severity": "error",
        "sentence": mistake.reason,
        "advice": "",
    }


def refuse(mistakes: "tuple[FileMistake, ...]", code: int = FINDINGS) -> NoReturn:
    """End the command with every mistake, each in a line of its own."""
    for mistake in mistakes:
        print(mistake)
    complain(f"the rules are refused: {counted(len(mistakes), 'mistake')}.")
    raise typer.Exit(code)
