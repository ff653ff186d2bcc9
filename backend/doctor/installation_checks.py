"""Checks the installation, the store, the worker, the service and the collector for ``chainproof doctor``."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import sqlalchemy as sa

from backend import migrations
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.rules.pack_loader import user_files
from backend.auth import key_format
from backend.auth import service as auth_service
from backend.errors import Unavailable
from backend.formats.plurals import format_count
from backend.jobs.heartbeat import worker_state
from backend.runtime import tracing
from backend.runtime.check_result import CheckResult, CheckState
from backend.runtime.data_folder import find_config_file
from backend.runtime.processes import bind_socket
from backend.settings import Settings, named_files, optional_dependencies
from backend.settings.inspection import find_unknown_names
from backend.store.database import Database, sqlite_file
from backend.store.sqlite_file import check_free_space, check_store_file, explain_failure

MIN_FREE_DISK_BYTES = 64 * 1024 * 1024
MAX_CHECKED_BYTES = 2 * 1024**3
"""A larger SQLite file is not read for damage, which takes about a second for each gigabyte."""
HTTP_TIMEOUT_SECONDS = 3


class Readiness(NamedTuple):
    """The response of ``/readyz`` at the service's address.

    ``checks`` is None if nothing responds, and empty if the response is not Chainproof's. ``is_slow``: a
    program accepted the request and did not respond in time.
    """

    status: int
    checks: dict[str, Any] | None
    is_slow: bool = False


def check_settings(settings: Settings, setting_errors: Sequence[str]) -> Iterator[CheckResult]:
    for error in setting_errors:
        yield CheckResult("Settings", "fault", f"{error} The checks below use the default in its place.")
    for sentence in find_unknown_names():
        yield CheckResult("Settings", "note", sentence)
    for sentence in named_files.find_missing(settings):
        yield CheckResult("Settings", "fault", sentence)
    if missing := optional_dependencies.find_missing(settings):
        yield CheckResult("Settings", "fault", f"{missing}.")
    if setting_errors:
        return
    file = find_config_file()
    origin = (
        f"read from {file} and the environment" if file else "read from the environment; no chainproof.toml"
    )
    yield CheckResult("Settings", "ok", f"{origin}. Mode: {settings.data_source_label}.")


def check_data_folder(settings: Settings) -> Iterator[CheckResult]:
    home = settings.home
    existing = next(folder for folder in (home, *home.absolute().parents) if folder.exists())
    if not existing.is_dir():
        yield CheckResult("Data folder", "fault", f"{existing} is a file. Set CHAINPROOF_HOME to a folder.")
    elif not os.access(existing, os.W_OK | os.X_OK):
        verb = "written" if existing == home else "created"
        sentence = f"{home} cannot be {verb}. Set CHAINPROOF_HOME to a folder that can be written."
        yield CheckResult("Data folder", "fault", sentence)
    elif (free := shutil.disk_usage(existing).free) < MIN_FREE_DISK_BYTES:
        sentence = f"The disk of {home} has only {free // 1024**2} MB free. Free some space there."
        yield CheckResult("Data folder", "fault", sentence)
    elif existing != home:
        yield CheckResult("Data folder", "note", f"{home} does not exist yet; the first start creates it.")
    else:
        yield CheckResult("Data folder", "ok", f"{home} can be written.")


def check_rules(settings: Settings) -> Iterator[CheckResult]:
    rules = ActiveRules(settings)
    if rules.problem is not None:
        yield CheckResult(
            "Rules", "fault", f"Your own rules are refused, so the built-in ones apply: {rules.problem}"
        )
        return
    user_file_count = len(user_files(settings.user_rules_dir))
    files = (
        f"and {user_file_count} of your own in {settings.user_rules_dir}"
        if user_file_count
        else "none of your own"
    )
    yield CheckResult(
        "Rules",
        "ok",
        f"{len(rules.current.rules)} rules, {len(rules.current.entities)} entities; {files}.",
    )


def check_store(settings: Settings) -> tuple[CheckResult, Database | None]:
    """Check the store; return an open database if its schema can be used as it is. Changes nothing."""
    kind = "SQLite" if settings.is_sqlite else "PostgreSQL"
    file = sqlite_file(settings.app_database_url)
    try:
        if file is not None:
            check_store_file(file)
            if not file.exists():
                check_free_space(file)
                sentence = f"{file} does not exist yet; the first start creates it."
                return CheckResult("Store", "note", sentence), None
        database = Database(settings.app_database_url)
    except Unavailable as error:
        return CheckResult("Store", "fault", error.detail), None
    except OSError as error:
        return CheckResult("Store", "fault", f"{error.filename}: {error.strerror}."), None
    try:
        result, is_usable = _check_schema(kind, database)
    except (sa.exc.SQLAlchemyError, OSError) as error:
        result, is_usable = CheckResult("Store", "fault", _explain_error(file, error)), False
    if not is_usable:
        database.dispose()
    return result, database if is_usable else None


def _check_schema(kind: str, database: Database) -> tuple[CheckResult, bool]:
    """Check the revision of the schema; the flag says whether the store is usable as it is."""
    with database.read() as connection:
        incompatibility = migrations.find_incompatibility(connection)
        revision = migrations.find_revision(connection)
    if incompatibility is not None:
        return CheckResult("Store", "fault", incompatibility), False
    newest = migrations.find_newest_revision()
    if migrations.is_newer(revision):
        sentence = (
            f"{kind} answers. The database has schema {revision}, newer than {newest} of this version; "
            "this version can still use it."
        )
        return CheckResult("Store", "note", sentence), True
    if revision != newest:
        current = "has no schema yet" if revision is None else f"is at schema {revision}"
        sentence = (
            f"{kind} answers and {current}; 'chainproof migrate' or the next start brings it to {newest}."
        )
        return CheckResult("Store", "note", sentence), False
    if database.is_sqlite and (damage := _find_damage(database)):
        sentence = _explain_error(sqlite_file(database.url), Exception(damage))
        return CheckResult("Store", "fault", sentence), False
    return CheckResult("Store", "ok", f"{kind} answers and is at the newest schema, {newest}."), True


def _find_damage(database: Database) -> str:
    """Read the whole SQLite file, unless it is too large; returns its first damage, or an empty text."""
    file = sqlite_file(database.url)
    if file is not None and file.stat().st_size > MAX_CHECKED_BYTES:
        return ""
    with database.read() as connection:
        found = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
    return "" if found == "ok" else f"malformed: {found}"


def _explain_error(file: Path | None, error: Exception) -> str:
    reason = " ".join(str(getattr(error, "orig", error)).split()).rstrip(".?")
    if file is not None:
        return explain_failure(file, reason)
    cause = reason.partition(" Is the server running")[0]
    return f"PostgreSQL does not answer: {cause}. Check CHAINPROOF_DATABASE_URL and that PostgreSQL runs."


def check_keys(settings: Settings, database: Database, now: datetime) -> Iterator[CheckResult]:
    active = sum(key.state(now) == "active" for key in auth_service.list_keys(database))
    active_keys = format_count(active, "active key")
    file = settings.local_key_file
    if not file.is_file():
        yield CheckResult("Keys", "note", f"{active_keys}. The next start of the service creates {file}.")
    elif stat.S_IMODE(file.stat().st_mode) & 0o077:
        yield CheckResult("Keys", "fault", f"{file} can be read by others. Run: chmod 600 {file}")
    elif not os.access(file, os.R_OK):
        yield CheckResult("Keys", "fault", f"{file} cannot be read. Let the user who runs chainproof own it.")
    elif key_format.parse(file.read_text("ascii", "replace").strip()) is None:
        yield CheckResult("Keys", "fault", f"{file} holds no key. Delete it; the next start creates one.")
    else:
        yield CheckResult("Keys", "ok", f"{active_keys}; the local key is in {file}.")


def check_worker(database: Database, readiness: Readiness, now: datetime) -> Iterator[CheckResult]:
    """Report the worker's state. A missing worker is a fault only if the service runs."""
    worker = worker_state(database, now)
    state: CheckState = "fault" if worker.is_fault else "ok" if worker.state == "working" else "note"
    if worker.state == "missing" and not (readiness.checks or readiness.is_slow):
        state = "note"
    yield CheckResult("Worker", state, worker.sentence(now))


