"""Compiled rules are cached for the next start while their packs and code stay the same."""

import hashlib
import logging
import os
import pickle
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from backend.articles.engine import correct
from backend.articles.matching.meanings import Form, Kind
from backend.articles.matching.rule_set import CompiledPack
from backend.articles.rules import compiled_cache, pack_loader, rules_loader
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.rules.compiled_cache import FILE_NAME, CompiledRulesCache, fingerprint
from backend.articles.rules.rules_loader import compile_files
from backend.settings import Settings

OWN = """\
version: 1
entities:
  - {{id: solana, type: asset, symbols: [SOL], names: {{en: Solana, ja: ソラナ}}}}
rules:
  - {{id: own, type: forbidden_variant, entity: solana, match: [{{text: {wrong}, not_before: [x]}}],
     suggest: auto, specs: [{{from: Solana (SOL) and {wrong}, to: Solana (SOL) and Solana}}]}}
  - {{id: first, type: missing_symbol, entity: solana, first_mention: {{en: "Solana (SOL)"}},
     specs: [{{from: Solana rises., to: Solana (SOL) rises.}}]}}
"""


@pytest.fixture
def packs(tmp_path: Path) -> list[Path]:
    pack = tmp_path / "own.yaml"
    pack.write_text(OWN.format(wrong="Solanna"), encoding="utf-8")
    return [pack]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


def load_or_compile(file: Path, packs: Sequence[Path]) -> tuple[CompiledPack, bool]:
    """Load or compile the rules; returns whether they were compiled."""
    times = []

    def make() -> CompiledPack:
        times.append(1)
        return compile_files(pack_loader.read_packs(packs))

    return CompiledRulesCache(file, may_write=True).load_or_compile(packs, make), bool(times)


def list_meanings(kept: CompiledPack) -> list[tuple[object, ...]]:
    """List all meanings in order. Rules are compared by content."""
    meanings = [meaning for listed in kept.rules.meanings for meaning in listed]
    return [(*m[:2], m.rule.rule if m.rule else None, *m[3:]) for m in meanings]


def never() -> CompiledPack:
    raise AssertionError("The rules were compiled again.")


def test_a_second_start_loads_the_rules_from_the_cache(file: Path, packs: list[Path]) -> None:
    first, was_made = load_or_compile(file, packs)
    assert was_made
    second, was_made = load_or_compile(file, packs)
    assert not was_made
    assert second.pack == first.pack
    assert second.rules.version == first.rules.version
    for text in ("Solanna rises, SOL too. Solana again.", "ｿﾗﾅとソラナ", "Solannax"):
        expected, found = (correct(each.rules, text, language="en") for each in (first, second))
        assert (found.text, repr(found)) == (expected.text, repr(expected))
    assert correct(second.rules, "Solanna", language="en").text == "Solana (SOL)"


def test_the_default_rules_survive_the_cache_unchanged(file: Path) -> None:
    """All classes of compiled rules can be loaded from the file."""
    shipped = rules_loader.load_shipped()
    kept = CompiledRulesCache(file, may_write=True)
    kept.load_or_compile(pack_loader.default_files(), rules_loader.load_shipped)
    found = kept.load_or_compile(pack_loader.default_files(), never)
    assert found.pack == shipped.pack
    assert found.rules.entities == shipped.rules.entities
    assert [each.rule for each in found.rules.rules] == [each.rule for each in shipped.rules.rules]
    assert found.rules.surfaces == shipped.rules.surfaces
    assert list_meanings(found) == list_meanings(shipped)


def test_runtime_state_of_a_rule_set_is_not_cached(file: Path, packs: list[Path]) -> None:
    first, _ = load_or_compile(file, packs)  # its specs were read
    assert first.rules.settled
    assert not load_or_compile(file, packs)[0].rules.settled


