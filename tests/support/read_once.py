"""What cannot change is read once in a process: the packs that ship, books of assets, sets of rules.

Every application that a test makes would read the shipped files anew, which takes most of its start.
Programs that tests start read them as ever. What is read is told by what stands in the files, so a file
that changes is read anew.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from backend.articles.matching.rule_set import CompiledPack
from backend.articles.rules import pack_loader, rules_loader
from backend.articles.rules.pack_loader import PackFile
from backend.markets.assets import registry
from backend.markets.assets.registry import AssetRegistry


def shipped_packs() -> None:
    """Call once, before test modules are imported: some read the packs for their parameters."""
    pytest.MonkeyPatch().setattr(pack_loader, "read_pack", _packs(pack_loader.read_pack))


@contextlib.contextmanager
def asset_books() -> Iterator[None]:
    """For what makes applications; the tests of the files hold the function itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "load_assets", _books(registry.load_assets))
        yield


@contextlib.contextmanager
def rule_sets() -> Iterator[None]:
    """The same packs make the same set of rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules_loader, "compiled", _compiled)
        yield


def _books(load: Callable[[Path | None], AssetRegistry]) -> Callable[[Path | None], AssetRegistry]:
    known: dict[tuple[bytes, bytes | None], AssetRegistry] = {}

    def book(user_file: Path | None = None) -> AssetRegistry:
        if user_file is not None and not user_file.is_file():
            return load(user_file)  # says what is wrong
        key = registry.SHIPPED_FILE.read_bytes(), None if user_file is None else user_file.read_bytes()
        if key not in known:
            known[key] = load(user_file)
        return known[key]

    return book


def _packs(read: Callable[[Path], PackFile]) -> Callable[[Path], PackFile]:
    known: dict[tuple[Path, bytes], PackFile] = {}

    def pack(path: Path) -> PackFile:
        if path.parent not in pack_loader.SHIPPED:
            return read(path)
        key = path, path.read_bytes()
        if key not in known:
            known[key] = read(path)
        return known[key]

    return pack


_compile = rules_loader.compiled
_sets: dict[tuple[tuple[bool, bytes], ...], CompiledPack] = {}


def _compiled(files: Sequence[PackFile]) -> CompiledPack:
    key = tuple((file.path.parent in pack_loader.SHIPPED, file.path.read_bytes()) for file in files)
    if key not in _sets:
        _sets[key] = _compile(files)
    return _sets[key]
