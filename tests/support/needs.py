"""What a test needs of the machine that not every machine has."""

import os
from typing import NoReturn

import pytest


def is_missing(reason: str) -> NoReturn:
    """Skip the test and say why; in CI, where nothing may be skipped, it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def needs(condition: bool, otherwise: str) -> None:
    """Go on only if ``condition`` holds; else the test is skipped, or fails in CI, with this reason."""
    if not condition:
        is_missing(otherwise)