@pytest.mark.parametrize("change", ["content", "order", "one more", "another place"])
def test_changed_packs_miss_the_cache(
    file: Path, packs: list[Path], change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = packs[0].with_name("other.yaml")
    other.write_text("version: 1\ncontext_words: {en: [ledger]}\n", encoding="utf-8")
    load_or_compile(file, [*packs, other])
    asked = [*packs, other]
    match change:
        case "content":
            packs[0].write_text(OWN.format(wrong="Sollana"), encoding="utf-8")
        case "order":
            asked.reverse()
        case "one more":
            asked.append(other)
        case "another place":  # the specs of shipped rules are not read at the start
            monkeypatch.setattr(pack_loader, "SHIPPED", (other.parent,))
    assert load_or_compile(file, asked)[1]


def test_a_changed_code_version_misses_the_cache(
    file: Path, packs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_or_compile(file, packs)
    monkeypatch.setattr(compiled_cache, "_fingerprint_of_code", lambda: b"of the version before")
    assert load_or_compile(file, packs)[1]


@pytest.mark.parametrize("damage", ["cut", "empty", "altered"])
def test_a_damaged_cache_file_is_rebuilt(file: Path, packs: list[Path], damage: str) -> None:
    load_or_compile(file, packs)
    content = bytearray(file.read_bytes())
    content[-20] ^= 1
    file.write_bytes({"cut": content[:-9], "empty": b"", "altered": content}[damage])
    assert load_or_compile(file, packs)[1]
    assert not load_or_compile(file, packs)[1]


def test_loading_the_cache_refuses_foreign_pickle_classes(
    file: Path, packs: list[Path], caplog: pytest.LogCaptureFixture
) -> None:
    trap = file.with_name("trap")

    class Stranger:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (trap,)

    content = fingerprint(packs) + pickle.dumps(Stranger())
    file.write_bytes(hashlib.blake2b(content, digest_size=32).digest() + content)
    with caplog.at_level(logging.INFO):
        assert load_or_compile(file, packs)[1]
    assert f"not read from {file}: the class" in caplog.text
    assert not trap.exists()


def test_a_pack_that_changes_while_it_is_compiled_is_not_cached(file: Path, packs: list[Path]) -> None:
    def make() -> CompiledPack:
        packs[0].write_text(OWN.format(wrong="Sollana"), encoding="utf-8")
        return compile_files(pack_loader.read_packs(packs))

    CompiledRulesCache(file, may_write=True).load_or_compile(packs, make)
    assert not file.exists()


def test_the_rules_are_compiled_when_the_cache_cannot_be_written(
    tmp_path: Path, packs: list[Path], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        _, was_made = load_or_compile(tmp_path / "none" / FILE_NAME, packs)
    assert was_made
    assert "not cached" in caplog.text
    assert "No such file or directory" in caplog.text


def test_the_cache_file_is_private_and_leaves_no_temporary_file(file: Path, packs: list[Path]) -> None:
    load_or_compile(file, packs)
    assert file.stat().st_mode & 0o077 == 0
    assert sorted(each.name for each in file.parent.iterdir()) == [FILE_NAME, "own.yaml"]


def test_abandoned_temporary_files_are_deleted_and_recent_ones_are_kept(
    file: Path, packs: list[Path]
) -> None:
    left, written = (file.with_name(f".{FILE_NAME}.{name}") for name in ("left", "written"))
    left.touch()
    written.touch()
    long_ago = time.time() - compiled_cache.ABANDONED_FILE_SECONDS - 1
    os.utime(left, (long_ago, long_ago))
    load_or_compile(file, packs)
    assert not left.exists()
    assert written.exists()


def test_the_cache_is_written_at_startup_and_not_on_reload(
    tmp_path: Path, packs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_loader, "default_files", list)
    settings = Settings(home=tmp_path, rules_dir=tmp_path)
    ActiveRules(settings)  # a command that only reads
    assert not (tmp_path / FILE_NAME).exists()
    rules = ActiveRules(settings, write_cache=True)
    kept = (tmp_path / FILE_NAME).read_bytes()
    packs[0].write_text(OWN.format(wrong="Sollana"), encoding="utf-8")
    rules.refresh()
    assert correct(rules.current, "Sollana", language="en").text == "Solana (SOL)"
    assert (tmp_path / FILE_NAME).read_bytes() == kept
    ActiveRules(settings, write_cache=True)
    with monkeypatch.context() as patch:
        patch.setattr(rules_loader, "compile_files", never)
        assert correct(ActiveRules(settings).current, "Sollana", language="en").text == "Solana (SOL)"


def test_the_cache_keeps_a_file_for_each_rule_set(tmp_path: Path, packs: list[Path]) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("version: 1\ncontext_words: {en: [ledger]}\n", encoding="utf-8")
    kept = CompiledRulesCache(tmp_path / "cache" / FILE_NAME, may_write=True, file_per_rule_set=True)
    kept.file.parent.mkdir()
    for asked in (packs, [*packs, other]):
        kept.load_or_compile(asked, lambda asked=asked: compile_files(pack_loader.read_packs(asked)))
    for asked in (packs, [*packs, other]):
        assert (
            kept.load_or_compile(asked, never).rules.version
            == compile_files(pack_loader.read_packs(asked)).rules.version
        )


def test_the_cache_deletes_the_oldest_rule_sets(tmp_path: Path, packs: list[Path]) -> None:
    for number in range(compiled_cache.MAX_CACHED_RULE_SETS + 1):
        old = tmp_path / f"compiled-rules-{number}.pickle"
        old.touch()
        os.utime(old, (number, number))
    CompiledRulesCache(tmp_path / FILE_NAME, may_write=True, file_per_rule_set=True).load_or_compile(
        packs, lambda: compile_files(pack_loader.read_packs(packs))
    )
    left = {file.name for file in tmp_path.glob("*.pickle")}
    assert len(left) == compiled_cache.MAX_CACHED_RULE_SETS
    assert not {"compiled-rules-0.pickle", "compiled-rules-1.pickle"} & left


def test_a_second_start_loads_the_rules_also_where_python_pickles_members_by_name(
    file: Path, packs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Python 3.11.0 to 3.11.3 do."""
    for enumeration in (Kind, Form):
        monkeypatch.setattr(
            enumeration, "__reduce_ex__", lambda member, _: (getattr, (type(member), member.name))
        )
    assert b"getattr" in pickle.dumps(Kind(1))
    load_or_compile(file, packs)
    assert not load_or_compile(file, packs)[1]
