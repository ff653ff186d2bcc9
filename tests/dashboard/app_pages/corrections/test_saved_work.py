"""The records of an editor's work for the browser's storage."""

import base64
import json
import random
import zlib
from typing import Any

import pytest

from dashboard.app_pages.corrections import article_files, saved_work
from dashboard.app_pages.corrections.article_edits import Edit, apply_article_edits
from dashboard.app_pages.corrections.edit_history import EditHistory
from dashboard.app_pages.corrections.findings import Decision
from dashboard.app_pages.corrections.saved_work import ArticleWork, BatchWork, InvalidRecordError
from tests.support.articles.scans import article, build_scan_result, build_violations

TEXT = article(
    title="😀 Etherium", content="リップル\r\n\r\nEtherium", tags=["x", "Etherium"], date="2027-03-03"
)


def scan(text: Any) -> Any:
    return build_scan_result(text, build_violations(text, "Etherium", "Ethereum"))


def build_history(count: int = 1) -> EditHistory:
    """A history of ``count`` applied corrections, of which the last is undone."""
    history = EditHistory()
    step = history.add_checked(TEXT, scan(TEXT), "v1")
    for _ in range(count):
        edits = {"content": [Edit(0, 1, "リ")], "tags[1]": [Edit(0, 8, "Ethereum")]}
        step = history.add_edited("safe", apply_article_edits(step.article, edits), edits, scan(TEXT), "v1")
    history.undo()
    return history


def test_a_history_is_the_same_after_it_was_stored() -> None:
    history = build_history(3)
    step = history.step
    assert step is not None
    history.store_decisions(step.number, {1: Decision("approved", "ETH"), 0: Decision("ignored")}, new=False)
    work = ArticleWork(history, TEXT, None, editing=False)
    restored = saved_work.decode_article(saved_work.encode_article(work))
    assert restored.history.steps == history.steps
    assert restored.history.position == history.position
    assert restored.history.number_count == history.number_count
    assert restored.history.can_redo
    assert (restored.draft, restored.source, restored.editing) == (TEXT, None, False)
    step_after = restored.history.step
    assert step_after is not None
    assert list(step_after.decisions) == [1, 0], "in the order in which they were made"


def test_an_article_that_was_not_checked_yet_is_stored_with_its_file() -> None:
    file = article_files.parse_file("a.md", b"\xef\xbb\xbfEtherium\r\nrises\r\n")
    work = ArticleWork(EditHistory(), file.articles[0], file)
    restored = saved_work.decode_article(saved_work.encode_article(work))
    assert (restored.history.steps, restored.source, restored.editing) == ([], file, True)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"content": "Etherium", "own": 1.50}\n\n{"title": "x"}\n'),
        ("a.json", '{"articles": [{"content": "Etherium", "own": [1]}]}'),
        ("a.txt", "Etherium\r\n"),
    ],
)
def test_the_list_of_a_batch_and_its_reviewed_articles_are_stored(name: str, content: str) -> None:
    file = article_files.parse_file(name, content.encode())
    work = BatchWork("id", file, store=True, reviewed={0: article(content="Ethereum")})
    restored = saved_work.decode_batch(saved_work.encode_batch(work))
    assert restored == work


def test_an_article_of_a_batch_belongs_to_the_restored_batch() -> None:
    file = article_files.parse_pasted('{"content": "Etherium"}\n{"content": "x"}')
    history = EditHistory()
    history.add_checked(file.articles[0], scan(file.articles[0]), "v1", file, 0)
    text = saved_work.encode_article(ArticleWork(history, file.articles[0], file, editing=False), file)
    other = article_files.parse_pasted('{"content": "Etherium"}\n{"content": "x"}')
    step = saved_work.decode_article(text, other).history.step
    assert step is not None
    assert step.source is other
    assert step.row == 0
    alone = saved_work.decode_article(text).history.step
    assert alone is not None
    assert (alone.source, alone.row) == (None, None), "without the batch"


def test_older_steps_are_left_out_if_the_work_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    history = build_history(40)
    work = ArticleWork(history, TEXT, None, editing=False)
    text = saved_work.encode_article(work)
    for kept in (6, 1):
        monkeypatch.setattr(saved_work, "MAX_SAVED_CHARS", len(text) - 1)
        text = saved_work.encode_article(work)
        restored = saved_work.decode_article(text)
        assert len(restored.history.steps) == kept
        assert restored.history.step == history.step
    monkeypatch.setattr(saved_work, "MAX_SAVED_CHARS", len(text) - 1)
    assert saved_work.encode_article(work) == ""


def test_a_large_batch_is_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = random.Random(1).randbytes(1_200_000).hex()
    file = article_files.parse_pasted(json.dumps({"content": noise}))
    assert saved_work.encode_batch(BatchWork("id", file)) == ""


def change(text: str, **values: Any) -> str:
    record = json.loads(zlib.decompress(base64.b64decode(text)))
    for path, value in values.items():
        *outer, last = path.split("__")
        inner = record
        for key in outer:
            inner = inner[int(key) if key.isdecimal() else key]
        inner[int(last) if last.isdecimal() else last] = value
    return base64.b64encode(zlib.compress(json.dumps(record).encode())).decode()


@pytest.mark.parametrize(
    "values",
    [
        {"format": 0},
        {"position": 7},
        {"steps__0__original": 5},
        {"steps__0__source": 5},
        {"steps__0__findings__0__end": 500},
        {"steps__0__findings__0__field": "other"},
        {"steps__0__decisions": [[9, ["approved", None]]]},
        {"steps__0__kind": "other"},
        {"draft": None},
    ],
)
def test_records_that_were_changed_are_refused(values: dict[str, Any]) -> None:
    text = saved_work.encode_article(ArticleWork(build_history(), TEXT, None, editing=False))
    assert saved_work.decode_article(change(text)).history.steps
    with pytest.raises(InvalidRecordError):
        saved_work.decode_article(change(text, **values))


@pytest.mark.parametrize("text", ["", "x", "e30=", base64.b64encode(zlib.compress(b"{}")).decode()])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidRecordError):
        saved_work.decode_article(text)
    with pytest.raises(InvalidRecordError):
        saved_work.decode_batch(text)
