"""Records acknowledged writes outside the service, on disk, before the next write is sent."""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Count:
    """What became of a kind of things. All but the first two must be zero."""

    acknowledged: int = 0
    unknown: int = 0
    """Sent without an answer, and never sent again: they may be there or not."""
    lost: int = 0
    doubled: int = 0
    halved: int = 0
    """Of unknown ones, in part; and what nobody sent."""

    def __add__(self, other: "Count") -> "Count":
        return Count(
            self.acknowledged + other.acknowledged,
            self.unknown + other.unknown,
            self.lost + other.lost,
            self.doubled + other.doubled,
            self.halved + other.halved,
        )

    @property
    def faults(self) -> int:
        return self.lost + self.doubled + self.halved


def note(file: Path, *words: str | int) -> None:
    """Add a line, which is on the disk when this returns."""
    with file.open("a") as stream:
        stream.write(json.dumps(words) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


@dataclass
class Ledger:
    """The things of one kind, each by its name with how many rows of the store it is."""

    file: Path
    acknowledged: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, name: str, rows: int) -> None:
        note(self.file, "acknowledged", name, rows)
        with self._guard:
            self.acknowledged[name] = rows

    def leave(self, name: str, rows: int) -> None:
        """It was sent, and nobody knows what came of it."""
        note(self.file, "unknown", name, rows)
        with self._guard:
            self.unknown[name] = rows

    def compared(self, found: Mapping[str, int]) -> Count:
        """With how many rows of each name the store holds."""
        with self._guard:
            known, unknown = dict(self.acknowledged), dict(self.unknown)
        count = Count(len(known), len(unknown))
        for name, rows in known.items():
            there = found.get(name, 0)
            count.lost += there < rows
            count.doubled += there > rows
        count.halved = sum(found.get(name, 0) not in (0, rows) for name, rows in unknown.items())
        return count
