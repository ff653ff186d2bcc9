"""Defines ``chainproof profiles``: adds, imports, lists and removes the model profiles of runs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import handle_errors, out, print_error
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.timelines.profiles.profile_registry import ProfileChanges, ProfileRegistry

app = typer.Typer(help="Model profiles that runs belong to.", no_args_is_help=True)
COLUMNS = (
    Column("name"),
    Column("provider"),
    Column("model"),
    Column("vendor", is_optional=True),
    Column("run at", is_optional=True),
    Column("from", is_optional=True),
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Profile name. Any character is allowed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def _open_registry() -> Iterator["ProfileRegistry"]:
    from backend.timelines.profiles.profile_registry import ProfileRegistry

    settings = Settings()
    database = open_database(settings)
    try:
        yield ProfileRegistry(settings, database)
    finally:
        database.dispose()


@app.command("add")
@handle_errors
def add(
    name: Name,
    provider: Annotated[str | None, typer.Option(help="Agent or harness that runs the model.")] = None,
    model: Annotated[str | None, typer.Option(help="Model name.")] = None,
    model_vendor: Annotated[str | None, typer.Option(help="Vendor of the model.")] = None,
    inference_provider: Annotated[str | None, typer.Option(help="Inference provider.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add or update a profile.

    Runs that state no model of their own keep the one that the profile had when they were added."""
    values = {
        "provider": provider,
        "model": model,
        "model_vendor": model_vendor,
        "inference_provider": inference_provider,
    }
    with _open_registry() as registry:
        _print_changes(registry.add(name, values, now=datetime.now(UTC)), as_json=as_json)


@app.command("import")
@handle_errors
def import_(
    file: Annotated[
        Path, typer.Argument(help="JSON: {name: {provider, model, model_vendor, inference_provider}}.")
    ],
    as_json: AsJson = False,
) -> None:
    """Add or update the profiles in a file. If one has an error, nothing changes."""
    from backend.timelines.profiles.profile_files import InvalidProfilesError

    with _open_registry() as registry:
        try:
            changes = registry.add_from(file, now=datetime.now(UTC))
        except InvalidProfilesError as error:
            for file_error in error.errors:
                print_error(str(file_error))
            raise typer.Exit(WRONG_USAGE) from None
    _print_changes(changes, as_json=as_json)


@app.command("list")
@handle_errors
def list_profiles(as_json: AsJson = False) -> None:
    """List the configured profiles and where each is defined."""
    with _open_registry() as registry:
        listed, errors = registry.listed(), registry.errors
    for error in errors:
        print_error(error)
    if as_json:
        items = [
            {
                "name": profile.name,
                "provider": profile.profile.provider,
                "model": profile.profile.model,
                "model_vendor": profile.profile.model_vendor,
                "inference_provider": profile.profile.inference_provider,
                "from": profile.origin,
                "file": None if profile.file is None else str(profile.file),
            }
            for profile in listed
        ]
        print(json.dumps(items, indent=2, ensure_ascii=False))
        return
    rows = (
        [
            profile.name,
            profile.profile.provider,
            profile.profile.model,
            profile.profile.model_vendor,
            profile.profile.inference_provider,
            str(profile.file or "a command"),
        ]
        for profile in listed
    )
    print_table(COLUMNS, rows)


@app.command("remove")
@handle_errors
def remove(name: Name) -> None:
    """Remove a profile that was added by a command. Its runs are kept."""
    with _open_registry() as registry:
        registry.remove(name)
    out.print(f"Removed «{name}»; its runs stay in the store.", highlight=False, markup=False)


def _print_changes(changes: "ProfileChanges", *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(changes._asdict()))
        return
    out.print(
        f"{changes.added} added, {changes.changed} changed, {changes.unchanged} unchanged.", highlight=False
    )
