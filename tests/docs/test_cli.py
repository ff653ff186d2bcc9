"""The list of commands names each command of the program once, and no others."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import typer

from backend.cli.commands import app

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def commands_of_the_program() -> Iterator[str]:
    """Each command that ``--help`` shows, as ``keys create``."""

    def walk(command: object, path: tuple[str, ...]) -> Iterator[str]:
        below = getattr(command, "commands", None)
        if below is None:
            yield " ".join(path)
        for name, child in (below or {}).items():
            if not child.hidden:
                yield from walk(child, (*path, name))

    return walk(typer.main.get_command(app), ())


def test_the_page_lists_each_command_once_and_no_others() -> None:
    listed = re.findall(r"^\| `chainproof ([a-z -]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(listed) >= 35
    assert Counter(listed) == Counter(commands_of_the_program())
