"""Tests the version and the shell completions of the program."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from backend.cli.commands import app

run = CliRunner()
PRINT_VERSION_AND_IMPORTS = """
import sys
sys.argv = ["chainproof", "--version"]
from backend.cli import main
main()
print({"typer", "rich", "pydantic", "sqlalchemy", "streamlit"} & {*sys.modules})
"""


def test_the_version_is_printed_without_slow_imports() -> None:
    process = subprocess.run(
        [sys.executable, "-c", PRINT_VERSION_AND_IMPORTS], capture_output=True, text=True, check=True
    )
    assert process.stdout.splitlines() == [f"chainproof {version('chainproof')}", "set()"]
    result = run.invoke(app, ["--version", "keys"])
    assert (result.exit_code, result.stdout.strip()) == (0, f"chainproof {version('chainproof')}")


@pytest.mark.parametrize(
    ("shell", "typed"),
    [
        ("bash", {"COMP_WORDS": "chainproof keys cr", "COMP_CWORD": "2"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "chainproof keys cr"}),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "chainproof keys cr", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
        ),
    ],
)
def test_shells_complete_commands(shell: str, typed: dict[str, str]) -> None:
    script = run.invoke(app, [], prog_name="chainproof", env={"_CHAINPROOF_COMPLETE": f"source_{shell}"})
    assert f"_CHAINPROOF_COMPLETE=complete_{shell}" in script.stdout
    completed = run.invoke(
        app, [], prog_name="chainproof", env={"_CHAINPROOF_COMPLETE": f"complete_{shell}", **typed}
    )
    assert "create" in completed.stdout
    assert "revoke" not in completed.stdout
