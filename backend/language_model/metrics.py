"""Sets the gauges of the language model's cost, use and failures from the store."""

from datetime import datetime

import sqlalchemy as sa
import structlog

from backend.language_model import circuit_breaker, spending_limits
from backend.language_model.client import prices_from_settings
from backend.runtime import metrics
from backend.settings import Settings
from backend.store.database import Database

log = structlog.get_logger(__name__)


def refresh_gauges(settings: Settings, database: Database, *, now: datetime) -> None:
    """Set the gauges to the state at ``now``, which covers all processes.

    They keep their values if no model is in use or the store does not answer.
    """
    if settings.is_offline or settings.model_base_url is None or settings.model_name is None:
        return
    endpoint = circuit_breaker.endpoint_id(settings.model_base_url, settings.model_name)
    try:
        today = spending_limits.load_day_usage(database, now)
        state = circuit_breaker.load_state(database, endpoint)
    except sa.exc.SQLAlchemyError as error:
        log.warning("model_gauges_failed", error=type(error).__name__)
        return
    metrics.MODEL_DAY_COST.set(float(today.cost))
    metrics.MODEL_DAY_CALLS.set(today.calls)
    metrics.MODEL_DAY_TOKENS.set(today.tokens)
    metrics.MODEL_CEILING_REACHED.set(today.has_reached_limit(prices_from_settings(settings)))
    metrics.MODEL_FAILURES.set(state.failures)
