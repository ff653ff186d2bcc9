"""Writes files of evaluation results in the formats of other tools, and stores runs in memory."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from backend.formats.file_errors import FileError
from backend.timelines.importers.model import Notes, Options, SkippedItem, Source
from backend.timelines.importers.registry import FORMATS, detect
from backend.timelines.model import Profile, Run, RunTexts
from backend.timelines.validation.run_preparation import PreparedRun


class MemoryStore:
    """Stores profiles and runs; the first run of an id wins."""

    def __init__(self, *profiles: str) -> None:
        self.stored_profiles: dict[str, Profile] = dict.fromkeys(profiles, Profile())
        self.runs: dict[str, PreparedRun] = {}
        self.texts: dict[str, RunTexts] = {}

    def profiles(self) -> Mapping[str, Profile]:
        return self.stored_profiles

    def add_profiles(self, profiles: Mapping[str, Profile]) -> None:
        self.stored_profiles.update(profiles)

    def add(self, runs: Sequence[PreparedRun]) -> tuple[int, int]:
        before = len(self.runs)
        for run in runs:
            self.runs.setdefault(run.run_id, run)
        added = len(self.runs) - before
        return added, len(runs) - added

    def add_texts(self, texts: Mapping[tuple[str, str], RunTexts]) -> None:
        for (_, run_id), value in texts.items():
            self.texts.setdefault(run_id, value)

    def find_owners(self, run_ids: Collection[str]) -> Mapping[str, str]:
        return {run_id: self.runs[run_id].profile for run_id in run_ids if run_id in self.runs}

    def find_ids(self, run_ids: Collection[str]) -> set[str]:
        return set(run_ids) & self.runs.keys()


class Reading:
    """The runs, errors and notes that a format reads from a file."""

    def __init__(self, path: Path, key: str | None = None, **options: Any) -> None:
        self.format = FORMATS[key] if key else detect(path)
        assert self.format is not None
        self.notes = Notes()
        self.found = list(self.format.read(Source(path, Options(**options), self.notes)))
        self.runs = [item.content for item in self.found if isinstance(item.content, Run)]
        self.errors = [
            str(item.content).removeprefix(str(path))
            for item in self.found
            if isinstance(item.content, FileError)
        ]
        self.skipped = [str(item.content) for item in self.found if isinstance(item.content, SkippedItem)]

    @property
    def only(self) -> Run:
        assert (len(self.runs), self.errors) == (1, [])
        return self.runs[0]


def write_lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def own_run(**more: Any) -> dict[str, Any]:
    """Build a run as our own API accepts it."""
    return {
        "run_id": "r1",
        "timestamp": "2026-03-01T10:00:00Z",
        "case_id": "arith/1",
        "profile": "alpha",
        "success": False,
        "total_score": 3,
        "raw_score": 4,
        "max_score": 4,
        "normalized_score": 0.75,
        "deductions": [{"name": "late", "points": 1, "description": "too late"}],
        **more,
    }


INSPECT_HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {
        "eval_id": "evA",
        "run_id": "runA",
        "created": "2026-03-01T10:00:00+00:00",
        "task": "arith",
        "task_id": "taskA",
        "task_version": 0,
        "model": "openai/gpt-4o",
        "solver": "react",
        "dataset": {"name": "arith"},
        "config": {"epochs": 2},
    },
    "plan": {"name": "plan", "steps": []},
    "stats": {"started_at": "2026-03-01T10:00:05+00:00", "completed_at": "2026-03-01T10:09:00+00:00"},
}


def inspect_sample(**more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "epoch": 1,
        "input": "What is 1 + 1?",
        "target": "2",
        "messages": [],
        "output": {"model": "gpt-4o", "choices": []},
        "scores": {"match": {"value": "C", "answer": "2", "explanation": "2 is 2"}},
        "metadata": {},
        "store": {},
        "events": [],
        "model_usage": {"openai/gpt-4o": {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}},
        "started_at": "2026-03-01T10:01:00.250000+00:00",
        "completed_at": "2026-03-01T10:01:09+00:00",
        "uuid": "sampleUuid1",
        **more,
    }


def tool_event(function: str, error: Any = None, **arguments: Any) -> dict[str, Any]:
    return {
        "event": "tool",
        "type": "function",
        "id": "call",
        "function": function,
        "arguments": arguments,
        "result": "",
        **({"error": error} if error else {}),
    }


def write_eval(path: Path, members: Mapping[str, Any], *, zstandard: bool = False) -> Path:
    """Write an ``.eval`` archive; members are JSON values or bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    if zstandard:
        path.write_bytes(_with_zstandard(path))
    return path


def _with_zstandard(path: Path) -> bytes:
    """Rewrite the archive with Zstandard (method 93), which the standard library cannot write."""
    body, directory = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        for name in names:
            raw, encoded_name = archive.read(name), name.encode()
            packed = pa.compress(raw, "zstd", asbytes=True)
            common = struct.pack(
                "<HHHHHIIIHH", 20, 0, 93, 0, 33, zlib.crc32(raw), len(packed), len(raw), len(encoded_name), 0
            )
            place = struct.pack("<HHHII", 0, 0, 0, 0, body.tell())
            directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + common + place + encoded_name)
            body.write(b"PK\x03\x04" + common + encoded_name + packed)
    central_directory = directory.getvalue()
    end = struct.pack("<HHHHIIH", 0, 0, len(names), len(names), len(central_directory), body.tell(), 0)
    return body.getvalue() + central_directory + b"PK\x05\x06" + end
