"""Binds the ports that programs listen on, with one sentence wherever one is in use."""

import socket
from typing import NoReturn

from backend.cli.words import DEPENDENCY_FAILED, fail
from backend.processes import bound_socket


def bind(host: str, port: int, setting: str) -> socket.socket:
    """A socket bound to the address; ends the program with a sentence where that cannot be."""
    try:
        bound = bound_socket(host, port)
    except OSError as error:
        reason = f"Port {port} of {host} cannot be used: {error.strerror}."
        fail(f"{reason} Choose another address or port with {setting}.", DEPENDENCY_FAILED)
    if bound is None:
        fail_for_used_port(port, setting)
    return bound


def fail_for_used_port(port: int, setting: str) -> NoReturn:
    fail(
        f"Port {port} is in use. Stop the program that uses it, or choose another port with {setting}.",
        DEPENDENCY_FAILED,
    )
