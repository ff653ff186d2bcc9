"""The Overview's panels about the data themselves: doubtful figures, providers, incidents."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from dashboard.app_pages.overview import price_reasons
from dashboard.app_pages.overview.market_figures import Event, Quota, Worry, quota
from dashboard.app_pages.overview.panels import ago, note, panel
from dashboard.client.market_schemas import MarketStatus, ProviderStatus
from dashboard.components.live_view import Node, h
from dashboard.frame import formats
from dashboard.frame.formats import integer, percent
from dashboard.frame.freshness import provider_name
from dashboard.i18n import language, t

MOST_WORRIES = 6
FEW_EVENTS = 6
ALL_EVENTS = "?incidents=all"
"""What the link opens that shows all incidents; no asset has such an id."""
FEWER_EVENTS = "?incidents=few"
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
RULES = ("single", "mean", "median", "nearest", "primary", "held", "stale", "none")
CONCERN_MARKS = {"unknown": "–", "stale": "◔", "divergent": "≠", "conflict": "✕", "jump": "↯", "depeg": "≠"}


def worries_panel(worries: Sequence[Worry], total: int, now: datetime, *, known: bool) -> Node:
    """Figures that should not be taken at face value, each with the reason; ``known`` if the service told."""
    legend = note(t("overview.worries_note", n=integer(len(worries)), total=integer(total)))
    if not worries and not known:
        return panel(
            "worries", t("overview.worries"), h("p", t("overview.worries_unknown"), class_="cp-nothing")
        )
    if not worries:
        words = h("p", h("span", "✓ ", aria_hidden="true"), t("overview.worries_none"), class_="cp-nothing")
        return panel("worries", t("overview.worries"), words, note=legend)
    rows = [_worry(worry, now) for worry in worries[:MOST_WORRIES]]
    rest = None
    if len(worries) > len(rows):
        rest = h("p", h("a", t("overview.worries_all"), href="rankings?facet=flagged"), class_="cp-more")
    return panel("worries", t("overview.worries"), h("ul", *rows, class_="cp-items"), rest, note=legend)


def _worry(worry: Worry, now: datetime) -> Node:
    tone = "bad" if worry.concern in ("unknown", "conflict") else "warn"
    return h(
        "li",
        h(
            "p",
            h("a", worry.name, href=f"rankings?coin={worry.asset_id}", data_open=worry.asset_id),
            badge(CONCERN_MARKS[worry.concern], t(f"overview.concern_{worry.concern}"), tone),
            h("span", ago(worry.since, now), class_="cp-when", title=_utc(worry.since))
            if worry.since
            else None,
            class_="cp-item-head",
        ),
        _reason(worry, now),
        key=worry.asset_id,
    )


def _reason(worry: Worry, now: datetime) -> Node | None:
    """Why the figure is what it is; where only an English sentence says so, the meaning of the rule."""
    if worry.reason is None:
        return None
    told = price_reasons.explain(worry.reason, worry.code, worry.values, now)
    if told.lang is not None and worry.rule in RULES:
        return h("p", t(f"overview.rule_{worry.rule}"), class_="cp-reason", title=worry.reason)
    return _told(told, worry.reason)


def _told(told: price_reasons.Explanation, sentence: str) -> Node:
    """An explanation with what lies behind it, the service's own sentence in a title."""
    gap = " " if language() == "en" else ""
    return h(
        "p",
        told.text,
        told.fault and gap + told.fault,
        told.said and h("span", f"{gap}{t('reasons.details')} ", h("span", told.said, lang="en")),
        class_="cp-reason",
        lang=told.lang,
        title=None if told.text == sentence else sentence,
    )


def providers_panel(status: MarketStatus | None, now: datetime) -> Node:
    """Who is asked for the figures, how that goes, and what is left of each monthly quota."""
    if status is None:
        return panel(
            "providers", t("overview.providers"), h("p", t("overview.providers_unknown"), class_="cp-nothing")
        )
    refreshed = formats.parse_instant(status["refreshed_at"])
    legend = note(t("overview.refreshed", age=ago(refreshed, now))) if refreshed else None
    if not status["providers"]:
        words = h("p", t("overview.providers_none"), class_="cp-nothing")
        return panel("providers", t("overview.providers"), words, note=legend)
    rows = [_provider(provider, now) for provider in status["providers"]]
    return panel("providers", t("overview.providers"), h("ul", *rows, class_="cp-items"), note=legend)


def _provider(provider: ProviderStatus, now: datetime) -> Node:
    state = provider["state"]
    roles = " · ".join(t(f"overview.role_{role}") for role in provider["role"])
    name = provider_name(provider["provider"])
    burn = quota(provider, now)
    return h(
        "li",
        h(
            "p",
            h("strong", name),
            badge(STATE_MARKS[state], t(f"overview.state_{state}"), TONES.get(state, "bad")),
            h("span", roles, class_="cp-when"),
            class_="cp-item-head",
        ),
        h("p", *_cadence(provider, now), class_="cp-reason"),
        _message(provider, now),
        _quota(burn) if burn else None,
        key=provider["provider"],
    )


def _message(provider: ProviderStatus, now: datetime) -> Node | None:
    sentence = provider["message"]
    if sentence is None:
        return None
    told = price_reasons.explain(sentence, provider["message_code"], provider["message_values"], now)
    return _told(told, sentence)


