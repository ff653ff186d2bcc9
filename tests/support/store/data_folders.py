"""Sets up a data folder for a test in this process."""

import os
from pathlib import Path

import pytest


def set_up_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use ``folder/home`` as the data folder and remove all other settings."""
    for name in list(os.environ):
        if name.startswith("CHAINPROOF_") and not name.startswith("CHAINPROOF_TEST"):
            monkeypatch.delenv(name)
    home = folder / "home"
    monkeypatch.setenv("CHAINPROOF_HOME", str(home))
    monkeypatch.chdir(folder)
    return home
