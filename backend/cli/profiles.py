"""``chainproof profiles``: the model profiles that runs are filed under."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import complain, in_words, out
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.timelines.profiles.profile_registry import ProfileChanges, ProfileRegistry

app = typer.Typer(help="Model profiles that runs belong to.", no_args_is_help=True)
COLUMNS = (
    Column("name"),
    Column("provider"),
    Column("model"),
    Column("vendor", spare=True),
    Column("run at", spare=True),
    Column("from", spare=True),
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Profile name. Any character is allowed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def _registry() -> Iterator["ProfileRegistry"]:
    from backend.timelines.profiles.profile_registry import ProfileRegistry

    settings = Settings()
    database = open_database(settings)
    try:
        yield ProfileRegistry(settings, database)
    finally:
        database.dispose()


@app.command("add")
@in_words
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
    given = {
        "provider": provider,
        "model": model,
        "model_vendor": model_vendor,
        "inference_provider": inference_provider,
    }
    with _registry() as registry:
        _tell(registry.add(name, given, now=datetime.now(UTC)), as_json=as_json)


@app.command("import")
@in_words
def import_(
    file: Annotated[
        Path, typer.Argument(help="JSON: {name: {provider, model, model_vendor, inference_provider}}.")
    ],
    as_json: AsJson = False,
) -> None:
    """Add or update the profiles in a file. If one has an error, nothing changes."""
    from backend.timelines.profiles.profile_files import InvalidProfilesError

    with _registry() as registry:
        try:
            put = registry.add_from(file, now=datetime.now(UTC))
        except InvalidProfilesError as refused:
            for mistake in refused.mistakes:
                complain(str(mistake))
            raise typer.Exit(WRONG_USAGE) from None
    _tell(put, as_json=as_json)


@app.command("list")
@in_words
def show(as_json: AsJson = False) -> None:
    """List the configured profiles and where each is defined."""
    with _registry() as registry:
        listed, mistakes = registry.listed(), registry.mistakes
    for mistake in mistakes:
        complain(mistake)
    if as_json:
        found = [
            {
                "name": each.name,
                "provider": each.profile.provider,
                "model": each.profile.model,
                "model_vendor": each.profile.model_vendor,
                "inference_provider": each.profile.inference_provider,
                "from": each.origin,
                "file": None if each.file is None else str(each.file),
            }
            for each in listed
        ]
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    rows = (
        [
            each.name,
            each.profile.provider,
            each.profile.model,
            each.profile.model_vendor,
            each.profile.inference_provider,
            str(each.file or "a command"),
        ]
        for each in listed
    )
    print_table(COLUMNS, rows)


@app.command("remove")
@in_words
def remove(name: Name) -> None:
    """Remove a profile that was added by a command. Its runs are kept."""
    with _registry() as registry:
        registry.remove(name)
    out.print(f"Removed «{name}»; its runs stay in the store.", highlight=False, markup=False)


def _tell(put: "ProfileChanges", *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(put._asdict()))
        return
    out.print(f"{put.added} added, {put.changed} changed, {put.unchanged} as they were.", highlight=False)
