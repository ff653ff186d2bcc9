"""Tables of the command line: no value is ever cut."""

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
from tests.support.homes import own_home

CLI = Path(tables.__file__).parents[1]
LONG = "a-name-that-has-no-place-to-break-and-is-longer-than-most-terminals-are-wide-for-certain"
COLUMNS = (
    Column("name"),
    Column("price", "number"),
    Column("created", "fixed", spare=True),
    Column("last used", "fixed", spare=True),
)
ROWS = (
    [LONG, "1234567.8901", "2026-11-22T15:39:57Z", None],
    ["short", "2", "2026-11-22T15:39:57Z", "2026-11-22T16:00:00Z"],
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is written to standard error."""
    stream = io.StringIO()
    monkeypatch.setattr(tables, "err", Console(file=stream))
    return stream


def printed(width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    stream = Terminal()
    print_table(COLUMNS, ROWS, console._Console(file=stream, color_system=None))
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 24, 30, 40, 60, 80, 160])
def test_a_terminal_of_any_width_shows_each_number_whole_and_no_line_is_wider(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(width, monkeypatch)
    text = "\n".join(lines)
    assert "…" not in text
    assert re.search(r"(?<!\d)1234567\.8901(?!\d)", text)
    assert max(map(len, lines)) <= width
    for value in ("1234567.8901", "2026-11-22T15:39:57Z", "–"):
        text = text.replace(value, "")
    assert LONG in "".join(text.split())


def test_columns_that_can_be_spared_are_left_out_and_named(
    told: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "created" in printed(80, monkeypatch)[0]
    assert "created" not in printed(40, monkeypatch)[0]
    assert "2 columns left out for lack of room: created, last used." in " ".join(told.getvalue().split())


def test_what_is_piped_is_as_wide_as_it_needs_to_be(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_table(COLUMNS, ROWS)
    _title, first, second = capsys.readouterr().out.splitlines()
    assert first.split() == [LONG, "1234567.8901", "2026-11-22T15:39:57Z", "–"]
    assert second.split() == ["short", "2", "2026-11-22T15:39:57Z", "2026-11-22T16:00:00Z"]


def test_every_command_prints_its_tables_by_this_function() -> None:
    others = [file.name for file in CLI.rglob("*.py") if "rich.table" in file.read_text("utf-8")]
    assert others == ["tables.py"]


def test_names_and_addresses_of_commands_come_whole_through_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_home(tmp_path, monkeypatch)
    run = CliRunner()
    uri = f"https://app.example/{LONG}/callback"
    made = run.invoke(app, ["apps", "create", "--name", f"[b]{LONG[:60]}", "--redirect-uri", uri, "--json"])
    created = run.invoke(app, ["keys", "create", "--name", LONG, "--json"])
    assert created.exit_code == 0, created.output
    key = json.loads(created.stdout)
    listed = run.invoke(app, ["apps", "list"], env={"COLUMNS": "80"}).stdout
    for value in (json.loads(made.stdout)["client_id"], f"[b]{LONG[:60]}", uri):
        assert value in listed
    listed = run.invoke(app, ["keys", "list"], env={"COLUMNS": "80"}).stdout
    assert all(value in listed for value in (key["id"], LONG, key["created_at"]))
