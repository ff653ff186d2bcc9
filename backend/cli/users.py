"""Defines ``chainproof users``: manages the accounts and sessions of people who sign in (OAuth 2.0)."""

import json
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.markup import escape

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import fail, handle_errors, out
from backend.cli.terminal.tables import Column, print_table
from backend.formats.plurals import format_count

app = typer.Typer(help="Accounts of people who sign in (OAuth 2.0).", no_args_is_help=True)
COLUMNS = (
    Column("name"),
    Column("state", "fixed"),
    Column("may grant"),
    Column("last sign-in", "fixed"),
    Column("created", "fixed", is_optional=True),
)
SESSION_COLUMNS = (
    Column("id", "fixed"),
    Column("name"),
    Column("browser"),
    Column("signed in", "fixed"),
    Column("last used", "fixed"),
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="User name.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


@app.command("create")
@handle_errors
def create(
    name: Name,
    password_stdin: FromStdin = False,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="Scope that the account may grant: read, write, ingest or admin. Repeatable. "
            "By default read, write and ingest."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Create an account. Prompts for the password without --password-stdin."""
    from backend.auth.oauth import accounts

    password, now = _read_password(password_stdin), datetime.now(UTC)
    created = accounts.create(open_database(), username=name, password=password, scopes=scope or [], now=now)
    if as_json:
        print(json.dumps(created.to_json(), indent=2))
        return
    out.print(f"Account [bold]{escape(created.username)}[/] may grant {', '.join(created.scopes)}.")


@app.command("list")
@handle_errors
def list_accounts(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the accounts."""
    from backend.auth.oauth import accounts

    rows = [account.to_json() for account in accounts.list_all(open_database())]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    print_table(
        COLUMNS,
        (
            [
                row["username"],
                row["state"],
                " ".join(row["scopes"]),
                row["last_sign_in_at"],
                row["created_at"],
            ]
            for row in rows
        ),
    )


@app.command("disable")
@handle_errors
def disable(name: Name) -> None:
    """Disable an account, sign it out everywhere and revoke all access that it granted."""
    from backend.auth.oauth import accounts

    changed = accounts.set_disabled(open_database(), name, disabled=True, now=datetime.now(UTC))
    name = escape(changed.username)
    out.print(f"Account [bold]{name}[/] is disabled; every replica refuses its tokens within 5 s.")


@app.command("enable")
@handle_errors
def enable(name: Name) -> None:
    """Enable a disabled account. Revoked access stays revoked."""
    from backend.auth.oauth import accounts

    changed = accounts.set_disabled(open_database(), name, disabled=False, now=datetime.now(UTC))
    out.print(f"Account [bold]{escape(changed.username)}[/] is enabled.")


@app.command("password")
@handle_errors
def change_password(name: Name, password_stdin: FromStdin = False) -> None:
    """Change an account's password, sign it out everywhere and revoke all access that it granted."""
    from backend.auth.oauth import accounts

    new_password, now = _read_password(password_stdin), datetime.now(UTC)
    changed = accounts.set_password(open_database(), name, new_password, now)
    out.print(f"Account [bold]{escape(changed.username)}[/] has a new password; its tokens are revoked.")


@app.command("sessions")
@handle_errors
def manage_sessions(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="User name; by default all.")] = None,
    end: Annotated[list[str] | None, typer.Option(help="End the session of this id. Repeatable.")] = None,
    end_all: Annotated[bool, typer.Option("--end-all", help="End every session of NAME.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the browsers that stay signed in to the dashboard, or sign some out."""
    from backend.auth.oauth import accounts

    database, now = open_database(), datetime.now(UTC)
    if end_all and name is None:
        fail("--end-all needs a NAME: 'chainproof users sessions ada --end-all'.", WRONG_USAGE)
    for session_id in end or []:
        accounts.end_session(database, session_id, now)
    ended = len(end or []) + (accounts.end_all_sessions(database, name, now) if end_all and name else 0)
    if end or end_all:
        out.print(f"{format_count(ended, 'session')} ended; every replica refuses the tokens within 5 s.")
        return
    rows = [session.to_json() for session in accounts.list_sessions(database, now, name)]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    fields = ("id", "username", "browser", "created_at", "last_used_at")
    print_table(SESSION_COLUMNS, ([row[field] for field in fields] for row in rows))


def _read_password(from_stdin: bool) -> str:
    """Read the first line of standard input, or prompt twice at a terminal without echo."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        fail("There is no terminal to prompt for a password. Send it with --password-stdin.", WRONG_USAGE)
    typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return typed
