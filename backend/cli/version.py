"""Prints which version of the program runs."""

from backend.runtime import distribution


def print_version() -> None:
    print(f"{distribution.NAME} {distribution.version()}")
