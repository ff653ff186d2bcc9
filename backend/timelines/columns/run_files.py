"""Loads runs from a JSON Lines file, for analysis without a store."""

from pathlib import Path

import msgspec
import pyarrow as pa

from backend.formats.file_errors import FileError
from backend.timelines.columns.run_columns import columns_of
from backend.timelines.model import Profile, Run

_RUN = msgspec.json.Decoder(Run)
_PROFILES = msgspec.json.Decoder(dict[str, Profile])


def load_run_file(path: Path) -> pa.Table:
    """Load the columns of the runs in ``path``: one run on each line, with its ``profile``.

    ``runs.profiles.json`` next to ``runs.jsonl``, if any, provides the fields of the profiles. Of several
    runs with one id the first counts. Raises :class:`ValueError` with the line and the error."""
    runs: dict[str, Run] = {}
    for number, line in enumerate(_read(path).split(b"\n"), 1):
        if line.strip():
            run = _decode_run(path, number, line)
            runs.setdefault(run.run_id, run)
    try:
        return columns_of(runs.values(), _read_companion_profiles(path))
    except ValueError as error:
        raise ValueError(str(FileError(path, 0, f"{error}."))) from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(str(FileError(path, 0, f"cannot be read: {error.strerror}."))) from None


def _decode_run(path: Path, number: int, line: bytes) -> Run:
    try:
        run = _RUN.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(FileError(path, number, f"must be a run: {error}."))) from None
    if run.profile is None:
        raise ValueError(str(FileError(path, number, "must name a profile.")))
    return run


def _read_companion_profiles(path: Path) -> dict[str, Profile]:
    companion = path.with_suffix(".profiles.json")
    if not companion.is_file():
        return {}
    try:
        return _PROFILES.decode(_read(companion))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(FileError(companion, 0, f"must be a file of profiles: {error}."))) from None
