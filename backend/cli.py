"""The ``chainproof`` program. Thin: each command calls a domain's service.

Exit codes: 0 done, 1 findings, 2 wrong use, 3 a dependency failed.
"""

import errno
import json
import os
import shutil
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import structlog
import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from backend import errors, logs
from backend.processes import (
    GRACE_SECONDS,
    Child,
    Family,
    StopRequest,
    bound_socket,
    exit_on_stop_signals,
    stop_with_parent,
)
from backend.settings import Settings

app = typer.Typer(
    name="chainproof",
    help="Crypto markets, topics, article correction and evaluation timelines.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
keys_app = typer.Typer(help="API keys.", no_args_is_help=True)
prices_app = typer.Typer(help="Prices.", no_args_is_help=True)
app.add_typer(keys_app, name="keys")
app.add_typer(prices_app, name="prices")

log = structlog.get_logger(__name__)
out = Console()
err = Console(stderr=True)

P = ParamSpec("P")
R = TypeVar("R")
WRONG_USE, DEPENDENCY_FAILED = 2, 3
START_SECONDS = 60.0
GRACEFUL_SECONDS = 6
"""How long answers that are being sent may take once the service is told to stop."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
USABLE_HOME = "Set CHAINPROOF_HOME to a folder that can be written and has room."


def fail(sentence: str, code: int) -> NoReturn:
    err.print(f"[bold red]chainproof:[/] {logs.redact(sentence)}", highlight=False)
    raise typer.Exit(code)


def in_words(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what goes wrong into a sentence and an exit code, never a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except ValidationError as error:
            for fault in error.errors():
                name = "_".join(str(part) for part in fault["loc"]).upper()
                err.print(
                    f"[bold red]chainproof:[/] setting CHAINPROOF_{name}: {fault['msg']}", highlight=False
                )
            raise typer.Exit(WRONG_USE) from None
        except Exception as error:
            told = _told(error)
            if told is None:
                raise
            fail(*told)

    return run


def _told(error: Exception) -> tuple[str, int] | None:
    """The sentence and exit code of a fault that can be expected; null for one that is a bug."""
    if isinstance(error, errors.ServiceError):
        return error.detail, DEPENDENCY_FAILED if error.status >= 500 else WRONG_USE
    if isinstance(error, OSError) and (error.filename or error.errno in NO_ROOM):
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{where}. {USABLE_HOME}", DEPENDENCY_FAILED
    from sqlalchemy.exc import DBAPIError  # not at the top: most starts are quicker without it

    if isinstance(error, DBAPIError):
        hint = f" {USABLE_HOME}" if isinstance(error.orig, sqlite3.Error) else ""
        reason = " ".join(str(error.orig).split()).rstrip(".?")
        return f"The data store does not answer: {reason}.{hint}", DEPENDENCY_FAILED
    return (str(error), WRONG_USE) if isinstance(error, ValueError) else None


@app.command()
@in_words
def up(
    port: Annotated[int | None, typer.Option(help="Port of the service.")] = None,
    dashboard_port: Annotated[int | None, typer.Option(help="Port of the dashboard.")] = None,
) -> None:
    """Run the service, its worker and the dashboard together; Ctrl-C stops all."""
    from backend import migrations

    settings = _settings_with(port=port, dashboard_port=dashboard_port)
    logs.configure(settings)
    exit_on_stop_signals()
    for option, host, number in (
        ("--port", settings.host, settings.port),
        ("--dashboard-port", settings.dashboard_host, settings.dashboard_port),
    ):
        _bound(host, number, option).close()
    migrations.upgrade(settings.app_database_url)
    quiet = {} if "log_level" in settings.model_fields_set else {"CHAINPROOF_LOG_LEVEL": "warning"}
    family = Family(
        [
            Child("worker", ["worker"], quiet, needed=False),
            Child("serve", ["serve", "--no-worker"], quiet),
            Child("dashboard", ["dashboard"], quiet, silent=True),
        ]
    )
    stop = StopRequest(family.stop)
    family.start()
    with err.status("Starting…"):
        ready = family.wait_until(lambda: _answers(settings), START_SECONDS)
    if not (stop.came or family.failed):
        _tell_where(settings, ready)
    _watch(family)


@app.command()
@in_words
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many HTTP processes.")] = 1,
    worker: Annotated[
        bool, typer.Option(help="Work jobs and schedules too, in a process of its own.")
    ] = True,
) -> None:
    """Run the HTTP service."""
    from backend import migrations

    settings = _settings_with(host=host, port=port)
    logs.configure(settings)
    exit_on_stop_signals()
    stop_with_parent()
    bound = _bound(settings.host, settings.port, "--port")
    migrations.upgrade(settings.app_database_url)
    children = [Child("worker", ["worker"], needed=False)] if worker else []
    if workers > 1:
        _share_metrics(settings)
        number = bound.fileno()
        children += [
            Child(f"http-{n}", ["http", str(number)], descriptors=(number,)) for n in range(1, workers + 1)
        ]
    family = Family(children)
    try:
        family.start()
        if workers > 1:
            StopRequest(family.stop)
            _watch(family)
        else:
            family.watch_in_background()
            _run_http(settings, bound, family.stop)
    finally:
        family.end()


@app.command(hidden=True)
@in_words
def http(
    descriptor: Annotated[int, typer.Argument(help="The socket to listen on, open in this process.")],
) -> None:
    """One of the HTTP processes of ``serve --workers``."""
    settings = Settings()
    logs.configure(settings)
    exit_on_stop_signals()
    stop_with_parent()
    _run_http(settings, socket.socket(fileno=descriptor))


@app.command()
@in_words
def worker() -> None:
    """Work schedules (the market refresh) and jobs, without HTTP."""
    settings = Settings()
    logs.configure(settings)
    exit_on_stop_signals()
    stop_with_parent()
    from backend import migrations
    from backend.worker import run_worker

    migrations.upgrade(settings.app_database_url)
    run_worker(settings)


@app.command()
@in_words
def dashboard(
    port: Annotated[int | None, typer.Option(help="Port of the dashboard.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
) -> None:
    """Run the dashboard."""
    settings = _settings_with(dashboard_host=host, dashboard_port=port)
    logs.configure(settings)
    exit_on_stop_signals()
    stop_with_parent()
    from streamlit.web import cli as streamlit_cli

    root = Path(__file__).parent.parent
    if (root / ".streamlit").is_dir():
        os.chdir(root)  # Streamlit reads .streamlit/config.toml from the working folder
    streamlit_cli.main(
        [
            "run",
            str(root / "dashboard" / "asgi.py"),
            f"--server.address={settings.dashboard_host}",
            f"--server.port={settings.dashboard_port}",
            "--server.headless=true",
        ],
        standalone_mode=False,
    )


@app.command()
@in_words
def migrate() -> None:
    """Bring the data store to the newest schema; also happens at every start."""
    from backend import migrations

    settings = Settings()
    migrations.upgrade(settings.app_database_url)
    out.print("The store is at the newest schema.")


@app.command()
@in_words
def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check settings, store, providers and keys, and say in words what is wrong."""
    from backend.doctor import examine

    with err.status("Checking…"):
        findings = examine(Settings())
    if as_json:
        print(json.dumps([finding.as_dict() for finding in findings], indent=2))
    else:
        for finding in findings:
            mark = {"ok": "[green]✓[/]", "note": "[yellow]–[/]", "fault": "[red]✗[/]"}[finding.state]
            out.print(f" {mark} [bold]{finding.subject}[/]: {finding.sentence}", highlight=False)
    if any(finding.state == "fault" for finding in findings):
        raise typer.Exit(DEPENDENCY_FAILED)


@keys_app.command("create")
@in_words
def keys_create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        list[str] | None, typer.Option(help="read, write, ingest or admin; may be repeated.")
    ] = None,
    env: Annotated[str, typer.Option(help="An environment word within the key, lower case.")] = "live",
    expires: Annotated[
        str | None, typer.Option(help="Life time, such as 90d or 12h; without it, for ever.")
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="A terminal key: opens topic media alone.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Create an API key. It is shown once and cannot be read again."""
    from backend.auth import service

    created = service.create_key(
        _database(),
        name=name,
        scopes=scope or ([] if terminal else ["read"]),
        env=env,
        expires_in=None if expires is None else service.parse_duration(expires),
        terminal=terminal,
        now=datetime.now(UTC),
    )
    if as_json:
        print(json.dumps(created.to_json(datetime.now(UTC)), indent=2))
        return
    out.print(f"Key [bold]{created.info.id}[/] for {created.info.name}. It is shown this once:")
    print(created.key)


@keys_app.command("list")
@in_words
def keys_list(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the keys, without their secrets."""
    from backend.auth import service

    keys, now = service.list_keys(_database()), datetime.now(UTC)
    if as_json:
        print(json.dumps([key.to_json(now) for key in keys], indent=2))
        return
    table = Table("id", "name", "kind", "env", "scopes", "created", "last used", "expires", "state")
    for key in keys:
        row = key.to_json(now)
        shown = ("id", "name", "kind", "env", "scopes", "created_at", "last_used_at", "expires_at", "state")
        table.add_row(*(_cell(row[column]) for column in shown))
    out.print(table)


@keys_app.command("revoke")
@in_words
def keys_revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, or its first characters.")],
) -> None:
    """Revoke a key: no replica accepts it from 5 seconds on."""
    from backend.auth import service

    revoked = service.revoke_key(_database(), key_id, datetime.now(UTC))
    out.print(f"Key [bold]{revoked.id}[/] ({revoked.name}) is revoked; every replica refuses it within 5 s.")


@prices_app.command("show")
@in_words
def prices_show(
    assets: Annotated[
        list[str] | None, typer.Argument(help="Ids or symbols; without any, the largest.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask the providers first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the latest prices with their source and age."""
    from backend.markets.terminal import price_table, prices_now

    settings = Settings()
    with err.status("Reading prices…") as status:
        entries = prices_now(settings, _database(settings), assets or [], limit, refresh, status.update)
    if as_json:
        print(json.dumps(entries.as_json(), indent=2, ensure_ascii=False))
    else:
        out.print(price_table(entries))


def _settings_with(**given: Any) -> Settings:
    """Settings with the command's options, which child processes see through the environment too."""
    for name, value in given.items():
        if value is not None:
            os.environ[f"CHAINPROOF_{name.upper()}"] = str(value)
    return Settings()


def _database(settings: Settings | None = None) -> Any:
    from backend import migrations
    from backend.db import Database

    settings = settings or Settings()
    migrations.upgrade(settings.app_database_url)
    return Database(settings.app_database_url)


def _answers(settings: Settings) -> bool:
    """Whether the service is ready and the dashboard up."""
    import httpx

    host = settings.dashboard_host.replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - where to call, not to bind
    addresses = (f"{settings.api_url}/readyz", f"http://{host}:{settings.dashboard_port}/_stcore/health")
    try:
        return all(httpx.get(address, timeout=2, trust_env=False).is_success for address in addresses)
    except httpx.HTTPError:
        return False


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return " ".join(value) if isinstance(value, list | tuple) else str(value)


def _bound(host: str, port: int, option: str) -> socket.socket:
    """A socket bound to the address; ends the program with a sentence where that cannot be."""
    try:
        bound = bound_socket(host, port)
    except OSError as error:
        fail(f"It cannot listen on {host} port {port}: {error.strerror}.", DEPENDENCY_FAILED)
    if bound is None:
        fail(f"Port {port} is in use. Stop what uses it, or choose another with {option}.", DEPENDENCY_FAILED)
    return bound


def _share_metrics(settings: Settings) -> None:
    """Have all processes count into one folder, since a scraper reaches any one of them."""
    folder = settings.home / "metrics" / str(settings.port)
    shutil.rmtree(folder, ignore_errors=True)  # what former processes on this port counted
    folder.mkdir(parents=True, mode=0o700)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _run_http(settings: Settings, bound: socket.socket, also: Callable[[], object] = lambda: None) -> None:
    """Answer requests until SIGINT or SIGTERM, at which ``also`` is called too."""
    import uvicorn

    from backend.app import create_app

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(
            self,
        ) -> Generator[None, None, None]:  # uvicorn's own raises them once more at the end
            stop = StopRequest(lambda: self.handle_exit(signal.SIGTERM, None), also)
            stop.end_within(GRACE_SECONDS + 1)
            yield

    server = Server(
        uvicorn.Config(
            create_app(settings),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACEFUL_SECONDS,
        )
    )
    log.info("http_starts", address=f"http://{settings.host}:{bound.getsockname()[1]}")
    try:
        server.run([bound])
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        fail(f"Port {settings.port} was taken by another program meanwhile.", DEPENDENCY_FAILED)


def _tell_where(settings: Settings, ready: bool) -> None:
    """Where everything is, for the one who started it."""
    if not ready:
        err.print("Not everything answers yet; it is given more time.")
    data = "sample data, no network" if settings.mode == "sample" else "live data"
    out.print(f"\n  [bold]Chainproof[/] ({data})")
    out.print(f"  Dashboard  http://{settings.dashboard_host}:{settings.dashboard_port}")
    out.print(f"  Service    {settings.api_url}   (its interface: {settings.api_url}/docs)")
    out.print(f"  Data in    {settings.home}")
    out.print("  Ctrl-C stops all.\n")


def _watch(family: Family) -> None:
    """Keep the children alive until the end, and tell if it was that one could not be started."""
    family.watch()
    if family.failed:
        fail(
            f"The {family.failed.name} process could not be started; its words are above.", DEPENDENCY_FAILED
        )


def main() -> None:
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
