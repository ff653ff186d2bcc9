"""Defines ``chainproof up``, ``serve``, ``worker`` and ``dashboard``, which run until they are stopped."""

import errno
import os
import shutil
import signal
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from itertools import combinations
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import structlog
import typer

from backend.cli.exit_codes import DEPENDENCY_FAILED, WRONG_USAGE
from backend.cli.open_store import load_settings, warn_of_unknown_settings
from backend.cli.ports import MANAGEMENT_PORT, bind, bind_management, fail_for_used_port
from backend.cli.terminal.banner import print_banner
from backend.cli.terminal.console import err, fail, handle_errors, out
from backend.errors import Conflict
from backend.runtime import garbage_collection, logs
from backend.runtime.processes import (
    GRACE_SECONDS,
    WRONG_SETTINGS_EXIT_CODE,
    Child,
    ProcessGroup,
    StopRequest,
    exit_on_stop_signals,
    stop_with_parent,
)
from backend.settings import Settings, named_files, optional_dependencies
from backend.store.data_lock import DataLock

app = typer.Typer()
log = structlog.get_logger(__name__)
START_TIMEOUT_SECONDS = 60.0
PORT, DASHBOARD_PORT = "CHAINPROOF_PORT", "CHAINPROOF_DASHBOARD_PORT"
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
ALLOWED_HOSTS_VARIABLE = "STREAMLIT_SERVER_ALLOWED_HOSTS"


@app.command()
@handle_errors
def up(
    port: Annotated[int | None, typer.Option(help="Port of the service.")] = None,
    dashboard_port: Annotated[int | None, typer.Option(help="Port of the dashboard.")] = None,
) -> None:
    """Run the service, its worker and the dashboard. Ctrl-C stops all."""
    from backend import migrations

    settings = load_settings(port=port, dashboard_port=dashboard_port)
    _require_usable_setup(settings)
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    _require_distinct_ports(settings)
    folder_lock = _lock_data_folder(settings) if settings.home.exists() else None
    bind(settings.host, settings.port, PORT).close()
    bind(settings.dashboard_host, settings.dashboard_port, DASHBOARD_PORT).close()
    management = bind_management(settings)
    if management is None:
        settings = load_settings(management_port=0)
    else:
        management.close()
    migrations.upgrade(settings.app_database_url)
    folder_lock = folder_lock or _lock_data_folder(settings)
    quiet = {} if "log_level" in settings.model_fields_set else {"CHAINPROOF_LOG_LEVEL": "warning"}
    group = ProcessGroup(
        [
            Child("worker", ["worker"], quiet, required=False),
            Child("serve", ["serve", "--no-worker"], quiet),
            Child("dashboard", ["dashboard"], quiet, silent=True),
        ]
    )
    stop = StopRequest(group.stop)
    group.start()
    with err.status("Starting…"):
        ready = group.wait_until(lambda: _is_ready(settings), START_TIMEOUT_SECONDS)
    if not (stop.is_requested or group.failed):
        print_banner(settings, ready=ready)
    _watch(group, lambda: err.print("Stopping…"))
    folder_lock.release()
    err.print("Stopped.")


@app.command()
@handle_errors
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of HTTP processes.")] = 1,
    worker: Annotated[bool, typer.Option(help="Also run a worker for jobs and schedules.")] = True,
) -> None:
    """Run the HTTP service."""
    from backend import migrations

    settings = load_settings(host=host, port=port)
    _require_usable_setup(settings)
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    stop_with_parent()
    bound = bind(settings.host, settings.port, PORT)
    management = bind_management(settings)
    migrations.upgrade(settings.app_database_url)
    children = [Child("worker", ["worker"], required=False)] if worker else []
    if workers > 1:
        _share_metrics(settings)
        numbers = tuple(listener.fileno() for listener in (bound, management) if listener is not None)
        children += [
            Child(f"http-{n}", ["http", *map(str, numbers)], descriptors=numbers)
            for n in range(1, workers + 1)
        ]
    group = ProcessGroup(children)
    try:
        group.start()
        if workers > 1:
            StopRequest(group.stop)
            _watch(group)
        else:
            group.watch_in_background()
            _run_http(settings, bound, management, group.stop)
    finally:
        group.end()


