"""Loads the shipped packs and the user's packs, and compiles them into one set of rules."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import CompiledPack, compile_rules
from backend.articles.rules.compiled_cache import CompiledRulesCache
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.pack_loader import SHIPPED, PackFile, default_files, read_packs, user_files
from backend.articles.rules.specs import SpecFailure, find_failures
from backend.formats.file_errors import WHOLE_FILE, FileError

Signature = tuple[object, ...]
"""Changes when a file is added, removed or changed."""


def load_rules(folder: Path, *, must_exist: bool, cache: CompiledRulesCache | None = None) -> CompiledPack:
    """Load the shipped rules and merge those in ``folder`` into them; ``cache`` may already contain the
    result.

    :raises InvalidRulesError: with every error, or if a ``folder`` that must exist does not.
    """
    if must_exist and not folder.is_dir():
        reason = "this folder does not exist: create it, or correct CHAINPROOF_RULES_DIR"
        raise InvalidRulesError([FileError(folder, WHOLE_FILE, reason)])
    own = user_files(folder)
    return _load_or_compile([*default_files(), *own], cache) if own else load_shipped(cache)


def load_shipped(cache: CompiledRulesCache | None = None) -> CompiledPack:
    """Load the shipped rules alone. A process reads them once while their files stay the same."""
    signature = find_signature(default_files())
    found = _shipped.get(signature)
    if found is None:
        found = _load_or_compile(default_files(), cache)
        _shipped.clear()
        _shipped[signature] = found
    return found


_shipped: dict[Signature, CompiledPack] = {}
"""The set that was loaded last."""


def _load_or_compile(paths: Sequence[Path], cache: CompiledRulesCache | None) -> CompiledPack:
    def compile_packs() -> CompiledPack:
        return compile_files(read_packs(paths))

    return compile_packs() if cache is None else cache.load_or_compile(paths, compile_packs)


def compile_files(files: Sequence[PackFile]) -> CompiledPack:
    """Compile ``files`` into one set.

    The specs of the user's own rules must hold in it. The project's tests show that those of the shipped
    rules hold among themselves, but a user's rule may change their result.

    :raises InvalidRulesError: if a spec does not hold.
    """
    pack = merge_packs(file.pack for file in files)
    rules = compile_rules([pack])
    own = {rule.id for file in files if file.path.parent not in SHIPPED for rule in file.pack.rules}
    failed = find_failures(rules, (rule for rule in pack.rules if rule.enabled and rule.id in own))
    if failed:
        raise InvalidRulesError(locate_failures(failed, files))
    return CompiledPack(pack, rules)


def locate_failures(failed: Iterable[SpecFailure], files: Sequence[PackFile]) -> list[FileError]:
    """Convert failures to errors with file and line: the last occurrence of a rule counts."""
    places = {rule.id: (file, number) for file in files for number, rule in enumerate(file.pack.rules)}
    errors = []
    for failure in failed:
        file, number = places[failure.rule_id]
        line = file.document.line("rules", number, "specs", failure.number)
        errors.append(FileError(file.path, line, str(failure)))
    return errors


def find_signature(paths: Iterable[Path]) -> Signature:
    """Compute a signature of ``paths`` with a few ``stat`` calls."""
    return tuple(_stat(path) for path in paths)


def _stat(path: Path) -> tuple[object, ...]:
    try:
        found = path.stat()
    except OSError as error:
        return (path, error.errno)
    return path, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
