"""Compiles the shipped packs and a user's own into one set of rules."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import CompiledPack, compile_rules
from backend.articles.rules.compiled_cache import CompiledRulesCache
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.pack_loader import SHIPPED, PackFile, default_files, read_packs, user_files
from backend.articles.rules.specs import SpecFailure, failures
from backend.formats.file_errors import FileError

Signature = tuple[object, ...]
"""Differs when a file came, went or changed."""


def load_rules(folder: Path, *, must_exist: bool, kept: CompiledRulesCache | None = None) -> CompiledPack:
    """The shipped rules with those in ``folder`` laid over them; ``kept`` is where a former start may have
    kept the set.

    :raises InvalidRulesError: with every error, and where a ``folder`` that must exist does not.
    """
    if must_exist and not folder.is_dir():
        reason = "there is no such folder: create it, or correct CHAINPROOF_RULES_DIR"
        raise InvalidRulesError([FileError(folder, 0, reason)])
    own = user_files(folder)
    return _made([*default_files(), *own], kept) if own else shipped(kept)


def shipped(kept: CompiledRulesCache | None = None) -> CompiledPack:
    """The set of the shipped rules alone, read once in a process as long as their files stay the same.

    ``kept`` is where a former start may have kept it.
    """
    seen_as = find_signature(default_files())
    found = _shipped.get(seen_as)
    if found is None:
        found = _made(default_files(), kept)
        _shipped.clear()
        _shipped[seen_as] = found
    return found


_shipped: dict[Signature, CompiledPack] = {}
"""The one that was read last."""


def _made(paths: Sequence[Path], kept: CompiledRulesCache | None) -> CompiledPack:
    def make() -> CompiledPack:
        return compiled(read_packs(paths))

    return make() if kept is None else kept.load_or_compile(paths, make)


def compiled(files: Sequence[PackFile]) -> CompiledPack:
    """The set that ``files`` make together.

    The specs of the user's own rules must hold in it. Those of the shipped rules hold among themselves,
    as the project's tests show; a user's rule may well change what they say.

    :raises InvalidRulesError: where a spec does not hold.
    """
    pack = merge_packs(file.pack for file in files)
    rules = compile_rules([pack])
    own = {rule.id for file in files if file.path.parent not in SHIPPED for rule in file.pack.rules}
    failed = failures(rules, (rule for rule in pack.rules if rule.enabled and rule.id in own))
    if failed:
        raise InvalidRulesError(located(failed, files))
    return CompiledPack(pack, rules)


def located(failed: Iterable[SpecFailure], files: Sequence[PackFile]) -> list[FileError]:
    """The failures with their files and lines: of a rule given several times, the last."""
    places = {rule.id: (file, number) for file in files for number, rule in enumerate(file.pack.rules)}
    errors = []
    for failure in failed:
        file, number = places[failure.rule_id]
        line = file.document.line("rules", number, "specs", failure.number)
        errors.append(FileError(file.path, line, str(failure)))
    return errors


def find_signature(paths: Iterable[Path]) -> Signature:
    """What a few calls of ``stat`` tell of ``paths``."""
    return tuple(_seen(path) for path in paths)


def _seen(path: Path) -> tuple[object, ...]:
    try:
        found = path.stat()
    except OSError as error:
        return (path, error.errno)
    return path, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