@app.command(hidden=True)
@handle_errors
def http(
    descriptor: Annotated[int, typer.Argument(help="The socket to listen on, open in this process.")],
    management: Annotated[int | None, typer.Argument(help="The socket of the management port.")] = None,
) -> None:
    """Run one of the HTTP processes of ``serve --workers``."""
    settings = Settings()
    logs.configure(settings.log_format, settings.log_level)
    exit_on_stop_signals()
    stop_with_parent()
    listening = None if management is None else socket.socket(fileno=management)
    _run_http(settings, socket.socket(fileno=descriptor), listening)


@app.command()
@handle_errors
def worker(
    slots_lost: Annotated[
        int, typer.Option(hidden=True, help="How often in a row the worker has just lost its locks.")
    ] = 0,
) -> None:
    """Run jobs and schedules, without HTTP."""
    settings = Settings()
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    has_parent = stop_with_parent()
    if not has_parent:  # otherwise the parent has checked them; a running installation survives their loss
        _require_usable_setup(settings)
    with garbage_collection.making_what_stays():
        from backend.worker import run_worker

    run_worker(settings, slots_lost=slots_lost, has_parent=has_parent)


@app.command()
@handle_errors
def dashboard(
    port: Annotated[int | None, typer.Option(help="Port of the dashboard.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
) -> None:
    """Run the dashboard."""
    settings = load_settings(dashboard_host=host, dashboard_port=port)
    logs.configure(settings.log_format, settings.log_level)
    warn_of_unknown_settings()
    exit_on_stop_signals()
    stop_with_parent()
    bind(settings.dashboard_host, settings.dashboard_port, DASHBOARD_PORT).close()
    from streamlit import config
    from streamlit.web import cli as streamlit_cli

    out.print(f"Dashboard: {settings.dashboard_url} (Ctrl-C stops it)", highlight=False, soft_wrap=True)
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
                # Without this, a dashboard on all addresses asks another host for this machine's address.
                f"--browser.serverAddress={urlsplit(settings.dashboard_public_origin).hostname}",
                # Behind a proxy a browser's Origin is the address that people open.
                f"--server.corsAllowedOrigins={settings.dashboard_public_origin}",
                *(f"--server.allowedHosts={name}" for name in _list_allowed_hosts(settings)),
            ],
            standalone_mode=False,
        )
    except SystemExit as error:
        if error.code:  # another program may have taken the port since
            bind(settings.dashboard_host, settings.dashboard_port, DASHBOARD_PORT).close()
        raise
    out.print("Stopped.")


def _require_usable_setup(settings: Settings) -> None:
    """Refuse a start without the libraries and files that the settings name, before the store is created.

    Raises :class:`ValueError` or :class:`~backend.settings.sources.SettingsError`.
    """
    optional_dependencies.require_installed(settings)
    named_files.require_all(settings)
    if settings.user_assets_file.exists():
        from backend.markets.assets.registry import load_configured_assets

        load_configured_assets(settings)


def _require_distinct_ports(settings: Settings) -> None:
    """Refuse ports that the programs cannot have: port 0, which the dashboard would not know, and one port
    for two of them, of which the second may be bound before the first. A management port that nobody set is
    left off instead (:func:`~backend.cli.ports.bind_management`)."""
    ports = {
        PORT: settings.port,
        DASHBOARD_PORT: settings.dashboard_port,
        MANAGEMENT_PORT: settings.management_port or 0,
    }
    for first, second in combinations(ports, 2):
        if ports[first] == ports[second] and ports[first]:
            fail(
                f"{first} and {second} are both {ports[first]}. Choose another port for one of them.",
                WRONG_USAGE,
            )
    for setting in (PORT, DASHBOARD_PORT):
        if not ports[setting]:
            fail(f"'up' needs fixed ports, but {setting} is 0. Choose a port.", WRONG_USAGE)


