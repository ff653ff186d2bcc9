"""Reads logs of Inspect AI: ``.eval`` archives and ``.json`` documents, of format versions 1 to 3."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

import msgspec

from backend.timelines.importers.inspect_samples import Evaluation, Event, Header, Sample
from backend.timelines.importers.inspect_zip import Archive, open_archive
from backend.timelines.importers.json_reader import decode_leniently, open_document
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, SkippedItem, Source
from backend.timelines.importers.run_texts import InspectTexts, read_inspect
from backend.timelines.model import RunTexts

_HEADERS = ("header.json", "_journal/start.json", "start.json")
"""Members with the header: of a finished log, of one still being written, and of the oldest logs."""
_SUMMARIES = "summaries.json"
_WHOLE = re.compile(r"samples/[^/].*\.json")
_IN_PIECES = re.compile(r"(samples/.+_epoch_\d+)/(?:sample|metadata|skeleton|(?:\w+)/\w+)\.json")
_MAX_VERSION = 3
ARCHIVE = b"PK\x03\x04"


class Document(Header):
    samples: list[msgspec.Raw] | None = None


def read(source: Source) -> Iterator[ImportItem]:
    with source.path.open("rb") as file:
        zipped = file.read(len(ARCHIVE)) == ARCHIVE
    try:
        yield from _read_archive(source) if zipped else _read_document(source)
    except InvalidItemError as error:
        yield ImportItem(source.file_error(error), 0)


def _build_evaluation(source: Source, header: Header) -> Evaluation:
    if header.version > _MAX_VERSION:
        raise InvalidItemError("version", f"is {header.version}; logs are known up to version {_MAX_VERSION}")
    return Evaluation(source, header)


def _read_document(source: Source) -> Iterator[ImportItem]:
    with open_document(source.path, Document) as log:
        evaluation = _build_evaluation(source, log)
        if not log.samples:
            raise InvalidItemError("samples", "are not in the log, which holds its header alone")
        size = source.path.stat().st_size // len(log.samples)
        for index, raw in enumerate(log.samples, 1):
            yield _convert_sample(source, evaluation, f"sample {index}", raw, size)


def _read_archive(source: Source) -> Iterator[ImportItem]:
    with open_archive(source.path) as log:
        header = next((name for name in _HEADERS if name in log.members), None)
        if header is None:
            raise InvalidItemError("", "is an archive, but holds no header of an Inspect log")
        evaluation = _build_evaluation(source, decode_leniently(log.read(header), Header))
        pieces = _group_pieces(log)
        sample_files = [
            name for name in log.members if _WHOLE.fullmatch(name) and not _IN_PIECES.fullmatch(name)
        ]
        for name in sample_files:
            size = log.members[name].compress_size
            location = name.removeprefix("samples/").removesuffix(".json")
            try:
                content = log.read(name)
            except InvalidItemError as error:
                yield ImportItem(source.file_error(error), size, place=location)
                continue
            yield _convert_sample(source, evaluation, location, content, size)
        for prefix, names in pieces.items():
            yield _read_pieces(source, evaluation, log, prefix, names)
        if not sample_files and not pieces:
            yield from _read_summaries(source, evaluation, log)


def _group_pieces(log: Archive) -> dict[str, list[str]]:
    """Group the members of samples that are stored in pieces, as large samples are since version 3."""
    pieces_by_sample: dict[str, list[str]] = {}
    for name in log.members:
        if (match := _IN_PIECES.fullmatch(name)) and f"{match[1]}/sample.json" in log.members:
            pieces_by_sample.setdefault(match[1], []).append(name)
    return pieces_by_sample


def _read_pieces(
    source: Source, evaluation: Evaluation, log: Archive, prefix: str, names: list[str]
) -> ImportItem:
    location, size = prefix.removeprefix("samples/"), sum(log.members[name].compress_size for name in names)
    try:
        sample = decode_leniently(log.read(f"{prefix}/sample.json"), Sample)
        texts = _Attachments(log, _list_chunks(prefix, "attachments", names))
        run = evaluation.run(sample, _read_events(log, prefix, names), texts.get)
        said = _read_texts(source, log.read(f"{prefix}/sample.json"), texts.get)
        return ImportItem(run, size, place=location, span=evaluation.span, texts=said)
    except InvalidItemError as error:
        return ImportItem(source.file_error(error, f"sample {location}"), size, place=location)
    except SkippedItem as skipped:
        return ImportItem(skipped, size, place=location)


def _read_events(log: Archive, prefix: str, names: list[str]) -> Iterator[Event]:
    for name in _list_chunks(prefix, "events", names).values():
        yield from decode_leniently(log.read(name), list[Event])


def _list_chunks(prefix: str, sequence: str, names: list[str]) -> dict[int, str]:
    """Return the chunks of a sequence in order; the name of a chunk is the number of its first item."""
    names_by_number = {}
    for name in names:
        number = name.removeprefix(f"{prefix}/{sequence}/").removesuffix(".json")
        if number.isascii() and number.isdigit():
            names_by_number[int(number)] = name
    return dict(sorted(names_by_number.items()))


class _Attachments:
    """Loads the long texts of a sample by number and caches the last chunk."""

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
            self._kept = start, decode_leniently(self._log.read(self._chunks[start]), list[str])
        texts = self._kept[1]
        return texts[number - start] if 0 <= number - start < len(texts) else None


def _read_summaries(source: Source, evaluation: Evaluation, log: Archive) -> Iterator[ImportItem]:
    """Read the summaries of samples whose transcripts are not in the archive."""
    if _SUMMARIES not in log.members:
        raise InvalidItemError("samples", "are not in the archive")
    for index, raw in enumerate(decode_leniently(log.read(_SUMMARIES), list[msgspec.Raw]), 1):
        yield _convert_sample(source, evaluation, f"summary {index}", raw, 0)


def _convert_sample(
    source: Source, evaluation: Evaluation, location: str, content: bytes | msgspec.Raw, size: int
) -> ImportItem:
    try:
        run = evaluation.run(decode_leniently(content, Sample))
        said = _read_texts(source, content)
        return ImportItem(run, size, place=location, span=evaluation.span, texts=said)
    except InvalidItemError as error:
        label = location if location.startswith(("sample", "summary")) else f"sample {location}"
        return ImportItem(source.file_error(error, label), size, place=location)
    except SkippedItem as skipped:
        return ImportItem(skipped, size, place=location)


def _read_texts(
    source: Source, content: bytes | msgspec.Raw, find: Callable[[str], str | None] | None = None
) -> RunTexts | None:
    """Read the texts of a sample if the caller asks for them."""
    options = source.options.texts
    return None if options is None else read_inspect(decode_leniently(content, InspectTexts), options, find)


FORMAT = Format(
    key="inspect",
    title="Inspect log",
    run_id="the sample's uuid; older logs: eval_id:id:epoch",
    field_sources={
        "timestamp, finished_at": "started_at, completed_at; without it, total_time later",
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
        "evaluation_id, suite": "eval_id, task",
        "revision": "the commit, with -dirty where files were changed",
        "config_digest": "generation settings, arguments, and the plan with prompts and tools",
    },
    null_reasons={
        "finished_at": "the log has neither completed_at nor total_time",
        "metrics": "no tool was called, or one that reaches files unseen (python, computer)",
        "agent": "no solver is named",
        "cost_usd": "the log holds no cost",
        "model_vendor": "the model's name does not say",
        "inference_provider": "the model's name has no provider before it",
        "error": "the sample ended without one",
    },
    read=read,
)
