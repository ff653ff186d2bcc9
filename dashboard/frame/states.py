"""Renders the loading, empty, error and stale states of a part of a page."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import streamlit as st

from dashboard.client import Fetched, Problem, connection
from dashboard.client.market_schemas import MarketStatus, ProviderStatus
from dashboard.frame import formats, refresh
from dashboard.frame.freshness import provider_name
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

ADVICE_AFTER_SECONDS = 10.0
"""After this long without a response, the page says what to do about a slow service."""


def show_skeleton(height: int) -> AbstractContextManager[object]:
    """Shows a skeleton of ``height`` pixels while the ``with`` block runs."""
    return st.skeleton(height)


def render_empty(
    reason: str, *, action: str | None = None, on_click: Callable[[], None] | None = None, key: str
) -> None:
    """Renders the reason for an empty part and a button for the one possible action."""
    with st.container(key=f"empty-{key}", border=True, horizontal_alignment="center", gap="small"):
        st.html(tag("p", text(reason), class_="cp-empty"))
        if action is not None:
            st.button(action, key=f"empty-{key}-action", on_click=on_click)


def render_no_data_yet() -> None:
    """Renders a message that the service has no figures yet."""
    content = tag("strong", text(t("frame.awaiting"))) + " " + tag("span", text(t("frame.awaiting_why")))
    st.html(tag("div", content, class_="cp-awaiting", role="status"))


def render_error(problem: Problem, *, key: str, live: bool = False) -> None:
    """Renders a short sentence, a retry button and the request id of the service's logs.

    Unless ``live`` (the part reruns by itself), schedules reruns of the page while the error is shown.
    """
    with st.container(key=f"error-{key}", border=True, gap="small"):
        st.html(
            tag(
                "div",
                tag("p", text(format_error(problem)), class_="cp-error-title", role="alert"),
                tag("p", text(_format_slowness(problem) or problem.detail), class_="cp-note"),
                _build_request_id_line(problem.request_id),
            )
        )
        if not problem.is_slow:
            st.button(t("frame.retry"), key=f"error-{key}-retry", on_click=_retry)
        if not live:
            refresh.schedule_rerun(key=f"error-{key}-again", waiting=problem.is_slow)


def render_action_error(title: str, detail: str = "", request_id: str | None = None) -> None:
    """Renders an error that stays on the page until the failed action is repeated."""
    st.html(
        tag(
            "div",
            tag("p", text(title), class_="cp-error-title"),
            tag("p", text(detail), class_="cp-note") if detail else "",
            _build_request_id_line(request_id),
            class_="cp-alert",
            role="alert",
        )
    )


def render_stale_banner(*results: Fetched[object], key: str, live: bool = False) -> None:
    """Renders a banner about old results, or about missing ones if none is old.

    It says how old the oldest result is, why no new one came, and when retries are slowed down. Unless
    ``live`` (the part reruns by itself), schedules reruns of the page while a response is overdue.
    """
    stale = [
        result for result in results if result.stale and result.at is not None and result.error is not None
    ]
    missing = next((result.error for result in results if result.data is None and result.error), None)
    if not stale and missing is not None:
        parts = [tag("strong", text(t("frame.partly"))), tag("span", text(format_error(missing)))]
        _render_banner(parts, missing, key, live=live)
    if not stale:
        return
    oldest = min(stale, key=lambda result: result.at or datetime.max.replace(tzinfo=UTC))
    if oldest.at is None or oldest.error is None:
        return
    now = datetime.now(UTC)
    local = formats.local_time(oldest.at, st.context.timezone, now)
    message = t(
        "frame.slow_title" if oldest.error.is_slow else "frame.stale_title",
        time=local.text,
        age=formats.duration((now - oldest.at).total_seconds(), language()),
    )
    parts = [tag("strong", text(message), title=local.utc)]
    if not oldest.error.is_slow:  # which the message says already
        parts.append(tag("span", text(format_error(oldest.error))))
    _render_banner(parts, oldest.error, key, live=live)


def render_worker_banner(status: MarketStatus | None) -> bool:
    """Renders a message that no worker runs, since when, and what to do. True if anything was rendered."""
    worker = status and status.get("worker")  # the previous version of the service reports no worker
    if not worker or worker["state"] in ("working", "waiting"):
        return False
    seen, now = formats.parse_instant(worker["seen_at"]), datetime.now(UTC)
    message, title = t(f"frame.worker_{worker['state']}"), None
    if worker["state"] == "missing" and seen is not None:
        local = formats.local_time(seen, st.context.timezone, now)
        message, title = t("frame.worker_missing_since", time=local.text), local.utc
    action = t("frame.worker_start" if worker["state"] == "missing" else "frame.worker_log")
    content = tag("strong", text(message), title=title) + " " + tag("span", text(action))
    st.html(tag("div", content, class_="cp-stale", role="status"))
    return True


def render_provider_banner(status: MarketStatus | None) -> None:
    """Renders the providers that are paused after failures, with start, reason and next retry.

    Leaves out the sample market's providers, because its script contains outages.
    """
    if status is None or status["mode"] == "sample":
        return
    lines = [_build_provider_line(provider) for provider in status["providers"] if provider["state"] != "ok"]
    if lines:
        st.html(tag("div", "".join(lines), class_="cp-stale", role="status"))


def _build_provider_line(provider: ProviderStatus) -> str:
    now = datetime.now(UTC)
    error_kind = str(provider["message_values"].get("fault") or "unavailable")
    name, reason = provider_name(provider["provider"]), t(f"reasons.error_{error_kind}")
    since, retry = (
        formats.parse_instant(provider.get("failing_since")),
        formats.parse_instant(provider["retry_at"]),
    )
    started = formats.local_time(since, st.context.timezone, now) if since else None
    message = t("frame.provider_failing", provider=name, time=started.text if started else "–", fault=reason)
    retry_note = t("frame.provider_retry_soon")
    if retry is not None and retry > now + timedelta(minutes=1):
        retry_note = t(
            "frame.provider_retry_at", time=formats.local_time(retry, st.context.timezone, now).text
        )
    title = started.utc if started else None
    return tag("p", tag("strong", text(message), title=title) + " " + tag("span", text(retry_note)))


def _render_banner(parts: list[str], problem: Problem, key: str, *, live: bool) -> None:
    if problem.is_slow:
        parts.append(tag("span", text(_format_slowness(problem))))
    if refresh.is_backing_off():
        parts.append(tag("span", text(t("frame.stale_resting"))))
    with st.container(key=f"stale-{key}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            tag(
                "div",
                " ".join(parts),
                _build_request_id_line(problem.request_id),
                class_="cp-stale",
                role="status",
            )
        )
        if not problem.is_slow:  # a slow request goes on, and the page shows its response by itself
            st.button(t("frame.retry"), key=f"stale-{key}-retry", on_click=_retry)
        elif not live:
            refresh.schedule_rerun(key=f"stale-{key}-again", waiting=True)


def _format_slowness(problem: Problem) -> str:
    """Formats how long the service has not responded, and soon what to do; empty if it is not slow."""
    if problem.waiting_seconds is None:
        return ""
    if problem.waiting_seconds < ADVICE_AFTER_SECONDS:
        return t("frame.slow_wait")
    return t("frame.slow_advice", age=formats.duration(problem.waiting_seconds, language()))


def format_error(problem: Problem) -> str:
    """Formats the problem as a sentence in the reader's language."""
    if problem.is_slow:
        return t("frame.error_slow")
    by_title = {"unreachable": "unreachable", "timeout": "timeout", "malformed": "malformed"}
    by_status = {401: "unauthorized", 403: "forbidden", 404: "missing", 429: "limited", 503: "busy"}
    message_key = by_title.get(problem.title) or by_status.get(problem.status or 0) or "service"
    return t(f"frame.error_{message_key}")


def _build_request_id_line(request_id: str | None) -> str:
    """Builds the line with the request id of the service's logs."""
    if not request_id:
        return ""
    return tag("p", f"{text(t('frame.request_id'))} {tag('code', text(request_id))}", class_="cp-note")


def _retry() -> None:
    refresh.reset_failures()
    connection.retry_failed()
