"""What models cost today and whether they answer, for a scraper: out of the store, for all processes."""

from datetime import datetime

import sqlalchemy as sa
import structlog

from backend.language_model import circuit_breaker, spending_limits
from backend.language_model.client import prices_of
from backend.runtime import metrics
from backend.settings import Settings
from backend.store.database import Database

log = structlog.get_logger(__name__)


def refresh(settings: Settings, database: Database, *, now: datetime) -> None:
    """Set the gauges to this moment; they stay as they were where the store does not answer, and where no
    model is asked at all."""
    if settings.is_offline or settings.model_base_url is None or settings.model_name is None:
        return
    endpoint = circuit_breaker.endpoint_of(settings.model_base_url, settings.model_name)
    try:
        today, known = spending_limits.of_day(database, now), circuit_breaker.read(database, endpoint)
    except sa.exc.SQLAlchemyError as error:
        log.warning("model_gauges_not_read", error=type(error).__name__)
        return
    metrics.MODEL_DAY_COST.set(float(today.cost))
    metrics.MODEL_DAY_CALLS.set(today.calls)
    metrics.MODEL_DAY_TOKENS.set(today.tokens)
    metrics.MODEL_CEILING_REACHED.set(today.is_over(prices_of(settings)))
    metrics.MODEL_FAILURES.set(known.failures)
