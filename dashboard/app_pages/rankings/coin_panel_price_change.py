"""Builds the coin panel's section on a price change: the market, categories, volume and doubtful data."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape

from dashboard.app_pages.rankings import price_change_context
from dashboard.app_pages.rankings.category_names import translate_category
from dashboard.app_pages.rankings.cleared_incidents import find_cleared_cause
from dashboard.app_pages.rankings.price_change_context import PeerChange
from dashboard.app_pages.rankings.rows import Row
from dashboard.client.market_schemas import (
    AssetQuotes,
    CandleSeries,
    ChangeSpan,
    Incident,
    ProviderStatus,
)
from dashboard.frame.formats import age, direction, parse_decimal, parse_instant, percent
from dashboard.frame.freshness import provider_name, source_name
from dashboard.frame.session_currency import get_display_currency
from dashboard.frame.url_state import build_link
from dashboard.i18n import Language, language, t
from dashboard.i18n.punctuation import add_note, join_items, join_sentences


def build_price_change(
    row: Row,
    rows: Sequence[Row],
    week: CandleSeries | None,
    quotes: AssetQuotes | None,
    providers: Sequence[ProviderStatus] | None,
    span: ChangeSpan,
    lang: Language,
    now: datetime,
) -> str:
    """Builds the section; ``None`` in place of data means that they could not be loaded."""
    change = row.change(span)
    span_words = t(f"chart.span_{span}")
    facts = [
        (t("rankings.why_move", span=span_words), _format_change(row, span)),
        _build_peer_fact(price_change_context.compare_with_market(row, rows, span)),
        *(_build_peer_fact(peers) for peers in price_change_context.compare_with_categories(row, rows, span)),
        (t("rankings.col_volume"), _format_volume(row, week, lang)),
        (
            t("rankings.why_incidents", span=span_words),
            t("rankings.why_unknown") if quotes is None else _format_incidents(quotes, span, now),
        ),
        (
            t("rankings.why_outages"),
            t("rankings.why_unknown") if providers is None else _format_outages(providers),
        ),
    ]
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    research = _build_research_link(row, span) if direction(change) in ("up", "down") else ""
    return (
        f"<h3>{escape(t('rankings.why'))}</h3>"
        f'<dl class="rk-facts rk-why-facts">{items}</dl>'
        f'<p class="cp-small-note">{escape(_build_sources(row, week, lang, now))}</p>{research}'
    )


def _format_change(row: Row, span: ChangeSpan) -> str:
    change = row.change(span)
    if change is None:
        return t("rankings.why_stale" if row.stale else "rankings.why_unknown")
    return percent(change)


def _build_peer_fact(peers: PeerChange) -> tuple[str, str]:
    name = (
        t("rankings.why_category", category=translate_category(peers.category, language()), n=peers.count)
        if peers.category
        else t("rankings.why_market", n=peers.count)
    )
    if peers.median is None:
        return name, t("rankings.why_unknown")
    if peers.difference is None:
        return name, percent(peers.median)
    side = {"up": "higher", "down": "lower", "flat": "same"}[direction(peers.difference) or "flat"]
    points = percent(abs(peers.difference), signed=False).removesuffix("%")
    return name, t(f"rankings.why_{side}", median=percent(peers.median), points=points)


def _format_volume(row: Row, week: CandleSeries | None, lang: Language) -> str:
    day = price_change_context.compute_day_volume(
        row, week["candles"] if week else (), parse_instant(week["last_updated"]) if week else None
    )
    if day is None:
        return t("rankings.why_unknown")
    volume = get_display_currency().format_compact(day.volume, lang)
    if day.ratio is None:
        return t("rankings.why_volume_alone", volume=volume)
    return t("rankings.why_volume", volume=volume, ratio=f"{day.ratio:.2g}")


def _format_incidents(quotes: AssetQuotes, span: ChangeSpan, now: datetime) -> str:
    incidents = price_change_context.select_incidents(quotes["incidents"], span, now)
    return _join(_format_incident(incident, quotes) for incident in incidents)


def _format_incident(incident: Incident, quotes: AssetQuotes) -> str:
    kind = t(f"rankings.incident_{incident['kind']}")
    worst = parse_decimal(incident["worst_pct"])
    facts = [percent(worst, signed=False)] if worst is not None else []
    if (cause := find_cleared_cause(incident, quotes)) is not None:
        facts.append(t(f"rankings.why_cleared_{cause}"))
    elif incident["closed_at"] is None:
        facts.append(t("rankings.why_open"))
    return add_note(kind, join_items(facts)) if facts else kind


def _format_outages(providers: Iterable[ProviderStatus]) -> str:
    return _join(map(_format_outage, price_change_context.find_failing_providers(providers)))


def _join(parts: Iterable[str]) -> str:
    return join_items(parts) or t("rankings.why_none")


def _format_outage(provider: ProviderStatus) -> str:
    since = parse_instant(provider["failing_since"])
    name = provider_name(provider["provider"])
    return name if since is None else add_note(name, f"{since:%m-%d %H:%M} UTC –")


def _build_sources(row: Row, week: CandleSeries | None, lang: Language, now: datetime) -> str:
    """Builds the sources and the age of the figures, in words."""
    if row.source is None or row.last_updated is None:
        changes = t("rankings.source_none")
    else:
        updated_age = age((now - row.last_updated).total_seconds(), lang)
        changes = t("rankings.why_sources", source=source_name(row.source), age=updated_age)
    if week is None:
        return changes
    if all(candle[5] is None for candle in week["candles"]):
        return join_sentences(changes, t("rankings.why_no_volumes"))
    return join_sentences(changes, t("rankings.why_volume_source", source=source_name(week["source"])))


def build_statement(row: Row, span: ChangeSpan) -> str:
    """Builds the statement on the price change that Research can check."""
    change = row.change(span)
    time_format = "%Y-%m-%d %H:%M UTC" if span == "1h" else "%Y-%m-%d"
    day = "" if row.last_updated is None else f"{row.last_updated:{time_format}}"
    return t(
        f"rankings.why_{'rose' if direction(change) == 'up' else 'fell'}",
        name=row.name,
        symbol=row.symbol,
        change=percent(None if change is None else abs(change), signed=False),
        span=t(f"rankings.period_{span}"),
        day=day,
    )


def _build_research_link(row: Row, span: ChangeSpan) -> str:
    statement = build_statement(row, span)
    href = escape(build_link("/research", statement=statement))
    sample = f" {escape(t('rankings.why_sample'))}" if row.sample else ""
    words = escape(t("rankings.why_research", statement=statement))
    return f'<p class="rk-why-research"><a href="{href}">{words}</a>{sample}</p>'
