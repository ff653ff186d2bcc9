"""Builds the Overview's panels on data quality: doubtful figures, providers and incidents."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from dashboard.app_pages.overview.market_figures import (
    DoubtfulFigure,
    IncidentEntry,
    QuotaUsage,
    compute_quota_usage,
)
from dashboard.app_pages.overview.panels import format_age, note, panel
from dashboard.client.market_schemas import RULES, MarketStatus, ProviderStatus
from dashboard.components.live_view import Node, h
from dashboard.frame import formats, price_reasons
from dashboard.frame.formats import integer, percent
from dashboard.frame.freshness import provider_name
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import add_label, join_items

MAX_DOUBTFUL_FIGURES = 6
FEW_INCIDENTS = 6
ALL_INCIDENTS_LINK = "?incidents=all"
"""``data-open`` of the link to all incidents, in place of an asset id."""
FEW_INCIDENTS_LINK = "?incidents=few"
STATE_MARKS = {
    "ok": "●",
    "waiting": "◔",
    "throttled": "◑",
    "open": "✕",
    "unauthorised": "✕",
    "refused": "✕",
    "quota_spent": "✕",
}
TONES = {"ok": "good", "waiting": "calm", "throttled": "warn"}
CONCERN_MARKS = {"unknown": "–", "stale": "◔", "divergent": "≠", "conflict": "✕", "jump": "↯", "depeg": "≠"}


def build_doubtful_figures_panel(
    figures: Sequence[DoubtfulFigure], total: int, now: datetime, *, has_data: bool
) -> Node:
    """Builds a list of doubtful figures with their reasons; ``has_data``: the service sent data."""
    legend = note(t("overview.worries_note", n=integer(len(figures)), total=integer(total)))
    if not figures and not has_data:
        return panel(
            "worries", t("overview.worries"), h("p", t("overview.worries_unknown"), class_="cp-nothing")
        )
    if not figures:
        words = h("p", h("span", "✓ ", aria_hidden="true"), t("overview.worries_none"), class_="cp-nothing")
        return panel("worries", t("overview.worries"), words, note=legend)
    rows = [_build_figure_row(figure, now) for figure in figures[:MAX_DOUBTFUL_FIGURES]]
    rest = None
    if len(figures) > len(rows):
        rest = h("p", h("a", t("overview.worries_all"), href="rankings?facet=flagged"), class_="cp-more")
    return panel("worries", t("overview.worries"), h("ul", *rows, class_="cp-items"), rest, note=legend)


def _build_figure_row(figure: DoubtfulFigure, now: datetime) -> Node:
    tone = "bad" if figure.concern in ("unknown", "conflict") else "warn"
    return h(
        "li",
        h(
            "p",
            h("a", figure.name, href=f"rankings?coin={figure.asset_id}", data_open=figure.asset_id),
            badge(CONCERN_MARKS[figure.concern], t(f"overview.concern_{figure.concern}"), tone),
            h("span", format_age(figure.since, now), class_="cp-when", title=_format_utc(figure.since))
            if figure.since
            else None,
            class_="cp-item-head",
        ),
        _build_reason(figure, now),
        key=figure.asset_id,
    )


def _build_reason(figure: DoubtfulFigure, now: datetime) -> Node | None:
    """Builds the reason for a figure, or the meaning of its rule if only an English sentence exists."""
    if figure.reason is None:
        return None
    explanation = price_reasons.explain(figure.reason, figure.code, figure.values, now)
    if explanation.lang is not None and figure.rule in RULES:
        return h("p", t(f"overview.rule_{figure.rule}"), class_="cp-reason", title=figure.reason)
    return _build_explanation(explanation, figure.reason)


def _build_explanation(explanation: price_reasons.Explanation, sentence: str) -> Node:
    """Builds an explanation with the cause of a failure, and the service's sentence as its title."""
    gap = " " if language() == "en" else ""
    return h(
        "p",
        explanation.text,
        explanation.last_failure and gap + explanation.last_failure,
        explanation.provider_message
        and h("span", f"{gap}{t('reasons.details')} ", h("span", explanation.provider_message, lang="en")),
        class_="cp-reason",
        lang=explanation.lang,
        title=None if explanation.text == sentence else sentence,
    )


