"""``chainproof rules``: naming rules checked, tested, imported, listed and put in force."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.cli import rules_check
from backend.cli.exit_codes import FINDINGS, WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.rules_check import AsJson, refuse
from backend.cli.terminal.console import err, fail, in_words, out
from backend.cli.terminal.tables import Column, print_table
from backend.formats.plurals import counted
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.articles.importers import Import

app = typer.Typer(help="Naming rules for articles.", no_args_is_help=True)
app.add_typer(rules_check.app)


@app.command()
@in_words
def reload() -> None:
    """Reload the rules in every process, if they have no errors."""
    from backend.articles.rules.active_rules import announce
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.pack_loader import default_files, read_packs, user_files
    from backend.articles.rules.rules_loader import compiled

    settings = Settings()
    try:
        rules = compiled(read_packs([*default_files(), *user_files(settings.user_rules_dir)])).rules
    except InvalidRulesError as refused:
        refuse(refused.mistakes)
    announce(open_database(settings))
    out.print(f"Every process takes up rules [bold]{rules.version}[/] within seconds.")


@app.command("import")
@in_words
def import_(
    source: Annotated[Path, typer.Argument(help="A file of rules, or a folder of Vale styles.")],
    format: Annotated[
        str | None, typer.Option(help="prh, vale, terminology or csv. Detected by default.")
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="File to write the pack to. Printed by default.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    auto_fix: Annotated[
        bool, typer.Option("--auto-fix", help="Apply the corrections without approval.")
    ] = False,
    language: Annotated[
        list[str] | None, typer.Option(help="Language of articles that the rules apply to. Repeatable.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of the pack.")] = False,
) -> None:
    """Convert another tool's rules to a pack. Rules that cannot be converted are listed with the reason."""
    from backend.articles.importers import FORMATS, Options, as_yaml, import_rules
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.pack_loader import default_files, parse_pack, read_packs, user_files
    from backend.entities.model import LANGUAGES

    kind = next((known for known in FORMATS if known == format), None)
    if format is not None and kind is None:
        fail(f"The format {format!r} is none of {', '.join(FORMATS)}.", WRONG_USAGE)
    unknown = [given for given in language or [] if given not in LANGUAGES]
    if unknown:
        fail(f"The language {unknown[0]!r} is none of {', '.join(LANGUAGES)}.", WRONG_USAGE)
    if out_file is not None and out_file.exists() and not force:
        fail(f"{out_file} is there already. Choose another name, or say --force.", WRONG_USAGE)
    below = [*default_files(), *_but(out_file, user_files(Settings().user_rules_dir))]
    options = Options(auto_fix, tuple(known for known in LANGUAGES if known in (language or [])))
    try:
        with err.status("Importing…"):
            base = [file.pack for file in read_packs(below)]
            made = import_rules(source, kind, base=base, options=options)
            text = as_yaml(made)
            parse_pack(text, out_file or source)
    except InvalidRulesError as refused:
        refuse(refused.mistakes, WRONG_USAGE)  # the file is missing, or none that can be imported
    _write(made, text, out_file, as_json)
    if not (made.rules or made.entities):
        raise typer.Exit(FINDINGS)


@app.command()
@in_words
def schema(
    out_file: Annotated[
        Path | None, typer.Option("--out", help="File to write to. Printed by default.")
    ] = None,
) -> None:
    """Print the JSON Schema of packs, for YAML editors."""
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
        str | None, typer.Argument(help="Part of a rule id, pattern or name. Lists all by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the rules in force, including disabled ones."""
    from backend.articles.matching.pack_merging import merge_packs
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.pack_loader import default_files, read_packs, user_files

    try:
        files = read_packs([*default_files(), *user_files(Settings().user_rules_dir)])
    except InvalidRulesError as refused:
        refuse(refused.mistakes)
    where = {rule.id: file.path for file in files for rule in file.pack.rules}
    rows = [
        {**rule.model_dump(mode="json", by_alias=True), "file": str(where[rule.id])}
        for rule in merge_packs(file.pack for file in files).rules
    ]
    if search:
        rows = [row for row in rows if search.casefold() in json.dumps(row, ensure_ascii=False).casefold()]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    cells = []
    for row in rows:
        how = [row["severity"], *row["languages"], "fixed" if row["auto_fix"] else "on approval"]
        cells.append(
            [
                row["id"] if row["enabled"] else f"{row['id']} (off)",
                ", ".join(given if isinstance(given, str) else given["text"] for given in row["match"]),
                _suggested(row["suggest"], row["entity"]),
                " ".join(how),
            ]
        )
    print_table((Column("rule"), Column("finds"), Column("suggests"), Column("how")), cells)


def _but(file: Path | None, files: list[Path]) -> list[Path]:
    return [path for path in files if file is None or path.resolve() != file.resolve()]


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
    names = f" and {counted(len(made.entities), 'name')}" if made.entities else ""
    place = f" to {out_file}" if out_file is not None else ""
    carried = counted(len(made.rules), "rule")
    err.print(f"{carried}{names} carried over{place}, {len(made.skipped):,} not.", highlight=False)


def _suggested(suggest: Any, entity: str | None) -> str:
    if suggest == "auto":
        return f"name of {entity}"
    if isinstance(suggest, dict):
        return ", ".join(f"{language}: {name}" for language, name in suggest.items())
    return " or ".join(suggest) if isinstance(suggest, list) else str(suggest)
