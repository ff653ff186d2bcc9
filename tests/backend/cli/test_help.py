"""What the program says of itself: its version, its help and its completions."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from backend.cli.commands import app

run = CliRunner()
IMPORTED = """
import sys
sys.argv = ["chainproof", "--version"]
from backend.cli import main
main()
print({"typer", "rich", "pydantic", "sqlalchemy", "streamlit"} & {*sys.modules})
"""


def test_the_version_is_told_without_importing_what_takes_time() -> None:
    told = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == [f"chainproof {version('chainproof')}", "set()"]
    answer = run.invoke(app, ["--version", "keys"])
    assert (answer.exit_code, answer.stdout.strip()) == (0, f"chainproof {version('chainproof')}")


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
