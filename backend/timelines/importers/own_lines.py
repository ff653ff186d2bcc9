"""Our own format: JSON Lines whose lines are bodies of ``POST /v1/timelines/{profile}/entries``, with the
``profile`` that the address would name. A line may hold an array of runs too."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from backend.timelines.importers.json_pieces import LONGEST_LINE, lines, strictly
from backend.timelines.importers.model import Format, Found, Refused, Source
from backend.timelines.model import Profile, Run


def read(source: Source) -> Iterator[Found]:
    for line in lines(source.path):
        if line.text is None:
            reason = f"is longer than {LONGEST_LINE:,} bytes; is this JSON Lines?"
            yield Found(source.mistake(line.number, reason), line.size, line.number)
            continue
        if not line.text:
            continue
        size = line.size
        for place, piece in _pieces(line.text):
            try:
                yield Found(_run(source, piece), size, line.number, place)
            except Refused as refused:
                told = f"{place}: {refused}" if place else refused
                yield Found(source.mistake(line.number, told), size, line.number)
            size = 0


def _pieces(text: bytes) -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    if not text.startswith(b"["):
        yield "", text
        return
    try:
        pieces = strictly(text, list[msgspec.Raw])
    except Refused:
        yield "", text  # where it is refused once more, with its line
        return
    yield from ((f"run {index}", piece) for index, piece in enumerate(pieces))


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
    if not beside.is_file():
        return {}
    try:
        return strictly(beside.read_bytes(), dict[str, Profile])
    except Refused as refused:
        raise ValueError(f"{beside}: {refused}") from None


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
