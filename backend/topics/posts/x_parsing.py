"""Reading what the X API v2 answers, where anything may be missing or odd. Pure.

Shapes: https://docs.x.com/x-api/posts/recent-search and
https://docs.x.com/x-api/fundamentals/response-codes-and-errors. A refusal is a problem (``title``,
``detail``, ``type``), or a list of ``errors`` with ``message`` or ``detail``, the oldest of them with a
``code``. An answer with status 200 may hold ``errors`` beside ``data``: what could not be given of it.
"""

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from backend.markets.model import ErrorKind
from backend.markets.providers import parsing, provider_http
from backend.markets.providers.provider_http import ProviderResponse
from backend.sources.retrieval import content_sanitizer
from backend.topics.posts.model import Metrics, Page, Post, Usage, Window, XRefused

WINDOW_SECONDS = 900.0
"""X counts requests by quarters of an hour."""
LONGEST_WINDOW = timedelta(hours=24)
CREDITS_SECONDS = 6 * 3_600.0
"""How long it is left alone when the account has no credits left."""
LONGEST_TEXT = 4_000
_ID = re.compile(r"[0-9]{1,20}")
_USERNAME = re.compile(r"[A-Za-z0-9_]{1,50}")
_GONE = ("resource-not-found", "not-authorized-for-resource", "resource-unavailable")
_AHEAD = timedelta(minutes=5)


def page(answer: ProviderResponse, now: datetime) -> Page:
    """A page of posts. Raises :class:`XRefused` for every kind of refusal."""
    body = _accepted(answer, now)
    authors = {
        str(user.get("id")): user
        for user in map(
            parsing.as_mapping, parsing.as_list(parsing.as_mapping(body.get("includes")).get("users"))
        )
    }
    read = (_post(parsing.as_mapping(row), authors, now) for row in parsing.as_list(body.get("data")))
    posts = {post.id: post for post in read if post is not None}
    errors = [parsing.as_mapping(error) for error in parsing.as_list(body.get("errors"))]
    meta = parsing.as_mapping(body.get("meta"))
    return Page(
        posts=tuple(posts.values()),
        newest_id=_newest(meta, posts),
        next_token=parsing.parse_text(meta.get("next_token"), 500),
        gone=tuple(gone for error in errors if (gone := _gone(error)) is not None),
        troubles=tuple(said for error in errors if (said := _said(error)) is not None),
        window=window_of(answer.headers, now),
    )


def usage(answer: ProviderResponse, now: datetime) -> Usage:
    """What the project has used. Raises :class:`XRefused`."""
    data = parsing.as_mapping(_accepted(answer, now).get("data"))
    day = parsing.parse_int(data.get("cap_reset_day"))
    return Usage(
        used=_count(data.get("project_usage")),
        cap=_count(data.get("project_cap")),
        reset_day=day if day is not None and 1 <= day <= 31 else None,
    )


def window_of(headers: Mapping[str, str], now: datetime) -> Window | None:
    """The limit's state by ``x-rate-limit-limit``, ``-remaining`` and ``-reset`` (seconds since 1970)."""
    limit = parsing.parse_int(headers.get("x-rate-limit-limit"))
    remaining = parsing.parse_int(headers.get("x-rate-limit-remaining"))
    reset = parsing.parse_epoch_seconds(headers.get("x-rate-limit-reset"))
    if limit is None or remaining is None or reset is None or limit < 0:
        return None
    return Window(limit, max(0, remaining), min(reset, now + LONGEST_WINDOW))


def _accepted(answer: ProviderResponse, now: datetime) -> Mapping[str, object]:
    body = parsing.as_mapping(answer.payload)
    if answer.status != 200:
        raise _refused(answer, body, now)
    if answer.parse_error:
        raise XRefused(ErrorKind.MALFORMED, f"the answer {answer.parse_error}")
    if "data" not in body and "meta" not in body:
        errors = [parsing.as_mapping(error) for error in parsing.as_list(body.get("errors"))]
        if not errors:
            raise XRefused(ErrorKind.MALFORMED, "the answer holds neither posts nor a count of them")
        if not all(_gone(error) for error in errors):
            raise XRefused(ErrorKind.UNAVAILABLE, f"{_said(errors[0]) or 'refused'} (status 200)")
    return body


