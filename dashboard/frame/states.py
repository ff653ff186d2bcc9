"""What a part of a page shows when it has no data yet, none at all, a fault, or old data."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import streamlit as st

from dashboard.client import Fetched, Problem, api
from dashboard.client.market_schemas import MarketStatus, ProviderStatus
from dashboard.frame import formats, refresh
from dashboard.frame.freshness import provider_name
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t


def loading(height: int) -> AbstractContextManager[object]:
    """A skeleton as high as what is coming, for as long as the ``with`` block runs."""
    return st.skeleton(height)


def empty(
    reason: str, *, action: str | None = None, on_click: Callable[[], None] | None = None, key: str
) -> None:
    """Why there is nothing to see, and the one thing to do about it."""
    with st.container(key=f"empty-{key}", border=True, horizontal_alignment="center", gap="small"):
        st.html(tag("p", text(reason), class_="cp-empty"))
        if action is not None:
            st.button(action, key=f"empty-{key}-action", on_click=on_click)


def awaiting() -> None:
    """The service is new and has no figure yet."""
    words = tag("strong", text(t("frame.awaiting"))) + " " + tag("span", text(t("frame.awaiting_why")))
    st.html(tag("div", words, class_="cp-awaiting", role="status"))


def error(problem: Problem, *, key: str, live: bool = False) -> None:
    """A short sentence, a retry, and the id under which the service's logs have the request.

    ``live`` says that the part runs again by itself; else the page does, for as long as this shows.
    """
    with st.container(key=f"error-{key}", border=True, gap="small"):
        st.html(
            tag(
                "div",
                tag("p", text(sentence(problem)), class_="cp-error-title"),
                tag("p", text(problem.detail), class_="cp-note"),
                _request(problem.request_id),
                role="alert",
            )
        )
        st.button(t("frame.retry"), key=f"error-{key}-retry", on_click=_retry)
        if not live:
            refresh.look_again(key=f"error-{key}-again")


def alert(title: str, detail: str = "", request_id: str | None = None) -> None:
    """A fault that stays on the page until what caused it is done anew."""
    st.html(
        tag(
            "div",
            tag("p", text(title), class_="cp-error-title"),
            tag("p", text(detail), class_="cp-note") if detail else "",
            _request(request_id),
            class_="cr-alert",
            role="alert",
        )
    )


def stale_banner(*answers: Fetched[object], key: str) -> None:
    """That the page shows old figures, how old, why, and whether it still tries by itself."""
    old = [
        answer for answer in answers if answer.stale and answer.at is not None and answer.error is not None
    ]
    lacking = next((answer.error for answer in answers if answer.data is None and answer.error), None)
    if not old and lacking is not None:
        _banner([tag("strong", text(t("frame.partly")))], lacking, key)
    if not old:
        return
    oldest = min(old, key=lambda answer: answer.at or datetime.max.replace(tzinfo=UTC))
    if oldest.at is None or oldest.error is None:
        return
    now = datetime.now(UTC)
    local = formats.local_time(oldest.at, st.context.timezone, now)
    said = t(
        "frame.stale_title",
        time=local.text,
        age=formats.duration((now - oldest.at).total_seconds(), language()),
    )
    _banner([tag("strong", text(said), title=local.utc)], oldest.error, key)


def worker_banner(status: MarketStatus | None) -> bool:
    """Say that no worker runs, since when and what to do. Gives whether there was anything to say."""
    worker = status and status.get("worker")  # a service of the version before tells nothing of workers
    if not worker or worker["state"] in ("working", "waiting"):
        return False
    seen, now = formats.instant(worker["seen_at"]), datetime.now(UTC)
    said, title = t(f"frame.worker_{worker['state']}"), None
    if worker["state"] == "missing" and seen is not None:
        local = formats.local_time(seen, st.context.timezone, now)
        said, title = t("frame.worker_missing_since", time=local.text), local.utc
    action = t("frame.worker_start" if worker["state"] == "missing" else "frame.worker_log")
    words = tag("strong", text(said), title=title) + " " + tag("span", text(action))
    st.html(tag("div", words, class_="cp-stale", role="status"))
    return True


def provider_banner(status: MarketStatus | None) -> None:
    """Say which providers are paused after failures, since when, why and when the next try is.

    Says nothing of the sample market's providers, whose outages are part of its script.
    """
    if status is None or status["mode"] == "sample":
        return
    lines = [_provider_line(provider) for provider in status["providers"] if provider["state"] != "ok"]
    if lines:
        st.html(tag("div", "".join(lines), class_="cp-stale", role="status"))


def _provider_line(provider: ProviderStatus) -> str:
    now = datetime.now(UTC)
    fault = str(provider["message_values"].get("fault") or "unavailable")
    name, why = provider_name(provider["provider"]), t(f"reasons.fault_{fault}")
    since, retry = formats.instant(provider.get("failing_since")), formats.instant(provider["retry_at"])
    began = formats.local_time(since, st.context.timezone, now) if since else None
    told = t("frame.provider_failing", provider=name, time=began.text if began else "–", fault=why)
    again = t("frame.provider_retry_soon")
    if retry is not None and retry > now + timedelta(minutes=1):
        again = t("frame.provider_retry_at", time=formats.local_time(retry, st.context.timezone, now).text)
    title = began.utc if began else None
    return tag("p", tag("strong", text(told), title=title) + " " + tag("span", text(again)))


def _banner(parts: list[str], problem: Problem, key: str) -> None:
    parts = [*parts, tag("span", text(sentence(problem)))]
    if refresh.resting():
        parts.append(tag("span", text(t("frame.stale_resting"))))
    with st.container(key=f"stale-{key}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(tag("div", " ".join(parts), _request(problem.request_id), class_="cp-stale", role="status"))
        st.button(t("frame.retry"), key=f"stale-{key}-retry", on_click=_retry)


def sentence(problem: Problem) -> str:
    """What went wrong, in the reader's language."""
    by_title = {"unreachable": "unreachable", "timeout": "timeout", "malformed": "malformed"}
    by_status = {401: "unauthorized", 403: "forbidden", 404: "missing", 429: "limited", 503: "busy"}
    word = by_title.get(problem.title) or by_status.get(problem.status or 0) or "service"
    return t(f"frame.error_{word}")


def _request(request_id: str | None) -> str:
    """The id under which the service's logs have a request."""
    if not request_id:
        return ""
    return tag("p", f"{text(t('frame.request_id'))} {tag('code', text(request_id))}", class_="cp-note")


def _retry() -> None:
    refresh.resume()
    api.retry()
