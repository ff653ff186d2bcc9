"""Imports the runs of files into the store: all of them, or none if there is an error."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from backend.formats.file_errors import FileError, ImportErrors
from backend.timelines.importers.format_detection import FORMATS, detect
from backend.timelines.importers.model import Format, ImportItem, Notes, Options, SkippedItem, Source
from backend.timelines.model import Profile, Run
from backend.timelines.profiles.profile_files import InvalidProfilesError
from backend.timelines.validation.run_validation import PreparedRun, check

BATCH_SIZE = 2_000
"""Runs stored in one transaction."""
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


@dataclass
class FileReport:
    """The result of one file."""

    path: Path
    format: Format
    notes: Notes = field(default_factory=Notes)

    def explain_null_fields(self) -> Iterator[tuple[str, int, str]]:
        """Generate the fields that are null in some runs, with the number of runs and the reason."""
        for name, many in self.notes.null_fields.most_common():
            yield (
                name,
                many,
                self.format.null_reasons.get(name, self.format.null_reasons.get("", "the file does not say")),
            )


@dataclass
class ImportResult(ImportErrors):
    """The result of an import."""

    added: int = 0
    known: int = 0
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
        validation = _Import(store, request, _scale_progress(advance, 0, readings))
        for _ in validation.read(paths):
            pass
        if request.dry_run or validation.imported.errors:
            return validation.imported
    work = _Import(store, request, _scale_progress(advance, readings - 1, readings))
    batch: list[PreparedRun] = []
    for run in work.read(paths):
        batch.append(run)
        if len(batch) >= BATCH_SIZE:
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
        format = FORMATS[self._request.format] if self._request.format else detect(path)
        if format is None:
            known = ", ".join(FORMATS)
            self.imported.add_error(FileError(path, 0, f"has an unknown format; known are ({known})"))
            return
        report, before = FileReport(path, format), self.imported.error_count
        self.imported.files.append(report)
        self._described = format.profiles(path)
        for found in format.read(Source(path, self._request.options, report.notes)):
            if (run := self._validate(report, found)) is not None:
                yield run
            self._advance(path, found.size)
        if not (report.notes.runs or report.notes.skipped or self.imported.error_count > before):
            self.imported.add_error(FileError(path, 0, "holds no run"))

    def store(self, batch: Sequence[PreparedRun]) -> None:
        if self._waiting:
            self._store.add_profiles(self._waiting)
            self._waiting = {}
        added, known = self._store.add(batch)
        self.imported.added += added
        self.imported.known += known

    def _validate(self, report: FileReport, found: ImportItem) -> PreparedRun | None:
        content, notes = found.content, report.notes
        if isinstance(content, FileError):
            self.imported.add_error(content)
            return None
        if isinstance(content, SkippedItem):
            notes.skipped[str(content)] += 1
            return None
        checked = check([content])
        for refusal in checked.refusals:
            message = f"{refusal.field}: {refusal.reason}" if refusal.field else refusal.reason
            place = f"{found.place}: " if found.place else ""
            self.imported.add_error(FileError(report.path, found.line, f"{place}{message}"))
        if not checked.prepared or not self._has_profile(report.path, found, content):
            return None
        notes.runs += 1
        notes.null_fields.update(_find_null_fields(content))
        return checked.prepared[0]

    def _has_profile(self, path: Path, found: ImportItem, run: Run) -> bool:
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
            self.imported.add_error(FileError(path, found.line, message))
        return False


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
