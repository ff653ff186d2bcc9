"""Defines ``chainproof keys``: creates, lists and revokes API keys."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.markup import escape

from backend.cli.open_store import open_database
from backend.cli.terminal.console import handle_errors, out
from backend.cli.terminal.tables import Column, print_table

app = typer.Typer(help="API keys.", no_args_is_help=True)
COLUMNS = (
    Column("id", "fixed"),
    Column("name"),
    Column("state", "fixed"),
    Column("kind", "fixed", is_optional=True),
    Column("env", "fixed", is_optional=True),
    Column("scopes"),
    Column("expires", "fixed"),
    Column("last used", "fixed", is_optional=True),
    Column("created", "fixed", is_optional=True),
)


@app.command("create")
@handle_errors
def create(
    name: Annotated[str, typer.Option(help="Name that says what the key is for.")],
    scope: Annotated[
        list[str] | None, typer.Option(help="read, write, ingest or admin. Repeatable. Read by default.")
    ] = None,
    env: Annotated[str, typer.Option(help="Environment name inside the key, in lower case.")] = "live",
    expires: Annotated[
        str | None, typer.Option(help="Lifetime, such as 90d or 12h. Never expires by default.")
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Create a terminal key, which only opens topic media.")
    ] = False,
    feed: Annotated[
        bool, typer.Option("--feed", help="Create a feed token, which only opens web feeds.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Create an API key. The key is shown only once."""
    from backend.auth import service

    created = service.create_key(
        open_database(),
        name=name,
        scopes=scope or ([] if terminal or feed else ["read"]),
        env=env,
        expires_in=None if expires is None else service.parse_duration(expires),
        terminal=terminal,
        feed=feed,
        now=datetime.now(UTC),
    )
    if as_json:
        print(json.dumps(created.to_json(datetime.now(UTC)), indent=2))
        return
    out.print(f"Key [bold]{created.info.id}[/] for {escape(created.info.name)}. It is shown only once:")
    print(created.key)


@app.command("list")
@handle_errors
def list_keys(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the keys without their secrets."""
    from backend.auth import service

    keys, now = service.list_keys(open_database()), datetime.now(UTC)
    if as_json:
        print(json.dumps([key.to_json(now) for key in keys], indent=2))
        return
    fields = ("id", "name", "state", "kind", "env", "scopes", "expires_at", "last_used_at", "created_at")
    print_table(COLUMNS, ([_format_cell(key.to_json(now)[name]) for name in fields] for key in keys))


@app.command("revoke")
@handle_errors
def revoke(
    key_id: Annotated[str, typer.Argument(help="Key id or its first characters.")],
) -> None:
    """Revoke a key. Takes effect everywhere within 5 seconds."""
    from backend.auth import service

    revoked = service.revoke_key(open_database(), key_id, datetime.now(UTC))
    name = escape(revoked.name)
    out.print(f"Key [bold]{revoked.id}[/] ({name}) is revoked; every replica refuses it within 5 s.")


def _format_cell(value: Any) -> str | None:
    return " ".join(value) if isinstance(value, list | tuple) else value
