"""What a format is, and what it finds in a file."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from backend.formats.file_errors import FileMistake
from backend.timelines.model import Profile, Run

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
"""What a ``--profile`` may name in braces; not every format says all of them."""
_PLACEHOLDER = re.compile(r"\{(\w*)\}")


class Refused(ValueError):
    """A run that cannot be taken: the field that is wrong, and why, as the rest of a sentence."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}" if name else reason)


class LeftOut(ValueError):
    """What holds no run and is no mistake either; the message says why."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller knows and the file may not.

    ``profile`` is a name, or one with placeholders; ``at`` is when runs began that say no time themselves.
    """

    profile: str | None = None
    at: datetime | None = None

    def __post_init__(self) -> None:
        for name in _PLACEHOLDER.findall(self.profile or ""):
            if name not in PLACEHOLDERS:
                known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
                raise ValueError(f"--profile knows no {{{name}}}; it may name {known}.")


@dataclass
class Notes:
    """What became of a file's content, counted."""

    runs: int = 0
    converted: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    left_null: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read, and where to note what is done with it."""

    path: Path
    options: Options
    notes: Notes

    def profile(self, default: str | None, parts: Mapping[str, str | None]) -> str:
        """The name of a run's profile: what the caller says, else ``default``.

        Raises :class:`Refused` where neither says one, or a placeholder's part is unknown.
        """
        template = self.options.profile
        if template is None:
            if not default:
                raise Refused("profile", "the file names none; name it with --profile")
            return default
        known = {"file": self.path.stem, "profile": default, **parts}

        def part(match: re.Match[str]) -> str:
            if not (found := known.get(match[1])):
                raise Refused("profile", f"--profile names {match[0]}, which the file does not say")
            return found

        return _PLACEHOLDER.sub(part, template)

    def mistake(self, line: int, reason: object) -> FileMistake:
        return FileMistake(self.path, line, str(reason))


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a file holds, and how many of its bytes were read for it.

    ``line`` counts from 1, and is 0 where ``place`` names what has no line of its own.
    """

    what: Run | FileMistake | LeftOut
    size: int
    line: int = 0
    place: str = ""


def _no_profiles(_path: Path) -> Mapping[str, Profile]:
    return {}


@dataclass(frozen=True)
class Format:
    """A format that runs are imported from.

    ``mapped`` says for each of our fields what it comes from, ``nulls`` why a field is null when it is,
    ``run_id`` by which rule ids are made, so that importing again adds nothing.
    """

    key: str
    title: str
    run_id: str
    mapped: Mapping[str, str]
    nulls: Mapping[str, str]
    read: Callable[[Source], Iterator[Found]]
    profiles: Callable[[Path], Mapping[str, Profile]] = _no_profiles
    """The profiles that a file beside this one describes."""
