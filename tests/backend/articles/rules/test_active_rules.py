"""The rules in force: exchanged whole or not at all, and healed when their files are."""

import os
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from backend.articles.engine import correct
from backend.articles.rules.active_rules import CHANGED, ActiveRules, announce
from backend.articles.rules.errors import InvalidRulesError
from backend.settings import Settings
from backend.store.change_watcher import ChangeWatcher
from backend.store.database import Database, change_counters
from tests.backend.articles.packs import ship
from tests.support.test_session.thread_isolation import capture_logs_of_this_thread


def rule(name: str, wrong: str, right: str, *, to: str | None = None) -> str:
    return (
        f"  - {{id: {name}, type: forbidden_variant, match: [{wrong}], suggest: {right},\n"
        f"     specs: [{{from: {wrong}, to: {to or right}}}]}}\n"
    )


def own_rule(wrong: str, *, to: str = "Solana") -> str:
    return "version: 1\nrules:\n" + rule("own", wrong, "Solana", to=to)


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small shipped pack in the place of the real ones."""
    return ship(tmp_path, monkeypatch, name="Ethereum", wrong="Etherium")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def own(settings: Settings) -> Path:
    """A file of the user's own, which is not there yet, in the folder of rules, which is."""
    settings.user_rules_dir.mkdir(parents=True)
    return settings.user_rules_dir / "own.yaml"


def write(file: Path, text: str) -> None:
    """Replace the file in one step, as careful editors do; the time of change is never the same twice."""
    fresh = file.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, file)


def fixed(rules: ActiveRules, text: str) -> str:
    return correct(rules.current, text, language="en").text


def test_the_default_rules_are_active_without_a_user_folder(settings: Settings) -> None:
    rules = ActiveRules(settings)
    assert fixed(rules, "Etherium") == "Ethereum"
    assert rules.problem is None
    assert not rules.has_changed_on_disk()


def test_user_rules_extend_and_override_the_default_rules(settings: Settings, own: Path) -> None:
    write(own, own_rule("Solanna") + "disable: [shipped]\n")
    assert fixed(ActiveRules(settings), "Etherium Solanna") == "Etherium Solana"


@pytest.mark.parametrize("change", ["new", "changed", "gone"])
def test_an_added_changed_or_deleted_file_is_detected(settings: Settings, own: Path, change: str) -> None:
    if change != "new":
        write(own, own_rule("Solanna"))
    rules = ActiveRules(settings)
    before = rules.current
    rules.refresh()
    assert rules.current is before
    if change == "gone":
        own.unlink()
    else:
        write(own, own_rule("Sollana"))
    assert rules.has_changed_on_disk()
    rules.refresh()
    assert not rules.has_changed_on_disk()
    assert rules.version != before.version
    assert fixed(rules, "Sollana") == ("Sollana" if change == "gone" else "Solana")


BROKEN = ["rules: [", "version: 1\ncolour: red\n", own_rule("Solanna", to="Solano")]


@pytest.mark.parametrize("text", BROKEN)
def test_an_invalid_rule_set_is_rejected_and_the_previous_one_stays_active(
    settings: Settings, own: Path, text: str
) -> None:
    write(own, own_rule("Solanna"))
    rules = ActiveRules(settings)
    before = rules.current
    write(own, text)
    with pytest.raises(InvalidRulesError, match=r"own\.yaml:\d+: "):
        rules.reload()
    assert rules.current is before
    assert rules.problem is not None


def test_a_rejection_is_logged_once_and_clears_when_the_file_is_fixed(settings: Settings, own: Path) -> None:
    rules = ActiveRules(settings)
    write(own, "rules: [")
    with capture_logs_of_this_thread() as logs:
        for _ in range(3):
            rules.refresh()
        with pytest.raises(InvalidRulesError):
            rules.reload()
    assert [entry["event"] for entry in logs] == ["rules_rejected"]
    assert "own.yaml:1: must be valid YAML" in logs[0]["errors"][0]
    write(own, own_rule("Solanna"))
    with capture_logs_of_this_thread() as logs:
        rules.refresh()
    assert [entry["event"] for entry in logs] == ["rules_recovered", "rules_loaded"]
    assert rules.problem is None
    assert fixed(rules, "Solanna") == "Solana"


