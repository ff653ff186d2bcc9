"""Skips tests whose requirements the machine does not meet."""

import os
from typing import NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test with a reason; in CI, where nothing may be skipped, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def skip_unless(condition: bool, reason: str) -> None:
    """Skip the test unless ``condition`` holds; in CI, fail it."""
    if not condition:
        skip_or_fail(reason)
