"""Runs of files brought into the store: all of them, or none where something is wrong."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from backend.formats.file_errors import FileMistake, ImportErrors
from backend.timelines.importers.format_detection import FORMATS, detect
from backend.timelines.importers.model import Format, Found, LeftOut, Notes, Options, Source
from backend.timelines.model import Profile, Run
from backend.timelines.profiles.profile_files import InvalidProfilesError
from backend.timelines.validation.run_validation import PreparedRun, check

BATCH = 2_000
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
_NOT_TOLD = frozenset({"error"})
"""Fields whose null is the ordinary case."""


class Store(Protocol):
    """What an import asks of a store."""

    def profiles(self) -> Mapping[str, Profile]: ...

    def add_profiles(self, profiles: Mapping[str, Profile]) -> None: ...

    def add(self, runs: Sequence[PreparedRun]) -> tuple[int, int]:
        """How many were new, and how many known; all of them are stored when this returns, or none."""
        ...


@dataclass
class FileReport:
    """What became of one file."""

    path: Path
    format: Format
    notes: Notes = field(default_factory=Notes)

    def left_null(self) -> Iterator[tuple[str, int, str]]:
        """Fields that are null in some of the runs, in how many, and why."""
        for name, many in self.notes.left_null.most_common():
            yield name, many, self.format.nulls.get(name, self.format.nulls.get("", "the file does not say"))


@dataclass
class Imported(ImportErrors):
    """What came of an import."""

    added: int = 0
    known: int = 0
    files: list[FileReport] = field(default_factory=list)
    new_profiles: dict[str, Profile] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """Runs that are right."""
        return sum(report.notes.runs for report in self.files)


@dataclass(frozen=True)
class Wish:
    """How to import: ``partial`` keeps what is right, ``dry_run`` stores nothing, ``add_profiles`` adds the
    profiles that are not configured."""

    options: Options = field(default_factory=Options)
    format: str | None = None
    partial: bool = False
    dry_run: bool = False
    add_profiles: bool = False


def import_files(
    store: Store, paths: Sequence[Path], wish: Wish, *, advance: Advance = lambda _path, _bytes: None
) -> Imported:
    """Store the runs of ``paths``; a run whose id is stored keeps its first content.

    Where anything is wrong nothing is stored, unless ``wish.partial``. So files are read once to judge them
    and once more to store them: no import is too large for the memory. ``advance`` is told the bytes as
    they are done, over both readings.
    """
    readings = 1 if wish.partial or wish.dry_run else 2
    if not wish.partial or wish.dry_run:
        judged = _Import(store, wish, _halved(advance, 0, readings))
        for _ in judged.read(paths):
            pass
        if wish.dry_run or judged.imported.mistakes:
            return judged.imported
    work = _Import(store, wish, _halved(advance, readings - 1, readings))
    batch: list[PreparedRun] = []
    for run in work.read(paths):
        batch.append(run)
        if len(batch) >= BATCH:
            work.store(batch)
            batch = []
    if batch:
        work.store(batch)
    return work.imported


def _halved(advance: Advance, reading: int, readings: int) -> Advance:
    """A reading's share of the bytes; the shares of all readings add up to each size."""

    def share(path: Path, size: int) -> None:
        advance(path, size * (reading + 1) // readings - size * reading // readings)

    return share


class _Import:
    """One reading of all files."""

    def __init__(self, store: Store, wish: Wish, advance: Advance) -> None:
        self.imported = Imported()
        self._store, self._wish, self._advance = store, wish, advance
        self._known = dict(store.profiles())
        self._unknown: set[str] = set()
        self._waiting: dict[str, Profile] = {}
        self._described: Mapping[str, Profile] = {}

    def read(self, paths: Sequence[Path]) -> Iterator[PreparedRun]:
        """The runs that are right; everything else is noted."""
        for path in paths:
            try:
                yield from self._of_file(path)
            except InvalidProfilesError as refused:
                for mistake in refused.mistakes:
                    self.imported.add_mistake(mistake)
            except OSError as error:
                self.imported.add_mistake(FileMistake(path, 0, f"cannot be read: {error.strerror or error}"))

    def _of_file(self, path: Path) -> Iterator[PreparedRun]:
        format = FORMATS[self._wish.format] if self._wish.format else detect(path)
        if format is None:
            known = ", ".join(FORMATS)
            self.imported.add_mistake(FileMistake(path, 0, f"is in no format that is known ({known})"))
            return
        report, before = FileReport(path, format), self.imported.mistake_count
        self.imported.files.append(report)
        self._described = format.profiles(path)
        for found in format.read(Source(path, self._wish.options, report.notes)):
            if (run := self._judged(report, found)) is not None:
                yield run
            self._advance(path, found.size)
        if not (report.notes.runs or report.notes.left_out or self.imported.mistake_count > before):
            self.imported.add_mistake(FileMistake(path, 0, "holds no run"))

    def store(self, batch: Sequence[PreparedRun]) -> None:
        if self._waiting:
            self._store.add_profiles(self._waiting)
            self._waiting = {}
        added, known = self._store.add(batch)
        self.imported.added += added
        self.imported.known += known

    def _judged(self, report: FileReport, found: Found) -> PreparedRun | None:
        what, notes = found.what, report.notes
        if isinstance(what, FileMistake):
            self.imported.add_mistake(what)
            return None
        if isinstance(what, LeftOut):
            notes.left_out[str(what)] += 1
            return None
        checked = check([what])
        for refusal in checked.refusals:
            told = f"{refusal.field}: {refusal.reason}" if refusal.field else refusal.reason
            place = f"{found.place}: " if found.place else ""
            self.imported.add_mistake(FileMistake(report.path, found.line, f"{place}{told}"))
        if not checked.prepared or not self._has_profile(report.path, found, what):
            return None
        notes.runs += 1
        notes.left_null.update(_null_in(what))
        return checked.prepared[0]

    def _has_profile(self, path: Path, found: Found, run: Run) -> bool:
        """Whether the run's profile is configured, or is to be added. Each other one is told of once."""
        name = run.profile or ""
        if name in self._known:
            return True
        if self._wish.add_profiles:
            profile = self._described.get(name) or made_with(run)
            self._known[name] = self._waiting[name] = self.imported.new_profiles[name] = profile
            return True
        if name not in self._unknown:
            self._unknown.add(name)
            told = (
                f"profile: «{name}» is not configured; add it with «chainproof profiles add», "
                "or all that the files name with --add-profiles"
            )
            self.imported.add_mistake(FileMistake(path, found.line, told))
        return False


def made_with(run: Run) -> Profile:
    """The profile that a run itself describes."""
    return Profile(run.provider, run.model, run.model_vendor, run.inference_provider)


def _null_in(run: Run) -> Iterator[str]:
    for name in _NULLABLE:
        if name == "metrics":
            counted = run.metrics
            if counted.read_file_calls is None and counted.write_file_calls is None:
                yield name
        elif name not in _NOT_TOLD and getattr(run, name) is None:
            yield name
