"""The programs that run until they are stopped: all of them together, or each alone."""

import errno
import os
import shutil
import signal
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import structlog
import typer

from backend.cli.exit_codes import DEPENDENCY_FAILED
from backend.cli.open_store import settings_with, warn_of_unknown_settings
from backend.cli.ports import MANAGEMENT_PORT, bind, bind_management, fail_for_used_port
from backend.cli.terminal.banner import print_banner
from backend.cli.terminal.console import err, fail, in_words, out
from backend.runtime import garbage_collection, logs
from backend.runtime.processes import (
    GRACE_SECONDS,
    Child,
    Family,
    StopRequest,
    exit_on_stop_signals,
    stop_with_parent,
)
from backend.settings import Settings, optional_dependencies

app = typer.Typer()
log = structlog.get_logger(__name__)
START_SECONDS = 60.0
PORT, DASHBOARD_PORT = "CHAINPROOF_PORT", "CHAINPROOF_DASHBOARD_PORT"
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
NAMED_BY_THE_OPERATOR = "STREAMLIT_SERVER_ALLOWED_HOSTS"


@app.command()
@in_words
def up(
    port: Annotated[int | None, typer.Option(help="Port of the service.")] = None,
    dashboard_port: Annotated[int | None, typer.Option(help="Port of the dashboard.")] = None,
) -> None:
    """Run the service, its worker and the dashboard. Ctrl-C stops all."""
    from backend import migrations

    settings = settings_with(port=port, dashboard_port=dashboard_port)
    optional_dependencies.require_installed(settings)
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    bind(settings.host, settings.port, PORT).close()
    bind(settings.dashboard_host, settings.dashboard_port, DASHBOARD_PORT).close()
    management = bind_management(settings)
    if management is None:
        settings = settings_with(management_port=0)
    else:
        management.close()
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
    if not (stop.is_requested or family.failed):
        print_banner(settings, ready=ready)
    _watch(family, lambda: err.print("Stopping…"))
    err.print("Stopped.")


@app.command()
@in_words
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of HTTP processes.")] = 1,
    worker: Annotated[bool, typer.Option(help="Also run a worker for jobs and schedules.")] = True,
) -> None:
    """Run the HTTP service."""
    from backend import migrations

    settings = settings_with(host=host, port=port)
    optional_dependencies.require_installed(settings)
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    stop_with_parent()
    bound = bind(settings.host, settings.port, PORT)
    management = bind_management(settings)
    migrations.upgrade(settings.app_database_url)
    children = [Child("worker", ["worker"], needed=False)] if worker else []
    if workers > 1:
        _share_metrics(settings)
        numbers = tuple(each.fileno() for each in (bound, management) if each is not None)
        children += [
            Child(f"http-{n}", ["http", *map(str, numbers)], descriptors=numbers)
            for n in range(1, workers + 1)
        ]
    family = Family(children)
    try:
        family.start()
        if workers > 1:
            StopRequest(family.stop)
            _watch(family)
        else:
            family.watch_in_background()
            _run_http(settings, bound, management, family.stop)
    finally:
        family.end()


@app.command(hidden=True)
@in_words
def http(
    descriptor: Annotated[int, typer.Argument(help="The socket to listen on, open in this process.")],
    management: Annotated[int | None, typer.Argument(help="The socket of the management port.")] = None,
) -> None:
    """One of the HTTP processes of ``serve --workers``."""
    settings = Settings()
    logs.configure(settings.log_format, settings.log_level)
    exit_on_stop_signals()
    stop_with_parent()
    listening = None if management is None else socket.socket(fileno=management)
    _run_http(settings, socket.socket(fileno=descriptor), listening)


@app.command()
@in_words
def worker(
    slots_lost: Annotated[
        int, typer.Option(hidden=True, help="How often in a row the worker has just lost its locks.")
    ] = 0,
) -> None:
    """Run jobs and schedules, without HTTP."""
    settings = Settings()
    optional_dependencies.require_installed(settings)
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    has_parent = stop_with_parent()
    with garbage_collection.making_what_stays():
        from backend.worker import run_worker

    run_worker(settings, slots_lost=slots_lost, has_parent=has_parent)


