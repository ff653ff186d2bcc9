"""Inspect AI's logs: ``.eval`` archives and ``.json`` documents, of format versions 1 to 3."""

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from backend.timelines.importers.inspect_samples import Evaluation, Event, Header, Sample
from backend.timelines.importers.inspect_zip import Archive, archive
from backend.timelines.importers.json_reader import document, leniently
from backend.timelines.importers.model import Format, Found, LeftOut, Refused, Source

_HEADERS = ("header.json", "_journal/start.json", "start.json")
"""Where the header stands: of a finished log, of one still being written, and of the oldest."""
_SUMMARIES = "summaries.json"
_WHOLE = re.compile(r"samples/[^/].*\.json")
_IN_PIECES = re.compile(r"(samples/.+_epoch_\d+)/(?:sample|metadata|skeleton|(?:\w+)/\w+)\.json")
_NEWEST = 3
ARCHIVE = b"PK\x03\x04"


class Document(Header):
    samples: list[msgspec.Raw] | None = None


def read(source: Source) -> Iterator[Found]:
    with source.path.open("rb") as file:
        zipped = file.read(len(ARCHIVE)) == ARCHIVE
    try:
        yield from _archived(source) if zipped else _plain(source)
    except Refused as refused:
        yield Found(source.mistake(0, refused), 0)


def _evaluation(source: Source, header: Header) -> Evaluation:
    if header.version > _NEWEST:
        raise Refused("version", f"is {header.version}; logs are known up to version {_NEWEST}")
    return Evaluation(source, header)


def _plain(source: Source) -> Iterator[Found]:
    with document(source.path, Document) as log:
        evaluation = _evaluation(source, log)
        if not log.samples:
            raise Refused("samples", "are not in the log, which holds its header alone")
        size = source.path.stat().st_size // len(log.samples)
        for index, raw in enumerate(log.samples, 1):
            yield _found(source, evaluation, f"sample {index}", raw, size)


def _archived(source: Source) -> Iterator[Found]:
    with archive(source.path) as log:
        header = next((name for name in _HEADERS if name in log.members), None)
        if header is None:
            raise Refused("", "is an archive, but holds no header of an Inspect log")
        evaluation = _evaluation(source, leniently(log.read(header), Header))
        pieces = _pieces(log)
        whole = [name for name in log.members if _WHOLE.fullmatch(name) and not _IN_PIECES.fullmatch(name)]
        for name in whole:
            size = log.members[name].compress_size
            place = name.removeprefix("samples/").removesuffix(".json")
            try:
                content = log.read(name)
            except Refused as refused:
                yield Found(source.mistake(0, refused), size, place=place)
                continue
            yield _found(source, evaluation, place, content, size)
        for prefix, names in pieces.items():
            yield _in_pieces(source, evaluation, log, prefix, names)
        if not whole and not pieces:
            yield from _summaries(source, evaluation, log)


def _pieces(log: Archive) -> dict[str, list[str]]:
    """The members of each sample that is stored in pieces, as large ones are since version 3."""
    found: dict[str, list[str]] = {}
    for name in log.members:
        if (match := _IN_PIECES.fullmatch(name)) and f"{match[1]}/sample.json" in log.members:
            found.setdefault(match[1], []).append(name)
    return found


def _in_pieces(source: Source, evaluation: Evaluation, log: Archive, prefix: str, names: list[str]) -> Found:
    place, size = prefix.removeprefix("samples/"), sum(log.members[name].compress_size for name in names)
    try:
        sample = leniently(log.read(f"{prefix}/sample.json"), Sample)
        texts = _Attachments(log, _chunks(prefix, "attachments", names))
        run = evaluation.run(sample, _events(log, prefix, names), texts.get)
        return Found(run, size, place=place)
    except Refused as refused:
        return Found(source.mistake(0, f"sample {place}: {refused}"), size, place=place)
    except LeftOut as left_out:
        return Found(left_out, size, place=place)


def _events(log: Archive, prefix: str, names: list[str]) -> Iterator[Event]:
    for name in _chunks(prefix, "events", names).values():
        yield from leniently(log.read(name), list[Event])


def _chunks(prefix: str, sequence: str, names: list[str]) -> dict[int, str]:
    """The chunks of a sequence in their order; each is named by the number of its first item."""
    found = {}
    for name in names:
        number = name.removeprefix(f"{prefix}/{sequence}/").removesuffix(".json")
        if number.isascii() and number.isdigit():
            found[int(number)] = name
    return dict(sorted(found.items()))


class _Attachments:
    """Long texts of a sample, by their number; one chunk of them is kept."""

    def __init__(self, log: Archive, chunks: dict[int, str]) -> None:
        self._log, self._chunks = log, chunks
        self._starts = list(chunks)
        self._kept: tuple[int, list[str]] = (-1, [])

    def get(self, reference: str) -> str | None:
        if not reference.isascii() or not reference.isdigit() or not self._starts:
            return None
        number = int(reference[:18])
        start = self._starts[max(0, bisect_right(self._starts, number) - 1)]
        if self._kept[0] != start:
            self._kept = start, leniently(self._log.read(self._chunks[start]), list[str])
        texts = self._kept[1]
        return texts[number - start] if 0 <= number - start < len(texts) else None


def _summaries(source: Source, evaluation: Evaluation, log: Archive) -> Iterator[Found]:
    """The samples' summaries, where their transcripts were left out of the archive."""
    if _SUMMARIES not in log.members:
        raise Refused("samples", "are not in the archive")
    for index, raw in enumerate(leniently(log.read(_SUMMARIES), list[msgspec.Raw]), 1):
        yield _found(source, evaluation, f"summary {index}", raw, 0)


def _found(
    source: Source, evaluation: Evaluation, place: str, content: bytes | msgspec.Raw, size: int
) -> Found:
    try:
        return Found(evaluation.run(leniently(content, Sample)), size, place=place)
    except Refused as refused:
        told = place if place.startswith(("sample", "summary")) else f"sample {place}"
        return Found(source.mistake(0, f"{told}: {refused}"), size, place=place)
    except LeftOut as left_out:
        return Found(left_out, size, place=place)


FORMAT = Format(
    key="inspect",
    title="Inspect log",
    run_id="the sample's uuid; older logs: eval_id:id:epoch",
    mapped={
        "timestamp, finished_at": "started_at, completed_at",
        "case_id": "task/id; epochs are runs of one case",
        "profile": "model, with the solver in brackets where one is named",
        "max_score, raw_score": "1 for each score",
        "deductions": "each score's lost part, by its scorer, with its explanation",
        "success": "every score is C or full",
        "metrics": "counted from tool events: file tools, and shell commands by a heuristic",
        "provider, agent": "inspect_ai, solver",
        "model, inference_provider": "model: what follows the first /, and what precedes it",
        "model_vendor": "by the model's name",
        "cost_usd": "the sum of model_usage.*.total_cost",
        "error, machinery_failure": "the sample's error, or that an operator stopped it",
    },
    nulls={
        "finished_at": "the log has no completed_at",
        "metrics": "no tool was called, or one that reaches files unseen (python, computer)",
        "agent": "no solver is named",
        "cost_usd": "the log holds no cost",
        "model_vendor": "the model's name does not say",
        "inference_provider": "the model's name has no provider before it",
        "error": "the sample ended without one",
    },
    read=read,
)
