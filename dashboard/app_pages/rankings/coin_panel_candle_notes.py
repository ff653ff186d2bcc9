"""Builds the notes below a candle chart: source, age and missing candles."""

from datetime import UTC, datetime, timedelta

from dashboard.app_pages.rankings.columns import CANDLE_COUNTS, CANDLE_MS
from dashboard.client.market_schemas import CandleSeries, ChartSpan
from dashboard.frame.formats import age, parse_instant
from dashboard.frame.freshness import source_name
from dashboard.i18n import Language, t

LONG_SPANS: tuple[ChartSpan, ...] = ("30d", "90d", "1y")
"""Spans whose candles come from a provider's history, if one has it."""


def build_notes(series: CandleSeries, now: datetime, lang: Language) -> list[str]:
    """Builds the notes on a series that has candles."""
    span, rows, source = series["span"], series["candles"], series["source"]
    notes = [t(f"chart.basis_{series['basis']}", source=source_name(source))]
    updated_at = parse_instant(series["last_updated"])
    if updated_at is not None:
        notes.append(age((now - updated_at).total_seconds(), lang))
    if source and source.endswith(":stale"):
        notes.append(t("rankings.candles_stale"))
    elif series["basis"] == "polls" and span in LONG_SPANS:
        notes.append(t("rankings.candles_own"))
    count, full = len(rows), CANDLE_COUNTS[span]
    if count < full:
        notes.append(_build_reach_note(rows[0][0], span, now, count))
    return notes


def _build_reach_note(first_ms: int, span: ChartSpan, now: datetime, count: int) -> str:
    full, candle_length = CANDLE_COUNTS[span], timedelta(milliseconds=CANDLE_MS[span])
    start = datetime.fromtimestamp(first_ms / 1000, UTC)
    if start - (now - full * candle_length) <= 2 * candle_length:
        return t("rankings.candles_gaps", n=count, full=full)
    start_words = f"{start:%Y-%m-%d}" if span in LONG_SPANS else f"{start:%Y-%m-%d %H:%M} UTC"
    return t("rankings.candles_short", start=start_words, n=count, full=full)
