"""Lists the import formats and detects the format of a file."""

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
from backend.timelines.importers.json_reader import decode_leniently, read_lines, read_member_names
from backend.timelines.importers.model import Format, InvalidItemError

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
_LLMSNARE_FIELDS = frozenset({"driver", "endpoint", "tool_calls", "final_writes", "final_response"})


def detect(path: Path) -> Format | None:
    """Detect the format of a file by its first bytes and its name; None if it is unknown.

    Raises ``OSError`` if the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(inspect_logs.ARCHIVE):
        return FORMATS["inspect"]
    if head.startswith(b"<"):
        return FORMATS["junit"]
    if head.startswith((b"{", b"[")):
        key = _detect_json(path)
        return FORMATS[key] if key else None
    key = _BY_SUFFIX.get(path.suffix.lower())
    return FORMATS[key] if key else None


def _detect_json(path: Path) -> str | None:
    members = read_member_names(path)
    if {"eval", "version"} <= members or {"eval", "samples"} <= members:
        return "inspect"
    if "results" in members:
        harness = members & {"configs", "n-shot", "model_source", "versions", "git_hash"}
        return "lm-eval" if harness else "promptfoo"
    return _detect_line(path)


def _detect_line(path: Path) -> str | None:
    """Detect the format of the first line's run. Other objects count as the native format, whose reader
    reports the error."""
    first = next((line.text for line in read_lines(path) if line.text), b"")
    try:
        run: Any = decode_leniently(first, Any)
    except InvalidItemError:
        return "chainproof" if path.suffix.lower() in (".jsonl", ".ndjson") else None
    if isinstance(run, list):
        run = run[0] if run else {}
    if not isinstance(run, dict):
        return None
    if "doc_id" in run and run.keys() & {"resps", "filtered_resps", "target"}:
        return "lm-eval"
    return "llmsnare" if _is_llmsnare(run) else "chainproof"


def _is_llmsnare(run: dict[str, Any]) -> bool:
    """True if the run has fields that only LLMSnare has, or negative points."""
    if run.keys() & _LLMSNARE_FIELDS:
        return True
    lost = run.get("deductions")
    points = [part.get("points") for part in lost if isinstance(part, dict)] if isinstance(lost, list) else []
    return any(isinstance(one, int | float) and one < 0 for one in points)
