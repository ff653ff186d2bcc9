"""``chainproof rules``: naming rules checked, tested, imported and put in force."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from backend.cli.words import FINDINGS, WRONG_USE, complain, err, fail, in_words, open_database, out
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.articles.importers import Import
    from backend.articles.rules.loading import PackFile
    from backend.file_mistakes import FileMistake

app = typer.Typer(help="Naming rules of articles.", no_args_is_help=True)

Files = Annotated[
    list[Path] | None,
    typer.Argument(help="Packs, or folders of them, instead of your own folder of rules."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
@in_words
def check(files: Files = None, as_json: AsJson = False) -> None:
    """Look for mistakes and doubtful rules; with files, in these alone, beside the shipped packs."""
    from backend.articles.lint import linter as lint
    from backend.articles.matching.combining import merged
    from backend.articles.rules import specs
    from backend.articles.rules.mistakes import RulesRefused
    from backend.articles.rules.ruleset import located

    try:
        packs, only = _packs(files)
        pack = merged(file.pack for file in packs)
        ids = _rules_of(packs, only)
        with _progress("Trying rules", len(ids)) as advance:
            failed = specs.failures_of_all(pack, ids)
            findings = [finding.as_dict() for finding in lint.lint(packs, only, advance)]
        findings = [*(_as_finding(place, "spec") for place in located(failed, packs)), *findings]
    except RulesRefused as refused:
        findings = [_as_finding(mistake) for mistake in refused.mistakes]
    if as_json:
        print(json.dumps(findings, indent=2, ensure_ascii=False))
    else:
        for found in findings:
            about = f" '{found['rule']}':" if found["rule"] else ""
            advice = f" {found['advice']}" if found["advice"] else ""
            place = f"{found['file']}:{found['line']}"
            print(f"{place}: {found['severity']}:{about} {found['sentence']}{advice} [{found['kind']}]")
        out.print("No findings." if not findings else f"{len(findings)} findings.")
    if findings:
        raise typer.Exit(FINDINGS)


@app.command("test")
@in_words
def run_specs(files: Files = None, as_json: AsJson = False) -> None:
    """Hold all rules against their specs; with files, those of these alone, beside the shipped packs."""
    from backend.articles.matching.combining import merged
    from backend.articles.rules import specs
    from backend.articles.rules.mistakes import RulesRefused
    from backend.articles.rules.ruleset import located

    try:
        packs, only = _packs(files)
    except RulesRefused as refused:
        _refused(refused.mistakes)
    pack = merged(file.pack for file in packs)
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
        verdict = f"{len(failed)} of {count} specs do not hold." if failed else f"All {count} specs hold."
        out.print(f"{verdict} ({len(ids)} rules)")
    if failed:
        raise typer.Exit(FINDINGS)


@app.command()
@in_words
def reload() -> None:
    """Have every process of the service read the rules anew, if they are without mistakes."""
    from backend.articles.rules.loading import default_files, read_packs, user_files
    from backend.articles.rules.mistakes import RulesRefused
    from backend.articles.rules.ruleset import announce, compiled

    settings = Settings()
    try:
        rules = compiled(read_packs([*default_files(), *user_files(settings.user_rules_dir)])).rules
    except RulesRefused as refused:
        _refused(refused.mistakes)
    announce(open_database(settings))
    out.print(f"Every process takes up rules [bold]{rules.version}[/] within seconds.")


@app.command("import")
@in_words
def import_(
    source: Annotated[Path, typer.Argument(help="A file of rules, or a folder of Vale styles.")],
    format: Annotated[
        str | None, typer.Option(help="prh, vale, terminology or csv; found out when not given.")
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Where to write the pack; by default it is printed.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    auto_fix: Annotated[
        bool, typer.Option("--auto-fix", help="Let the corrections be made without approval.")
    ] = False,
    language: Annotated[
        list[str] | None, typer.Option(help="Language of articles that the rules are for; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of the pack.")] = False,
) -> None:
    """Carry another tool's rules over to a pack; what cannot be carried exactly is listed with its reason."""
    from backend.articles.importers import FORMATS, Options, as_yaml, import_rules
    from backend.articles.rules.loading import default_files, parse_pack, read_packs, user_files
    from backend.articles.rules.mistakes import RulesRefused
    from backend.entities.model import LANGUAGES

    kind = next((known for known in FORMATS if known == format), None)
    if format is not None and kind is None:
        fail(f"The format {format!r} is none of {', '.join(FORMATS)}.", WRONG_USE)
    unknown = [given for given in language or [] if given not in LANGUAGES]
    if unknown:
        fail(f"The language {unknown[0]!r} is none of {', '.join(LANGUAGES)}.", WRONG_USE)
    if out_file is not None and out_file.exists() and not force:
        fail(f"{out_file} is there already. Choose another name, or say --force.", WRONG_USE)
    below = [*default_files(), *_but(out_file, user_files(Settings().user_rules_dir))]
    options = Options(auto_fix, tuple(known for known in LANGUAGES if known in (language or [])))
    try:
        with err.status("Importing…"):
            base = [file.pack for file in read_packs(below)]
            made = import_rules(source, kind, base=base, options=options)
            text = as_yaml(made)
            parse_pack(text, out_file or source)
    except RulesRefused as refused:
        _refused(refused.mistakes, WRONG_USE)  # the file is missing, or none that can be imported
    _write(made, text, out_file, as_json)
    if not (made.rules or made.entities):
        raise typer.Exit(FINDINGS)


