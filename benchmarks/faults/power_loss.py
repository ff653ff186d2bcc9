"""Simulates the disk after a power failure from a log of all writes and syncs (see ``power.c``).

The model, for each file: what was written before a sync that ended well is there. Of the later writes, each
page of 4 KiB has reached the disk up to some one of them, or none, and a page in ten is torn between its
sectors of 512 bytes; the size of the file is that after some later write, or none. Names (of files that were
made, renamed, linked or deleted) are there in their order up to some point: at the least up to the last one
that a sync of its folder covers, or for a file that was made, a sync of that file.
"""

import os
import random
import shutil
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HEADER = struct.Struct("<QQQIc3x")
PAGE, SECTOR = 4096, 512
TORN = 0.1
NAMES = b"CRLUMD"


@dataclass(frozen=True, slots=True)
class Record:
    kind: bytes
    inode: int
    offset: int
    token: int
    payload: bytes

    @property
    def names(self) -> list[str]:
        return [os.fsdecode(name) for name in self.payload.split(b"\0")]


def records_of(log: Path) -> Iterator[Record]:
    data = memoryview(log.read_bytes())
    at = 0
    while at + HEADER.size <= len(data):
        inode, offset, token, length, kind = HEADER.unpack_from(data, at)
        at += HEADER.size
        if at + length > len(data):  # killed within a record
            return
        yield Record(kind, inode, offset, token, bytes(data[at : at + length]))
        at += length


@dataclass
class File:
    """One file, whatever it is called."""

    content: bytearray = field(default_factory=bytearray)
    """As of the last sync that ended well."""
    pending: list[tuple[int, Record]] = field(default_factory=list)
    """What was done since, each with its place in the log."""

    def sync(self, before: int) -> None:
        self.pending, done = (
            [item for item in self.pending if item[0] >= before],
            [item for item in self.pending if item[0] < before],
        )
        for _, record in done:
            apply(self.content, record)

    def after_loss(self, rng: random.Random) -> bytearray:
        if not self.pending:
            return self.content
        survived = bytearray(self.content)
        size = len(survived)
        states = [len(survived)]
        for _, record in self.pending:
            size = size_after(size, record)
            states.append(size)
        changed: defaultdict[int, list[Record]] = defaultdict(list)
        for _, record in self.pending:
            for page in touched(record, max(states)):
                changed[page].append(record)
        result = bytearray(rng.choice(states))
        result[: len(survived)] = survived[: len(result)]
        kept_share = rng.choice((0.0, 0.5, 1.0))
        for page, records in changed.items():
            self._place(result, page, records, rng, kept_share)
        return result

    def _place(
        self, result: bytearray, page: int, page_records: list[Record], rng: random.Random, kept_share: float
    ) -> None:
        """Put what came of a page into what the file is."""
        begin, end = page * PAGE, (page + 1) * PAGE
        if begin >= len(result):
            return
        step = SECTOR if rng.random() < TORN else PAGE
        for at in range(begin, end, step):
            kept_count = len(page_records) if rng.random() < kept_share else rng.randint(0, len(page_records))
            piece = bytearray(self.content[at : at + step].ljust(step, b"\0"))
            for record in page_records[:kept_count]:
                overlay(piece, at, record)
            result[at : at + step] = piece[: max(0, min(step, len(result) - at))]


def apply(content: bytearray, record: Record) -> None:
    size = size_after(len(content), record)
    if size > len(content):
        content.extend(bytes(size - len(content)))
    if record.kind == b"W":
        content[record.offset : record.offset + len(record.payload)] = record.payload
    elif record.kind == b"T":
        del content[size:]


def size_after(size: int, record: Record) -> int:
    if record.kind == b"T":
        return record.offset
    return max(size, record.offset + len(record.payload))


