"""Tests that tables on the command line never truncate a value."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from backend.cli.commands import app
from backend.cli.terminal import console, tables
from backend.cli.terminal.tables import Column, print_table
from tests.support.store.data_folders import set_up_home

CLI = Path(tables.__file__).parents[1]
LONG = "a-name-that-has-no-place-to-break-and-is-longer-than-most-terminals-are-wide-for-certain"
COLUMNS = (
    Column("name"),
    Column("price", "number"),
    Column("created", "fixed", is_optional=True),
    Column("last used", "fixed", is_optional=True),
)
ROWS = (
    [LONG, "1234567.8901", "2026-11-22T15:39:57Z", None],
    ["short", "2", "2026-11-22T15:39:57Z", "2026-11-22T16:00:00Z"],
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def stderr(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Record standard error."""
    stream = io.StringIO()
    monkeypatch.setattr(tables, "err", Console(file=stream))
    return stream


def print_at_width(width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    stream = Terminal()
    print_table(COLUMNS, ROWS, console._Console(file=stream, color_system=None))
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 24, 30, 40, 60, 80, 160])
def test_at_any_width_numbers_are_complete_and_no_line_is_wider_than_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = print_at_width(width, monkeypatch)
    text = "\n".join(lines)
    assert "…" not in text
    assert re.search(r"(?<!\d)1234567\.8901(?!\d)", text)
    assert max(map(len, lines)) <= width
    for value in ("1234567.8901", "2026-11-22T15:39:57Z", "–"):
        text = text.replace(value, "")
    assert LONG in "".join(text.split())


def test_hidden_optional_columns_are_named(stderr: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "created" in print_at_width(80, monkeypatch)[0]
    assert "created" not in print_at_width(40, monkeypatch)[0]
    assert "2 columns hidden because the terminal is too narrow: created, last used." in " ".join(
        stderr.getvalue().split()
    )


def test_piped_tables_have_unlimited_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_table(COLUMNS, ROWS)
    _title, first, second = capsys.readouterr().out.splitlines()
    assert first.split() == [LONG, "1234567.8901", "2026-11-22T15:39:57Z", "–"]
    assert second.split() == ["short", "2", "2026-11-22T15:39:57Z", "2026-11-22T16:00:00Z"]


def test_every_command_prints_tables_with_this_function() -> None:
    importing_files = [file.name for file in CLI.rglob("*.py") if "rich.table" in file.read_text("utf-8")]
    assert importing_files == ["tables.py"]


def test_piped_output_of_commands_contains_complete_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up_home(tmp_path, monkeypatch)
    run = CliRunner()
    uri = f"https://app.example/{LONG}/callback"
    app_result = run.invoke(
        app, ["apps", "create", "--name", f"[b]{LONG[:60]}", "--redirect-uri", uri, "--json"]
    )
    created = run.invoke(app, ["keys", "create", "--name", LONG, "--json"])
    assert created.exit_code == 0, created.output
    key = json.loads(created.stdout)
    listed = run.invoke(app, ["apps", "list"], env={"COLUMNS": "80"}).stdout
    for value in (json.loads(app_result.stdout)["client_id"], f"[b]{LONG[:60]}", uri):
        assert value in listed
    listed = run.invoke(app, ["keys", "list"], env={"COLUMNS": "80"}).stdout
    assert all(value in listed for value in (key["id"], LONG, key["created_at"]))
