"""Defines ``chainproof apps``: registers and revokes OAuth 2.0 applications."""

import json
from datetime import UTC, datetime
from typing import Annotated

import typer

from backend.cli.open_store import open_database
from backend.cli.terminal.console import handle_errors, out
from backend.cli.terminal.tables import Column, print_table

app = typer.Typer(help="Applications that sign people in (OAuth 2.0).", no_args_is_help=True)
COLUMNS = (
    Column("client_id", "fixed"),
    Column("name"),
    Column("created", "fixed", is_optional=True),
    Column("last used", "fixed", is_optional=True),
    Column("state", "fixed"),
    Column("redirect URIs"),
)


@app.command("create")
@handle_errors
def create(
    name: Annotated[str, typer.Option(help="Name that people see when they are asked for consent.")],
    redirect_uri: Annotated[list[str], typer.Option(help="Exact address to redirect to. Repeatable.")],
    first_party: Annotated[
        bool,
        typer.Option(
            "--first-party", help="A dashboard of this installation: signed-in people are not asked again."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Register an application. It is a public client with a client_id and no secret."""
    from backend.auth.oauth import apps

    created = apps.create(
        open_database(),
        name=name,
        redirect_uris=redirect_uri,
        first_party=first_party,
        now=datetime.now(UTC),
    )
    if as_json:
        print(json.dumps(created.to_json(), indent=2))
        return
    out.print("Registered. Its client_id:")
    print(created.client_id)


@app.command("list")
@handle_errors
def list_apps(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the applications."""
    from backend.auth.oauth import apps

    rows = [app.to_json() for app in apps.list_all(open_database())]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    fields = ("client_id", "name", "created_at", "last_used_at", "state")
    print_table(COLUMNS, ([*(row[name] for name in fields), "\n".join(row["redirect_uris"])] for row in rows))


@app.command("revoke")
@handle_errors
def revoke(
    client_id: Annotated[str, typer.Argument(help="client_id or its first characters.")],
) -> None:
    """Revoke an application and every token that it holds."""
    from backend.auth.oauth import apps

    revoked = apps.revoke(open_database(), client_id, datetime.now(UTC))
    out.print(
        f"Application [bold]{revoked.client_id}[/] is revoked; every replica refuses its tokens within 5 s."
    )
