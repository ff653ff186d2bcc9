"""Makes the disk of a running service full or read-only.

The disk is a separate ext4 file system in a file. A dummy file fills it. ``mount -o remount,abort`` makes it
read-only, as the system does when a device fails: with open files and without a warning.
"""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.aim_report import AimReport
from benchmarks.faults import stores
from benchmarks.faults.probing import CACHED_PATHS, STORED_PATHS, Probe, report_recovery
from benchmarks.faults.site import Site, measure_wait
from benchmarks.faults.verdict import check_final_state, report_damage
from benchmarks.faults.writing import Writers
from tests.support.processes import programs
from tests.support.processes.running import wait_for

SIZE_MIB = {"sqlite": 96, "postgresql": 512}
"""The size of the disk: a new store, and room for a minute of writes."""
OUTAGE_SECONDS = 12.0
RECOVERY_SECONDS = 5.0


class Disk:
    """A separate file system mounted at ``place``."""

    def __init__(self, folder: Path, mebibytes: int) -> None:
        self.image, self.place = folder / "disk.img", folder / "disk"
        self.place.mkdir()
        self.image.touch()
        os.truncate(self.image, mebibytes * 1024**2)
        _run("mkfs.ext4", "-q", "-m", "0", str(self.image))

    def mount(self, *options: str) -> None:
        _run("mount", "-o", ",".join(("loop", *options)), str(self.image), str(self.place))
        if "ro" not in options:
            self.place.chmod(0o755)

    def unmount(self) -> None:
        """Unmount it, after killed processes have ended."""

        def gone() -> bool:
            process = subprocess.run(["umount", str(self.place)], capture_output=True, check=False)
            return not os.path.ismount(self.place) or process.returncode == 0

        wait_for(gone, "The end of all that writes to the disk", 30)

    def fill(self) -> None:
        """Write a dummy file until no block is free."""
        with (self.place / "ballast").open("ab", buffering=0) as ballast:
            for size in (1024**2, 4096):
                with contextlib.suppress(OSError):
                    while True:
                        ballast.write(bytes(size))

    def make_room(self) -> None:
        (self.place / "ballast").unlink()

    def fail(self) -> None:
        """Make it read-only while files are open."""
        _run("mount", "-o", "remount,abort", str(self.place))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@contextlib.contextmanager
def disk_below(folder: Path, mebibytes: int) -> Iterator[Disk | None]:
    """Mount a disk for the block; None, with a message, if mounting is not allowed."""
    try:
        disk = Disk(folder, mebibytes)
        disk.mount()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"   skipped: no file system may be mounted here ({error})")
        yield None
        return
    try:
        yield disk
    finally:
        disk.unmount()


def run(report: AimReport, store: stores.StoreName, folder: Path, *, rounds: int) -> None:
    with disk_below(folder, SIZE_MIB[store]) as disk:
        if disk is None:
            return
        place = disk.place / "data"
        place.mkdir(mode=0o755)
        over = stores.make(store, place)
        site = Site(over, place if store == "sqlite" else folder)
        over.start()
        try:
            site.make_credentials()
            site.start_all()
            writers = Writers(site, folder, seed=1)
            writers.tokens.stock()
            for number in range(1, rounds + 1):
                print(f"-- {number}: full", flush=True)
                _full(report, site, disk, writers)
                print(f"-- {number}: read-only", flush=True)
                _read_only(report, site, disk, writers)
            check_final_state(report, site, writers)
            report_damage(report, over.damage())
        finally:
            site.kill_all()
            over.stop()


def _full(report: AimReport, site: Site, disk: Disk, writers: Writers) -> None:
    writers.start()
    try:
        time.sleep(4)
        disk.fill()
        _observe_outage(report, site, writers)
    finally:
        writers.stop()
    _restart_one_node(report, site, "a full disk")
    disk.make_room()
    _restart_ended(site)
    report_recovery(report, site, aim=RECOVERY_SECONDS)


def _read_only(report: AimReport, site: Site, disk: Disk, writers: Writers) -> None:
    writers.start()
    try:
        time.sleep(4)
        disk.fail()
        _observe_outage(report, site, writers)
    finally:
        writers.stop()
    for node in site.nodes:
        site.stop(node)
    site.store.kill()
    disk.unmount()
    disk.mount()  # this replays the file system's journal
    disk.unmount()
    disk.mount("ro")
    _restart_one_node(report, site, "a read-only disk")
    for node in site.nodes:
        programs.kill_all(node.home)
    disk.unmount()
    disk.mount()
    site.store.start()
    for node in site.nodes:
        site.start(node)
        node.wait_until_ready()
    report_recovery(report, site, aim=RECOVERY_SECONDS)


def _observe_outage(report: AimReport, site: Site, writers: Writers) -> None:
    refused, writers.refusals.slowest = writers.refusals.unavailable, 0.0
    paths = (
        (*CACHED_PATHS, *STORED_PATHS) if site.store.name == "sqlite" else CACHED_PATHS
    )  # PostgreSQL ends on a full disk
    with Probe(site, paths) as reads, Probe(site, ("/healthz",)) as alive:
        time.sleep(OUTAGE_SECONDS)
    reads.tell(report, "reads", 200)
    alive.tell(report, "healthz", 200)
    report.record("writes refused with 503", writers.refusals.unavailable - refused, "", 1, is_minimum=True)
    report.record("a refusal took, at the most", writers.refusals.slowest, "s")


def _restart_one_node(report: AimReport, site: Site, on: str) -> None:
    """Kill and restart one node while the disk accepts no writes: it serves, or ends with a sentence."""
    node = site.nodes[0]
    programs.kill_all(node.home)
    site.start(node)
    assert node.program is not None
    process = node.program.process
    measure_wait(lambda: node.is_ready() or process.poll() is not None, 60)
    words = node.program.words
    ended = process.poll()
    outcome = "answers" if ended is None else f"ended with {ended}: {words.strip()[-160:]}"
    print(f"    a start on {on}: {outcome}")
    is_clear = (ended is None and node.is_ready()) or (ended == 3 and words.rstrip().endswith("."))
    report.record(f"starts on {on} that neither serve nor say why", not is_clear, "", 0)
    # Ignore tracebacks within a log line, where a failed tick explains itself.
    raw = sum(line.startswith("Traceback") for line in words.splitlines())
    report.record(f"tracebacks on {on}", raw, "", 0)


def _restart_ended(site: Site) -> None:
    """Restart everything that has ended, as an operator would."""
    if isinstance(site.store, stores.PostgresStore) and not site.store.is_up():
        site.store.kill()
        site.store.start()
    for node in site.nodes:
        if node.program is None or node.program.process.poll() is not None:
            site.start(node)
