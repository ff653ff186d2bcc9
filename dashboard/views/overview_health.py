"""The Overview's panels about the data themselves: doubtful figures, providers, incidents."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from dashboard import formats
from dashboard.client.wire import MarketStatus, ProviderStatus
from dashboard.components.live_view import Node, h
from dashboard.formats import integer, percent
from dashboard.i18n import language, t
from dashboard.services.overview import Event, Quota, Worry, quota
from dashboard.views.freshness import provider_name
from dashboard.views.overview_parts import ago, note, panel

MOST_WORRIES = 6
STATE_MARKS = {
    "ok": "●",
    "waiting": "◔",
    "throttled": "◑",
    "open": "✕",
    "unauthorised": "✕",
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
        _reason(worry),
        key=worry.asset_id,
    )


def _reason(worry: Worry) -> Node | None:
    """The service's own sentence; in other languages the meaning of its rule, with the sentence behind it."""
    if worry.reason is None or language() == "en" or worry.rule not in RULES:
        return worry.reason and h("p", worry.reason, class_="cp-reason", lang="en")
    return h("p", t(f"overview.rule_{worry.rule}"), class_="cp-reason", title=worry.reason)


def providers_panel(status: MarketStatus | None, now: datetime) -> Node:
    """Who is asked for the figures, how that goes, and what is left of each monthly quota."""
    if status is None:
        return panel(
            "providers", t("overview.providers"), h("p", t("overview.providers_unknown"), class_="cp-nothing")
        )
    refreshed = formats.instant(status["refreshed_at"])
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
        provider["message"] and h("p", provider["message"], class_="cp-reason", lang="en"),
        _quota(burn) if burn else None,
        key=provider["provider"],
    )


def _cadence(provider: ProviderStatus, now: datetime) -> list[Node]:
    last = formats.instant(provider["last_success_at"])
    answered = t("overview.answered", age=ago(last, now)) if last else t("overview.never_answered")
    parts: list[Node] = [h("span", answered, title=_utc(last) if last else None)]
    if provider["poll_interval_seconds"]:
        every = formats.duration(provider["poll_interval_seconds"], language())
        parts.append(" · " + t("overview.asks_every", span=every))
    retry = formats.instant(provider["retry_at"])
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


def incidents_panel(events: Sequence[Event], now: datetime) -> Node:
    """What is going wrong with single assets, and since when."""
    if not events:
        words = h("p", t("overview.incidents_none"), class_="cp-nothing")
        return panel("incidents", t("overview.incidents"), words)
    rows = [_event(event, now) for event in events]
    return panel("incidents", t("overview.incidents"), h("ul", *rows, class_="cp-items"))


def _event(event: Event, now: datetime) -> Node:
    when = t("overview.incident_open", age=ago(event.opened_at, now))
    if event.worst is not None:
        when += " · " + t("overview.incident_worst", amount=percent(event.worst, signed=event.worst < 0))
    return h(
        "li",
        h(
            "p",
            h("a", event.name, href=f"rankings?coin={event.asset_id}", data_open=event.asset_id),
            badge("!", t(f"overview.incident_{event.kind}"), "warn"),
            h("span", when, class_="cp-when", title=_utc(event.opened_at)),
            class_="cp-item-head",
        ),
        h("p", event.detail, class_="cp-reason", lang="en"),
        key=f"{event.asset_id}-{event.kind}-{event.opened_at.timestamp():.0f}",
    )


def badge(mark: str, words: str, tone: str) -> Node:
    """A state in a glyph, a word and a colour, so that none of them stands alone."""
    return h("span", h("span", mark, aria_hidden="true"), f" {words}", class_=f"cp-badge cp-tone-{tone}")


def _percentage(share: float) -> int:
    return round(share * 100)


def _utc(instant: datetime) -> str:
    return formats.local_time(instant, st.context.timezone).utc
