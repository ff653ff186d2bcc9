"""Tests that an import stores all documents or none, repeatably, and what ``chainproof documents`` prints."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from backend.cli.commands import app
from backend.documents import file_import
from backend.documents.document_writer import StoreCounts
from backend.documents.file_import import import_files, list_files
from backend.documents.file_readers import ReadOptions
from backend.documents.store import DocumentStore
from backend.formats import file_errors

Run = Callable[..., Result]


def line(number: int, **more: object) -> str:
    fields = {
        "url": f"https://a.example/{number}",
        "title": f"Title {number}",
        "text": f"word{number} halving",
    }
    return json.dumps({**fields, **more}, ensure_ascii=False)


def test_importing_again_changes_nothing(
    store: DocumentStore, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_import, "DOCUMENTS_PER_TRANSACTION", 4)
    (tmp_path / "a.jsonl").write_text("\n".join(line(number) for number in range(10)))
    (tmp_path / "b.md").write_text("---\nurl: https://b.example/\n---\n# Note\nomega")
    paths = list_files([tmp_path])
    progress: dict[Path, int] = {}

    def advance(path: Path, size: int) -> None:
        progress[path] = progress.get(path, 0) + size

    first = import_files(store, paths, ReadOptions(), partial=False, now=now, advance=advance)
    second = import_files(store, paths, ReadOptions(), partial=False, now=now)
    assert (first.stored, second.stored) == (StoreCounts(11, 0, 0), StoreCounts(0, 0, 11))
    assert progress == {path: path.stat().st_size for path in paths}
    assert store.search("word7")[0].document.url == "https://a.example/7"


def test_one_invalid_document_prevents_the_import(
    store: DocumentStore, tmp_path: Path, now: datetime
) -> None:
    (tmp_path / "a.jsonl").write_text(f"{line(1)}\n{line(2, text='')}\n{line(3)}")
    imported = import_files(store, [tmp_path / "a.jsonl"], ReadOptions(), partial=False, now=now)
    assert [str(error) for error in imported.errors] == [f"{tmp_path}/a.jsonl:2: has no text"]
    assert store.count() == {}


def test_a_partial_import_stores_the_valid_documents(
    store: DocumentStore, tmp_path: Path, now: datetime
) -> None:
    (tmp_path / "a.jsonl").write_text(f"{line(1)}\n{line(2, text='')}\n{line(3)}")
    imported = import_files(store, [tmp_path / "a.jsonl"], ReadOptions(), partial=True, now=now)
    assert imported.stored == StoreCounts(2, 0, 0)
    assert imported.error_count == 1


def test_a_repeated_url_is_an_error(store: DocumentStore, tmp_path: Path, now: datetime) -> None:
    (tmp_path / "a.jsonl").write_text(f"{line(1)}\n{line(1, text='other')}")
    imported = import_files(store, [tmp_path / "a.jsonl"], ReadOptions(), partial=False, now=now)
    assert str(imported.errors[0]).endswith(f"a.jsonl:2: has the same address as {tmp_path}/a.jsonl:1")


def test_errors_beyond_the_maximum_are_counted(store: DocumentStore, tmp_path: Path, now: datetime) -> None:
    (tmp_path / "a.jsonl").write_text("{\n" * 250)
    imported = import_files(store, [tmp_path / "a.jsonl"], ReadOptions(), partial=True, now=now)
    assert (len(imported.errors), imported.error_count) == (file_errors.MAX_STORED_ERRORS, 250)


def test_a_folder_gives_its_readable_files_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.md", "a.jsonl", ".c.md", "d.pdf", "e/f.HTML", ".g/h.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = list_files([tmp_path, tmp_path / "b.md", tmp_path / "d.pdf"])
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a.jsonl", "b.md", "e/f.HTML", "d.pdf"]


def test_the_url_option_needs_exactly_one_file(store: DocumentStore, tmp_path: Path, now: datetime) -> None:
    options = ReadOptions(url="https://a.example/")
    for paths in ([tmp_path / "a.jsonl"], [tmp_path / "a.md", tmp_path / "b.md"]):
        with pytest.raises(ValueError, match="exactly one"):
            import_files(store, paths, options, partial=False, now=now)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["documents", *words])


def test_imported_documents_are_listed_and_found(run: Run) -> None:
    Path("a.jsonl").write_text(
        f"{line(1, published='2024-04')}\n{line(2, title='半減期', text='報酬が半減した [1]。')}", "utf-8"
    )
    result = run("import", "a.jsonl")
    assert (result.exit_code, result.stdout) == (0, "2 added, 0 changed, 0 unchanged.\n")
    assert json.loads(run("import", "a.jsonl", "--json").stdout) == {
        "added": 0,
        "changed": 0,
        "unchanged": 2,
        "mistakes": 0,
    }
    listed = json.loads(run("list", "--json").stdout)
    assert [row["url"] for row in listed] == ["https://a.example/2", "https://a.example/1"]
    assert [(row["language"], row["published"]) for row in listed] == [("ja", None), ("en", "2024-04")]
    assert "Showing 2 of: 2 user." in run("list").stdout
    (hit,) = json.loads(run("search", "半減", "--json").stdout)
    assert hit["title"] == "半減期"
    assert hit["score"] > 0
    assert "報酬が半減した [1]。" in run("search", "半減").stdout
    assert json.loads(run("search", "halving", "--language", "ja", "--json").stdout) == []
    assert json.loads(run("search", "halving", "--kind", "user", "--json").stdout)[0]["title"] == "Title 1"


def test_a_refused_import_exits_with_2_and_every_reason(run: Run) -> None:
    Path("a.jsonl").write_text(f"{line(1)}\n{{[bold]\n{line(2, title='')}")
    result = run("import", "a.jsonl")
    assert result.exit_code == 2
    assert "a.jsonl:2: is no valid JSON" in result.stderr
    assert "a.jsonl:3: has no title" in result.stderr
    assert "Nothing was added." in result.stderr
    assert "There are no documents yet." in run("list").stdout
    result = run("import", "a.jsonl", "--partial")
    assert (result.exit_code, result.stdout) == (2, "1 added, 0 changed, 0 unchanged.\n")


def test_a_page_is_imported_under_the_given_url(run: Run) -> None:
    Path("page.html").write_text(
        f"<html><body><article><p>{'The reward halved. ' * 30}</p></article></body></html>"
    )
    result = run("import", "page.html")
    assert result.exit_code == 2
    assert "page.html: has no address: give it with --url" in result.stderr
    assert run("import", "page.html", "--url", "https://a.example/x", "--language", "en").exit_code == 0
    assert json.loads(run("search", "halved", "--json").stdout)[0]["url"] == "https://a.example/x"


def test_a_search_without_words_finds_nothing(run: Run) -> None:
    result = run("search", "\"'*")
    assert (result.exit_code, result.stdout) == (0, "No results.\n")
