"""Caches compiled rules in the data folder for the next start.

Reading and compiling packs takes a third of the startup, and a worker repeats it. The result is the same
until a pack or the code that reads it changes. The file therefore starts with a fingerprint of both. If the
fingerprint differs or the file is incomplete, the rules are compiled again. Backups do not include the file.

The rules are pickled, and unpickling accepts only the classes of compiled rules. A user who can write to the
data folder can change the rules there anyway, and gains nothing else from this file.
"""

import contextlib
import copyreg
import hashlib
import io
import logging
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import pydantic

from backend.articles.matching.automaton import Automaton
from backend.articles.matching.explicit_rules import FirstMention
from backend.articles.matching.meanings import CompiledRule, Form, Kind, Meaning
from backend.articles.matching.rule_set import CompiledPack, RuleSet
from backend.articles.model import Pack, Pattern, Rule, RuleExample
from backend.articles.rules import pack_loader
from backend.entities.model import Entity, FormerName, NameCondition
from backend.runtime import garbage_collection

log = logging.getLogger(__name__)

FILE_NAME = "compiled-rules.pickle"
FINGERPRINTED_PACKAGES = ("articles", "entities")
"""The packages of ``backend`` whose code and word lists determine the compiled rules."""
_PICKLED_CLASSES = (
    *(CompiledPack, Pack, Entity, FormerName, NameCondition, Rule, Pattern, RuleExample),
    *(RuleSet, CompiledRule, FirstMention, Meaning, Kind, Form, Automaton),
)
_KNOWN: dict[tuple[str, str], Any] = {(each.__module__, each.__qualname__): each for each in _PICKLED_CLASSES}
_DIGEST = 32
MAX_CACHED_RULE_SETS = 8
"""Maximum number of files: one per version of the program and per repository with its own rules."""
ABANDONED_FILE_SECONDS = 60.0
"""An unfinished file of this age is left over from a process that died."""


@dataclass(frozen=True, slots=True)
class CompiledRulesCache:
    """Compiled rules in a file, which may not exist yet."""

    file: Path
    may_write: bool
    """Whether newly compiled rules are written."""
    file_per_rule_set: bool = False
    """Whether each set has its own file, named after ``file``, for programs that use several sets in turn."""

    def load_or_compile(
        self, packs: Sequence[Path], compile_packs: Callable[[], CompiledPack]
    ) -> CompiledPack:
        """Load the cached rules of ``packs``, in this order, or compile them with ``compile_packs``.

        Raises what ``compile_packs`` raises. A file that cannot be read or written only costs time.
        """
        wanted = fingerprint(packs)
        file = self._file_of(wanted)
        found = _read(file, wanted)
        if found is None:
            found = compile_packs()
            if self.may_write and fingerprint(packs) == wanted:  # else a pack changed meanwhile
                _write(file, wanted, found)
                if self.file_per_rule_set:
                    self._delete_oldest()
        return found

    def _file_of(self, wanted: bytes) -> Path:
        return (
            self.file.with_stem(f"{self.file.stem}-{wanted.hex()[:16]}")
            if self.file_per_rule_set
            else self.file
        )

    def _delete_oldest(self) -> None:
        """Delete the oldest files, and leave :data:`MAX_CACHED_RULE_SETS`."""
        with contextlib.suppress(OSError):  # another process deletes the same files
            files = self.file.parent.glob(f"{self.file.stem}-*{self.file.suffix}")
            for old in sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)[
                MAX_CACHED_RULE_SETS:
            ]:
                old.unlink()


def fingerprint(packs: Sequence[Path]) -> bytes:
    """Compute a fingerprint of the packs' content and of the code that compiles them."""
    digest = hashlib.blake2b(_fingerprint_of_code(), digest_size=_DIGEST)
    for pack in packs:
        digest.update(b"own" if pack.parent not in pack_loader.SHIPPED else b"shipped")
        digest.update(_digest(_content(pack)))
    return digest.digest()


@cache
def _fingerprint_of_code() -> bytes:
    """Compute the fingerprint of the code, which cannot change within a process."""
    digest = hashlib.blake2b(f"{sys.version} pydantic {pydantic.VERSION}".encode(), digest_size=_DIGEST)
    backend = Path(__file__).parents[2]
    for file in sorted(
        file
        for package in FINGERPRINTED_PACKAGES
        for pattern in ("*.py", "data/*.yaml")
        for file in (backend / package).rglob(pattern)
    ):
        digest.update(str(file.relative_to(backend)).encode())
        digest.update(_digest(_content(file)))
    return digest.digest()


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # reading the packs reports it
        return b""


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _read(file: Path, wanted: bytes) -> CompiledPack | None:
    try:
        content = file.read_bytes()
    except OSError:
        return None
    checksum, stored_fingerprint, pickled = (
        content[:_DIGEST],
        content[_DIGEST : 2 * _DIGEST],
        content[2 * _DIGEST :],
    )
    if stored_fingerprint != wanted or checksum != _digest(content[_DIGEST:]):
        return None
    try:
        with garbage_collection.paused():  # thousands of long-lived objects
            found = _Unpickler(io.BytesIO(pickled)).load()
    except pickle.UnpicklingError as error:
        log.warning("Compiled rules not read from %s: %s", file, error)
        return None
    return found if isinstance(found, CompiledPack) else None


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"the class {module}.{name} is not part of compiled rules")
        return _KNOWN[module, name]


def _reduce_member(member: Enum) -> tuple[type[Enum], tuple[Any]]:
    return type(member), (member.value,)


class _Pickler(pickle.Pickler):
    """Writes members of enumerations by their values. Python 3.11.0 to 3.11.3 would write them as calls of
    ``getattr``, which is no class of compiled rules."""

    dispatch_table = copyreg.dispatch_table | {
        each: _reduce_member for each in _PICKLED_CLASSES if issubclass(each, Enum)
    }


def _pickle(made: CompiledPack) -> bytes:
    pickled = io.BytesIO()
    _Pickler(pickled, protocol=pickle.HIGHEST_PROTOCOL).dump(made)
    return pickled.getvalue()


def _write(file: Path, stored_fingerprint: bytes, made: CompiledPack) -> None:
    # Meanings that were resolved since belong to this process.
    rules = replace(made.rules, settled={}, slip_indexes=[])
    content = stored_fingerprint + _pickle(replace(made, rules=rules))
    fresh = None
    try:
        # Each process writes its own file: a service and its worker start at the same time.
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as fresh:
            fresh.write(_digest(content) + content)
        os.replace(fresh.name, file)
        _delete_abandoned(file)
    except OSError as error:
        log.info("Compiled rules not cached in %s: %s", file, error.strerror)
        if fresh is not None:
            Path(fresh.name).unlink(missing_ok=True)


def _delete_abandoned(file: Path) -> None:
    """Delete files of processes that were killed while writing. Others may be writing right now."""
    for left in file.parent.glob(f".{file.name}.*"):
        with contextlib.suppress(FileNotFoundError):  # another process deletes the same files
            if time.time() - left.stat().st_mtime > ABANDONED_FILE_SECONDS:
                left.unlink()
