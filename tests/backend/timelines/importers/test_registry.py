"""The format of a file is detected from its content."""

from pathlib import Path
from typing import Any

import pytest

from backend.cli.runs.import_runs import FormatName
from backend.timelines.importers import json_reader
from backend.timelines.importers.registry import FORMATS, detect
from backend.timelines.model import Run
from tests.support.runs.run_files import (
    INSPECT_HEADER,
    inspect_sample,
    own_run,
    write_eval,
    write_json,
    write_lines,
)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", own_run(), "chainproof"),
        ("a.json", [own_run()], "chainproof"),
        ("a.json", {**INSPECT_HEADER, "samples": [inspect_sample()]}, "inspect"),
        ("a.json", {"results": {"version": 3, "results": []}, "evalId": "e"}, "promptfoo"),
        ("a.json", {"results": {"gsm8k": {}}, "configs": {}, "versions": {}}, "lm-eval"),
        ("a.json", {"results": {"gsm8k": {"exact_match,none": 0.5, "alias": "gsm8k"}}}, "lm-eval"),
        ("a.json", {"results": {"piqa": {"acc": 0.5, "acc_stderr": 0.1}}}, "lm-eval"),
        ("a.json", {"results": {"stats": {"successes": 3}, "table": {"head": {}}}}, "promptfoo"),
        ("a.jsonl", {"doc_id": 0, "doc": {}, "target": "x", "resps": []}, "lm-eval"),
        ("a.jsonl", own_run(tool_calls=[]), "llmsnare"),
        ("a.jsonl", own_run(deductions=[{"name": "H", "points": -5}]), "llmsnare"),
        ("a.jsonl", {"anything": 1}, "chainproof"),
        ("a.json", 5, None),
    ],
)
def test_json_formats_are_detected_by_their_members(
    tmp_path: Path, name: str, content: Any, expected: str | None
) -> None:
    found = detect(write_json(tmp_path / name, content))
    assert (found and found.key) == expected


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.xml", "\ufeff  <?xml version='1.0'?><testsuite/>", "junit"),
        ("a", "<testsuites/>", "junit"),
        ("polyglot.yml", "- dirname: x", "aider"),
        ("a.csv", "run_id,case_id", "csv"),
        ("a.jsonl", "{broken", "chainproof"),
        ("a.json", "{broken", None),
        ("a.bin", "something", None),
        ("a.dat", "", None),
    ],
)
def test_other_formats_are_detected_by_first_bytes_or_name(
    tmp_path: Path, name: str, content: str, expected: str | None
) -> None:
    (tmp_path / name).write_text(content)
    found = detect(tmp_path / name)
    assert (found and found.key) == expected


def test_an_archive_and_json_lines_are_detected(tmp_path: Path) -> None:
    archive = detect(write_eval(tmp_path / "renamed.bin", {"header.json": INSPECT_HEADER}))
    assert archive is FORMATS["inspect"]
    assert detect(write_lines(tmp_path / "a", own_run(), own_run())) is FORMATS["chainproof"]


def test_json_lines_are_not_scanned_for_invalid_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(json_reader, "_mask")
    path = write_lines(tmp_path / "a.jsonl", own_run(error="\U0001f600"), own_run())
    assert b"\\ud83d" in path.read_bytes()
    assert detect(path) is FORMATS["chainproof"]


def test_the_command_offers_every_format() -> None:
    assert {name.value for name in FormatName} == set(FORMATS)


@pytest.mark.parametrize("key", FORMATS)
def test_a_format_describes_only_existing_fields(key: str) -> None:
    known_fields = {*Run.__struct_encode_fields__, "", "every field", "profiles"}
    described_fields = {
        part
        for fields in (*FORMATS[key].field_sources, *FORMATS[key].null_reasons)
        for part in fields.split(", ")
    }
    assert described_fields <= known_fields
