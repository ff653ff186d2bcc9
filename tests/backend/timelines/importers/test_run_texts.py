"""Tests that questions, answers and graders' words are read on request, limited and redacted."""

import re
from pathlib import Path
from typing import Any

import pytest

from backend.timelines.importers.model import Options
from backend.timelines.importers.run_import import ImportRequest, import_files
from backend.timelines.importers.run_texts import TextOptions
from backend.timelines.model import GraderWords, RunTexts
from tests.support.runs.run_files import (
    INSPECT_HEADER,
    MemoryStore,
    Reading,
    inspect_sample,
    write_eval,
    write_json,
)

TEXTS = TextOptions()


def _read_inspect(path: Path, options: TextOptions | None = TEXTS, **more: Any) -> RunTexts | None:
    write_json(path / "log.json", {**INSPECT_HEADER, "samples": [inspect_sample(**more)]})
    return Reading(path / "log.json", texts=options).found[0].texts


def test_texts_are_read_only_on_request(tmp_path: Path) -> None:
    assert _read_inspect(tmp_path, None) is None


def test_an_inspect_sample_has_its_input_completion_and_scores(tmp_path: Path) -> None:
    output = {"choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": "2"}]}}]}
    assert _read_inspect(tmp_path, output=output) == RunTexts(
        "What is 1 + 1?", "2", (GraderWords("match", "C\nanswer: 2\n2 is 2"),)
    )


def test_messages_and_long_texts_of_an_inspect_sample_are_resolved(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "attachment://abc"},
        {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image", "image": "data:"}]},
    ]
    found = _read_inspect(
        tmp_path, input=messages, attachments={"abc": "Be kind."}, output={"completion": "ok"}
    )
    assert found is not None
    assert found.question == "system: Be kind.\n\nuser: Look:\n\n[image]"
    assert found.answer == "ok"


def test_texts_of_a_sample_in_pieces_are_resolved(tmp_path: Path) -> None:
    prefix = "samples/1_epoch_1"
    sample = inspect_sample(input="attachment://1", output={"completion": "ok"})
    members = {f"{prefix}/sample.json": sample, f"{prefix}/attachments/0.json": ["zero", "one"]}
    path = write_eval(tmp_path / "log.eval", {"header.json": {**INSPECT_HEADER, "version": 3}, **members})
    (item,) = Reading(path, texts=TEXTS).found
    assert item.texts is not None
    assert item.texts.question == "one"


@pytest.mark.parametrize(
    "output", [None, [], {"choices": [3]}, {"choices": []}, {"choices": [{"message": 1}]}]
)
def test_an_unusual_output_is_no_answer(tmp_path: Path, output: object) -> None:
    found = _read_inspect(tmp_path, output=output)
    assert found is not None
    assert (found.question, found.answer) == ("What is 1 + 1?", None)


def _build_promptfoo(**more: Any) -> dict[str, Any]:
    row = {
        "success": False,
        "score": 0,
        "provider": "openai:chat:x",
        "vars": {"n": 1},
        "testIdx": 0,
        "promptIdx": 0,
        **more,
    }
    return {"evalId": "e", "results": {"timestamp": "2026-03-01T10:00:00Z", "results": [row]}}


def _read_promptfoo(path: Path, **more: Any) -> RunTexts | None:
    return Reading(write_json(path / "results.json", _build_promptfoo(**more)), texts=TEXTS).found[0].texts


def test_a_promptfoo_row_has_its_prompt_output_and_reasons(tmp_path: Path) -> None:
    grading = {
        "score": 0,
        "reason": "failed",
        "componentResults": [
            {"score": 0, "reason": "not 2", "assertion": {"type": "equals"}},
            {"score": 0, "reason": "rude", "assertion": {"type": "llm-rubric", "metric": "tone"}},
        ],
    }
    found = _read_promptfoo(
        tmp_path,
        prompt={"raw": "1 + 1?", "label": "p"},
        response={"output": {"sum": 3}},
        gradingResult=grading,
    )
    assert found == RunTexts(
        "1 + 1?", '{"sum":3}', (GraderWords("equals", "not 2"), GraderWords("tone", "rude"))
    )


def test_a_promptfoo_row_without_a_prompt_has_its_variables(tmp_path: Path) -> None:
    assert _read_promptfoo(tmp_path, gradingResult={"score": 0, "reason": "no"}) == RunTexts(
        '{"n":1}', None, (GraderWords("grading", "no"),)
    )


def test_a_long_text_is_cut_after_redaction() -> None:
    options = TextOptions(20, (re.compile("hush"),))
    assert options.clean("x" * 50) == "x" * 20 + "…"
    assert options.clean("x" * 18 + "hush") == "x" * 18 + "[r…"
    assert options.clean("x" * 20) == "x" * 20
    assert "hush" not in options.clean("x" * 18 + "hush")


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop1234",
        "AKIAABCDEFGHIJKLMNOP",
        "ghp_abcdefghijklmnopqrstuvwxyz",
        "-----BEGIN PRIVATE KEY-----\nabc",
        "https://user:secret@host/",
    ],
)
def test_known_secrets_are_removed_unasked(secret: str) -> None:
    assert secret not in TEXTS.clean(f"before {secret} after")


def test_characters_that_a_database_cannot_store_are_replaced() -> None:
    assert TEXTS.clean("a\0b\ud800c") == "a\ufffdb\ufffdc"


def _import(store: MemoryStore, path: Path, options: TextOptions | None) -> tuple[int, int]:
    request = ImportRequest(Options(texts=options), add_profiles=True)
    imported = import_files(store, [path], request)
    assert not imported.errors
    return imported.added, imported.known


def test_texts_can_be_added_by_a_second_import_and_then_stay(tmp_path: Path) -> None:
    store, path = MemoryStore(), tmp_path / "log.json"
    write_json(path, {**INSPECT_HEADER, "samples": [inspect_sample(input="first")]})
    assert _import(store, path, None) == (1, 0)
    assert store.texts == {}
    assert _import(store, path, TEXTS) == (0, 1)
    write_json(path, {**INSPECT_HEADER, "samples": [inspect_sample(input="second")]})
    assert _import(store, path, TEXTS) == (0, 1)
    assert store.texts["sampleUuid1"].question == "first"


def test_a_transcript_of_many_megabytes_is_stored_within_the_limit(tmp_path: Path) -> None:
    store, path = MemoryStore(), tmp_path / "log.json"
    long = "transcript " * 500_000
    sample = inspect_sample(input=long, output={"completion": long})
    write_json(path, {**INSPECT_HEADER, "samples": [sample]})
    assert _import(store, path, TEXTS) == (1, 0)
    assert len(store.texts["sampleUuid1"].question or "") == TEXTS.max_chars + 1
