"""Defines ``chainproof mcp``, which serves the tools to an agent over standard input and output."""

import signal

import typer

from backend.cli.open_store import load_settings
from backend.cli.terminal.console import handle_errors
from backend.runtime import logs
from backend.settings import Settings

app = typer.Typer()


@app.command()
@handle_errors
def mcp() -> None:
    """Serve the tools of a running service to an agent, over standard input and output."""
    settings = load_settings()
    logs.configure(settings.log_format, settings.log_level)  # to standard error: the agent reads the output
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for input would hold a clean end up

    from backend.mcp.connections import connect_over_network
    from backend.mcp.links import Links
    from backend.mcp.server import build_server

    links = Links(settings.api_url, settings.dashboard_public_origin)
    build_server(connect_over_network(links, lambda: read_key(settings))).run("stdio")


def read_key(settings: Settings) -> str | None:
    """Return the key of the setting, else the local key; None if there is none yet."""
    from backend.auth import local_key_file

    if settings.api_key is not None:
        return settings.api_key.get_secret_value()
    return local_key_file.read(settings.local_key_file)
