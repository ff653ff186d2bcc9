"""Serves scored runs of a steady profile, a falling one, one with a hostile name, and one that never ran."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend import migrations
from backend.app import create_app
from backend.auth.service import create_key
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.model import Profile, Run
from tests.support.http.uvicorn_thread import serve_app
from tests.support.runs.scored_runs import run
from tests.support.runs.timeline_app import store_runs

CASES, PASSES, FELL_AT = 12, 24, 14
STEADY, FALLING, EVIL = "steady", "acme, inc/falls", "<script>alert(1)</script>"
UNUSED = "never ran"
NOW = datetime(2026, 4, 1, tzinfo=UTC)


def build_runs(profile: str, passes: int = PASSES, **more: Any) -> list[Run]:
    """Build one run per case and day; random variation cancels out within a day.

    Each day of the steady profile is an evaluation.
    """
    found = []
    for day in range(passes):
        for case in range(CASES):
            luck = 0.05 if (case + day) % 2 else -0.05
            fall = -0.2 if profile == FALLING and day >= FELL_AT else 0.0
            level = 0.4 + case / 40 + luck + fall
            evaluation = {"evaluation_id": f"{profile} {day:02}", "revision": "r1" if day < FELL_AT else "r2"}
            fields = {**more, **(evaluation if profile == STEADY else {})}
            found.append(run(profile, f"case {case:02}", round(level, 6), 24 * day + case / 60, **fields))
    return found


def build_broken_runs(profile: str) -> list[Run]:
    return [
        run(profile, "case 00", 0, 24 * 30 + n, error="no sandbox", infrastructure_failure=True)
        for n in range(3)
    ]


@contextmanager
def serve_scored_runs(home: Path) -> Iterator[tuple[str, str]]:
    """Serve a new store in ``home``; yields the service's address and a key that may read."""
    settings = Settings(home=home, log_level="error", mode="live")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    store.upsert_profiles(database, {name: Profile() for name in (STEADY, FALLING, EVIL, UNUSED)}, now=NOW)
    store_runs(
        database,
        STEADY,
        *build_runs(STEADY, model="m-1", model_vendor="vendor one"),
        *build_broken_runs(STEADY),
    )
    before = build_runs(FALLING, FELL_AT, model="m-2", model_vendor="vendor two")
    store_runs(database, FALLING, *before, *build_runs(FALLING, model="m-3")[len(before) :])
    store_runs(database, EVIL, run(EVIL, "case 00", 0.5))
    key = create_key(database, name="page", scopes=("read",), now=NOW).key
    database.dispose()
    with serve_app(create_app(settings)) as url:
        yield url, key
