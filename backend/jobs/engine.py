"""Launches dbos in a worker process, with its slot, dispatcher, scheduler and sweeper.

Jobs and schedules outlive the process that runs them. They are stored in ``jobs.db`` or in PostgreSQL's
schema ``dbos``, and another process takes over the unfinished work of a dead one. Workflows and steps are
declared with ``@DBOS.workflow`` and ``@DBOS.step`` before the launch.
"""

import contextlib
import logging
import math
import os
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn, Self

import sqlalchemy as sa
import structlog
from dbos import DBOS, DBOSClient, DBOSConfig

from backend.jobs.dispatcher import Dispatcher
from backend.jobs.heartbeat import Heartbeat
from backend.jobs.log_throttle import RepeatedWarningFilter
from backend.jobs.scheduler import Scheduler
from backend.jobs.schedules import Schedule, Ticker
from backend.jobs.serializer import JsonSerializer
from backend.jobs.worker_slots import Locks, Sweeper, open_locks, take_slot
from backend.jobs.workflow_retention import retention
from backend.store.database import CONNECTION_TIMEOUTS
from backend.store.sqlite_file import create_private_file
from backend.store.sqlite_version import add_unixepoch_subsec

log = structlog.get_logger(__name__)

APPLICATION = "chainproof"
VERSION = "1"
"""Fixed, since a job of another version would wait for ever. A change to a job keeps the order of its
existing steps, or gives the job another name."""
MAX_THREADS = 64
"""Maximum number of jobs and ticks that one process runs at once."""
LOST_SLOT_EXIT_CODE = 70


def exit_at_once() -> NoReturn:
    """End the process without cleanup: another process may own its jobs by now."""
    logging.shutdown()
    os._exit(LOST_SLOT_EXIT_CODE)


