"""What the program says of itself: its version, its help, its completions, and the README's table."""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from backend.cli.commands import app

run = CliRunner()
README = Path(__file__).parents[3] / "README.md"
IMPORTED = """
import sys
sys.argv = ["chainproof", "--version"]
from backend.cli import main
main()
print({"typer", "rich", "pydantic", "sqlalchemy", "streamlit"} & {*sys.modules})
"""


def commands_of_the_program() -> set[str]:
    """Each command that the help shows, as ``keys create``."""

    def walk(command: object, path: tuple[str, ...]) -> Iterator[str]:
        below = getattr(command, "commands", None)
        if below is None:
            yield " ".join(path)
        for name, child in (below or {}).items():
            if not child.hidden:
                yield from walk(child, (*path, name))

    return {*walk(typer.main.get_command(app), ())}


def commands_of_the_readme() -> set[str]:
    """Each command in the README's table; ``list`` behind ``chainproof keys create`` is ``keys list``."""
    groups = {name.split()[0] for name in commands_of_the_program() if " " in name}
    found = set()
    for row in re.findall(r"^\| (`chainproof .*?) \|", README.read_text("utf-8"), re.MULTILINE):
        first, *others = (code.removeprefix("chainproof ").split() for code in re.findall(r"`(.+?)`", row))
        group = first[:1] if first[0] in groups else []
        found |= {" ".join([*group, words[0]]) for words in [first[len(group) :], *others]}
    return found


def test_the_readme_names_the_commands_that_there_are_and_no_others() -> None:
    assert commands_of_the_readme() == commands_of_the_program()


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
