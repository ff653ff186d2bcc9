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
from benchmarks.faults.probing import HOT, STORED, Probe, tell_healing
from benchmarks.faults.site import Site, until
from benchmarks.faults.verdict import settle, tell_damage
from benchmarks.faults.writing import Writers
from tests.support import programs
from tests.support.running import wait_for

SIZE = {"sqlite": 96, "postgresql": 320}
"""MiB of the disk: what a store needs at first, and room for a minute of writing."""
SECONDS = 12.0
HEALED = 5.0


class Disk:
    """A file system of its own at ``place``."""

    def __init__(self, folder: Path, mebibytes: int) -> None:
        self.image, self.place = folder / "disk.img", folder / "disk"
        self.place.mkdir()
        self.image.touch()
        os.truncate(self.image, mebibytes * 1024**2)
        _done("mkfs.ext4", "-q", "-m", "0", str(self.image))

    def mount(self, *options: str) -> None:
        _done("mount", "-o", ",".join(("loop", *options)), str(self.image), str(self.place))
        if "ro" not in options:
            self.place.chmod(0o755)

    def unmount(self) -> None:
        """Whatever still writes into it ends a moment after it was killed."""

        def gone() -> bool:
            done = subprocess.run(["umount", str(self.place)], capture_output=True, check=False)
            return not os.path.ismount(self.place) or done.returncode == 0

        wait_for(gone, "The end of all that writes to the disk", 30)

    def fill(self) -> None:
        """Until not a block is free."""
        with (self.place / "ballast").open("ab", buffering=0) as ballast:
            for size in (1024**2, 4096):
                with contextlib.suppress(OSError):
                    while True:
                        ballast.write(bytes(size))

    def make_room(self) -> None:
        (self.place / "ballast").unlink()

    def fail(self) -> None:
        """Take nothing in any more, under files that are open."""
        _done("mount", "-o", "remount,abort", str(self.place))


def _done(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@contextlib.contextmanager
def disk_below(folder: Path, mebibytes: int) -> Iterator[Disk | None]:
    """Null, with a word, where no file system may be mounted."""
    try:
        disk = Disk(folder, mebibytes)
        disk.mount()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"   left out: no file system may be mounted here ({error})")
        yield None
        return
    try:
        yield disk
    finally:
        disk.unmount()


def run(report: AimReport, store: stores.StoreName, folder: Path, *, rounds: int) -> None:
    with disk_below(folder, SIZE[store]) as disk:
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
            settle(report, site, writers)
            tell_damage(report, over.damage())
        finally:
            site.end()
            over.stop()


def _full(report: AimReport, site: Site, disk: Disk, writers: Writers) -> None:
    writers.start()
    try:
        time.sleep(4)
        disk.fill()
        _while_nothing_is_taken_in(report, site, writers)
    finally:
        writers.stop()
    _start_anew(report, site, "a full disk")
    disk.make_room()
    _back(site)
    tell_healing(report, site, aim=HEALED)


def _read_only(report: AimReport, site: Site, disk: Disk, writers: Writers) -> None:
    writers.start()
    try:
        time.sleep(4)
        disk.fail()
        _while_nothing_is_taken_in(report, site, writers)
    finally:
        writers.stop()
    for node in site.nodes:
        site.stop(node)
    site.store.kill()
    disk.unmount()
    disk.mount()  # which brings the file system's own journal up
    disk.unmount()
    disk.mount("ro")
    _start_anew(report, site, "a read-only disk")
    for node in site.nodes:
        programs.kill_all(node.home)
    disk.unmount()
    disk.mount()
    site.store.start()
    for node in site.nodes:
        site.start(node)
        node.ready_after()
    tell_healing(report, site, aim=HEALED)


def _while_nothing_is_taken_in(report: AimReport, site: Site, writers: Writers) -> None:
    refused, writers.refusals.slowest = writers.refusals.unavailable, 0.0
    paths = (*HOT, *STORED) if site.store.name == "sqlite" else HOT  # PostgreSQL ends on such a disk
    with Probe(site, paths) as reads, Probe(site, ("/healthz",)) as alive:
        time.sleep(SECONDS)
    reads.tell(report, "reads", 200)
    alive.tell(report, "healthz", 200)
    report.record("writes refused with 503", writers.refusals.unavailable - refused, "", 1, is_minimum=True)
    report.record("a refusal took, at the most", writers.refusals.slowest, "s")


def _start_anew(report: AimReport, site: Site, on: str) -> None:
    """One node is killed and started while the disk takes nothing in: it serves, or ends with a sentence."""
    node = site.nodes[0]
    programs.kill_all(node.home)
    site.start(node)
    assert node.program is not None
    process = node.program.process
    until(lambda: node.is_ready() or process.poll() is not None, 60)
    words = node.program.words
    ended = process.poll()
    told = "answers" if ended is None else f"ended with {ended}: {words.strip()[-160:]}"
    print(f"    a start on {on}: {told}")
    clear = (ended is None and node.is_ready()) or (ended == 3 and words.rstrip().endswith("."))
    report.record(f"starts on {on} that neither serve nor say why", not clear, "", 0)
    # Not those within a line of the log, where a tick that could not begin tells why.
    raw = sum(line.startswith("Traceback") for line in words.splitlines())
    report.record(f"tracebacks on {on}", raw, "", 0)


def _back(site: Site) -> None:
    """What ended meanwhile runs again, as whoever runs it would see to it."""
    if isinstance(site.store, stores.PostgresStore) and not site.store.is_up():
        site.store.kill()
        site.store.start()
    for node in site.nodes:
        if node.program is None or node.program.process.poll() is not None:
            site.start(node)
