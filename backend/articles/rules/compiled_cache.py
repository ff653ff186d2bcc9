"""The set of rules that a start compiled, kept in the data folder for the next start.

Reading packs and compiling them is a third of a start, twice with a worker, and comes to the same as long as
no pack and no line of what reads them has changed. So the file holds a fingerprint of all of these; where it
is another, or the file is not whole, the set is made as ever. It belongs to nobody's backup.

The set is pickled, and only the classes that a set consists of are taken out of a pickle: whoever can write
to the data folder can change the rules there in any case, and gains nothing else by this file.
"""

import contextlib
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
"""The packages of ``backend`` whose code decides what a set is."""
_OF_A_SET = (
    *(CompiledPack, Pack, Entity, FormerName, NameCondition, Rule, Pattern, RuleExample),
    *(RuleSet, CompiledRule, FirstMention, Meaning, Kind, Form, Automaton),
)
_KNOWN: dict[tuple[str, str], Any] = {(each.__module__, each.__qualname__): each for each in _OF_A_SET}
_DIGEST = 32
MAX_CACHED_RULE_SETS = 8
"""Sets that a cache holds: of each version of the program and of each repository's own rules."""
ABANDONED_FILE_SECONDS = 60.0
"""After which a file that was begun is nobody's any more."""


@dataclass(frozen=True, slots=True)
class CompiledRulesCache:
    """A set in a file, or none yet."""

    file: Path
    may_write: bool
    """Whether a set that had to be made takes its place."""
    file_per_rule_set: bool = False
    """Whether each set has a file of its own, named after ``file``, for programs that use several in turn."""

    def load_or_compile(self, packs: Sequence[Path], make: Callable[[], CompiledPack]) -> CompiledPack:
        """The set of ``packs``, in their order: the one that was kept, or what ``make`` gives.

        Raises what ``make`` raises. A file that cannot be read or written costs time alone.
        """
        wanted = fingerprint(packs)
        file = self._file_of(wanted)
        found = _read(file, wanted)
        if found is None:
            found = make()
            if self.may_write and fingerprint(packs) == wanted:  # or a pack changed before it was read
                _write(file, wanted, found)
                if self.file_per_rule_set:
                    self._forget_oldest()
        return found

    def _file_of(self, wanted: bytes) -> Path:
        return (
            self.file.with_stem(f"{self.file.stem}-{wanted.hex()[:16]}")
            if self.file_per_rule_set
            else self.file
        )

    def _forget_oldest(self) -> None:
        """Delete the sets that were made first, and leave :data:`MAX_CACHED_RULE_SETS`."""
        with contextlib.suppress(OSError):  # another start does the same
            made = self.file.parent.glob(f"{self.file.stem}-*{self.file.suffix}")
            for old in sorted(made, key=lambda file: file.stat().st_mtime, reverse=True)[
                MAX_CACHED_RULE_SETS:
            ]:
                old.unlink()


def fingerprint(packs: Sequence[Path]) -> bytes:
    """Of the packs' content and of all that makes a set of it."""
    told = hashlib.blake2b(_fingerprint_of_code(), digest_size=_DIGEST)
    for pack in packs:
        told.update(b"own" if pack.parent not in pack_loader.SHIPPED else b"shipped")
        told.update(_digest(_content(pack)))
    return told.digest()


@cache
def _fingerprint_of_code() -> bytes:
    """In a process it cannot change."""
    told = hashlib.blake2b(f"{sys.version} pydantic {pydantic.VERSION}".encode(), digest_size=_DIGEST)
    backend = Path(__file__).parents[2]
    for file in sorted(file for room in FINGERPRINTED_PACKAGES for file in (backend / room).rglob("*.py")):
        told.update(str(file.relative_to(backend)).encode())
        told.update(_digest(_content(file)))
    return told.digest()


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # reading the packs says so
        return b""


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _read(file: Path, wanted: bytes) -> CompiledPack | None:
    try:
        kept = file.read_bytes()
    except OSError:
        return None
    whole, made_of, pickled = kept[:_DIGEST], kept[_DIGEST : 2 * _DIGEST], kept[2 * _DIGEST :]
    if made_of != wanted or whole != _digest(kept[_DIGEST:]):
        return None
    try:
        with garbage_collection.paused():  # thousands of objects that stay
            found = _Unpickler(io.BytesIO(pickled)).load()
    except pickle.UnpicklingError as error:
        log.warning("Compiled rules not read from %s: %s", file, error)
        return None
    return found if isinstance(found, CompiledPack) else None


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, which is no part of a set of rules")
        return _KNOWN[module, name]


def _write(file: Path, made_of: bytes, made: CompiledPack) -> None:
    # What texts were found to mean since belongs to this process.
    rules = replace(made.rules, settled={})
    content = made_of + pickle.dumps(replace(made, rules=rules), protocol=pickle.HIGHEST_PROTOCOL)
    fresh = None
    try:
        # A file of its own: a service and its worker start at the same time.
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as fresh:
            fresh.write(_digest(content) + content)
        os.replace(fresh.name, file)
        _clear_away(file)
    except OSError as error:
        log.info("Compiled rules not kept in %s: %s", file, error.strerror)
        if fresh is not None:
            Path(fresh.name).unlink(missing_ok=True)


def _clear_away(file: Path) -> None:
    """Delete what processes left that were killed while they wrote; others may be writing just now."""
    for left in file.parent.glob(f".{file.name}.*"):
        with contextlib.suppress(FileNotFoundError):  # another start does the same
            if time.time() - left.stat().st_mtime > ABANDONED_FILE_SECONDS:
                left.unlink()
