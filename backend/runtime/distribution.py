"""Determines whether this code was installed as ``chainproof`` or ``chainproof-scan``."""

from pathlib import Path

SCAN_PACKAGE = "chainproof_scan"
"""Holds the modules of ``chainproof-scan`` in a folder of its own; see ``packaging/scan``."""
NAME = "chainproof-scan" if Path(__file__).parents[3].name == SCAN_PACKAGE else "chainproof"


def version() -> str:
    """The version of the installed distribution."""
    from importlib.metadata import version as installed_version  # imported here: it is slow and rarely needed

    return installed_version(NAME)
