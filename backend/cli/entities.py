"""Defines ``chainproof entities``: lists the entities mentioned in texts, without a server."""

import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, handle_errors, out
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

app = typer.Typer(help="Entities mentioned in texts.", no_args_is_help=True)
STDIN = Path("-")


@app.callback()
def _group() -> None:
    """Entities mentioned in texts."""


@app.command("extract")
@handle_errors
def extract(
    paths: Annotated[list[Path], typer.Argument(help="Text files in UTF-8, or - for standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the entities mentioned in files, in order of first mention."""
    from backend.articles.rules.active_rules import ActiveRules
    from backend.extraction.mentions import build_entity_results, list_entities

    texts = [_read_text(path) for path in paths]
    with err.status("Reading…"):
        rules = ActiveRules(Settings()).current
        entities = build_entity_results(rules, list_entities(rules, texts))
    if as_json:
        print(json.dumps({"entities": entities}, indent=2, ensure_ascii=False))
        return
    if not entities:
        out.print("No known entity is mentioned.")
        return
    columns = (Column("name"), Column("entity"), Column("type"), Column("official sites", is_optional=True))
    print_table(
        columns,
        (
            [entity["name"], entity["canonical_name"], entity["type"], " ".join(entity["official_domains"])]
            for entity in entities
        ),
    )


@app.command("list")
@handle_errors
def list_seen(
    window: Annotated[str, typer.Option(help="Time window: a number followed by s, m, h, d or w.")] = "24h",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the entities recently seen by source-finding jobs, most frequent first."""
    from backend.articles.rules.active_rules import ActiveRules
    from backend.extraction.seen_entities import list_seen_entities
    from backend.formats.time_window import parse_window, resolve_time_range
    from backend.formats.timestamps import utc_now

    duration: timedelta = parse_window(window)
    settings = Settings()
    start, end = resolve_time_range(duration, None, None, now=utc_now())
    database, rules = open_database(settings), ActiveRules(settings).current
    entities = list_seen_entities(database, rules, start, end, owner=None)
    if as_json:
        print(json.dumps({"entities": entities}, indent=2, ensure_ascii=False))
        return
    if not entities:
        out.print(f"No entity was seen in the last {window}.", highlight=False)
        return
    columns = (Column("jobs", "number"), Column("entity"), Column("type"), Column("named as"))
    print_table(
        columns,
        (
            [f"{entity['count']:,}", entity["canonical_name"], entity["type"], entity["name"]]
            for entity in entities
        ),
    )


def _read_text(path: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}.") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start + 1} is not UTF-8. Convert the file first.") from None