@app.command()
@in_words
def schema(
    out_file: Annotated[Path | None, typer.Option("--out", help="Where to write it.")] = None,
) -> None:
    """Print the JSON Schema of packs, for editors that complete and check YAML."""
    from backend.articles.rules.json_schema import as_text

    if out_file is None:
        print(as_text(), end="")
    else:
        out_file.write_text(as_text(), encoding="utf-8")
        out.print(f"The schema is in {out_file}.")


@app.command("list")
@in_words
def show(
    search: Annotated[
        str | None, typer.Argument(help="Part of an id, a surface or a name; without it, all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the rules that are laid over each other, those that are off too."""
    from backend.articles.matching.combining import merged
    from backend.articles.rules.loading import default_files, read_packs, user_files
    from backend.articles.rules.mistakes import RulesRefused

    try:
        files = read_packs([*default_files(), *user_files(Settings().user_rules_dir)])
    except RulesRefused as refused:
        _refused(refused.mistakes)
    where = {rule.id: file.path for file in files for rule in file.pack.rules}
    rows = [
        {**rule.model_dump(mode="json", by_alias=True), "file": str(where[rule.id])}
        for rule in merged(file.pack for file in files).rules
    ]
    if search:
        rows = [row for row in rows if search.casefold() in json.dumps(row, ensure_ascii=False).casefold()]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    table = Table("rule", "finds", "suggests", "how")
    table.columns[0].overflow = "fold"
    for row in rows:
        how = [row["severity"], *row["languages"], "fixed" if row["auto_fix"] else "on approval"]
        table.add_row(
            row["id"] if row["enabled"] else f"{row['id']} (off)",
            ", ".join(given if isinstance(given, str) else given["text"] for given in row["match"][:4]),
            _suggested(row["suggest"], row["entity"]),
            " ".join(how),
        )
    out.print(table)


def _packs(files: list[Path] | None) -> "tuple[list[PackFile], set[Path] | None]":
    """All packs in their order, and the files that are asked for; none where all are."""
    from backend.articles.rules.loading import default_files, read_packs, user_files

    shipped = default_files()
    if not files:
        return read_packs([*shipped, *user_files(Settings().user_rules_dir)]), None
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


def _but(file: Path | None, files: list[Path]) -> list[Path]:
    return [path for path in files if file is None or path.resolve() != file.resolve()]


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


def _refused(mistakes: "tuple[FileMistake, ...]", code: int = FINDINGS) -> NoReturn:
    """End with every mistake, each in a line of its own."""
    for mistake in mistakes:
        print(mistake)
    complain(f"the rules are refused: {len(mistakes)} mistakes.")
    raise typer.Exit(code)


def _write(made: "Import", text: str, out_file: Path | None, as_json: bool) -> None:
    """The pack to its place, and what was not carried over to the one who asked."""
    if out_file is not None:
        out_file.parent.mkdir(parents=True, exist_ok=True)
        out_file.write_text(text, encoding="utf-8")
    if as_json:
        skipped = [
            {"file": str(s.file), "line": s.line, "what": s.what, "reason": s.reason} for s in made.skipped
        ]
        counts = {"format": made.format, "rules": len(made.rules), "names": len(made.entities)}
        print(json.dumps({**counts, "skipped": skipped}, indent=2, ensure_ascii=False))
        return
    if out_file is None:
        print(text, end="")
    for skipped_one in made.skipped:
        err.print(f"not carried over: {skipped_one}", highlight=False, markup=False, soft_wrap=True)
    names = f" and {len(made.entities)} names" if made.entities else ""
    place = f" to {out_file}" if out_file is not None else ""
    err.print(f"{len(made.rules)} rules{names} carried over{place}, {len(made.skipped)} not.")


def _suggested(suggest: Any, entity: str | None) -> str:
    if suggest == "auto":
        return f"name of {entity}"
    if isinstance(suggest, dict):
        return ", ".join(f"{language}: {name}" for language, name in suggest.items())
    return " or ".join(suggest) if isinstance(suggest, list) else str(suggest)
