"""What the article domain does by the clock."""

from datetime import timedelta
from pathlib import Path

from backend.articles.tasks import article_schedules
from backend.articles.violation_store import ViolationFilter, load_page
from backend.jobs.schedules import DAY
from backend.store.database import Database
from tests.support.apps.market_app import settings_in
from tests.support.articles.violations import NOON, store, violation


def test_violations_are_deleted_daily_after_the_configured_days(
    sqlite_database: Database, tmp_path: Path
) -> None:
    settings = settings_in(tmp_path, violations_keep_days=10)
    (schedule,) = article_schedules(settings, sqlite_database)
    assert schedule.every_seconds == DAY
    for days in (9, 10, 11, 12):
        store(sqlite_database, violation(article_id=str(days)), at=NOON - timedelta(days=days))
    schedule.run(NOON)
    schedule.run(NOON)
    kept = load_page(sqlite_database, ViolationFilter(), limit=10, cursor=None)["data"]
    assert [each["article_id"] for each in kept] == ["9", "10"]