def touched(record: Record, end: int) -> range:
    """The pages that a record changes; cutting a file changes all behind the cut."""
    if record.kind == b"W":
        return range(record.offset // PAGE, -(-(record.offset + len(record.payload)) // PAGE))
    return range(record.offset // PAGE, -(-end // PAGE)) if record.kind == b"T" else range(0)


def overlay(piece: bytearray, at: int, record: Record) -> None:
    """Change the part of a file that begins at ``at``."""
    if record.kind == b"T":
        keep = max(0, record.offset - at)
        piece[keep:] = bytes(max(0, len(piece) - keep))
        return
    begin, end = max(record.offset, at), min(record.offset + len(record.payload), at + len(piece))
    if begin < end:
        piece[begin - at : end - at] = record.payload[begin - record.offset : end - record.offset]


def note(names: dict[str, int], record: Record) -> None:
    """What a file that is made, deleted, renamed or linked is called from then on."""
    first, last = record.names[0], record.names[-1]
    if record.kind == b"C":
        names[first] = record.inode
    elif record.kind in b"UR":
        inode = names.pop(first, None)
        if record.kind == b"R" and inode is not None:
            names[last] = inode
    elif record.kind == b"L" and first in names:
        names[last] = names[first]


class Disk:
    """A folder from the moment that it is looked at, while nothing runs over it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._files: dict[int, File] = {}
        self._names: dict[str, int] = {}
        self._folders: dict[str, int] = {str(self.folder): self.folder.stat().st_ino}
        for path in self.folder.rglob("*"):
            found = path.lstat()
            if path.is_dir():
                self._folders[str(path)] = found.st_ino
            elif path.is_file():
                self._names[str(path)] = found.st_ino
                self._files[found.st_ino] = File(bytearray(path.read_bytes()))
        self.writes_dropped = 0
        """Writes that no sync had covered when the power went."""

    def lose_power(self, log: Path, rng: random.Random, *, lies: bool = False) -> None:
        """Leave the folder as the disk has it. A disk that ``lies`` says that it synced and did not."""
        changes = self._replay(log, lies=lies)
        least = max((n for n, (_, durable) in enumerate(changes, 1) if durable), default=0)
        for record, _ in changes[: rng.randint(least, len(changes))]:
            self._rename(record)
        contents = {inode: file.after_loss(rng) for inode, file in self._files.items()}
        self.writes_dropped = sum(len(file.pending) for file in self._files.values())
        self._write_out(contents)

    def _replay(self, log: Path, *, lies: bool) -> list[tuple[Record, bool]]:
        """Bring the files up to date; gives the changes of names, each with whether it is durable."""
        new_files: dict[int, File] = {}
        folders = {inode: path for path, inode in self._folders.items()}
        changes: list[tuple[Record, File | None]] = []
        durable: dict[int, bool] = {}
        started_syncs: dict[int, tuple[int, int]] = {}
        by_folder: defaultdict[str, list[int]] = defaultdict(list)
        current, inodes_by_name = dict(self._files), dict(self._names)
        for number, record in enumerate(records_of(log)):
            if record.kind in NAMES:
                if record.kind == b"C":
                    if inodes_by_name.get(record.names[0]) == record.inode:  # two opened it at once
                        continue
                    current[record.inode] = new_files[len(changes)] = File()
                elif record.kind == b"M":
                    folders[record.inode] = record.names[0]
                note(inodes_by_name, record)
                changes.append((record, new_files.get(len(changes))))
                for name in record.names:
                    by_folder[os.path.dirname(name)].append(len(changes) - 1)
            elif record.kind == b"B":
                started_syncs[record.token] = (number, len(changes))
            elif record.kind == b"S" and not lies and record.token in started_syncs:
                before, names = started_syncs.pop(record.token)
                if record.inode in folders:
                    for change in by_folder[folders[record.inode]]:
                        durable[change] = durable.get(change, False) or change < names
                elif (file := current.get(record.inode)) is not None:
                    file.sync(before)
                    for change, own in new_files.items():
                        durable[change] = durable.get(change, False) or own is file
            elif record.kind in b"WTE" and (file := current.get(record.inode)) is not None:
                file.pending.append((number, record))
        self._made = {id(record): file for record, file in changes if file is not None}
        return [(record, durable.get(n, False)) for n, (record, _) in enumerate(changes)]

    def _rename(self, record: Record) -> None:
        names = record.names
        if record.kind == b"C":
            key = -len(self._files) - 1  # an inode number may come again for another file
            self._files[key] = self._made[id(record)]
            self._names[names[0]] = key
        elif record.kind == b"M":
            self._folders[names[0]] = record.inode
        elif record.kind == b"D":
            self._folders.pop(names[0], None)
        elif record.kind == b"R" and names[0] in self._folders:
            self._move_folder(*names)
        else:
            note(self._names, record)

    def _move_folder(self, old: str, new: str) -> None:
        for table in (self._names, self._folders):
            for name in [name for name in table if name == old or name.startswith(f"{old}/")]:
                table[new + name[len(old) :]] = table.pop(name)

    def _write_out(self, contents: dict[int, bytearray]) -> None:
        owner = self.folder.stat()
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        for name in sorted(self._folders):
            Path(name).mkdir(exist_ok=True, mode=0o700)
            os.chown(name, owner.st_uid, owner.st_gid)
        for name, inode in self._names.items():
            if os.path.dirname(name) in self._folders:
                Path(name).write_bytes(contents[inode])
                os.chmod(name, 0o600)
                os.chown(name, owner.st_uid, owner.st_gid)
