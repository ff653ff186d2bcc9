"""The formats that are known, and which of them a file is in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backend.timelines.importers import (
    aider,
    csv_table,
    inspect_logs,
    junit,
    llmsnare,
    lm_eval,
    native_jsonl,
    promptfoo,
)
from backend.timelines.importers.json_reader import leniently, lines, names_of
from backend.timelines.importers.model import Format, Refused

FORMATS: Mapping[str, Format] = {
    format.key: format
    for format in (
        native_jsonl.FORMAT,
        inspect_logs.FORMAT,
        promptfoo.FORMAT,
        llmsnare.FORMAT,
        aider.FORMAT,
        lm_eval.FORMAT,
        junit.FORMAT,
        csv_table.FORMAT,
    )
}
_BY_SUFFIX = {
    ".eval": "inspect",
    ".yml": "aider",
    ".yaml": "aider",
    ".xml": "junit",
    ".csv": "csv",
    ".tsv": "csv",
}
_OF_LLMSNARE = frozenset({"driver", "endpoint", "tool_calls", "final_writes", "final_response"})


def detect(path: Path) -> Format | None:
    """The format of a file, by its first bytes and its name; null where it is none of ours.

    Raises ``OSError`` where the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(inspect_logs.ARCHIVE):
        return FORMATS["inspect"]
    if head.startswith(b"<"):
        return FORMATS["junit"]
    if head.startswith((b"{", b"[")):
        key = _of_json(path)
        return FORMATS[key] if key else None
    key = _BY_SUFFIX.get(path.suffix.lower())
    return FORMATS[key] if key else None


def _of_json(path: Path) -> str | None:
    members = names_of(path)
    if {"eval", "version"} <= members or {"eval", "samples"} <= members:
        return "inspect"
    if "results" in members:
        harness = members & {"configs", "n-shot", "model_source", "versions", "git_hash"}
        return "lm-eval" if harness else "promptfoo"
    return _of_line(path)


def _of_line(path: Path) -> str | None:
    """The format that the first line's run has. Ours is also that of one that is none, to say why."""
    first = next((line.text for line in lines(path) if line.text), b"")
    try:
        run: Any = leniently(first, Any)
    except Refused:
        return "chainproof" if path.suffix.lower() in (".jsonl", ".ndjson") else None
    if isinstance(run, list):
        run = run[0] if run else {}
    if not isinstance(run, dict):
        return None
    if "doc_id" in run and run.keys() & {"resps", "filtered_resps", "target"}:
        return "lm-eval"
    return "llmsnare" if _is_of_llmsnare(run) else "chainproof"


def _is_of_llmsnare(run: dict[str, Any]) -> bool:
    """By fields that only LLMSnare has, or by points below 0."""
    if run.keys() & _OF_LLMSNARE:
        return True
    lost = run.get("deductions")
    points = [part.get("points") for part in lost if isinstance(part, dict)] if isinstance(lost, list) else []
    return any(isinstance(one, int | float) and one < 0 for one in points)