def fetch_readiness(settings: Settings) -> Readiness:
    try:
        response = httpx.get(f"{settings.api_url}/readyz", timeout=HTTP_TIMEOUT_SECONDS, trust_env=False)
    except httpx.ReadTimeout:
        return Readiness(0, None, is_slow=True)
    except (httpx.HTTPError, httpx.InvalidURL):
        return Readiness(0, None)
    try:
        checks = response.json()["checks"]
    except (ValueError, KeyError, TypeError):
        checks = {}
    return Readiness(response.status_code, checks if isinstance(checks, dict) else {})


def _find_address_problem(host: str, port: int, setting: str) -> str | None:
    """Say why a program could not listen at the address; None if it could."""
    try:
        bound = bind_socket(host, port)
    except OSError as error:
        name = setting.replace("PORT", "HOST")
        return f"Nothing can listen at {host}:{port}: {error.strerror}. Correct {name} or {setting}."
    if bound is None:
        return f"Port {port} is in use by another program. Stop it, or set {setting} to another port."
    bound.close()
    return None


def check_dashboard_port(settings: Settings) -> Iterator[CheckResult]:
    """Report a port on which the dashboard neither answers nor could listen. It may run elsewhere."""
    url = f"{settings.dashboard_url}/_stcore/health"
    try:
        is_running = httpx.get(url, timeout=HTTP_TIMEOUT_SECONDS, trust_env=False).is_success
    except httpx.ReadTimeout:
        is_running = True  # or slow, which is no matter of the port
    except (httpx.HTTPError, httpx.InvalidURL):
        is_running = False
    host, port, setting = settings.dashboard_host, settings.dashboard_port, "CHAINPROOF_DASHBOARD_PORT"
    if not is_running and (problem := _find_address_problem(host, port, setting)):
        yield CheckResult("Dashboard", "note", problem)


