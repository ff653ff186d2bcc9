"""Batches spread over processes: the same bytes as without them, whatever befalls the processes."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import util
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.batches import BatchResult, run_batch, text_size
from backend.articles.matching.rule_set import RuleSet
from backend.articles.process_pool import (
    INITIAL_BACKOFF_SECONDS,
    MIN_CHUNK_CHARS,
    MIN_PARALLEL_CHARS,
    ScanPool,
    split_into_chunks,
)
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.schemas import Article
from backend.settings import Settings
from tests.support.apps.article_app import PACK, write_pack
from tests.support.apps.market_app import settings_in
from tests.support.waiting import LIMIT_SECONDS, wait_for

SENTENCE = "The Zorb Token and Zorbkoin rose, says Zorby; イーサリアム too. "
FILLER = "nothing is said of anybody here and so it goes on for a while, "
MOST_IN_A_PIPE = 64 * 1024
"""Bytes that a pipe takes while nobody reads them."""
BATCH = [
    Article(id=str(number), content=SENTENCE + FILLER * (20 + number * 13 % 170), tags=["Zorbcoyn"])
    for number in range(60)
]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home = tmp_path_factory.mktemp("pool")
    write_pack(home, PACK)
    return settings_in(home, scan_processes=2)


@pytest.fixture(scope="module")
def one_process(settings: Settings) -> Settings:
    """The same rules with one process, where the number of processes does not matter."""
    return settings.model_copy(update={"scan_processes": 1})


@pytest.fixture(scope="module")
def in_force(settings: Settings) -> ActiveRules:
    return ActiveRules(settings)


@pytest.fixture(scope="module")
def rules(in_force: ActiveRules) -> RuleSet:
    return in_force.current


def warm_up(pool: ScanPool) -> bool:
    """Waits until the processes have compiled the rules; false where there are none."""
    workers = pool._ensure_started()
    if workers is None:
        return False
    try:
        process_ids(pool)
    except BrokenProcessPool:
        pool._discard(workers)
        return False
    return True


def process_ids(pool: ScanPool) -> set[int]:
    assert pool._pool is not None
    return {future.result() for future in pool._pool.ready_futures}


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def pool(settings: Settings, in_force: ActiveRules) -> Iterator[ScanPool]:
    """Two processes that have started."""
    made = ScanPool(settings, in_force)
    assert warm_up(made)
    yield made
    made.close()


def test_the_batch_is_large_enough_for_parallel_scanning() -> None:
    assert sum(map(text_size, BATCH)) > MIN_PARALLEL_CHARS


@pytest.mark.processes
def test_the_pool_gives_the_same_bytes_as_a_single_process(pool: ScanPool, rules: RuleSet) -> None:
    alone, spread = run_batch("scan", rules, BATCH), pool.run("scan", rules, BATCH)
    assert spread == alone
    assert spread.violations
    assert pool.run("apply", rules, BATCH) == run_batch("apply", rules, BATCH)
    assert process_ids(pool)
    assert os.getpid() not in process_ids(pool)


@pytest.mark.processes
def test_a_call_with_outdated_rules_runs_in_the_calling_process(pool: ScanPool, tmp_path: Path) -> None:
    write_pack(tmp_path, PACK.replace("Zorbcoyn", "Zorb Token 2"))
    other = ActiveRules(settings_in(tmp_path)).current
    before = process_ids(pool)
    assert pool.run("scan", other, BATCH) == run_batch("scan", other, BATCH)
    assert process_ids(pool) == before


@pytest.mark.processes
def test_worker_processes_use_the_active_rules_when_the_files_are_invalid(tmp_path: Path) -> None:
    write_pack(tmp_path, PACK)
    rules = ActiveRules(settings_in(tmp_path))
    pool = ScanPool(settings_in(tmp_path, scan_processes=1), rules)
    assert warm_up(pool)
    before = process_ids(pool)

    write_pack(tmp_path, PACK.replace("Zorbcoyn", "Zorbocoin"))
    rules.refresh()
    write_pack(tmp_path, "version: [")
    rules.refresh()
    assert rules.problem is not None
    assert warm_up(pool)
    assert process_ids(pool).isdisjoint(before)
    workers = pool._ensure_started()
    assert workers is not None
    done = pool._receive(workers, pool._send(workers, "scan", BATCH))
    assert done == run_batch("scan", rules.current, BATCH)
    pool.close()


@pytest.mark.processes
def test_a_killed_worker_loses_no_results_and_restarts_after_a_delay(
    one_process: Settings, in_force: ActiveRules, rules: RuleSet
) -> None:
    time = Time()
    pool = ScanPool(one_process, in_force, clock=time)
    assert warm_up(pool)
    alone = run_batch("scan", rules, BATCH)
    before = process_ids(pool)
    for process_id in before:
        os.kill(process_id, signal.SIGKILL)
    assert pool.run("scan", rules, BATCH) == alone
    assert not warm_up(pool)  # they have just died
    assert pool.run("scan", rules, BATCH) == alone
    time.now += INITIAL_BACKOFF_SECONDS
    assert warm_up(pool)
    assert pool.run("scan", rules, BATCH) == alone
    assert process_ids(pool)
    assert not process_ids(pool) & before
    pool.close()


@pytest.mark.processes
def test_workers_killed_during_startup_do_not_block_callers(
    one_process: Settings, in_force: ActiveRules, rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    spawned = util.spawnv_passfds
    killed: list[int] = []

    def spawn_and_kill(path: bytes, arguments: list[bytes] | list[str], handed: list[int]) -> int:
        process_id = int(spawned(path, arguments, handed))
        if "spawn_main" in repr(arguments):  # not the process that looks after semaphores
            os.kill(process_id, signal.SIGKILL)
            killed.append(process_id)
        return process_id

    assert len(pickle.dumps(in_force.in_force.pack)) > MOST_IN_A_PIPE
    alone = run_batch("scan", rules, BATCH)
    time = Time()
    pool = ScanPool(one_process, in_force, clock=time)
    monkeypatch.setattr(util, "spawnv_passfds", spawn_and_kill)
    answered: list[BatchResult] = []
    asking = threading.Thread(target=lambda: answered.append(pool.run("scan", rules, BATCH)), daemon=True)
    asking.start()
    asking.join(LIMIT_SECONDS)
    assert answered == [alone]
    assert killed
    assert not warm_up(pool)
    monkeypatch.setattr(util, "spawnv_passfds", spawned)
    time.now += INITIAL_BACKOFF_SECONDS
    assert warm_up(pool)
    assert pool.run("scan", rules, BATCH) == alone
    pool.close()


@pytest.mark.processes
def test_closing_the_pool_deletes_the_rules_file_of_the_workers(
    one_process: Settings, in_force: ActiveRules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pool = ScanPool(one_process, in_force)
    assert warm_up(pool)
    handed = [path for path in tmp_path.iterdir() if path.name.startswith("chainproof-rules-")]
    assert [path.stat().st_mode & 0o077 for path in handed] == [0]
    pool.close()
    assert not any(path.exists() for path in handed)


@pytest.mark.processes
def test_processes_do_not_outlive_a_killed_parent(one_process: Settings) -> None:
    program = (
        "import pickle, psutil, sys, threading; from backend.articles.process_pool import ScanPool;"
        "from backend.articles.rules.active_rules import ActiveRules;"
        "settings = pickle.load(sys.stdin.buffer);"
        "pool = ScanPool(settings, ActiveRules(settings));"
        "[each.result() for each in pool._ensure_started().ready_futures];"
        "children = psutil.Process().children(recursive=True);"
        "print('children', *[child.pid for child in children], flush=True); threading.Event().wait()"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(pickle.dumps(one_process))
    parent.stdin.close()
    outcome = next(line for line in parent.stdout if line.startswith(b"children"))
    children = [psutil.Process(int(number)) for number in outcome.split()[1:]]
    assert children
    parent.kill()
    parent.wait()
    wait_for(lambda: not any(child.is_running() for child in children), "The children's end")


def started(pool: ScanPool) -> bool:
    return pool._pool is not None


def test_small_batches_and_single_articles_start_no_workers(
    settings: Settings, in_force: ActiveRules, rules: RuleSet
) -> None:
    pool = ScanPool(settings, in_force)
    pool.run("scan", rules, [])
    pool.run("scan", rules, BATCH[:3])
    pool.run("scan", rules, [Article(content="x" * 2 * MIN_PARALLEL_CHARS)])
    assert not started(pool)
    pool.close()


def test_a_pool_without_workers_runs_in_the_calling_process(
    tmp_path: Path, in_force: ActiveRules, rules: RuleSet
) -> None:
    pool = ScanPool(settings_in(tmp_path, scan_processes=0), in_force)
    assert pool.run("scan", rules, BATCH) == run_batch("scan", rules, BATCH)
    assert not warm_up(pool)
    assert not started(pool)


@pytest.mark.processes
def test_callers_do_not_wait_for_workers_to_start(
    one_process: Settings, in_force: ActiveRules, rules: RuleSet
) -> None:
    pool = ScanPool(one_process, in_force)
    assert pool.run("scan", rules, BATCH) == run_batch("scan", rules, BATCH)
    assert started(pool)
    pool.close()
    assert pool.run("scan", rules, BATCH) == run_batch("scan", rules, BATCH)
    assert not started(pool)


@given(st.lists(st.integers(0, 3 * MIN_CHUNK_CHARS), max_size=60), st.integers(1, 12))
def test_chunks_join_to_the_batch_and_are_not_empty(sizes: list[int], pieces: int) -> None:
    articles = [Article(id=str(number)) for number in range(len(sizes))]
    cuts = split_into_chunks(articles, sizes, pieces)
    assert [article for piece in cuts for article in piece] == articles
    assert all(cuts) or not articles
    assert len(cuts) <= 2 * pieces + 1
