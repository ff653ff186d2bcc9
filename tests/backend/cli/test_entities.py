"""Tests ``chainproof entities``: entities in texts, and entities that jobs saw."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from backend import migrations
from backend.cli.commands import app
from backend.extraction import seen_entities
from backend.extraction.mentions import SeenName
from backend.formats.timestamps import utc_now
from backend.settings import Settings
from backend.store.database import Database
from tests.support.test_session import shipped_data_cache

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def invoke(*words: str, stdin: str | None = None) -> Result:
        with shipped_data_cache.cache_rule_sets():
            return CliRunner().invoke(app, ["entities", *words], input=stdin)

    return invoke


def test_entities_of_files_are_listed_once_as_json(run: Run) -> None:
    Path("a.txt").write_text("\ufeffビットコイン and Coinbase", encoding="utf-8")
    Path("b.txt").write_text("Bitcoin", encoding="utf-8")
    result = run("extract", "a.txt", "b.txt", "--json")
    assert result.exit_code == 0
    entities = json.loads(result.stdout)["entities"]
    assert [(e["name"], e["canonical_name"], e["type"]) for e in entities] == [
        ("ビットコイン", "Bitcoin", "asset"),
        ("Coinbase", "Coinbase", "exchange"),
    ]


def test_entities_of_standard_input_are_shown_as_a_table(run: Run) -> None:
    result = run("extract", "-", stdin="以太坊")
    assert result.exit_code == 0
    assert "以太坊" in result.stdout
    assert "Ethereum" in result.stdout
    assert "No known entity" in run("extract", "-", stdin="nothing here").stdout


def test_a_missing_file_or_one_that_is_not_utf8_is_a_sentence(run: Run) -> None:
    Path("bad.txt").write_bytes(b"Bitcoin \xff")
    result = run("extract", "bad.txt")
    assert (result.exit_code, "byte 9 is not UTF-8" in result.stderr) == (2, True)
    for missing in ("none.txt", "."):
        result = run("extract", missing)
        assert (result.exit_code, f"{missing}: cannot be read" in result.stderr) == (2, True)
        assert "CHAINPROOF_HOME" not in result.stderr


def test_entities_seen_by_jobs_are_listed_by_count(run: Run) -> None:
    settings = Settings()
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    with database.write() as connection:
        for job in ("a", "b"):
            seen = [SeenName("bitcoin", "BTC")] + [SeenName("ethereum", "ETH")] * (job == "a")
            seen_entities.record_sightings(connection, job, seen, at=utc_now() - timedelta(minutes=5))
    database.dispose()
    entities = json.loads(run("list", "--json").stdout)["entities"]
    assert [(e["canonical_name"], e["count"]) for e in entities] == [("Bitcoin", 2), ("Ethereum", 1)]
    assert "Bitcoin" in run("list", "--window", "2h").stdout
    assert "No entity was seen" in run("list", "--window", "1m").stdout
    assert run("list", "--window", "soon").exit_code == 2