def _cadence(provider: ProviderStatus, now: datetime) -> list[Node]:
    last = formats.parse_instant(provider["last_success_at"])
    answered = t("overview.answered", age=ago(last, now)) if last else t("overview.never_answered")
    parts: list[Node] = [h("span", answered, title=_utc(last) if last else None)]
    if provider["poll_interval_seconds"]:
        every = formats.duration(provider["poll_interval_seconds"], language())
        parts.append(" · " + t("overview.asks_every", span=every))
    retry = formats.parse_instant(provider["retry_at"])
    if retry is not None and retry > now:
        local = formats.local_time(retry, st.context.timezone, now)
        parts.append(h("span", " · " + t("overview.retries_at", time=local.text), title=local.utc))
    if provider["missing_ids"]:
        missing = t("overview.missing", n=integer(len(provider["missing_ids"])))
        parts.append(h("span", f" · {missing}", title=", ".join(provider["missing_ids"][:20])))
    return parts


def _quota(burn: Quota) -> Node:
    """A bar of what is used, with a mark where the month stands."""
    share = percent(_percentage(burn.share), signed=False, places=0)
    if burn.elapsed is None:
        label, pace, mark = t("overview.quota_label_plain", share=share), None, None
    else:
        gone = percent(_percentage(burn.elapsed), signed=False, places=0)
        label = t("overview.quota_label", share=share, elapsed=gone)
        word = t("overview.quota_ahead") if burn.ahead else t("overview.quota_on_pace")
        pace = h("span", f" · {word}", class_="cp-warn-text" if burn.ahead else None)
        mark = h("span", class_="cp-pace", style=f"left:{burn.elapsed:.2%}")
    fill = h(
        "span", class_="cp-share cp-ahead" if burn.ahead else "cp-share", style=f"width:{burn.share:.2%}"
    )
    used = t("overview.quota_used", used=integer(burn.used), allowed=integer(burn.allowed))
    return h(
        "div",
        h("div", fill, mark, class_="cp-bar", role="img", aria_label=label, title=label),
        h("p", f"{t('overview.quota')}: {used}", pace, class_="cp-reason"),
        class_="cp-quota",
    )


def incidents_panel(events: Sequence[Event] | None, now: datetime, *, whole: bool) -> Node:
    """What went wrong with single assets in the last 30 days, what still does first.

    The first few, or the ``whole`` list; null events are not known.
    """
    title = t("overview.incidents")
    if not events:
        words = t("overview.incidents_none") if events is not None else t("overview.incidents_unknown")
        return panel("incidents", title, h("p", words, class_="cp-nothing"))
    still_open = sum(event.closed_at is None for event in events)
    legend = t("overview.incidents_note", n=integer(still_open), over=integer(len(events) - still_open))
    rows = [_event(event, now) for event in (events if whole else events[:FEW_EVENTS])]
    return panel(
        "incidents", title, h("ul", *rows, class_="cp-items"), _fold(len(events), whole), note=note(legend)
    )


def _fold(count: int, whole: bool) -> Node | None:
    """The link that shows the whole list, or the first few again."""
    if count <= FEW_EVENTS:
        return None
    words = t("overview.incidents_fewer") if whole else t("overview.incidents_all", n=integer(count))
    target = FEWER_EVENTS if whole else ALL_EVENTS
    return h("p", h("a", words, href=f"/{target}", data_open=target), class_="cp-more", key="fold")


def _event(event: Event, now: datetime) -> Node:
    is_open = event.closed_at is None
    tone = "calm" if not is_open else "bad" if event.kind == "conflict" else "warn"
    told = price_reasons.explain(event.detail, event.code, event.values, now)
    return h(
        "li",
        h(
            "p",
            h("a", event.name, href=f"rankings?coin={event.asset_id}", data_open=event.asset_id),
            badge("!" if is_open else "✓", t(f"overview.incident_{event.kind}"), tone),
            h("span", _when(event, now), class_="cp-when", title=_exactly(event)),
            class_="cp-item-head",
        ),
        _told(told, event.detail),
        key=str(event.id),
    )


def _when(event: Event, now: datetime) -> str:
    """Since and until when, how long ago, and how bad it was."""
    start = formats.local_time(event.opened_at, st.context.timezone, now).text
    if event.closed_at is None:
        span = formats.duration((now - event.opened_at).total_seconds(), language())
        when = t("overview.incident_open", time=start, span=span)
    else:
        end = formats.local_time(event.closed_at, st.context.timezone, now).text
        when = t("overview.incident_over", start=start, end=end, age=ago(event.closed_at, now))
    if event.worst is not None:
        when += " · " + t("overview.incident_worst", amount=percent(event.worst, signed=event.worst < 0))
    return when


def _exactly(event: Event) -> str:
    return (
        _utc(event.opened_at)
        if event.closed_at is None
        else f"{_utc(event.opened_at)} – {_utc(event.closed_at)}"
    )


def badge(mark: str, words: str, tone: str) -> Node:
    """A state in a glyph, a word and a colour, so that none of them stands alone."""
    return h("span", h("span", mark, aria_hidden="true"), f" {words}", class_=f"cp-badge cp-tone-{tone}")


def _percentage(share: float) -> int:
    return round(share * 100)


def _utc(instant: datetime) -> str:
    return formats.local_time(instant, st.context.timezone).utc