def test_the_default_rules_are_used_when_the_user_rules_are_invalid_at_startup(
    settings: Settings, own: Path
) -> None:
    write(own, "rules: [")
    rules = ActiveRules(settings)
    assert fixed(rules, "Etherium") == "Ethereum"
    assert rules.problem is not None
    write(own, own_rule("Solanna"))
    rules.refresh()
    assert rules.problem is None


def test_a_failing_spec_is_reported_with_its_line(settings: Settings, own: Path) -> None:
    write(own, own_rule("Solanna", to="Solano"))
    problem = ActiveRules(settings).problem
    assert str(problem) == (
        f"{own}:4: rule 'own': spec 1: 'Solanna' should become 'Solano', but became 'Solana'"
    )


def test_a_user_rule_can_change_the_result_of_a_default_spec(settings: Settings, own: Path) -> None:
    write(own, "version: 1\nentities: [{id: ethereum, type: asset, names: {en: Ether}}]\n")
    rules = ActiveRules(settings)
    assert rules.problem is None
    assert fixed(rules, "Etherium") == "Ether"


def test_the_configured_rules_folder_must_exist(tmp_path: Path) -> None:
    rules = ActiveRules(Settings(home=tmp_path, rules_dir=tmp_path / "none"))
    assert "this folder does not exist" in str(rules.problem)
    (tmp_path / "none").mkdir()
    rules.refresh()
    assert rules.problem is None


def test_invalid_default_rules_raise_an_error(settings: Settings, shipped: Path) -> None:
    (shipped / "pack.yaml").write_text("rules: [", encoding="utf-8")
    with pytest.raises(InvalidRulesError):
        ActiveRules(settings)


def test_the_version_depends_only_on_the_rule_content(settings: Settings, own: Path) -> None:
    write(own, own_rule("Solanna"))
    first = ActiveRules(settings)
    write(own, "# a remark\n" + own_rule("Solanna"))
    assert ActiveRules(settings).version == first.version
    write(own, own_rule("Sollana"))
    assert ActiveRules(settings).version != first.version


def test_readers_never_see_a_partly_loaded_rule_set(settings: Settings, own: Path) -> None:
    """Two rules come and go together; whatever a reader takes, both are in force or neither is."""
    both = "version: 1\nrules:\n" + "".join(rule(name, f"{name}x", name) for name in ("alpha", "omega"))
    write(own, both)
    rules = ActiveRules(settings)
    halves: list[str] = []
    stop = threading.Event()
    read_enough = threading.Semaphore(0)

    def read() -> None:
        while not stop.is_set():
            text = fixed(rules, "alphax omegax")
            if text not in ("alpha omega", "alphax omegax"):
                halves.append(text)
            read_enough.release()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for number in range(20):
            write(own, both if number % 2 else "version: 1\n")
            rules.refresh()
            read_enough.acquire()
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert halves == []


def test_concurrent_reloads_end_with_the_rules_on_disk(settings: Settings, own: Path) -> None:
    rules = ActiveRules(settings)
    write(own, own_rule("Solanna"))
    together = threading.Barrier(4)

    def reload() -> None:
        together.wait()
        rules.refresh()

    threads = [threading.Thread(target=reload) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fixed(rules, "Solanna") == "Solana"
    assert not rules.has_changed_on_disk()


@pytest.fixture
def watcher(sqlite_database: Database) -> ChangeWatcher:
    return ChangeWatcher(sqlite_database)


def test_an_announced_change_reloads_the_rules_on_the_next_poll(
    settings: Settings, own: Path, sqlite_database: Database, watcher: ChangeWatcher
) -> None:
    rules = ActiveRules(settings)
    watcher.subscribe(CHANGED, rules.refresh)
    watcher.poll()
    write(own, own_rule("Solanna"))
    watcher.poll()
    assert fixed(rules, "Solanna") == "Solanna"
    announce(sqlite_database)
    watcher.poll()
    assert fixed(rules, "Solanna") == "Solana"
    with sqlite_database.read() as connection:
        assert (
            connection.execute(
                sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGED)
            ).scalar()
            == 1
        )
