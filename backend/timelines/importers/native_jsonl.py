"""Our own format: JSON Lines whose lines are bodies of ``POST /v1/timelines/{profile}/entries``, with the
``profile`` that the address would name. A line may hold an array of runs too."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from backend.timelines.importers.json_reader import LONGEST_LINE, lines, strictly
from backend.timelines.importers.model import Format, Found, Refused, Source
from backend.timelines.model import Profile, Run
from backend.timelines.profiles.profile_files import read_json


def read(source: Source) -> Iterator[Found]:
    for line in lines(source.path):
        if line.text == b"":
            continue
        size = line.size
        try:
            if line.text is None:
                raise Refused("", f"is longer than {LONGEST_LINE:,} bytes; is this JSON Lines?")
            pieces = _pieces(line.text)
        except Refused as refused:
            yield Found(source.mistake(line.number, refused), size, line.number)
            continue
        for place, piece in pieces:
            try:
                yield Found(_run(source, piece), size, line.number, place)
            except Refused as refused:
                told = f"{place}: {refused}" if place else refused
                yield Found(source.mistake(line.number, told), size, line.number)
            size = 0


def _pieces(text: bytes) -> list[tuple[str, bytes | msgspec.Raw]]:
    """The runs of a line with their places in it. Raises :class:`Refused`."""
    if not text.startswith(b"["):
        return [("", text)]
    return [(f"run {index}", piece) for index, piece in enumerate(strictly(text, list[msgspec.Raw]))]


def _run(source: Source, piece: bytes | msgspec.Raw) -> Run:
    run = strictly(piece, Run)
    parts = {
        name: getattr(run, name)
        for name in ("model", "provider", "model_vendor", "inference_provider", "agent")
    }
    return msgspec.structs.replace(run, profile=source.profile(run.profile, parts))


def profiles_beside(path: Path) -> Mapping[str, Profile]:
    """What ``runs.profiles.json`` beside ``runs.jsonl`` says of the profiles.

    Raises ``ValueError`` where it is wrong.
    """
    beside = path.with_suffix(".profiles.json")
    return read_json(beside) if beside.is_file() else {}


FORMAT = Format(
    key="chainproof",
    title="Chainproof JSON Lines",
    run_id="the run's own",
    mapped={
        "every field": "the field of the same name; profiles from FILE.profiles.json, where there is one"
    },
    nulls={"": "the file says null or nothing"},
    read=read,
    profiles=profiles_beside,
)
