"""Defines ``chainproof documents``: imports, lists and searches the documents that source finding cites."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, handle_errors, out
from backend.cli.terminal.import_progress import print_errors, show_progress
from backend.cli.terminal.tables import Column, print_table

if TYPE_CHECKING:
    from backend.documents.model import Document, DocumentKind

app = typer.Typer(help="Documents that source finding cites.", no_args_is_help=True)

COLUMNS = (
    Column("id", "number"),
    Column("kind", "fixed"),
    Column("language", "fixed", is_optional=True),
    Column("published", "fixed"),
    Column("title"),
    Column("address"),
)


class Kind(StrEnum):
    """An enumeration, since typer does not accept a list of literals."""

    landmark = "landmark"
    page = "page"
    article = "article"
    topic = "topic"
    user = "user"


class Language(StrEnum):
    en = "en"
    ja = "ja"
    zh = "zh"


EXCERPT_CHARS = 160


@app.command("import")
@handle_errors
def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="JSON Lines, Markdown, HTML or text files, or folders."),
    ],
    url: Annotated[str | None, typer.Option(help="Address of a single file that contains none.")] = None,
    language: Annotated[
        Language | None, typer.Option(help="Language of documents that state none. Detected by default.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Import the valid entries even if others have errors.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import documents. A document with a known address is updated."""
    from backend.articles.text.language_detection import detect
    from backend.documents import file_import
    from backend.documents.file_readers import ReadOptions
    from backend.documents.store import DocumentStore
    from backend.formats.timestamps import utc_now

    files = file_import.list_files(paths)
    options = ReadOptions(url, language.value if language else None, lambda text: detect([text]))
    with show_progress(files, is_enabled=not as_json) as advance:
        imported = file_import.import_files(
            DocumentStore(open_database()),
            files,
            options,
            partial=partial,
            now=utc_now(),
            advance=advance,
        )
    print_errors(imported)
    if as_json:
        print(json.dumps({**imported.stored._asdict(), "mistakes": imported.error_count}))
    elif imported.errors and not partial:
        err.print("Nothing was added. Use --partial to import the valid entries.", highlight=False)
    else:
        out.print("{} added, {} changed, {} unchanged.".format(*imported.stored), highlight=False)
    if imported.errors:
        raise typer.Exit(WRONG_USAGE)


@app.command("list")
@handle_errors
def list_documents(
    kind: Annotated[list[Kind] | None, typer.Option(help="Only this kind. Repeatable.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number to show.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the most recently added documents."""
    from backend.documents.store import DocumentStore

    store = DocumentStore(open_database())
    documents = store.recent(limit=limit, kinds=_list_kind_values(kind))
    if as_json:
        print(json.dumps([as_dict(document) for document in documents], indent=2, ensure_ascii=False))
        return
    counts = store.count()
    if not counts:
        out.print("There are no documents yet. The first start of the service adds the landmarks.")
        return
    fields = ("id", "kind", "language", "published", "title", "url")
    rows = (as_dict(document) for document in documents)
    print_table(COLUMNS, ([None if row[name] is None else str(row[name]) for name in fields] for row in rows))
    totals = ", ".join(
        f"{count} {name}" for name, count in sorted(counts.items()) if not kind or name in kind
    )
    out.print(f"Showing {len(documents)} of: {totals or 'none'}.", highlight=False)


@app.command("search")
@handle_errors
def search(
    text: Annotated[str, typer.Argument(help="Words to search for, in English, Japanese or Chinese.")],
    kind: Annotated[list[Kind] | None, typer.Option(help="Only this kind. Repeatable.")] = None,
    language: Annotated[list[Language] | None, typer.Option(help="Only this language. Repeatable.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number to show.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Search the documents. Results are ranked by BM25 score."""
    from backend.documents.store import DocumentStore

    hits = DocumentStore(open_database()).search(
        text,
        limit=limit,
        kinds=_list_kind_values(kind),
        languages=[code.value for code in language] if language else None,
    )
    if as_json:
        rows = [
            {"score": round(hit.score, 4), **as_dict(hit.document), "text": hit.document.text} for hit in hits
        ]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for hit in hits:
        row, words = as_dict(hit.document), " ".join(hit.document.text.split())
        details = "  ".join(row[name] for name in ("published", "kind", "source_type", "url") if row[name])
        excerpt = words[:EXCERPT_CHARS] + ("…" if len(words) > EXCERPT_CHARS else "")
        out.print(f"[bold]{hit.score:5.2f}  {escape(row['title'])}[/]", highlight=False, soft_wrap=True)
        for line in (details, excerpt):
            out.print(f"       {escape(line)}", highlight=False, soft_wrap=True)
    if not hits:
        out.print("No results.")


def _list_kind_values(kinds: list[Kind] | None) -> "list[DocumentKind] | None":
    return [kind.value for kind in kinds] if kinds else None


def as_dict(document: "Document") -> dict[str, Any]:
    """Convert a document for ``--json``, without its text."""
    from backend.documents import partial_dates
    from backend.formats.timestamps import write_instant

    return {
        "id": document.id,
        "kind": document.kind,
        "url": document.url,
        "title": document.title,
        "language": document.language,
        "published": partial_dates.format_partial_date(document.published_at, document.date_precision),
        "source_type": document.source_type,
        "event": document.event,
        "stored_at": None if document.stored_at is None else write_instant(document.stored_at),
    }
