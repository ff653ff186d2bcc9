"""``chainproof sources``: where a statement comes from, without a server."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError
from rich.markup import escape

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, fail, in_words, out
from backend.cli.terminal.tables import Column, print_table
from backend.errors import strip_library_prefix
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.sources.schemas import SourcesResult

app = typer.Typer(help="Sources of statements.", no_args_is_help=True)
COLUMNS = (
    Column("source"),
    Column("kind", "fixed"),
    Column("authority", "number", spare=True),
    Column("relevance", "number", spare=True),
    Column("address"),
)
COLOURS = {"supported": "green", "contradicted": "red", "mixed": "yellow", "unverified": "cyan"}


@app.callback()
def _group() -> None:
    """Sources of statements."""


@app.command("find")
@in_words
def find(
    statement: Annotated[str, typer.Argument(help="Statement to check, in English, Japanese or Chinese.")],
    url: Annotated[
        list[str] | None, typer.Option("--url", help="Additional page to read. Repeatable.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of sources.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the sources of a statement and assess how well they support it."""
    from backend.articles.rules.active_rules import ActiveRules
    from backend.sources.schemas import SourcesRequest
    from backend.sources.service import ImmediateSteps, SourceFinder

    settings = Settings()
    try:
        asked = SourcesRequest(statement=statement, source_urls=url or [], max_results=limit)
    except ValidationError as error:
        first = error.errors()[0]
        reason = strip_library_prefix(first["msg"])
        fail(f"{'.'.join(map(str, first['loc'])) or 'statement'}: {reason}.", WRONG_USAGE)
    with err.status("Getting ready…") as status:
        finder = SourceFinder(settings, open_database(settings), ActiveRules(settings))
        finder.prepare()
        steps = ImmediateSteps(lambda name: status.update(f"{name}…"), seconds=settings.job_timeout_seconds)
        result = finder.find(asked, steps)
        finder.close()
    if as_json:
        print(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        _show(result)


def _show(result: "SourcesResult") -> None:
    truth = result["truth_assessment"]
    word, colour = truth["assessment"], COLOURS[truth["assessment"]]
    percent = f"{truth['truth_probability']:.0%} likely true, confidence {truth['confidence_level']}"
    out.print(f"[bold {colour}]{word}[/] ({percent})", highlight=False)
    out.print(escape(truth["reasoning"]), highlight=False)
    if not result["primary_sources"]:
        return
    rows = (
        [
            source["title"],
            source["source_type"],
            f"{source['authority_score']:.2f}",
            f"{source['relevance_score']:.2f}",
            source["url"],
        ]
        for source in result["primary_sources"]
    )
    out.print()
    print_table(COLUMNS, rows)
