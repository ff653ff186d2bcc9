"""Registers the importers of runs, and detects the format of a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backend.timelines.importers import (
    aider,
    csv_table,
    inspect_ai_logs,
    junit,
    llmsnare,
    lm_eval,
    native_jsonl,
    promptfoo,
)
from backend.timelines.importers.json_reader import (
    CUT_OFF,
    decode_leniently,
    is_cut_off,
    read_lines,
    read_member_names,
)
from backend.timelines.importers.model import Format, InvalidItemError

FORMATS: Mapping[str, Format] = {
    format.key: format
    for format in (
        native_jsonl.FORMAT,
        inspect_ai_logs.FORMAT,
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
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_LLMSNARE_FIELDS = frozenset({"driver", "endpoint", "tool_calls", "final_writes", "final_response"})


def detect(path: Path) -> Format | None:
    """Detect the format of a file by its first bytes and its name; None if it is unknown.

    Raises ``OSError`` if the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(inspect_ai_logs.ZIP_MAGIC):
        return FORMATS["inspect"]
    if head.startswith(b"<"):
        return FORMATS["junit"]
    if head.startswith((b"{", b"[")):
        key = _detect_json(path)
        return FORMATS[key] if key else None
    key = _BY_SUFFIX.get(path.suffix.lower())
    return FORMATS[key] if key else None


def find_file_problem(path: Path) -> str | None:
    """Find the reason why a file of any format cannot hold runs; None if there is none.

    Raises ``OSError`` if the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(len(_LFS_POINTER))
    if not head:
        return "is empty"
    if head == _LFS_POINTER:
        return "is a Git LFS pointer, not the file itself; fetch the file with «git lfs pull»"
    return None


def explain_unknown_format(path: Path) -> str:
    """Explain why :func:`detect` found no format: a JSON document is cut off, or the format is unknown."""
    with path.open("rb") as file:
        is_json = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))
    if is_json and is_cut_off(path):
        return CUT_OFF
    return f"has an unknown format; known are ({', '.join(FORMATS)})"


def _detect_json(path: Path) -> str | None:
    members = read_member_names(path)
    if {"eval", "version"} <= members or {"eval", "samples"} <= members:
        return "inspect"
    if "results" in members:
        harness = members & {"configs", "n-shot", "model_source", "versions", "git_hash"}
        return "lm-eval" if harness or lm_eval.has_task_results(path) else "promptfoo"
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
    deductions = run.get("deductions")
    points = (
        [part.get("points") for part in deductions if isinstance(part, dict)]
        if isinstance(deductions, list)
        else []
    )
    return any(isinstance(value, int | float) and value < 0 for value in points)
