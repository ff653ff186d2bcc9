"""Binds the ports of the programs, and explains if one is in use."""

import socket
from typing import NoReturn

import structlog

from backend.cli.exit_codes import DEPENDENCY_FAILED, WRONG_USAGE
from backend.cli.terminal.console import fail
from backend.runtime.processes import bind_socket
from backend.settings import Settings

log = structlog.get_logger(__name__)
MANAGEMENT_PORT = "CHAINPROOF_MANAGEMENT_PORT"


def bind(host: str, port: int, setting: str) -> socket.socket:
    """Bind a socket to the address. If that fails, ends the program with a sentence."""
    try:
        bound = bind_socket(host, port)
    except socket.gaierror as error:
        setting = setting.replace("PORT", "HOST")
        fail(f"The address {host} cannot be used: {error.strerror}. Correct {setting}.", WRONG_USAGE)
    except OSError as error:
        reason = f"Port {port} of {host} cannot be used: {error.strerror}."
        fail(f"{reason} Choose another address or port with {setting}.", DEPENDENCY_FAILED)
    if bound is None:
        fail_for_used_port(port, setting)
    return bound


def bind_management(settings: Settings) -> socket.socket | None:
    """Bind the socket of the management listener; None if it is off.

    Only a configured port must be free. If the default port is in use, logs a warning and returns None.
    """
    host, port = settings.management_host, settings.effective_management_port
    if not port:
        return None
    if settings.management_port is not None:
        return bind(host, port, MANAGEMENT_PORT)
    try:
        bound = bind_socket(host, port)
    except OSError:
        bound = None
    if bound is None:
        log.warning("management_port_not_available", port=port, choose_another_with=MANAGEMENT_PORT)
    return bound


def fail_for_used_port(port: int, setting: str) -> NoReturn:
    fail(
        f"Port {port} is in use. Stop the program that uses it, or choose another port with {setting}.",
        DEPENDENCY_FAILED,
    )
