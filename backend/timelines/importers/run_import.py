"""Imports the runs of files into the store: all of them, or none if there is an error."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from backend.formats.file_errors import WHOLE_FILE, FileError, ImportErrors
from backend.formats.timestamps import parse_instant
from backend.timelines.importers.model import Format, ImportItem, Notes, Options, SkippedItem, Source
from backend.timelines.importers.registry import (
    FORMATS,
    detect,
    explain_unknown_format,
    find_file_problem,
)
from backend.timelines.model import SUM_TOLERANCE, Profile, Run, RunTexts
from backend.timelines.profiles.profile_files import InvalidProfilesError
from backend.timelines.validation.run_preparation import PreparedRun, prepare_runs, to_epoch_microseconds

BATCH_SIZE = 2_000
"""Runs stored in one transaction."""
MAX_BATCH_TEXT_CHARS = 16_000_000
"""Length of the texts from which runs are stored at once."""
MAX_EXAMPLES = 5
"""Maximum number of run ids that a report names for one cause."""
Advance = Callable[[Path, int], None]
_NULLABLE = (
    "finished_at",
    "metrics",
    "model",
    "model_vendor",
    "inference_provider",
    "agent",
    "cost_usd",
    "error",
)
_NOT_REPORTED = frozenset({"error"})
"""Fields that are usually null and not reported."""


class Store(Protocol):
    """The store that an import writes to."""

    def profiles(self) -> Mapping[str, Profile]: ...

    def add_profiles(self, profiles: Mapping[str, Profile]) -> None: ...

    def add(self, runs: Sequence[PreparedRun]) -> tuple[int, int]:
        """Store all runs or none; returns the numbers of new and of known runs."""
        ...

    def add_texts(self, texts: Mapping[tuple[str, str], RunTexts]) -> None:
        """Store texts by profile and run id; the first texts of a run stay."""
        ...

    def find_owners(self, run_ids: Collection[str]) -> Mapping[str, str]:
        """Find the profiles of those of ``run_ids`` that are stored."""
        ...

    def find_ids(self, run_ids: Collection[str]) -> set[str]:
        """Return those of ``run_ids`` that are stored."""
        ...


@dataclass
class FileReport:
    """The result of one file."""

    path: Path
    format: Format
    notes: Notes = field(default_factory=Notes)
    contradictions: int = 0
    """Runs whose id has other content earlier in the same file; the first one counts."""
    contradiction_examples: list[str] = field(default_factory=list)

    def explain_null_fields(self) -> Iterator[tuple[str, int, str]]:
        """Generate the fields that are null in some runs, with the number of runs and the reason."""
        for name, run_count in self.notes.null_fields.most_common():
            yield (
                name,
                run_count,
                self.format.null_reasons.get(name, self.format.null_reasons.get("", "the file does not say")),
            )


@dataclass
class ImportResult(ImportErrors):
    """The result of an import."""

    added: int = 0
    known: int = 0
    known_elsewhere: int = 0
    """Runs that are not added because a run of another profile has their id."""
    elsewhere_examples: list[str] = field(default_factory=list)
    files: list[FileReport] = field(default_factory=list)
    new_profiles: dict[str, Profile] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """The number of valid runs."""
        return sum(report.notes.runs for report in self.files)


@dataclass(frozen=True)
class ImportRequest:
    """How to import: ``partial`` stores the valid runs despite errors, ``dry_run`` stores nothing, and
    ``add_profiles`` adds profiles that are not configured."""

    options: Options = field(default_factory=Options)
    format: str | None = None
    partial: bool = False
    dry_run: bool = False
    add_profiles: bool = False


def import_files(
    store: Store,
    paths: Sequence[Path],
    request: ImportRequest,
    *,
    advance: Advance = lambda _path, _bytes: None,
) -> ImportResult:
    """Store the runs of ``paths``; a run with a stored id keeps its first content.

    An error prevents the whole import, unless ``request.partial`` is set. Files are therefore read twice, to
    validate and to store them, so that memory does not limit an import. ``advance`` receives the processed
    bytes over both readings.
    """
    readings = 1 if request.partial or request.dry_run else 2
    if not request.partial or request.dry_run:
        without_texts = replace(request, options=replace(request.options, texts=None))
        validation = _Import(store, without_texts, _scale_progress(advance, 0, readings))
        for _ in validation.read(paths):
            pass
        if request.dry_run or validation.imported.errors:
            return validation.imported
    work = _Import(store, request, _scale_progress(advance, readings - 1, readings))
    batch: list[PreparedRun] = []
    for run in work.read(paths):
        batch.append(run)
        if len(batch) >= BATCH_SIZE or work.text_chars >= MAX_BATCH_TEXT_CHARS:
            work.store(batch)
            batch = []
    if batch:
        work.store(batch)
    return work.imported


def _scale_progress(advance: Advance, reading: int, readings: int) -> Advance:
    """Scale the progress of one reading; the shares of all readings add up to each size."""

    def share(path: Path, size: int) -> None:
        advance(path, size * (reading + 1) // readings - size * reading // readings)

    return share


class _Import:
    """Reads all files once."""

    def __init__(self, store: Store, request: ImportRequest, advance: Advance) -> None:
        self.imported = ImportResult()
        self._store, self._request, self._advance = store, request, advance
        self._known = dict(store.profiles())
        self._unknown: set[str] = set()
        self._waiting: dict[str, Profile] = {}
        self._former_ids: dict[str, str] = {}
        self._texts: dict[tuple[str, str], RunTexts] = {}
        self._places_by_id: dict[int, tuple[int, str]] = {}
        """Hashes of the run ids of a file, each with a hash of the content and the line."""
        self.text_chars = 0
        self._described: Mapping[str, Profile] = {}

    def read(self, paths: Sequence[Path]) -> Iterator[PreparedRun]:
        """Generate the valid runs and record everything else."""
        for path in paths:
            try:
                yield from self._read_file(path)
            except InvalidProfilesError as error:
                for profile_error in error.errors:
                    self.imported.add_error(profile_error)
            except OSError as error:
                self.imported.add_error(FileError(path, 0, f"cannot be read: {error.strerror or error}"))

    def _read_file(self, path: Path) -> Iterator[PreparedRun]:
        if problem := find_file_problem(path):
            self.imported.add_error(FileError(path, WHOLE_FILE, problem))
            return
        format = FORMATS[self._request.format] if self._request.format else detect(path)
        if format is None:
            self.imported.add_error(FileError(path, WHOLE_FILE, explain_unknown_format(path)))
            return
        report, before = FileReport(path, format), self.imported.error_count
        self.imported.files.append(report)
        self._described = format.profiles(path)
        self._places_by_id = {}
        for item in format.read(Source(path, self._request.options, report.notes)):
            if (run := self._validate(report, item)) is not None:
                yield run
            self._advance(path, item.size)
        if not (report.notes.runs or report.notes.skipped or self.imported.error_count > before):
            self.imported.add_error(FileError(path, 0, "holds no run"))

    def store(self, batch: Sequence[PreparedRun]) -> None:
        if self._waiting:
            self._store.add_profiles(self._waiting)
            self._waiting = {}
        stored = self._store.find_ids(self._former_ids.values()) if self._former_ids else set()
        new = [run for run in batch if self._former_ids.get(run.run_id) not in stored]
        self._former_ids = {}
        added, known_count = self._store.add(new)
        if self._texts:
            keys = [(run.profile, run.run_id) for run in new]
            self._store.add_texts({key: self._texts[key] for key in keys if key in self._texts})
            self._texts = {}
            self.text_chars = 0
        elsewhere = self._count_known_elsewhere(new) if known_count else 0
        self.imported.added += added
        self.imported.known_elsewhere += elsewhere
        self.imported.known += known_count - elsewhere + len(batch) - len(new)

    def _count_known_elsewhere(self, runs: Sequence[PreparedRun]) -> int:
        """Count the runs whose id belongs to a run of another profile."""
        owners = self._store.find_owners([run.run_id for run in runs])
        found = [run for run in runs if owners.get(run.run_id, run.profile) != run.profile]
        room = MAX_EXAMPLES - len(self.imported.elsewhere_examples)
        self.imported.elsewhere_examples += [
            f"«{run.run_id}» of «{run.profile}» is a run of «{owners[run.run_id]}»" for run in found[:room]
        ]
        return len(found)

    def _validate(self, report: FileReport, item: ImportItem) -> PreparedRun | None:
        content, notes = item.content, report.notes
        if isinstance(content, FileError):
            self.imported.add_error(content)
            return None
        if isinstance(content, SkippedItem):
            notes.skipped[str(content)] += 1
            return None
        result = prepare_runs([content])
        for error in result.errors:
            message = f"{error.field}: {error.reason}" if error.field else error.reason
            self.imported.add_error(FileError(report.path, item.line, message, item.place))
        if not result.runs or not self._has_score_in_range(report.path, item, content):
            return None
        if self._contradicts_earlier_line(report, item, result.runs[0]):
            return None
        if not self._has_profile(report.path, item, content):
            return None
        if item.former_id not in ("", content.run_id):
            self._former_ids[content.run_id] = item.former_id
        if item.texts is not None:
            self._texts[content.profile or "", content.run_id] = item.texts
            self.text_chars += _count_chars(item.texts)
        notes.runs += 1
        notes.null_fields.update(_find_null_fields(content))
        return _add_evaluation_source(result.runs[0], report.path, item)

    def _has_score_in_range(self, path: Path, item: ImportItem, run: Run) -> bool:
        """True if the raw score is from 0 to the maximum; only bonuses and deductions leave that range."""
        if -SUM_TOLERANCE <= run.raw_score <= run.max_score + SUM_TOLERANCE:
            return True
        message = (
            f"raw_score: must be from 0 to max_score, which is {run.max_score:.10g}, not {run.raw_score:.10g}"
        )
        self.imported.add_error(FileError(path, item.line, message, item.place))
        return False

    def _contradicts_earlier_line(self, report: FileReport, item: ImportItem, run: PreparedRun) -> bool:
        """True if the file has a run with the same id and other content before; it is then reported."""
        content = hash(run.response_json)
        place = item.place or f"line {item.line}"
        first, earlier_place = self._places_by_id.setdefault(hash(run.run_id), (content, place))
        if first == content:
            return False
        report.contradictions += 1
        if len(report.contradiction_examples) < MAX_EXAMPLES:
            report.contradiction_examples.append(f"{place}: «{run.run_id}» as in {earlier_place}")
        return True

    def _has_profile(self, path: Path, item: ImportItem, run: Run) -> bool:
        """True if the run's profile is configured or will be added. Any other profile is reported once."""
        name = run.profile or ""
        if name in self._known:
            return True
        if self._request.add_profiles:
            profile = self._described.get(name) or build_profile(run)
            self._known[name] = self._waiting[name] = self.imported.new_profiles[name] = profile
            return True
        if name not in self._unknown:
            self._unknown.add(name)
            message = (
                f"profile: «{name}» is not configured; add it with «chainproof profiles add», "
                "or all that the files name with --add-profiles"
            )
            self.imported.add_error(FileError(path, item.line, message))
        return False


