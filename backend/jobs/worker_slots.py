"""Gives each worker process a slot, and takes over the jobs of slots whose process is dead.

Each worker process holds the lowest free slot, a lock that the operating system or PostgreSQL releases when
the process ends, however it ends. The slot identifies the process on the jobs that it runs (``slot-0``,
``slot-1``, ...). If the lock of a slot can be taken, the process of its jobs is dead: the first process to
see that puts the jobs back into their queue.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
import structlog
from dbos import DBOS, WorkflowStatus

from backend.store.database import CONNECTION_TIMEOUTS

log = structlog.get_logger(__name__)

SLOT = re.compile(r"slot-\d+")
MAX_SLOTS = 1024
VERIFY_SECONDS = 2.0
VERIFICATIONS_PER_SWEEP = 2
MAX_TAKE_OVERS = 20
"""After this number of crashes a workflow is cancelled, since it may be their cause."""


class LockLost(Exception):
    """The locks of this process are gone: another process may take over its jobs."""


class Locks(Protocol):
    """Locks by name that hold across all processes on one store, and within one process too."""

    def acquire(self, name: str) -> bool:
        """Take the lock if it is free, without waiting; returns whether it was taken."""

    def release(self, name: str) -> None: ...

    def verify(self) -> None:
        """Raise :class:`LockLost` unless every lock taken is still held."""

    def close(self) -> None:
        """Release all locks."""


def open_locks(database_url: str, home: Path) -> Locks:
    return FileLocks(home) if database_url.startswith("sqlite") else PostgresLocks(database_url)


class FileLocks:
    """Locks on the files ``jobs.NAME`` in ``home``, for processes on one machine."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._held: dict[str, int] = {}
        self._guard = threading.Lock()
        home.mkdir(parents=True, exist_ok=True, mode=0o700)

    def acquire(self, name: str) -> bool:
        with self._guard:
            file = os.open(self._home / f"jobs.{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                return False
            self._held[name] = file
            return True

    def release(self, name: str) -> None:
        """Release the lock but keep its file: else two processes could lock two files of one name."""
        with self._guard:
            os.close(self._held.pop(name))

    def verify(self) -> None:
        """Do nothing: the operating system releases no lock while the process lives."""

    def close(self) -> None:
        with self._guard:
            while self._held:
                os.close(self._held.popitem()[1])


_KEEPALIVE_SETTINGS = ("tcp_keepalives_idle = 15", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3")
_HELD_LOCKS = sa.text(
    "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks "
    "WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND pid = pg_backend_pid()"
)


class PostgresLocks:
    """Session-level advisory locks on one connection that is used for nothing else.

    PostgreSQL releases them when that connection ends. Both ends send keepalives, so that this process
    notices a broken connection (within some 12 s) before the server does (after 30 s) and lets another
    process in. A transaction-level pooler between the two cannot work: it changes the session, which
    :meth:`verify` reports as lost.
    """

    def __init__(self, database_url: str) -> None:
        self._held: set[str] = set()
        self._guard = threading.Lock()
        self._engine = sa.create_engine(
            database_url,
            poolclass=sa.NullPool,
            isolation_level="AUTOCOMMIT",
            connect_args={**CONNECTION_TIMEOUTS, "application_name": "chainproof_slot"},
        )
        self._connection = self._engine.connect()
        for setting in _KEEPALIVE_SETTINGS:
            self._connection.exec_driver_sql(f"SET {setting}")

    def acquire(self, name: str) -> bool:
        with self._guard:
            if name in self._held:  # PostgreSQL would give a session the same lock twice
                return False
            is_acquired = self._execute(sa.select(sa.func.pg_try_advisory_lock(_lock_id(name)))) == [True]
            if is_acquired:
                self._held.add(name)
            return is_acquired

    def release(self, name: str) -> None:
        with self._guard:
            self._held.remove(name)
            self._execute(sa.select(sa.func.pg_advisory_unlock(_lock_id(name))))

    def verify(self) -> None:
        with self._guard:
            held_ids = set(self._execute(_HELD_LOCKS))
            if lost_names := sorted(name for name in self._held if _lock_id(name) not in held_ids):
                raise LockLost(f"PostgreSQL no longer holds this session's locks: {', '.join(lost_names)}")

    def close(self) -> None:
        with self._guard:
            self._held.clear()
            with contextlib.suppress(sa.exc.SQLAlchemyError):  # a dead connection holds no locks
                # Release them now, not when the server notices the end of the connection.
                self._connection.execute(sa.text("SELECT pg_advisory_unlock_all()"))
            with contextlib.suppress(sa.exc.SQLAlchemyError):
                self._connection.close()
                self._engine.dispose()

    def _execute(self, statement: sa.Executable) -> list[object]:
        try:
            return list(self._connection.execute(statement).scalars())
        except sa.exc.SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            raise LockLost(f"the connection that holds the locks failed: {cause}") from error


def _lock_id(name: str) -> int:
    """Compute the advisory lock number of a name: a signed 64-bit number, equal in all processes."""
    digest = hashlib.sha256(f"chainproof.jobs.{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def take_slot(locks: Locks) -> str:
    """Take the lowest free slot with ``locks``; returns its name, which is the executor id."""
    for number in range(MAX_SLOTS):
        if locks.acquire(name := f"slot-{number}"):
            return name
    raise RuntimeError(f"{MAX_SLOTS} processes run jobs on this store already. Stop one of them.")


def take_over(locks: Locks, own_slot: str) -> dict[str, int]:
    """Take over the workflows of dead processes once; returns their number by slot."""
    owners = {workflow.executor_id or "" for workflow in _list_pending()} - {own_slot}
    workflows_by_slot = {}
    for slot in sorted(owner for owner in owners if SLOT.fullmatch(owner)):
        if locks.acquire(slot):
            with _release_at_the_end(locks, slot):
                workflows_by_slot[slot] = sum(_resume(workflow) for workflow in _list_pending(slot))
    return {slot: workflows for slot, workflows in workflows_by_slot.items() if workflows}


def _list_pending(slot: str | None = None) -> list[WorkflowStatus]:
    """List the running workflows, or those of ``slot``. Scans all stored ones: 60 ms per 100,000."""
    return DBOS.list_workflows(status="PENDING", executor_id=slot, load_input=False, load_output=False)


def _resume(workflow: WorkflowStatus) -> bool:
    """Put a workflow back into its queue, or cancel it after too many take-overs.

    The caller holds the lock of its slot; else a running workflow could be started twice. The take-overs are
    counted here, since dbos resets its own count when a workflow is resumed.
    """
    attributes = workflow.attributes or {}
    take_overs = attributes.get("take_overs", 0) + 1
    if take_overs > MAX_TAKE_OVERS:
        DBOS.cancel_workflow(workflow.workflow_id)
        return False
    DBOS.update_workflow_attributes(workflow.workflow_id, {**attributes, "take_overs": take_overs})
    DBOS.resume_workflow(workflow.workflow_id, queue_name=workflow.queue_name)
    return True


@contextlib.contextmanager
def _release_at_the_end(locks: Locks, name: str) -> Iterator[None]:
    try:
        yield
    finally:
        locks.release(name)


class Sweeper:
    """Takes over jobs of dead processes every four seconds, and verifies that this process holds its slot."""

    def __init__(self, locks: Locks, slot: str, *, on_lost: Callable[[], None]) -> None:
        self._locks = locks
        self._slot = slot
        self._on_lost = on_lost
        self._stop = threading.Event()
        self._failing = False
        self._thread = threading.Thread(target=self._run, name="job-sweeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        looks = 0
        while not self._stop.wait(VERIFY_SECONDS):
            looks += 1
            try:
                self._locks.verify()
                if looks % VERIFICATIONS_PER_SWEEP == 0:
                    self.sweep()
            except LockLost as loss:
                log.critical("job_slot_lost", slot=self._slot, reason=str(loss))
                self._on_lost()
                return

    def sweep(self) -> None:
        """Sweep once. Logs a database that does not answer once; raises :class:`LockLost`."""
        try:
            for slot, jobs in take_over(self._locks, self._slot).items():
                log.warning("jobs_taken_over", of=slot, by=self._slot, jobs=jobs)
            self._failing = False
        except LockLost:
            raise
        except Exception as error:  # noqa: BLE001 - the thread must outlive any fault of the database
            if not self._failing:
                log.warning("slot_takeover_failed", error=type(error).__name__)
            self._failing = True