def _refused(answer: ProviderResponse, body: Mapping[str, object], now: datetime) -> XRefused:
    said = f"{provider_http.error_text(answer, _reason(body))} (status {answer.status})"
    window = window_of(answer.headers, now)
    match answer.status:
        case 400 | 414 | 422:
            return XRefused(ErrorKind.MALFORMED, said, window=window, invalid=True)
        case 401 | 403:
            # Of a 403, the account or the app lacks something, which is mended at X and not in our settings.
            told_by_x = answer.status == 401 and not answer.parse_error
            return XRefused(ErrorKind.UNAUTHORISED if told_by_x else ErrorKind.REFUSED, said, window=window)
        case 402:
            return XRefused(ErrorKind.QUOTA_SPENT, said, retry_after=CREDITS_SECONDS, window=window)
        case 429 if _is_capped(body):
            return XRefused(ErrorKind.QUOTA_SPENT, said, window=window)  # until when it does not say
        case 429:
            wait = _wait(answer, window, now)
            return XRefused(ErrorKind.THROTTLED, said, retry_after=wait, window=window)
        case _:
            return XRefused(ErrorKind.UNAVAILABLE, said, window=window)


def _wait(answer: ProviderResponse, window: Window | None, now: datetime) -> float:
    """Seconds until the limit is lifted: as X says, and else a whole window. A time that is past already
    tells of two clocks, not of a limit that is over."""
    if window is not None and window.reset_at > now:
        return (window.reset_at - now).total_seconds()
    told = provider_http.retry_after(answer.headers, now)
    return told if told else WINDOW_SECONDS


def _is_capped(body: Mapping[str, object]) -> bool:
    """Whether a 429 is about posts of the month, not about requests of the window."""
    kind, title = parsing.parse_text(body.get("type")) or "", parsing.parse_text(body.get("title")) or ""
    return kind.endswith("/usage-capped") or title == "UsageCapExceeded"


def _reason(body: Mapping[str, object]) -> str | None:
    errors = [parsing.as_mapping(error) for error in parsing.as_list(body.get("errors"))]
    first = next((said for error in errors if (said := _said(error))), None)
    detail = parsing.parse_text(body.get("detail"))
    if first is not None and first != detail:
        return f"{detail.rstrip('. ')}: {first}" if detail else first
    return detail or parsing.parse_text(body.get("title"))


def _said(error: Mapping[str, object]) -> str | None:
    return next(
        (said for name in ("detail", "message", "title") if (said := parsing.parse_text(error.get(name)))),
        None,
    )


def _gone(error: Mapping[str, object]) -> str | None:
    """The id of a post that X says is no longer there, or not for us."""
    kind = parsing.parse_text(error.get("type")) or ""
    about = error.get("resource_type") in ("tweet", "post")
    found = parsing.parse_text(error.get("resource_id")) or parsing.parse_text(error.get("value")) or ""
    return found if about and kind.endswith(_GONE) and _ID.fullmatch(found) else None


def _newest(meta: Mapping[str, object], posts: Mapping[str, Post]) -> str | None:
    told = parsing.parse_text(meta.get("newest_id")) or ""
    known = [one for one in (told, *posts) if _ID.fullmatch(one)]
    return max(known, key=int, default=None)


def _post(
    row: Mapping[str, object], authors: Mapping[str, Mapping[str, object]], now: datetime
) -> Post | None:
    """A post that can be counted: with an id, an instant that is not ahead, and public metrics."""
    post_id = parsing.parse_text(row.get("id")) or ""
    published = parsing.parse_timestamp(row.get("created_at"))
    counted = row.get("public_metrics")
    if not _ID.fullmatch(post_id) or published is None or not isinstance(counted, Mapping):
        return None
    if published > now + _AHEAD:
        return None
    user = authors.get(str(row.get("author_id")), {})
    username = parsing.parse_text(user.get("username")) or ""
    return Post(
        id=post_id,
        text=_text(row.get("text")),
        published_at=min(published.astimezone(UTC), now),
        metrics=_metrics(counted),
        username=username if _USERNAME.fullmatch(username) else "",
        name=content_sanitizer.clean_text(html.unescape(parsing.parse_text(user.get("name"), 100) or "")),
        verified=user.get("verified") is True,
        language=(parsing.parse_text(row.get("lang"), 8) or "").lower(),
    )


def _metrics(counted: Mapping[str, object]) -> Metrics:
    names = ("like_count", "retweet_count", "quote_count", "reply_count")
    likes, reposts, quotes, replies = (_count(counted.get(name)) or 0 for name in names)
    return Metrics(likes, reposts, quotes, replies)


def _count(value: object) -> int | None:
    found = parsing.parse_int(value)
    return found if found is not None and 0 <= found <= 10**15 else None


def _text(value: object) -> str:
    """As a reader sees it: X sends the three characters of markup escaped."""
    return content_sanitizer.clean_text(html.unescape(value[:LONGEST_TEXT])) if isinstance(value, str) else ""