def check_service(settings: Settings, readiness: Readiness) -> Iterator[CheckResult]:
    url = settings.api_url
    if readiness.is_slow:
        sentence = (
            f"A program at {url} did not answer within {HTTP_TIMEOUT_SECONDS} s. It may be Chainproof, "
            "starting or overloaded, or another program."
        )
        yield CheckResult("Service", "fault", sentence)
    elif readiness.checks is None:
        is_here = settings.base_url is None
        problem = _find_address_problem(settings.host, settings.port, "CHAINPROOF_PORT") if is_here else None
        yield CheckResult("Service", "fault" if problem else "note", problem or f"not running at {url}.")
    elif not readiness.checks:
        sentence = f"Another program answers at {url}. Stop it, or set CHAINPROOF_PORT to another port."
        yield CheckResult("Service", "fault", sentence)
    elif readiness.status == 200:
        yield CheckResult("Service", "ok", f"running and ready at {url}.")
    else:
        failing = [str(check["detail"]) for check in readiness.checks.values() if not check.get("ok")]
        yield CheckResult("Service", "fault", f"running at {url}, but not ready. {' '.join(failing)}")


def check_management_port(settings: Settings, readiness: Readiness) -> Iterator[CheckResult]:
    url = settings.management_url
    if url is None or not readiness.checks:
        return
    try:
        response = httpx.get(f"{url}/healthz", timeout=HTTP_TIMEOUT_SECONDS, trust_env=False)
        is_healthy = response.json() == {"status": "ok"}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        is_healthy = False
    if is_healthy:
        yield CheckResult("Management port", "ok", f"answers at {url}.")
    else:
        sentence = (
            f"The service does not answer at {url}. Another program may be using that port. "
            "Set CHAINPROOF_MANAGEMENT_PORT to a free port, or to 0 to disable the management port."
        )
        yield CheckResult("Management port", "note", sentence)


def check_collector(settings: Settings) -> Iterator[CheckResult]:
    """Send an empty batch of traces to the configured collector."""
    if settings.otlp_endpoint is None:
        return
    url = tracing.build_traces_url(settings.otlp_endpoint)
    headers = {"Content-Type": "application/x-protobuf"}
    try:
        status = httpx.post(url, headers=headers, timeout=HTTP_TIMEOUT_SECONDS, trust_env=False).status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = f"does not answer ({type(error).__name__})"
    else:
        reason = "" if status == 200 else f"answers {status}"
    if not reason:
        yield CheckResult("Traces", "ok", f"{url} accepts them.")
    else:
        sentence = f"{url} {reason}, so traces are lost. Check CHAINPROOF_OTLP_ENDPOINT and the collector."
        yield CheckResult("Traces", "fault", sentence)
