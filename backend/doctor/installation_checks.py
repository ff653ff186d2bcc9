"""Checks an installation for ``chainproof doctor``: settings, folders, store, keys, workers, service."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx
import sqlalchemy as sa

from backend import migrations
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.rules.pack_loader import user_files
from backend.auth import key_format
from backend.auth import service as auth_service
from backend.errors import Unavailable
from backend.jobs.heartbeat import worker_state
from backend.runtime.data_folder import config_file
from backend.settings import Settings, optional_dependencies
from backend.settings.inspection import find_unknown
from backend.store.database import Database, sqlite_file
from backend.store.sqlite_file import check_free_space, check_store_file, explain_failure

State = Literal["ok", "note", "fault"]
LITTLE_ROOM_BYTES = 64 * 1024 * 1024


class Noted(NamedTuple):
    subject: str
    state: State
    sentence: str


class Service(NamedTuple):
    """What answers at the service's address. ``checks`` are those of ``/readyz``; empty for another program,
    null where nothing answers."""

    status: int
    checks: dict[str, Any] | None


def check_settings(settings: Settings, mistakes: Sequence[str]) -> Iterator[Noted]:
    for mistake in mistakes:
        yield Noted("Settings", "fault", f"{mistake} The checks below use the default in its place.")
    for sentence in find_unknown():
        yield Noted("Settings", "note", sentence)
    if missing := optional_dependencies.find_missing(settings):
        yield Noted("Settings", "fault", f"{missing}.")
    if mistakes:
        return
    file = config_file()
    where = (
        f"read from {file} and the environment" if file else "read from the environment; no chainproof.toml"
    )
    yield Noted("Settings", "ok", f"{where}. Mode: {settings.data_in_words}.")


def check_home(settings: Settings) -> Iterator[Noted]:
    home = settings.home
    existing = next(place for place in (home, *home.absolute().parents) if place.exists())
    if not existing.is_dir():
        yield Noted("Data folder", "fault", f"{existing} is a file. Set CHAINPROOF_HOME to a folder.")
    elif not os.access(existing, os.W_OK | os.X_OK):
        verb = "written" if existing == home else "created"
        told = f"{home} cannot be {verb}. Set CHAINPROOF_HOME to a folder that can be written."
        yield Noted("Data folder", "fault", told)
    elif (free := shutil.disk_usage(existing).free) < LITTLE_ROOM_BYTES:
        told = f"The disk of {home} has only {free // 1024**2} MB free. Free some space there."
        yield Noted("Data folder", "fault", told)
    elif existing != home:
        yield Noted("Data folder", "note", f"{home} does not exist yet; the first start creates it.")
    else:
        yield Noted("Data folder", "ok", f"{home} can be written.")


def check_rules(settings: Settings) -> Iterator[Noted]:
    rules = ActiveRules(settings)
    if rules.problem is not None:
        yield Noted("Rules", "fault", f"Your own are refused, so those shipped serve: {rules.problem}")
        return
    own = len(user_files(settings.user_rules_dir))
    files = f"and {own} of your own in {settings.user_rules_dir}" if own else "none of your own"
    counted = f"{len(rules.current.rules)} rules, {len(rules.current.entities)} entities"
    yield Noted("Rules", "ok", f"{counted}; {files}.")


def open_store(settings: Settings) -> tuple[Noted, Database | None]:
    """What is wrong with the store, and the store if it can be read as it is. Creates and changes nothing."""
    kind = "SQLite" if settings.is_sqlite else "PostgreSQL"
    file = sqlite_file(settings.app_database_url)
    try:
        if file is not None:
            check_store_file(file)
            if not file.exists():
                check_free_space(file)
                told = f"{file} does not exist yet; the first start creates it."
                return Noted("Store", "note", told), None
        database = Database(settings.app_database_url)
    except Unavailable as fault:
        return Noted("Store", "fault", fault.detail), None
    except OSError as error:
        return Noted("Store", "fault", f"{error.filename}: {error.strerror}."), None
    try:
        noted, usable = _schema(kind, database)
    except (sa.exc.SQLAlchemyError, OSError) as error:
        noted, usable = Noted("Store", "fault", _unanswered(file, error)), False
    if not usable:
        database.dispose()
    return noted, database if usable else None


def _schema(kind: str, database: Database) -> tuple[Noted, bool]:
    with database.read() as connection:
        refusal = migrations.find_refusal(connection)
        at = migrations.revision_of(connection)
    if refusal is not None:
        return Noted("Store", "fault", refusal), False
    newest = migrations.newest_revision()
    if migrations.is_newer(at):
        told = f"{kind} answers. Its schema {at} is newer than this version's {newest}, which can use it."
        return Noted("Store", "note", told), True
    if at != newest:
        now = "has no schema yet" if at is None else f"is at schema {at}"
        told = f"{kind} answers and {now}; 'chainproof migrate' or the next start brings it to {newest}."
        return Noted("Store", "note", told), False
    return Noted("Store", "ok", f"{kind} answers and is at the newest schema, {newest}."), True


def _unanswered(file: Path | None, error: Exception) -> str:
    reason = " ".join(str(getattr(error, "orig", error)).split()).rstrip(".?")
    if file is not None:
        return explain_failure(file, reason)
    cause = reason.partition(" Is the server running")[0]
    return f"PostgreSQL does not answer: {cause}. Check CHAINPROOF_DATABASE_URL and that PostgreSQL runs."


def check_keys(settings: Settings, database: Database, now: datetime) -> Iterator[Noted]:
    active = sum(key.state(now) == "active" for key in auth_service.list_keys(database))
    counted = f"{active} active {'key' if active == 1 else 'keys'}"
    file = settings.local_key_file
    if not file.is_file():
        yield Noted("Keys", "note", f"{counted}. The next start of the service creates {file}.")
    elif stat.S_IMODE(file.stat().st_mode) & 0o077:
        yield Noted("Keys", "fault", f"{file} can be read by others. Run: chmod 600 {file}")
    elif not os.access(file, os.R_OK):
        yield Noted("Keys", "fault", f"{file} cannot be read. Let the user who runs chainproof own it.")
    elif key_format.parse(file.read_text("ascii", "replace").strip()) is None:
        yield Noted("Keys", "fault", f"{file} holds no key. Delete it; the next start creates one.")
    else:
        yield Noted("Keys", "ok", f"{counted}; the local key is in {file}.")


def check_worker(database: Database, service: Service, now: datetime) -> Iterator[Noted]:
    """Whether a worker works. One that never ran is a fault only beside a service that runs."""
    found = worker_state(database, now)
    state: State = "fault" if found.is_fault else "ok" if found.state == "working" else "note"
    if found.state == "missing" and found.started_at is None and not service.checks:
        state = "note"
    yield Noted("Worker", state, found.sentence(now))


def ask_service(settings: Settings) -> Service:
    try:
        answer = httpx.get(f"{settings.api_url}/readyz", timeout=3, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL):
        return Service(0, None)
    try:
        checks = answer.json()["checks"]
    except (ValueError, KeyError, TypeError):
        checks = {}
    return Service(answer.status_code, checks if isinstance(checks, dict) else {})


def check_service(settings: Settings, service: Service) -> Iterator[Noted]:
    url = settings.api_url
    if service.checks is None:
        yield Noted("Service", "note", f"not running at {url}.")
    elif not service.checks:
        told = f"Another program answers at {url}. Stop it, or set CHAINPROOF_PORT to another port."
        yield Noted("Service", "fault", told)
    elif service.status == 200:
        yield Noted("Service", "ok", f"running and ready at {url}.")
    else:
        failing = [str(check["detail"]) for check in service.checks.values() if not check.get("ok")]
        yield Noted("Service", "fault", f"running at {url}, but not ready. {' '.join(failing)}")


def check_management(settings: Settings, service: Service) -> Iterator[Noted]:
    url = settings.management_url
    if url is None or not service.checks:
        return
    try:
        answers = httpx.get(f"{url}/healthz", timeout=3, trust_env=False).json() == {"status": "ok"}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        answers = False
    if answers:
        yield Noted("Management port", "ok", f"answers at {url}.")
    else:
        told = f"The service does not answer at {url}. Another program may use that port; choose one with"
        yield Noted("Management port", "note", f"{told} CHAINPROOF_MANAGEMENT_PORT, or 0 to turn it off.")
