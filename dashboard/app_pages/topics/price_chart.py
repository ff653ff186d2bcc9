"""Shows the price of a topic's assets around the event."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import streamlit as st

from dashboard.app_pages.topics import entity_names
from dashboard.charts import candles
from dashboard.charts.plotly_chart import Figure, render_chart
from dashboard.client import Problem, markets
from dashboard.client.market_schemas import CandleRow, Span
from dashboard.client.topics import TopicDetail, TopicMedia
from dashboard.components.text_marks import NamedEntity
from dashboard.components.topic_categories import is_recent
from dashboard.frame import states, theme
from dashboard.frame.freshness import source_name
from dashboard.frame.markup import note, tag, text
from dashboard.i18n import language, t

MAX_ASSETS = 4
MAX_EVENT_GAP_MS = 3_600_000
"""An event after the last candle is drawn if the gap is at most this, or two candles if they are longer."""
MIN_ANNIVERSARY_AGE = timedelta(days=364)
"""Age of the newest primary source from which a topic tells an event of an earlier year."""
MAX_DAYS_BESIDE = 3
"""Days of the year between an anniversary and its sources, which may be of the days around the event."""
LEFT_MARGIN_PX = 18
"""Space for the label of the first tick of the time axis."""
STORED_INTERVALS_SECONDS = (1_800, 14_400, 86_400)
"""Intervals of the stored candles; shorter intervals are stored for a shorter time."""
ASSET_ENTITY_TYPES = ("asset", "stablecoin", "protocol")


def render(
    topic: TopicDetail, sources: TopicMedia | None, entities: Sequence[NamedEntity], now: datetime
) -> None:
    """Render the prices; nothing if the topic names no asset of this service."""
    assets = markets.fetch_assets()
    if assets.data is None and assets.error is not None and entities:
        states.render_error(assets.error, key="tp_prices")
        return
    names = entity_names.load_names(language()).names
    matching = [
        entity._replace(name=names.get(entity.id, entity.name))
        for entity in filter_assets(entities)[:MAX_ASSETS]
    ]
    if not matching:
        return
    event_time = find_event_time(topic["published_at"], sources)
    with st.container(key="tp_prices", gap="small"):
        st.html(tag("h3", text(t("topics.prices")), class_="cp-subhead"))
        chosen = matching[0]
        if len(matching) > 1:
            chosen = _render_asset_choice(matching)
        _render_chart(chosen, event_time, now)


def find_event_time(published_at: str, sources: TopicMedia | None) -> datetime:
    """Returns the time of the event: of an anniversary, that of its primary sources of an earlier year.

    Press and posts about an anniversary are of today.
    """
    published = datetime.fromisoformat(published_at)
    times = [source["published_at"] for source in sources["primary_sources"]] if sources else []
    latest = max((datetime.fromisoformat(time) for time in times if time), default=published)
    is_same_day = abs((published - latest).days % 365.25 - 365.25 / 2) >= 365.25 / 2 - MAX_DAYS_BESIDE
    return latest if published - latest >= MIN_ANNIVERSARY_AGE and is_same_day else published


def filter_assets(entities: Sequence[NamedEntity]) -> list[NamedEntity]:
    """Return the entities that are assets of this service; none while the assets are unavailable."""
    listed = {asset["id"] for asset in markets.fetch_assets().data or ()}
    return [entity for entity in entities if entity.id in listed and entity.type in ASSET_ENTITY_TYPES]


def _render_asset_choice(assets: Sequence[NamedEntity]) -> NamedEntity:
    names = {asset.id: asset.name for asset in assets}
    chosen = st.session_state.get("tp_asset")
    st.session_state["tp_asset"] = chosen if chosen in names else assets[0].id
    asset_id = st.segmented_control(
        t("topics.asset"),
        list(names),
        format_func=lambda option: names.get(option, option),
        key="tp_asset",
        required=True,
        label_visibility="collapsed",
    )
    return next((asset for asset in assets if asset.id == asset_id), assets[0])


class _CandleSeries(NamedTuple):
    """Candles around an event.

    ``span`` sets the axis, ``label`` names the span, and ``provenance_note`` tells the origin of the candles.
    """

    candles: Sequence[CandleRow]
    span: Span
    label: str
    provenance_note: str
    source: str | None


def _render_chart(asset: NamedEntity, event_time: datetime, now: datetime) -> None:
    """Render the candles. Recent events have those of the Rankings page, and older events stored ones."""
    series = (
        _load_recent(asset, event_time, now)
        if is_recent(event_time, now)
        else _load_stored(asset, event_time)
    )
    if isinstance(series, Problem):
        states.render_error(series, key="tp_candles")
    if not isinstance(series, _CandleSeries):
        return
    event_text = t("topics.prices_event", time=f"{event_time.astimezone(UTC):%Y-%m-%d %H:%M} UTC")
    if not series.candles:
        st.html(note(f"{event_text} · {t('topics.prices_none')}"))
        return
    page_theme = theme.current_theme()
    figure = candles.build_figure(
        series.candles,
        page_theme.shades,
        page_theme.zone,
        ink=page_theme.ink,
        background=page_theme.background,
        sample=bool(series.source and series.source.startswith("sample")),
        span=series.span,
        identity=f"{asset.id} {series.label} {event_time.isoformat()}",
    )
    event_time_in_chart_zone = event_time.astimezone(page_theme.zone).replace(tzinfo=None)
    is_event_drawn = draw_event(
        figure, series.candles, event_time_in_chart_zone, event_time, page_theme.accent
    )
    summary = candles.build_summary(series.candles, asset.name, series.label)
    render_chart(
        figure,
        key="tp_candles",
        height=candles.HEIGHT_PIXELS,
        alt=f"{summary} {event_text}" if is_event_drawn else summary,
        table=candles.build_table(series.candles, asset.name, language()),
    )
    st.html(note(f"{event_text} · {series.provenance_note}" if is_event_drawn else series.provenance_note))


def _load_recent(asset: NamedEntity, event_time: datetime, now: datetime) -> _CandleSeries | Problem | None:
    span: Span = "24h" if now - event_time < timedelta(hours=20) else "7d"
    answer = markets.fetch_candles(asset.id, span)
    series = answer.data
    if series is None:
        return answer.error
    provenance_note = t(f"chart.basis_{series['basis']}", source=source_name(series["source"]))
    return _CandleSeries(series["candles"], span, t(f"chart.span_{span}"), provenance_note, series["source"])


def _load_stored(asset: NamedEntity, event_time: datetime) -> _CandleSeries | Problem | None:
    answer = markets.fetch_candles_around(asset.id, event_time)
    series = answer.data
    if series is None:
        return answer.error
    seconds = series["interval_seconds"]
    provenance_note = t(f"topics.kept_{seconds}") if seconds in STORED_INTERVALS_SECONDS else ""
    span: Span = "24h" if seconds == STORED_INTERVALS_SECONDS[0] else "7d"
    return _CandleSeries(series["candles"], span, t("topics.around"), provenance_note, series["source"])


def draw_event(
    figure: Figure,
    rows: Sequence[CandleRow],
    event_time_in_chart_zone: datetime,
    event_time: datetime,
    colour: str,
) -> bool:
    """Draw a vertical line at the event; returns false if the candles do not reach it.

    ``event_time_in_chart_zone`` is the event's time in the time zone of the figure.
    """
    first, last = rows[0][0], rows[-1][0]
    at = event_time.timestamp() * 1000
    if not first <= at <= last + max(MAX_EVENT_GAP_MS, (last - first) / len(rows) * 2):
        return False
    layout: dict[str, Any] = figure["layout"]
    layout["margin"] = {**layout["margin"], "l": LEFT_MARGIN_PX}
    line = {"color": colour, "width": 2, "dash": "dot"}
    layout["shapes"] = [
        {
            "type": "line",
            "x0": event_time_in_chart_zone,
            "x1": event_time_in_chart_zone,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": line,
        }
    ]
    label = {
        "text": t("topics.event"),
        "x": event_time_in_chart_zone,
        "y": 1,
        "yref": "paper",
        "xanchor": "right" if at > (first + last) / 2 else "left",
        "yanchor": "top",
        "showarrow": False,
        "font": {"color": colour},
    }
    layout["annotations"] = [*layout.get("annotations", ()), label]
    return True