@app.command()
@in_words
def dashboard(
    port: Annotated[int | None, typer.Option(help="Port of the dashboard.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
) -> None:
    """Run the dashboard."""
    settings = settings_with(dashboard_host=host, dashboard_port=port)
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    stop_with_parent()
    bind(settings.dashboard_host, settings.dashboard_port, DASHBOARD_PORT).close()
    from streamlit import config
    from streamlit.web import cli as streamlit_cli

    folder = Path(__file__).parents[2] / "dashboard"
    # Streamlit also reads .streamlit in the home and in the working directory, which configure the user's own
    # Streamlit programs: their theme, base path, secrets or syntax errors would reach this dashboard.
    config.get_config_files = lambda file_name: [str(folder / ".streamlit" / file_name)]
    try:
        streamlit_cli.main(
            [
                "run",
                str(folder / "asgi.py"),
                f"--server.address={settings.dashboard_host}",
                f"--server.port={settings.dashboard_port}",
                "--server.headless=true",
                # Where it listens on every address it would else ask another host for this machine's.
                f"--browser.serverAddress={urlsplit(settings.dashboard_origin).hostname}",
                # Behind a proxy a browser's Origin is the address that people open.
                f"--server.corsAllowedOrigins={settings.dashboard_origin}",
                *(f"--server.allowedHosts={name}" for name in _names(settings)),
            ],
            standalone_mode=False,
        )
    except SystemExit as ended:
        if ended.code:  # as where another program took the port meanwhile
            bind(settings.dashboard_host, settings.dashboard_port, DASHBOARD_PORT).close()
        raise
    out.print("Stopped.")


def _names(settings: Settings) -> tuple[str, ...]:
    """The hosts that a browser may name while the dashboard listens on this machine alone.

    A page elsewhere could give its own name this machine's address (DNS rebinding), and act as the reader
    does. Behind a proxy the public address is named too; elsewhere the operator names the others, or listens
    on another address, where any may be meant.
    """
    if NAMED_BY_THE_OPERATOR in os.environ or settings.dashboard_host not in LOCAL_NAMES:
        return ()
    public = urlsplit(settings.dashboard_public_url or "").hostname
    return (*LOCAL_NAMES, public) if public else LOCAL_NAMES


def _answers(settings: Settings) -> bool:
    """Whether the service is ready, and the dashboard and the management port answer."""
    import httpx

    addresses = [f"{settings.api_url}/readyz", f"{settings.dashboard_url}/_stcore/health"]
    if settings.management_url:
        addresses.append(f"{settings.management_url}/healthz")
    try:
        return all(httpx.get(address, timeout=2, trust_env=False).is_success for address in addresses)
    except httpx.HTTPError:
        return False


def _share_metrics(settings: Settings) -> None:
    """Have all processes count into one folder, since a scraper reaches any one of them."""
    folder = settings.home / "metrics" / str(settings.port)
    shutil.rmtree(folder, ignore_errors=True)  # what former processes on this port counted
    folder.mkdir(parents=True, mode=0o700)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _run_http(
    settings: Settings,
    bound: socket.socket,
    management: socket.socket | None,
    also: Callable[[], object] = lambda: None,
) -> None:
    """Answer requests until SIGINT or SIGTERM, at which ``also`` is called too."""
    with garbage_collection.making_what_stays():
        import uvicorn

        from backend.app import create_app, create_management_app
        from backend.http.server import build_server_config, management_listener

        application = create_app(settings)

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(
            self,
        ) -> Generator[None, None, None]:  # uvicorn's own raises them once more at the end
            stop = StopRequest(lambda: self.handle_exit(signal.SIGTERM, None), also)
            stop.end_within(GRACE_SECONDS + 1)
            yield

    server = Server(build_server_config(application, settings))
    log.info("http_started", address=f"http://{settings.host}:{bound.getsockname()[1]}")
    with ExitStack() as listening:
        with _told_if_used(settings.management_listener_port, MANAGEMENT_PORT):
            managed = management_listener(create_management_app(application), settings, management)
            listening.enter_context(managed)
        with _told_if_used(settings.port, PORT):
            server.run([bound])


@contextmanager
def _told_if_used(port: int, setting: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        fail_for_used_port(port, setting)


def _watch(family: Family, before_end: Callable[[], object] = lambda: None) -> None:
    """Keep the children alive until the end, and tell if it was that one could not be started."""
    family.watch(before_end)
    if family.failed:
        fail(
            f"The {family.failed.name} process could not be started; its words are above.", DEPENDENCY_FAILED
        )
