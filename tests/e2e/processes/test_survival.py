"""The programs are killed, stopped and starved as processes; their data survive."""

import json
import resource
import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.support.processes import programs
from tests.support.processes.programs import (
    find_corruption,
    find_processes,
    has_ended,
    has_no_processes,
    read_rows,
)
from tests.support.processes.running import free_port, is_answering, wait_for
from tests.support.test_session.requirements import skip_unless

pytestmark = pytest.mark.processes

OFTEN = {"CHAINPROOF_TICK_SECONDS": "1"}
ROOM_TO_READ = 64 * 1024
"""Bytes of a file: enough for what SQLite shares between readers, too few for the documents of a start."""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with programs.create_home(tmp_path) as folder:
        yield folder


def test_what_a_killed_service_had_is_there_at_the_next_start(home: Path) -> None:
    service = programs.start(home, "serve", **OFTEN).wait_until_ready()
    worker = service.child("worker")
    local = service.key
    created = programs.run(home, "keys", "create", "--name", "a moment before", "--json")
    service.kill()  # whatever the worker is writing at this moment
    wait_for(lambda: has_ended(worker), "The end of the killed service's worker")
    assert has_no_processes(home)

    assert find_corruption(home) == []
    rows_before = {table: read_rows(home, table) for table in ("price_points", "candles", "incidents")}
    assert rows_before["price_points"]
    assert rows_before["candles"]
    figure_keys = {row[:2] for row in read_rows(home, "published_figures")}

    restarted = programs.start(home, "serve", **OFTEN)
    restarted.wait_until_ready(figures=False)
    assert restarted.key == local
    assert restarted.get("/prices", key=json.loads(created.stdout)["key"]).status_code == 200
    assert restarted.has_prices(), "Figures of before the kill are there at once."
    restarted.wait_until_refreshed()
    assert restarted.stop() == 0
    assert find_corruption(home) == []
    assert rows_before["price_points"] <= read_rows(home, "price_points")
    assert figure_keys == {row[:2] for row in read_rows(home, "published_figures")}
    columns = 4  # realm, asset, span or instant, and the like: the key of a candle or an incident
    for table in ("candles", "incidents"):
        assert {row[:columns] for row in rows_before[table]} <= {
            row[:columns] for row in read_rows(home, table)
        }


def test_a_worker_is_started_again_however_often_it_dies_and_goes_with_an_interrupted_service(
    home: Path,
) -> None:
    service = programs.start(home, "serve", **OFTEN)
    killed: list[int] = []
    while len(killed) < 3:  # each before it got going, which ends a program that nobody looks after
        worker = service.child("worker")
        worker.kill()
        wait_for(partial(has_ended, worker), "The end of the worker")
        killed.append(worker.pid)
    service.wait_until_ready()
    assert service.child("worker").pid not in killed
    service.wait_until_refreshed()
    assert service.words.count("process_died") == len(killed)
    assert service.stop(signal.SIGINT) in (0, 130)
    assert has_no_processes(home)
    assert "Traceback" not in service.words
    assert find_corruption(home) == []


def test_all_of_up_goes_with_its_killed_parent_and_all_stops_on_ctrl_c(home: Path) -> None:
    settings = {"CHAINPROOF_DASHBOARD_PORT": str(free_port())}
    page = f"http://127.0.0.1:{settings['CHAINPROOF_DASHBOARD_PORT']}/_stcore/health"
    killed = programs.start(home, "up", **settings).wait_until_ready()
    wait_for(lambda: killed.is_ready() and is_answering(page), "The dashboard")
    assert len(find_processes(home)) >= 4
    killed.kill()
    wait_for(lambda: has_no_processes(home), "The end of the killed program's children")
    assert find_corruption(home) == []

    restarted = programs.start(home, "up", **settings).wait_until_ready()
    wait_for(lambda: restarted.is_ready() and is_answering(page), "The dashboard")
    assert restarted.stop(signal.SIGINT) in (0, 130)
    assert has_no_processes(home)
    assert "Traceback" not in killed.words + restarted.words
    assert find_corruption(home) == []


def test_a_stop_amid_the_start_is_as_quiet(home: Path) -> None:
    service = programs.start(home, "serve")
    wait_for(lambda: (home / "chainproof.db").exists(), "The beginning of the start")
    assert service.stop() == 0
    wait_for(lambda: has_no_processes(home), "The end of the worker")
    assert "Traceback" not in service.words
    assert find_corruption(home) == []


