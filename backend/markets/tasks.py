"""Defines the market's schedules: refresh, images, retention. Each tick runs once across all processes."""

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
        log.info("history_thinned", **retention.delete_expired_history(database, market.sources.realm, now))

    schedules = [
        Schedule(REFRESH, settings.tick_seconds, refresh, "Ask due providers, publish, grow candles."),
        Schedule(
            "market-thinning", 3600, delete_history, "Drop price points and candles that are no longer kept."
        ),
    ]
    if settings.mode == "live":

        def images(now: datetime) -> None:
            icon_store.fetch_missing_images(database, now, allow=settings.fetch_allow)

        schedules.append(Schedule("market-icons", 60, images, "Fetch asset images that are not here yet."))
    return schedules