def build_providers_panel(status: MarketStatus | None, now: datetime) -> Node:
    """Builds a list of the data providers with their state, polling and monthly quota."""
    if status is None:
        return panel(
            "providers", t("overview.providers"), h("p", t("overview.providers_unknown"), class_="cp-nothing")
        )
    refreshed = formats.parse_instant(status["refreshed_at"])
    legend = note(t("overview.refreshed", age=format_age(refreshed, now))) if refreshed else None
    if not status["providers"]:
        words = h("p", t("overview.providers_none"), class_="cp-nothing")
        return panel("providers", t("overview.providers"), words, note=legend)
    rows = [_build_provider_row(provider, now) for provider in status["providers"]]
    return panel("providers", t("overview.providers"), h("ul", *rows, class_="cp-items"), note=legend)


def _build_provider_row(provider: ProviderStatus, now: datetime) -> Node:
    state = provider["state"]
    roles = " · ".join(t(f"overview.role_{role}") for role in provider["role"])
    name = provider_name(provider["provider"])
    usage = compute_quota_usage(provider, now)
    return h(
        "li",
        h(
            "p",
            h("strong", name),
            badge(STATE_MARKS[state], t(f"overview.state_{state}"), TONES.get(state, "bad")),
            h("span", roles, class_="cp-when"),
            class_="cp-item-head",
        ),
        h("p", *_build_polling_facts(provider, now), class_="cp-reason"),
        _build_message(provider, now),
        _build_quota(usage) if usage else None,
        key=provider["provider"],
    )


def _build_message(provider: ProviderStatus, now: datetime) -> Node | None:
    sentence = provider["message"]
    if sentence is None:
        return None
    explanation = price_reasons.explain(sentence, provider["message_code"], provider["message_values"], now)
    return _build_explanation(explanation, sentence)


def _build_polling_facts(provider: ProviderStatus, now: datetime) -> list[Node]:
    last = formats.parse_instant(provider["last_success_at"])
    answered = t("overview.answered", age=format_age(last, now)) if last else t("overview.never_answered")
    parts: list[Node] = [h("span", answered, title=_format_utc(last) if last else None)]
    if provider["poll_interval_seconds"]:
        interval = formats.duration(provider["poll_interval_seconds"], language())
        parts.append(" · " + t("overview.asks_every", span=interval))
    retry = formats.parse_instant(provider["retry_at"])
    if retry is not None and retry > now:
        local = formats.local_time(retry, st.context.timezone, now)
        parts.append(h("span", " · " + t("overview.retries_at", time=local.text), title=local.utc))
    if provider["missing_ids"]:
        missing = t("overview.missing", n=integer(len(provider["missing_ids"])))
        parts.append(h("span", f" · {missing}", title=join_items(provider["missing_ids"][:20])))
    return parts


def _build_quota(usage: QuotaUsage) -> Node:
    """Builds a bar of the used share, with a mark at the elapsed share of the month."""
    share = percent(_to_percent(usage.share), signed=False, places=0)
    if usage.elapsed is None:
        label, pace, mark = t("overview.quota_label_plain", share=share), None, None
    else:
        elapsed = percent(_to_percent(usage.elapsed), signed=False, places=0)
        label = t("overview.quota_label", share=share, elapsed=elapsed)
        pace_text = t("overview.quota_ahead") if usage.is_ahead else t("overview.quota_on_pace")
        pace = h("span", f" · {pace_text}", class_="cp-warn-text" if usage.is_ahead else None)
        mark = h("span", class_="cp-pace", style=f"left:{usage.elapsed:.2%}")
    fill = h(
        "span", class_="cp-share cp-ahead" if usage.is_ahead else "cp-share", style=f"width:{usage.share:.2%}"
    )
    used = t("overview.quota_used", used=integer(usage.used), allowed=integer(usage.allowed))
    return h(
        "div",
        h("div", fill, mark, class_="cp-bar", role="img", aria_label=label, title=label),
        h("p", add_label(t("overview.quota"), used), pace, class_="cp-reason"),
        class_="cp-quota",
    )


