"""Reads logs of the evaluation tool Inspect AI: ``.eval`` archives and ``.json`` files, versions 1 to 3."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

import msgspec

from backend.timelines.importers.inspect_ai_samples import Evaluation, Event, Header, Sample
from backend.timelines.importers.inspect_ai_zip import Archive, open_archive
from backend.timelines.importers.json_reader import decode_leniently, open_document
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, SkippedItem, Source
from backend.timelines.importers.run_texts import InspectTexts, read_inspect
from backend.timelines.model import RunTexts

_HEADERS = ("header.json", "_journal/start.json", "start.json")
"""Members with the header: of a finished log, of one still being written, and of the oldest logs."""
_SUMMARIES = "summaries.json"
_WHOLE_SAMPLE_PATTERN = re.compile(r"samples/[^/].*\.json")
_SPLIT_SAMPLE_PATTERN = re.compile(r"(samples/.+_epoch_\d+)/(?:sample|metadata|skeleton|(?:\w+)/\w+)\.json")
_MAX_VERSION = 3
ZIP_MAGIC = b"PK\x03\x04"


class JsonLog(Header):
    samples: list[msgspec.Raw] | None = None


def read(source: Source) -> Iterator[ImportItem]:
    with source.path.open("rb") as file:
        zipped = file.read(len(ZIP_MAGIC)) == ZIP_MAGIC
    try:
        yield from _read_archive(source) if zipped else _read_document(source)
    except InvalidItemError as error:
        yield ImportItem(source.file_error(error), 0)


def _build_evaluation(source: Source, header: Header) -> Evaluation:
    if header.version > _MAX_VERSION:
        raise InvalidItemError(
            "version", f"is {header.version}; only versions up to {_MAX_VERSION} are supported"
        )
    return Evaluation(source, header)


def _read_document(source: Source) -> Iterator[ImportItem]:
    with open_document(source.path, JsonLog) as log:
        evaluation = _build_evaluation(source, log)
        if not log.samples:
            raise InvalidItemError("samples", "are not in the log, which holds its header alone")
        size = source.path.stat().st_size // len(log.samples)
        for index, raw in enumerate(log.samples, 1):
            yield _convert_sample(source, evaluation, f"sample {index}", raw, size)


def _read_archive(source: Source) -> Iterator[ImportItem]:
    with open_archive(source.path) as archive:
        header = next((name for name in _HEADERS if name in archive.members), None)
        if header is None:
            raise InvalidItemError("", "is an archive, but holds no header of an Inspect log")
        evaluation = _build_evaluation(source, decode_leniently(archive.read(header), Header))
        split_samples = _group_split_samples(archive)
        sample_files = [
            name
            for name in archive.members
            if _WHOLE_SAMPLE_PATTERN.fullmatch(name) and not _SPLIT_SAMPLE_PATTERN.fullmatch(name)
        ]
        for name in sample_files:
            size = archive.members[name].compress_size
            location = name.removeprefix("samples/").removesuffix(".json")
            try:
                content = archive.read(name)
            except InvalidItemError as error:
                yield ImportItem(source.file_error(error), size, place=location)
                continue
            yield _convert_sample(source, evaluation, location, content, size)
        for prefix, names in split_samples.items():
            yield _read_split_sample(source, evaluation, archive, prefix, names)
        if not sample_files and not split_samples:
            yield from _read_summaries(source, evaluation, archive)


def _group_split_samples(archive: Archive) -> dict[str, list[str]]:
    """Group the members of split samples by sample. Since version 3, Inspect splits large samples."""
    members_by_sample: dict[str, list[str]] = {}
    for name in archive.members:
        if (match := _SPLIT_SAMPLE_PATTERN.fullmatch(name)) and f"{match[1]}/sample.json" in archive.members:
            members_by_sample.setdefault(match[1], []).append(name)
    return members_by_sample


def _read_split_sample(
    source: Source, evaluation: Evaluation, archive: Archive, prefix: str, names: list[str]
) -> ImportItem:
    location, size = (
        prefix.removeprefix("samples/"),
        sum(archive.members[name].compress_size for name in names),
    )
    try:
        sample = decode_leniently(archive.read(f"{prefix}/sample.json"), Sample)
        attachments = _Attachments(archive, _list_chunks(prefix, "attachments", names))
        run = evaluation.build_run(sample, _read_events(archive, prefix, names), attachments.get)
        run_texts = _read_texts(source, archive.read(f"{prefix}/sample.json"), attachments.get)
        return ImportItem(run, size, place=location, span=evaluation.span, texts=run_texts)
    except InvalidItemError as error:
        return ImportItem(source.file_error(error, f"sample {location}"), size, place=location)
    except SkippedItem as skipped:
        return ImportItem(skipped, size, place=location)


def _read_events(archive: Archive, prefix: str, names: list[str]) -> Iterator[Event]:
    for name in _list_chunks(prefix, "events", names).values():
        yield from decode_leniently(archive.read(name), list[Event])


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

    def __init__(self, archive: Archive, chunks: dict[int, str]) -> None:
        self._archive, self._chunks = archive, chunks
        self._starts = list(chunks)
        self._kept: tuple[int, list[str]] = (-1, [])

    def get(self, reference: str) -> str | None:
        if not reference.isascii() or not reference.isdigit() or not self._starts:
            return None
        number = int(reference[:18])
        start = self._starts[max(0, bisect_right(self._starts, number) - 1)]
        if self._kept[0] != start:
            self._kept = start, decode_leniently(self._archive.read(self._chunks[start]), list[str])
        texts = self._kept[1]
        return texts[number - start] if 0 <= number - start < len(texts) else None


def _read_summaries(source: Source, evaluation: Evaluation, archive: Archive) -> Iterator[ImportItem]:
    """Read the summaries of samples whose transcripts are not in the archive."""
    if _SUMMARIES not in archive.members:
        raise InvalidItemError("samples", "are not in the archive")
    for index, raw in enumerate(decode_leniently(archive.read(_SUMMARIES), list[msgspec.Raw]), 1):
        yield _convert_sample(source, evaluation, f"summary {index}", raw, 0)


def _convert_sample(
    source: Source, evaluation: Evaluation, location: str, content: bytes | msgspec.Raw, size: int
) -> ImportItem:
    try:
        run = evaluation.build_run(decode_leniently(content, Sample))
        run_texts = _read_texts(source, content)
        return ImportItem(run, size, place=location, span=evaluation.span, texts=run_texts)
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
        "timestamp, finished_at": "started_at, completed_at; if the latter is missing, plus total_time",
        "case_id": "task/id; epochs are runs of one case",
        "profile": "model, with the solver in brackets where one is named",
        "max_score, raw_score": "each score counts at most 1",
        "deductions": "the points each scorer took off, with its explanation",
        "success": "every score is C (correct) or the maximum",
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
        "metrics": "no tool was called, or one whose file access cannot be counted (python, computer)",
        "agent": "no solver is named",
        "cost_usd": "the log holds no cost",
        "model_vendor": "the model's name does not say",
        "inference_provider": "the model's name has no provider before it",
        "error": "the sample ended without one",
    },
    read=read,
)
