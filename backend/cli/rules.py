"""Defines ``chainproof rules``: checks, tests, imports, lists and reloads naming rules."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.cli import rules_check
from backend.cli.exit_codes import FINDINGS, WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.rules_check import AsJson, fail_with_errors
from backend.cli.terminal.console import err, fail, handle_errors, out
from backend.cli.terminal.tables import Column, print_table
from backend.formats.plurals import format_count
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.articles.importers.rule_drafts import ImportResult

app = typer.Typer(help="Naming rules for articles.", no_args_is_help=True)
app.add_typer(rules_check.app)


@app.command()
@handle_errors
def reload() -> None:
    """Reload the rules in every process, if they have no errors."""
    from backend.articles.rules.active_rules import announce
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.pack_loader import default_files, read_packs, user_files
    from backend.articles.rules.rules_loader import compile_files

    settings = Settings()
    try:
        rules = compile_files(read_packs([*default_files(), *user_files(settings.user_rules_dir)])).rules
    except InvalidRulesError as error:
        fail_with_errors(error.errors)
    announce(open_database(settings))
    out.print(f"All processes switch to rules [bold]{rules.version}[/] within seconds.")


@app.command("import")
@handle_errors
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
    from backend.articles.importers.registry import FORMATS, Options, import_rules
    from backend.articles.importers.yaml_writer import format_yaml
    from backend.articles.rules.errors import InvalidRulesError
    from backend.articles.rules.pack_loader import default_files, parse_pack, read_packs, user_files
    from backend.entities.model import LANGUAGES

    kind = next((name for name in FORMATS if name == format), None)
    if format is not None and kind is None:
        fail(f"The format {format!r} is unknown. Use one of {', '.join(FORMATS)}.", WRONG_USAGE)
    unknown = [code for code in language or [] if code not in LANGUAGES]
    if unknown:
        fail(f"The language {unknown[0]!r} is unknown. Use one of {', '.join(LANGUAGES)}.", WRONG_USAGE)
    if out_file is not None and out_file.exists() and not force:
        fail(f"{out_file} already exists. Choose another name, or use --force.", WRONG_USAGE)
    base_files = [*default_files(), *_exclude(out_file, user_files(Settings().user_rules_dir))]
    options = Options(auto_fix, tuple(code for code in LANGUAGES if code in (language or [])))
    try:
        with err.status("Importing…"):
            existing_packs = [file.pack for file in read_packs(base_files)]
            imported = import_rules(source, kind, existing_packs=existing_packs, options=options)
            text = format_yaml(imported)
            parse_pack(text, out_file or source)
    except InvalidRulesError as error:
        fail_with_errors(error.errors, WRONG_USAGE)  # a missing file or an unknown format
    _write_pack(imported, text, out_file, as_json)
    if not (imported.rules or imported.entities):
        raise typer.Exit(FINDINGS)


@app.command()
@handle_errors
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
@handle_errors
def list_rules(
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
    except InvalidRulesError as error:
        fail_with_errors(error.errors)
    files_by_rule = {rule.id: file.path for file in files for rule in file.pack.rules}
    rows = [
        {**rule.model_dump(mode="json", by_alias=True), "file": str(files_by_rule[rule.id])}
        for rule in merge_packs(file.pack for file in files).rules
    ]
    if search:
        rows = [row for row in rows if search.casefold() in json.dumps(row, ensure_ascii=False).casefold()]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    cells = []
    for row in rows:
        effect = [row["severity"], *row["languages"], "fixed" if row["auto_fix"] else "on approval"]
        cells.append(
            [
                row["id"] if row["enabled"] else f"{row['id']} (off)",
                ", ".join(match if isinstance(match, str) else match["text"] for match in row["match"]),
                _format_suggestion(row["suggest"], row["entity"]),
                " ".join(effect),
            ]
        )
    print_table((Column("rule"), Column("finds"), Column("suggests"), Column("how")), cells)


def _exclude(file: Path | None, files: list[Path]) -> list[Path]:
    return [path for path in files if file is None or path.resolve() != file.resolve()]


def _write_pack(imported: "ImportResult", text: str, out_file: Path | None, as_json: bool) -> None:
    """Write or print the pack, and list the rules that were not converted."""
    if out_file is not None:
        out_file.parent.mkdir(parents=True, exist_ok=True)
        out_file.write_text(text, encoding="utf-8")
    if as_json:
        skipped = [
            {"file": str(rule.file), "line": rule.line, "what": rule.what, "reason": rule.reason}
            for rule in imported.skipped
        ]
        counts = {"format": imported.format, "rules": len(imported.rules), "names": len(imported.entities)}
        print(json.dumps({**counts, "skipped": skipped}, indent=2, ensure_ascii=False))
        return
    if out_file is None:
        print(text, end="")
    for rule in imported.skipped:
        err.print(f"not converted: {rule}", highlight=False, markup=False, soft_wrap=True)
    names = f" and {format_count(len(imported.entities), 'name')}" if imported.entities else ""
    target = f" to {out_file}" if out_file is not None else ""
    converted = format_count(len(imported.rules), "rule")
    err.print(f"{converted}{names} converted{target}, {len(imported.skipped):,} not.", highlight=False)


def _format_suggestion(suggest: Any, entity: str | None) -> str:
    if suggest == "auto":
        return f"name of {entity}"
    if isinstance(suggest, dict):
        return ", ".join(f"{language}: {name}" for language, name in suggest.items())
    return " or ".join(suggest) if isinstance(suggest, list) else str(suggest)
