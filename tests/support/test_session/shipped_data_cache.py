"""Caches packs, asset books and rule sets within a test process.

Without the cache every application of a test reads the shipped files, which takes most of its start. Programs
that tests start do not use it. The content of the files is the cache key, so a changed file is read again.
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


def cache_shipped_packs() -> None:
    """Cache the shipped packs. Call once, before test modules that read packs for parameters are imported."""
    pytest.MonkeyPatch().setattr(pack_loader, "read_pack", _cache_packs(pack_loader.read_pack))


@contextlib.contextmanager
def cache_asset_books() -> Iterator[None]:
    """Cache asset books for tests that create applications; tests of the files use the original function."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "load_assets", _cache_books(registry.load_assets))
        yield


@contextlib.contextmanager
def cache_rule_sets() -> Iterator[None]:
    """Cache compiled rule sets by their packs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules_loader, "compile_files", _load_compiled)
        yield


def _cache_books(load: Callable[[Path | None], AssetRegistry]) -> Callable[[Path | None], AssetRegistry]:
    cached_books: dict[tuple[bytes, bytes | None], AssetRegistry] = {}

    def book(user_file: Path | None = None) -> AssetRegistry:
        if user_file is not None and not user_file.is_file():
            return load(user_file)  # raises the error
        key = registry.SHIPPED_FILE.read_bytes(), None if user_file is None else user_file.read_bytes()
        if key not in cached_books:
            cached_books[key] = load(user_file)
        return cached_books[key]

    return book


def _cache_packs(read: Callable[[Path], PackFile]) -> Callable[[Path], PackFile]:
    cached_packs: dict[tuple[Path, bytes], PackFile] = {}

    def pack(path: Path) -> PackFile:
        if path.parent not in pack_loader.SHIPPED:
            return read(path)
        key = path, path.read_bytes()
        if key not in cached_packs:
            cached_packs[key] = read(path)
        return cached_packs[key]

    return pack


_compile = rules_loader.compile_files
_sets: dict[tuple[tuple[bool, bytes], ...], CompiledPack] = {}


def _load_compiled(files: Sequence[PackFile]) -> CompiledPack:
    key = tuple((file.path.parent in pack_loader.SHIPPED, file.path.read_bytes()) for file in files)
    if key not in _sets:
        _sets[key] = _compile(files)
    return _sets[key]
