"""A data folder of a test's own for what it runs in this process."""

import os
from pathlib import Path

import pytest


def own_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``folder/home`` is where Chainproof keeps its data; no other setting is in force."""
    for name in list(os.environ):
        if name.startswith("CHAINPROOF_") and not name.startswith("CHAINPROOF_TEST"):
            monkeypatch.delenv(name)
    home = folder / "home"
    monkeypatch.setenv("CHAINPROOF_HOME", str(home))
    monkeypatch.chdir(folder)
    return home