def build_incidents_panel(
    incidents: Sequence[IncidentEntry] | None, now: datetime, *, show_all: bool
) -> Node:
    """Builds a list of the incidents of the last 30 days, open ones first.

    ``show_all`` lists more than the first few. ``incidents`` is ``None`` if they are unknown.
    """
    title = t("overview.incidents")
    if not incidents:
        words = t("overview.incidents_none") if incidents is not None else t("overview.incidents_unknown")
        return panel("incidents", title, h("p", words, class_="cp-nothing"))
    open_count = sum(incident.closed_at is None for incident in incidents)
    legend = t("overview.incidents_note", n=integer(open_count), over=integer(len(incidents) - open_count))
    rows = [
        _build_incident_row(incident, now)
        for incident in (incidents if show_all else incidents[:FEW_INCIDENTS])
    ]
    return panel(
        "incidents",
        title,
        h("ul", *rows, class_="cp-items"),
        _build_toggle(len(incidents), show_all),
        note=note(legend),
    )


def _build_toggle(count: int, show_all: bool) -> Node | None:
    """Builds the link that shows all incidents, or only the first few again."""
    if count <= FEW_INCIDENTS:
        return None
    words = t("overview.incidents_fewer") if show_all else t("overview.incidents_all", n=integer(count))
    target = FEW_INCIDENTS_LINK if show_all else ALL_INCIDENTS_LINK
    return h("p", h("a", words, href=f"/{target}", data_open=target), class_="cp-more", key="fold")


def _build_incident_row(incident: IncidentEntry, now: datetime) -> Node:
    is_open = incident.closed_at is None
    tone = "calm" if not is_open else "bad" if incident.kind == "conflict" else "warn"
    explanation = price_reasons.explain(incident.detail, incident.code, incident.values, now)
    return h(
        "li",
        h(
            "p",
            h("a", incident.name, href=f"rankings?coin={incident.asset_id}", data_open=incident.asset_id),
            badge("!" if is_open else "✓", t(f"overview.incident_{incident.kind}"), tone),
            h(
                "span",
                _format_period(incident, now),
                class_="cp-when",
                title=_format_exact_period(incident),
            ),
            class_="cp-item-head",
        ),
        _build_explanation(explanation, incident.detail),
        key=str(incident.id),
    )


def _format_period(incident: IncidentEntry, now: datetime) -> str:
    """Formats start, end or duration, and the largest deviation."""
    start = formats.local_time(incident.opened_at, st.context.timezone, now).text
    if incident.closed_at is None:
        span = formats.duration((now - incident.opened_at).total_seconds(), language())
        period = t("overview.incident_open", time=start, span=span)
    else:
        end = formats.local_time(incident.closed_at, st.context.timezone, now).text
        period = t("overview.incident_over", start=start, end=end, age=format_age(incident.closed_at, now))
    if incident.worst is not None:
        period += " · " + t(
            "overview.incident_worst", amount=percent(incident.worst, signed=incident.worst < 0)
        )
    return period


def _format_exact_period(incident: IncidentEntry) -> str:
    return (
        _format_utc(incident.opened_at)
        if incident.closed_at is None
        else f"{_format_utc(incident.opened_at)} – {_format_utc(incident.closed_at)}"
    )


def badge(mark: str, words: str, tone: str) -> Node:
    """Builds a badge that shows a state by a glyph, words and a colour."""
    return h("span", h("span", mark, aria_hidden="true"), f" {words}", class_=f"cp-badge cp-tone-{tone}")


def _to_percent(share: float) -> int:
    return round(share * 100)


def _format_utc(instant: datetime) -> str:
    return formats.local_time(instant, st.context.timezone).utc
