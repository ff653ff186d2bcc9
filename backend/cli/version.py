"""Prints which version of the program runs."""

from backend import distribution


def print_version() -> None:
    print(f"{distribution.NAME} {distribution.version()}")
