"""Runs out of a file of JSON Lines, for looking at them without a store."""

from pathlib import Path

import msgspec
import pyarrow as pa

from backend.file_mistakes import FileMistake
from backend.timelines.model import Profile, Run
from backend.timelines.run_columns import columns_of

_RUN = msgspec.json.Decoder(Run)
_PROFILES = msgspec.json.Decoder(dict[str, Profile])


def columns_of_file(path: Path) -> pa.Table:
    """The columns of the runs in ``path``, one a line, each with its ``profile``.

    ``runs.profiles.json`` beside ``runs.jsonl`` tells what its profiles are made with, where there is one.
    Raises :class:`ValueError` that names the line and what is wrong with it, and :class:`OSError`.
    """
    runs, seen = [], set[str]()
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            run = _run(path, number, line)
            if run.run_id in seen:
                continue
            seen.add(run.run_id)
            runs.append(run)
    try:
        return columns_of(runs, _profiles_beside(path))
    except ValueError as error:
        raise ValueError(str(FileMistake(path, 0, f"{error}."))) from None


def _run(path: Path, number: int, line: bytes) -> Run:
    try:
        run = _RUN.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(FileMistake(path, number, f"is no run: {error}."))) from None
    if run.profile is None:
        raise ValueError(str(FileMistake(path, number, "has no profile.")))
    return run


def _profiles_beside(path: Path) -> dict[str, Profile]:
    beside = path.with_suffix(".profiles.json")
    if not beside.is_file():
        return {}
    try:
        return _PROFILES.decode(beside.read_bytes())
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(FileMistake(beside, 0, f"is no file of profiles: {error}."))) from None
