"""Prints the version of the program."""

from backend.runtime import distribution


def print_version() -> None:
    print(f"{distribution.NAME} {distribution.version()}")
