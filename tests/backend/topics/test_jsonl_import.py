"""An import stores all topics or none, repeatably; ``chainproof topics import`` reports the result."""

import codecs
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner, Result

from backend.articles.engine import RuleSet
from backend.cli.commands import app
from backend.store.database import Database
from backend.topics import jsonl_import
from backend.topics.jsonl_import import import_files
from backend.topics.tables import topics


def line(number: int, **fields: Any) -> str:
    defaults = {
        "external_id": f"mine-{number}",
        "category": number % 3,
        "published_at": "2026-03-01T00:00:00Z",
        "url": f"https://a.example/{number}",
        "texts": {"en": {"title": f"Title {number}"}},
    }
    return json.dumps({name: value for name, value in {**defaults, **fields}.items() if value is not None})


def count_stored(database: Database) -> int:
    with database.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(topics)).scalar_one()


def test_a_repeated_import_changes_nothing(
    database: Database, rules: RuleSet, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl_import, "BATCH_SIZE", 3)
    file = tmp_path / "a.jsonl"
    nameless = [line(number, external_id=None) for number in (7, 8)]
    file.write_text("\ufeff" + "\n".join([*(line(number) for number in range(7)), "", *nameless]) + "\r\n")
    sizes: list[int] = []
    first = import_files(
        database, rules, [file], partial=False, now=now, on_progress=lambda _path, size: sizes.append(size)
    )
    second = import_files(database, rules, [file], partial=False, now=now)
    assert (first.added, first.updated, second.added, second.updated) == (9, 0, 0, 9)
    assert count_stored(database) == 9
    assert len(sizes) == 9


def test_one_error_prevents_the_import_and_names_its_line(
    sqlite_database: Database, rules: RuleSet, tmp_path: Path, now: datetime
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([line(1), line(2, category=3), "{", line(4, url=None), "[]"]))
    imported = import_files(sqlite_database, rules, [file, tmp_path / "none"], partial=False, now=now)
    assert [str(error) for error in imported.errors] == [
        f"{file}:2: category: input should be less than or equal to 2",
        f"{file}:3: must be valid JSON: unexpected end of data",
        f"{file}:4: url is missing",
        f"{file}:5: must be a JSON object with category, published_at, url and texts",
        f"{tmp_path / 'none'}: cannot be read: No such file or directory",
    ]
    assert (imported.added, count_stored(sqlite_database)) == (0, 0)


def test_a_partial_import_stores_the_valid_lines(
    sqlite_database: Database, rules: RuleSet, tmp_path: Path, now: datetime
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([line(1), "nonsense", line(3)]))
    imported = import_files(sqlite_database, rules, [file], partial=True, now=now)
    assert (imported.added, imported.error_count, count_stored(sqlite_database)) == (2, 1, 2)


def test_a_line_that_is_too_long_is_one_error(
    sqlite_database: Database, rules: RuleSet, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl_import, "MAX_LINE_BYTES", 400)
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([line(1), line(2) + " " * 2000, line(3)]))
    imported = import_files(sqlite_database, rules, [file], partial=True, now=now)
    assert [error.line for error in imported.errors] == [2]
    assert imported.added == 2


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["without a byte order mark", "with one"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("too_long", [0, 1, 3, 1000])
def test_a_first_line_at_the_size_limit_keeps_the_line_numbers(
    sqlite_database: Database,
    rules: RuleSet,
    tmp_path: Path,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
    mark: bytes,
    end: bytes,
    too_long: int,
) -> None:
    monkeypatch.setattr(jsonl_import, "MAX_LINE_BYTES", 400)
    file = tmp_path / "a.jsonl"
    first = line(1).encode().ljust(400 + too_long)
    file.write_bytes(mark + first + end + b"nonsense" + end)
    imported = import_files(sqlite_database, rules, [file], partial=True, now=now)
    assert [error.line for error in imported.errors] == ([1, 2] if too_long else [2])
    assert imported.added == (0 if too_long else 1)


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["topics", "import", *words], env={"CHAINPROOF_HOME": str(home)})


def test_the_command_reports_its_result_and_wrong_lines(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(line(1) + "\n" + line(2))
    bad.write_text(line(3) + "\n{}")
    home = tmp_path / "home"
    result = run(home, str(good))
    assert (result.exit_code, result.stdout) == (0, "2 added, 0 updated.\n")
    result = run(home, str(good), "--json")
    assert json.loads(result.stdout) == {"added": 0, "updated": 2, "mistakes": 0}
    result = run(home, str(bad))
    assert result.exit_code == 2
    outcome = result.stderr.replace("\n", "")
    assert "bad.jsonl:2: category is missing; 3 more" in outcome
    assert "Nothing was added." in outcome
    result = run(home, str(bad), "--partial", "--json")
    assert (result.exit_code, json.loads(result.stdout)["added"]) == (2, 1)
