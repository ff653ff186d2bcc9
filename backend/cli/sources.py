"""Defines ``chainproof sources``: finds the sources of a statement, without a server."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError
from rich.markup import escape

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, fail, handle_errors, out
from backend.cli.terminal.tables import Column, print_table
from backend.errors import strip_library_prefix
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.sources.schemas import SourcesResult

app = typer.Typer(help="Sources of statements.", no_args_is_help=True)
COLUMNS = (
    Column("source"),
    Column("kind", "fixed"),
    Column("authority", "number", is_optional=True),
    Column("relevance", "number", is_optional=True),
    Column("address"),
)
COLOURS = {"supported": "green", "contradicted": "red", "mixed": "yellow", "unverified": "cyan"}


@app.callback()
def _group() -> None:
    """Sources of statements."""


@app.command("find")
@handle_errors
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
        request = SourcesRequest(statement=statement, source_urls=url or [], max_results=limit)
    except ValidationError as error:
        first = error.errors()[0]
        reason = strip_library_prefix(first["msg"])
        fail(f"{'.'.join(map(str, first['loc'])) or 'statement'}: {reason}.", WRONG_USAGE)
    with err.status("Preparing…") as status:
        finder = SourceFinder(settings, open_database(settings), ActiveRules(settings))
        finder.prepare()
        steps = ImmediateSteps(lambda name: status.update(f"{name}…"), seconds=settings.job_timeout_seconds)
        result = finder.find(request, steps)
        finder.close()
    if as_json:
        print(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        _print_result(result)


def _print_result(result: "SourcesResult") -> None:
    assessment = result["truth_assessment"]
    verdict = assessment["assessment"]
    colour = COLOURS[verdict]
    percent = (
        f"{assessment['truth_probability']:.0%} likely true, confidence {assessment['confidence_level']}"
    )
    out.print(f"[bold {colour}]{verdict}[/] ({percent})", highlight=False)
    out.print(escape(assessment["reasoning"]), highlight=False)
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