def _add_evaluation_source(run: PreparedRun, path: Path, item: ImportItem) -> PreparedRun:
    """Add the name of the file, and the times that it has for its evaluation."""
    evaluation = run.evaluation
    if evaluation is None:
        return run
    started_us, finished_us = (
        None if text is None else to_epoch_microseconds(parse_instant(text)) for text in item.span
    )
    # A clock that went backwards gives no end.
    ends = [end for end in (evaluation.finished_us, finished_us) if end is not None and end >= run.started_us]
    name = path.name.encode(errors="replace").decode()
    return run._replace(
        evaluation=evaluation._replace(
            source=name, started_us=started_us, finished_us=max(ends, default=None)
        )
    )


def _count_chars(texts: RunTexts) -> int:
    words = sum(len(grader.words) for grader in texts.graders)
    return len(texts.question or "") + len(texts.answer or "") + words


def build_profile(run: Run) -> Profile:
    """Build the profile from the fields of a run."""
    return Profile(run.provider, run.model, run.model_vendor, run.inference_provider)


def _find_null_fields(run: Run) -> Iterator[str]:
    for name in _NULLABLE:
        if name == "metrics":
            counted = run.metrics
            if counted.read_file_calls is None and counted.write_file_calls is None:
                yield name
        elif name not in _NOT_REPORTED and getattr(run, name) is None:
            yield name
