"""Defines import formats, their sources and options, and the items that they read from a file."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from backend.formats.file_errors import WHOLE_FILE, FileError
from backend.timelines.importers.run_texts import TextOptions
from backend.timelines.model import Profile, Run, RunTexts

PLACEHOLDERS = (
    "profile",
    "model",
    "provider",
    "model_vendor",
    "inference_provider",
    "agent",
    "task",
    "prompt",
    "file",
)
"""Placeholders that ``--profile`` accepts in braces; not every format supplies all of them."""
_PLACEHOLDER = re.compile(r"\{(\w*)\}")


class InvalidItemError(ValueError):
    """A run or file cannot be imported. The message names the wrong field, if any, and the reason."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}" if name else reason)


class SkippedItem(ValueError):
    """An item contains no run but is not an error; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Options:
    """Values from the caller that the file may lack.

    ``profile`` is a name, possibly with placeholders. ``at`` is the start of runs without their own time.
    ``texts`` asks for questions, answers and graders' words; without it none is read.
    """

    profile: str | None = None
    at: datetime | None = None
    texts: TextOptions | None = None

    def __post_init__(self) -> None:
        for name in _PLACEHOLDER.findall(self.profile or ""):
            if name not in PLACEHOLDERS:
                placeholders = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
                raise ValueError(f"--profile has no placeholder {{{name}}}. Use one of {placeholders}.")


@dataclass
class Notes:
    """Counts conversions, skipped items and null fields of a file."""

    runs: int = 0
    conversions: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    null_fields: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read, the caller's options, and the notes about it."""

    path: Path
    options: Options
    notes: Notes

    def profile(self, default: str | None, parts: Mapping[str, str | None]) -> str:
        """Return the name of a run's profile: the caller's, else ``default``.

        Raises :class:`InvalidItemError` if there is neither, or if the value of a placeholder is unknown.
        """
        template = self.options.profile
        if template is None:
            if not default:
                raise InvalidItemError("profile", "the file names none; name it with --profile")
            return default
        values = {"file": self.path.stem, "profile": default, **parts}

        def part(match: re.Match[str]) -> str:
            if not (value := values.get(match[1])):
                raise InvalidItemError("profile", f"--profile names {match[0]}, which the file does not say")
            return value

        return _PLACEHOLDER.sub(part, template)

    def file_error(self, reason: object, place: str = "") -> FileError:
        """Build an error that concerns the whole file, or the part that ``place`` names."""
        return FileError(self.path, WHOLE_FILE, str(reason), place)

    def line_error(self, line: int, reason: object) -> FileError:
        """Build an error in a line, counted from 1."""
        return FileError(self.path, line, str(reason))


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One item of a file, with the number of bytes read for it.

    ``line`` counts from 1; it is 0 for an item without a line, which ``place`` names instead. An earlier
    import may have stored the run with ``former_id``. ``span`` is the start and the end of its evaluation, if
    the file has them.
    """

    content: Run | FileError | SkippedItem
    size: int
    line: int = 0
    place: str = ""
    former_id: str = ""
    span: tuple[str | None, str | None] = (None, None)
    texts: RunTexts | None = None


def _load_no_profiles(_path: Path) -> Mapping[str, Profile]:
    return {}


@dataclass(frozen=True)
class Format:
    """A format that runs are imported from.

    ``field_sources`` describes the origin of each field of a run, and ``null_reasons`` the reason for a null.
    ``run_id`` describes how ids are derived, so that a second import adds nothing.
    """

    key: str
    title: str
    run_id: str
    field_sources: Mapping[str, str]
    null_reasons: Mapping[str, str]
    read: Callable[[Source], Iterator[ImportItem]]
    profiles: Callable[[Path], Mapping[str, Profile]] = _load_no_profiles
    """Loads the profiles from the companion file, if there is one."""
