"""Prints which version of the program runs."""

from importlib.metadata import version


def print_version() -> None:
    print(f"chainproof {version('chainproof')}")
