"""Records acknowledged writes outside the service, on disk, before the next write is sent."""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Count:
    """The results for one kind of write. All except the first two must be zero."""

    acknowledged: int = 0
    unknown: int = 0
    """Sent once without a response: they may be stored or not."""
    lost: int = 0
    doubled: int = 0
    halved: int = 0
    """Unknown writes that are stored in part, and rows that nobody sent."""

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
    """Append a line and sync it to disk."""
    with file.open("a") as stream:
        stream.write(json.dumps(words) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


@dataclass
class Ledger:
    """The writes of one kind: the number of rows by name."""

    file: Path
    acknowledged: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, name: str, rows: int) -> None:
        note(self.file, "acknowledged", name, rows)
        with self._guard:
            self.acknowledged[name] = rows

    def record_unknown(self, name: str, rows: int) -> None:
        """Record a write whose result is unknown."""
        note(self.file, "unknown", name, rows)
        with self._guard:
            self.unknown[name] = rows

    def compare(self, found: Mapping[str, int]) -> Count:
        """Compare with the number of stored rows by name."""
        with self._guard:
            acknowledged, unknown = dict(self.acknowledged), dict(self.unknown)
        count = Count(len(acknowledged), len(unknown))
        for name, rows in acknowledged.items():
            stored = found.get(name, 0)
            count.lost += stored < rows
            count.doubled += stored > rows
        count.halved = sum(found.get(name, 0) not in (0, rows) for name, rows in unknown.items())
        return count
