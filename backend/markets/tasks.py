"""Defines the market's schedules: refresh, history retention, asset images. One process runs each tick."""

from datetime import datetime

import structlog

from backend.jobs.schedules import Schedule
from backend.markets import configuration, retention
from backend.markets.icons import icon_store
from backend.markets.refresh import Refresher
from backend.settings import Settings
from backend.store.database import Database

log = structlog.get_logger(__name__)
REFRESH = "market-refresh"


def market_schedules(settings: Settings, database: Database) -> list[Schedule]:
    market = configuration.build_market(settings, database)
    refresher = Refresher(database, market)

    def refresh(now: datetime) -> None:
        report = refresher.tick(now)
        log.info("market_refreshed", answered=report.answered, failed=report.failed, changed=report.changed)

    def delete_history(now: datetime) -> None:
        log.info("history_deleted", **retention.delete_expired_history(database, market.sources.realm, now))

    schedules = [
        Schedule(
            REFRESH,
            settings.tick_seconds,
            refresh,
            "Fetch quotes from due providers, publish prices and update candles.",
        ),
        Schedule(
            "market-thinning",
            3600,
            delete_history,
            "Delete expired price points, candles, totals and incidents.",
        ),
    ]
    if settings.mode == "live":

        def fetch_images(now: datetime) -> None:
            icon_store.fetch_missing_images(database, now, allow=settings.fetch_allow)

        schedules.append(Schedule("market-icons", 60, fetch_images, "Fetch missing asset images."))
    return schedules