def test_several_http_processes_answer_as_one_service(home: Path) -> None:
    arguments = ("serve", "--workers", "2", "--no-worker")  # what the other process does is nothing to these
    management = free_port()
    settings = {"CHAINPROOF_MANAGEMENT_PORT": str(management)}
    service = programs.start(home, *arguments, **settings).wait_until_ready(figures=False)
    assert is_answering(f"http://127.0.0.1:{management}/readyz")
    parents = service.children("http")
    assert len(parents) == 2

    def read_request_count() -> float:
        lines = service.get("/metrics").text.splitlines()
        name = 'chainproof_http_requests_total{method="GET",route="/prices",status="200"}'
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))

    for _ in range(40):  # each on a connection of its own, so that either process may take it
        assert service.get("/prices").status_code == 200
    assert read_request_count() == 40, "Both processes count into one place."
    keys = json.loads(programs.run(home, "keys", "list", "--json").stdout)
    assert len(keys) == 1, "Both made one local key at the first start."

    parents[0].kill()
    wait_for(lambda: len(service.children("http")) == 2, "Another in place of the killed process")
    wait_for(lambda: parents[0].pid not in {item.pid for item in service.children("http")}, "Its end")
    assert service.get("/prices").status_code == 200
    service.kill()
    wait_for(lambda: has_no_processes(home), "The end of the killed service's processes")

    restarted = programs.start(home, *arguments).wait_until_ready(figures=False)
    assert has_fresh_counters(restarted)
    assert restarted.stop() == 0
    assert has_no_processes(home)
    assert "Traceback" not in service.words + restarted.words


def has_fresh_counters(service: programs.Program) -> bool:
    """A start counts from zero: what the former processes counted is gone."""
    return 'route="/prices",status="200"' not in service.get("/metrics").text


@pytest.mark.parametrize("command", ["up", "serve"])
def test_a_port_in_use_is_a_sentence(home: Path, command: str) -> None:
    with socket.socket() as bound_socket:
        bound_socket.bind(("127.0.0.1", 0))
        bound_socket.listen()
        refused = programs.run(
            home, command, settings={"CHAINPROOF_PORT": str(bound_socket.getsockname()[1])}
        )
    assert refused.returncode == 3
    assert "is in use" in refused.stderr
    assert "choose another port with CHAINPROOF_PORT" in refused.stderr
    assert "Traceback" not in refused.stderr + refused.stdout


@pytest.mark.parametrize("command", ["up", "serve", "worker"])
def test_a_folder_that_cannot_be_used_is_a_sentence(tmp_path: Path, command: str) -> None:
    file = tmp_path / "file"
    file.touch()
    refused = programs.run(file / "home", command, settings={"CHAINPROOF_PORT": str(free_port())})
    assert refused.returncode == 3
    assert "CHAINPROOF_HOME" in refused.stderr
    assert "Traceback" not in refused.stderr + refused.stdout


def test_a_store_that_cannot_be_written_is_a_sentence(home: Path) -> None:
    """A full disk, by a limit on the size of files: it stops root as well."""
    assert programs.run(home, "migrate").returncode == 0
    (home / "chainproof.db").unlink()
    settings = {"CHAINPROOF_PORT": str(free_port())}
    refused = programs.run(home, "serve", settings=settings, file_bytes=1024)
    assert refused.returncode == 3
    assert f"{home / 'chainproof.db'} does not answer: disk I/O error" in refused.stderr
    assert "Traceback" not in refused.stderr + refused.stdout


def test_a_full_disk_stops_writes_and_not_reads_until_there_is_room(home: Path) -> None:
    skip_unless(hasattr(psutil.Process, "rlimit"), "Only Linux limits other processes.")
    service = programs.start(home, "serve", **OFTEN).wait_until_ready()
    service.wait_until_refreshed()  # by a schedule: the first refresh comes before the worker's start is done
    worker = service.child("worker")
    processes = [psutil.Process(service.process.pid), worker]
    for process in processes:
        process.rlimit(psutil.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
    wait_for(lambda: "OperationalError" in service.words, "A refresh that cannot be stored")
    before = service.refreshed_at()
    for path in ("/prices", "/rankings", "/assets/bitcoin", "/prices/bitcoin/quotes", "/healthz"):
        assert service.get(path).status_code == 200, path
    assert service.refreshed_at() == before
    for process in processes:
        process.rlimit(psutil.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    service.wait_until_refreshed()
    assert service.child("worker").pid == worker.pid, "Nothing was restarted."
    assert service.stop() == 0
    assert find_corruption(home) == []


def test_a_worker_that_starts_on_a_full_disk_waits_for_room(home: Path) -> None:
    """Files may have a size at which the store is read, and the worker cannot store what its start needs."""
    skip_unless(hasattr(psutil.Process, "rlimit"), "Only Linux limits other processes.")
    assert programs.run(home, "migrate").returncode == 0
    service = programs.start(home, "serve", file_bytes=ROOM_TO_READ, **OFTEN)
    wait_for(lambda: "store_wait_started" in service.words, "A start that cannot be stored")
    worker = service.child("worker")
    service.wait_until_ready(figures=False)
    assert service.get("/assets").status_code == 200
    for process in (psutil.Process(service.process.pid), worker):
        process.rlimit(psutil.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    service.wait_until_ready()
    service.wait_until_refreshed()
    assert service.child("worker").pid == worker.pid
    assert "process_died" not in service.words
    assert service.stop() == 0
    assert find_corruption(home) == []