class JobEngine:
    """Runs schedules and jobs until it is stopped. dbos allows one engine at a time in a process.

    Every process on one store may have an engine, each with its own slot. A process that only submits jobs
    needs none: the ``dispatcher`` of any worker claims them. ``keep_jobs`` is how long the dbos record of a
    finished job is kept.
    """

    _of_this_process = threading.Lock()

    def __init__(
        self,
        database_url: str,
        home: Path,
        *,
        schedules: Sequence[Schedule],
        dispatcher: Dispatcher | None = None,
        heartbeat: Heartbeat | None = None,
        keep_jobs: timedelta = timedelta(days=2),
        on_slot_lost: Callable[[], None] = exit_at_once,
    ) -> None:
        self._database_url = database_url
        self._home = home
        self._schedules = [*schedules, retention(keep_jobs)]
        self._dispatcher = dispatcher
        self._heartbeat = heartbeat
        self._on_slot_lost = on_slot_lost
        self._undo = contextlib.ExitStack()
        self._stop_timeout = 0.0
        self._is_launched = False
        self._is_idle = True
        self.executor_id: str | None = None
        """The slot that this process holds while it runs."""
        names = [schedule.name for schedule in self._schedules]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"Two schedules have one name: {', '.join(twice)}.")

    def launch(self) -> None:
        """Start the engine; unfinished jobs of its slot continue where they stopped."""
        if not self._of_this_process.acquire(blocking=False):
            raise RuntimeError("A job engine runs in this process already; stop it first.")
        with contextlib.ExitStack() as undo:  # cleans up if the launch fails
            undo.callback(self._of_this_process.release)
            locks = open_locks(self._database_url, self._home)
            undo.callback(self._release_locks, locks)
            self.executor_id = take_slot(locks)
            store = store_engine(self._database_url)
            undo.callback(store.dispose)
            _filter_dbos_log()
            # Before the launch, which resumes what was unfinished.
            self.tick_workflow = Ticker(self._schedules, locks, heartbeat=self._heartbeat).register()
            if self._dispatcher is not None:
                self._dispatcher.register()
            self._launch_dbos(store, undo)
            for stored in DBOS.list_schedules():  # from an earlier release: dbos would run them as well
                DBOS.delete_schedule(stored["schedule_name"])
            scheduler = Scheduler(self._schedules, self.tick_workflow)
            scheduler.start()
            undo.callback(scheduler.stop)
            sweeper = Sweeper(locks, self.executor_id, on_lost=self._on_slot_lost)
            sweeper.start()
            undo.callback(sweeper.stop)
            if self._dispatcher is not None:
                self._dispatcher.start()
                undo.callback(self._dispatcher.stop)
            self._undo = undo.pop_all()
        log.info("job_engine_started", slot=self.executor_id)

    def stop(self, timeout: float = 10.0) -> None:
        """Claim nothing more and wait up to ``timeout`` seconds for running jobs. Idempotent.

        Jobs that still run keep the slot until the process ends; another process takes them over then.
        """
        self._stop_timeout = timeout
        self._undo.close()
        self.executor_id = None

    def __enter__(self) -> Self:
        self.launch()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _launch_dbos(self, store: sa.Engine, undo: contextlib.ExitStack) -> None:
        configuration: DBOSConfig = {
            "name": APPLICATION,
            "application_version": VERSION,
            "executor_id": self.executor_id,
            "system_database_url": self._database_url,
            "system_database_engine": store,
            "serializer": JsonSerializer(),
            "max_executor_threads": MAX_THREADS,
            "notification_listener_polling_interval_sec": 0.2,  # a stop waits for one round of it
            "log_level": "WARNING",
            "enable_otlp": False,
        }
        DBOS(config=configuration)
        undo.callback(self._destroy_dbos, store)
        DBOS.launch()
        self._is_launched = True

    def _destroy_dbos(self, store: sa.Engine) -> None:
        DBOS.destroy(workflow_completion_timeout_sec=math.ceil(self._stop_timeout))
        # Workflows that still run fail when they end, since dbos is gone. `jobs_still_running` names them.
        logging.getLogger("dbos").disabled = True
        if self._is_launched:
            self._is_idle = False
            with contextlib.suppress(sa.exc.SQLAlchemyError):  # unknown if the store does not answer
                self._is_idle = not self._find_running(store)
            self._is_launched = False

    def _find_running(self, store: sa.Engine) -> list[str]:
        """List the workflows that threads of this process still run after dbos was stopped."""
        client = DBOSClient(
            system_database_engine=store, serializer=JsonSerializer(), retry_connection_errors=False
        )
        running = client.list_workflows(
            status="PENDING", executor_id=self.executor_id, load_input=False, load_output=False
        )
        client.destroy()
        ids = [workflow.workflow_id for workflow in running]
        if ids:
            log.warning("jobs_still_running", slot=self.executor_id, jobs=ids)
        return ids

    def _release_locks(self, locks: Locks) -> None:
        if self._is_idle:
            locks.close()


def _filter_dbos_log() -> None:
    dbos_logger = logging.getLogger("dbos")
    dbos_logger.disabled = False
    if not dbos_logger.handlers:
        dbos_logger.addHandler(logging.NullHandler())  # else dbos adds a handler of its own
        dbos_logger.addFilter(RepeatedWarningFilter())


def store_engine(database_url: str) -> sa.Engine:
    """Create the engine of the job store with the settings that dbos and durable jobs need."""
    if database_url.startswith("sqlite"):
        return _create_sqlite_engine(database_url)
    engine = sa.create_engine(
        database_url,
        pool_size=10,
        max_overflow=30,
        pool_use_lifo=True,
        pool_pre_ping=True,
        connect_args={**CONNECTION_TIMEOUTS, "application_name": "chainproof_jobs"},
    )

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        # A process that is frozen in a transaction loses its row locks.
        connection.execute("SET idle_in_transaction_session_timeout = 60000")
        connection.commit()

    return engine


def _create_sqlite_engine(database_url: str) -> sa.Engine:
    file = sa.make_url(database_url).database
    if file:
        Path(file).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        create_private_file(Path(file))
    # LIFO, since each connection has its own page cache: those opened in a peak stay empty.
    engine = sa.create_engine(database_url, pool_size=10, max_overflow=60, pool_use_lifo=True)

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"  # the driver begins before writes, and takes the lock then
        for pragma in ("busy_timeout=30000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        add_unixepoch_subsec(connection)

    return engine