def _lock_data_folder(settings: Settings) -> DataLock:
    """Lock the data folder against a second ``up``, which would add a worker and a dashboard to it."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return DataLock(settings.home / "up", exclusive=True)
    except Conflict:
        fail(
            f"Chainproof is already running in {settings.home}. Stop it, or choose another folder with "
            "CHAINPROOF_HOME.",
            DEPENDENCY_FAILED,
        )


def _list_allowed_hosts(settings: Settings) -> tuple[str, ...]:
    """List the hosts that a browser may send while the dashboard listens only on this machine.

    Otherwise a web page could map its own name to this machine's address (DNS rebinding) and act for the
    reader. The public URL of a proxy is also allowed. The list is empty, so that any host is allowed, if the
    operator sets it through Streamlit or the dashboard listens on another address.
    """
    if ALLOWED_HOSTS_VARIABLE in os.environ or settings.dashboard_host not in LOCAL_NAMES:
        return ()
    public = urlsplit(settings.dashboard_public_url or "").hostname
    return (*LOCAL_NAMES, public) if public else LOCAL_NAMES


def _is_ready(settings: Settings) -> bool:
    """Whether the service is ready and the dashboard and the management port answer."""
    import httpx

    urls = [f"{settings.api_url}/readyz", f"{settings.dashboard_url}/_stcore/health"]
    if settings.management_url:
        urls.append(f"{settings.management_url}/healthz")
    try:
        return all(httpx.get(url, timeout=2, trust_env=False).is_success for url in urls)
    except httpx.HTTPError:
        return False


def _share_metrics(settings: Settings) -> None:
    """Let all processes write metrics to one folder, since a scraper reaches only one of them."""
    folder = settings.home / "metrics" / str(settings.port)
    shutil.rmtree(folder, ignore_errors=True)  # metrics of earlier processes on this port
    folder.mkdir(parents=True, mode=0o700)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _run_http(
    settings: Settings,
    bound: socket.socket,
    management: socket.socket | None,
    on_stop: Callable[[], object] = lambda: None,
) -> None:
    """Serve requests until SIGINT or SIGTERM. Then also calls ``on_stop``."""
    with garbage_collection.making_what_stays():
        import uvicorn

        from backend.app import close_streams, create_app, create_management_app
        from backend.http.server import build_server_config, management_listener

        application = create_app(settings)

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(
            self,
        ) -> Generator[None, None, None]:  # uvicorn's own method raises the signals again at the end
            stop = StopRequest(lambda: self.handle_exit(signal.SIGTERM, None), on_stop)
            stop.force_exit_after(GRACE_SECONDS + 1)
            yield

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            close_streams(application)
            await super().shutdown(sockets)

    server = Server(build_server_config(application, settings))
    log.info("http_started", address=f"http://{settings.host}:{bound.getsockname()[1]}")
    with ExitStack() as stack:
        with _explain_used_port(settings.effective_management_port, MANAGEMENT_PORT):
            listener = management_listener(create_management_app(application), settings, management)
            stack.enter_context(listener)
        with _explain_used_port(settings.port, PORT):
            server.run([bound])


@contextmanager
def _explain_used_port(port: int, setting: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        fail_for_used_port(port, setting)


def _watch(group: ProcessGroup, before_stop: Callable[[], object] = lambda: None) -> None:
    """Keep the children alive until the end. Fails if one could not be started."""
    group.watch(before_stop)
    if group.failed:
        process = group.failed.process
        if process is not None and process.poll() == WRONG_SETTINGS_EXIT_CODE:  # the child has said which
            raise typer.Exit(WRONG_USAGE)
        fail(
            f"The {group.failed.name} process could not be started. Its messages are above.",
            DEPENDENCY_FAILED,
        )
