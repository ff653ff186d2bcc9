"""Reads the native format: JSON Lines with bodies of ``POST /v1/timelines/{profile}/entries``.

Each run also has the ``profile`` of the URL. A line may hold an array of runs.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from backend.timelines.importers.json_reader import MAX_LINE_BYTES, decode_strictly, read_lines
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, Source
from backend.timelines.model import Profile, Run
from backend.timelines.profiles.profile_files import read_json


def read(source: Source) -> Iterator[ImportItem]:
    for line in read_lines(source.path):
        if line.text == b"":
            continue
        size = line.size
        try:
            if line.text is None:
                raise InvalidItemError("", f"is longer than {MAX_LINE_BYTES:,} bytes; is this JSON Lines?")
            pieces = _split_runs(line.text)
        except InvalidItemError as error:
            yield ImportItem(source.line_error(line.number, error), size, line.number)
            continue
        for location, piece in pieces:
            try:
                yield ImportItem(_decode_run(source, piece), size, line.number, location)
            except InvalidItemError as error:
                message = f"{location}: {error}" if location else error
                yield ImportItem(source.line_error(line.number, message), size, line.number)
            size = 0


def _split_runs(text: bytes) -> list[tuple[str, bytes | msgspec.Raw]]:
    """Split a line into runs with their places. Raises :class:`InvalidItemError`."""
    if not text.startswith(b"["):
        return [("", text)]
    return [(f"run {index}", piece) for index, piece in enumerate(decode_strictly(text, list[msgspec.Raw]))]


def _decode_run(source: Source, piece: bytes | msgspec.Raw) -> Run:
    run = decode_strictly(piece, Run)
    parts = {
        name: getattr(run, name)
        for name in ("model", "provider", "model_vendor", "inference_provider", "agent")
    }
    return msgspec.structs.replace(run, profile=source.profile(run.profile, parts))


def profiles_beside(path: Path) -> Mapping[str, Profile]:
    """Load the profiles in ``runs.profiles.json`` next to ``runs.jsonl``.

    Raises ``ValueError`` if the file is invalid.
    """
    companion = path.with_suffix(".profiles.json")
    return read_json(companion) if companion.is_file() else {}


FORMAT = Format(
    key="chainproof",
    title="Chainproof JSON Lines",
    run_id="the run's own",
    field_sources={
        "every field": "the field of the same name; profiles from FILE.profiles.json, where there is one"
    },
    null_reasons={"": "the file says null or nothing"},
    read=read,
    profiles=profiles_beside,
)
