"""Parses responses of the X API v2, in which any part may be missing or malformed. No I/O.

Shapes: https://docs.x.com/x-api/posts/recent-search and
https://docs.x.com/x-api/fundamentals/response-codes-and-errors. An error response is a problem (``title``,
``detail``, ``type``), or a list of ``errors`` with ``message`` or ``detail``, in the oldest form with a
``code``. A response with status 200 may hold ``errors`` next to ``data`` for the parts that X left out.
"""

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from backend.markets.model import ErrorKind
from backend.markets.providers import parsing, provider_http
from backend.markets.providers.provider_http import ProviderResponse
from backend.sources.retrieval import content_sanitizer
from backend.topics.posts.model import (
    RATE_WINDOW_SECONDS,
    Page,
    Post,
    PublicMetrics,
    RateLimitWindow,
    Usage,
    XRequestError,
)

MAX_WINDOW = timedelta(hours=24)
NO_CREDITS_WAIT_SECONDS = 6 * 3_600.0
"""Wait when the account has no credits left."""
MAX_TEXT_CHARS = 4_000
_ID = re.compile(r"[0-9]{1,20}")
_USERNAME = re.compile(r"[A-Za-z0-9_]{1,50}")
_UNAVAILABLE_TYPES = ("resource-not-found", "not-authorized-for-resource", "resource-unavailable")
_MAX_CLOCK_SKEW = timedelta(minutes=5)


def parse_page(response: ProviderResponse, now: datetime) -> Page:
    """Parse a page of posts. Raises :class:`XRequestError` for every error response."""
    body = _check_response(response, now)
    authors = {
        str(user.get("id")): user
        for user in map(
            parsing.as_mapping, parsing.as_list(parsing.as_mapping(body.get("includes")).get("users"))
        )
    }
    parsed_posts = (
        _parse_post(parsing.as_mapping(row), authors, now) for row in parsing.as_list(body.get("data"))
    )
    posts = {post.id: post for post in parsed_posts if post is not None}
    errors = [parsing.as_mapping(error) for error in parsing.as_list(body.get("errors"))]
    meta = parsing.as_mapping(body.get("meta"))
    return Page(
        posts=tuple(posts.values()),
        newest_id=_find_newest_id(meta, posts),
        next_token=parsing.parse_text(meta.get("next_token"), 500),
        unavailable_ids=tuple(
            post_id for error in errors if (post_id := _parse_unavailable_id(error)) is not None
        ),
        partial_errors=tuple(text for error in errors if (text := _parse_error_text(error)) is not None),
        window=parse_window(response.headers, now),
    )


def parse_usage(response: ProviderResponse, now: datetime) -> Usage:
    """Parse the project's usage. Raises :class:`XRequestError`."""
    data = parsing.as_mapping(_check_response(response, now).get("data"))
    day = parsing.parse_int(data.get("cap_reset_day"))
    return Usage(
        used=_parse_count(data.get("project_usage")),
        cap=_parse_count(data.get("project_cap")),
        reset_day=day if day is not None and 1 <= day <= 31 else None,
    )


def parse_window(headers: Mapping[str, str], now: datetime) -> RateLimitWindow | None:
    """Parse the headers ``x-rate-limit-limit``, ``-remaining`` and ``-reset`` (seconds since 1970)."""
    limit = parsing.parse_int(headers.get("x-rate-limit-limit"))
    remaining = parsing.parse_int(headers.get("x-rate-limit-remaining"))
    reset = parsing.parse_epoch_seconds(headers.get("x-rate-limit-reset"))
    if limit is None or remaining is None or reset is None or limit < 0:
        return None
    return RateLimitWindow(limit, max(0, remaining), min(reset, now + MAX_WINDOW))


def _check_response(response: ProviderResponse, now: datetime) -> Mapping[str, object]:
    body = parsing.as_mapping(response.payload)
    if response.status != 200:
        raise _build_error(response, body, now)
    if response.parse_error:
        raise XRequestError(ErrorKind.MALFORMED, f"the answer {response.parse_error}")
    if "data" not in body and "meta" not in body:
        errors = [parsing.as_mapping(error) for error in parsing.as_list(body.get("errors"))]
        if not errors:
            raise XRequestError(ErrorKind.MALFORMED, "the answer holds neither posts nor a count of them")
        if not all(_parse_unavailable_id(error) for error in errors):
            raise XRequestError(
                ErrorKind.UNAVAILABLE, f"{_parse_error_text(errors[0]) or 'refused'} (status 200)"
            )
    return body


def _build_error(response: ProviderResponse, body: Mapping[str, object], now: datetime) -> XRequestError:
    text = f"{provider_http.error_text(response, _find_error_text(body))} (status {response.status})"
    window = parse_window(response.headers, now)
    match response.status:
        case 400 | 414 | 422:
            return XRequestError(ErrorKind.MALFORMED, text, window=window, is_invalid_request=True)
        case 401 | 403:
            # A 403 means that the account or the app lacks a permission at X; our settings cannot fix it.
            is_json = response.status == 401 and not response.parse_error
            return XRequestError(
                ErrorKind.UNAUTHORISED if is_json else ErrorKind.REFUSED, text, window=window
            )
        case 402:
            return XRequestError(
                ErrorKind.QUOTA_SPENT, text, retry_after=NO_CREDITS_WAIT_SECONDS, window=window
            )
        case 429 if _is_capped(body):
            return XRequestError(ErrorKind.QUOTA_SPENT, text, window=window)  # X does not say until when
        case 429:
            wait = _find_retry_after(response, window, now)
            return XRequestError(ErrorKind.THROTTLED, text, retry_after=wait, window=window)
        case _:
            return XRequestError(ErrorKind.UNAVAILABLE, text, window=window)


def _find_retry_after(response: ProviderResponse, window: RateLimitWindow | None, now: datetime) -> float:
    """Return the seconds until the limit ends: by X's headers, or else a whole window. A reset time in the
    past is clock skew, not a limit that has ended."""
    if window is not None and window.reset_at > now:
        return (window.reset_at - now).total_seconds()
    return provider_http.retry_after(response.headers, now) or RATE_WINDOW_SECONDS


def _is_capped(body: Mapping[str, object]) -> bool:
    """True if a 429 concerns the posts of the month, not the requests of the window."""
    kind, title = parsing.parse_text(body.get("type")) or "", parsing.parse_text(body.get("title")) or ""
    return kind.endswith("/usage-capped") or title == "UsageCapExceeded"


def _find_error_text(body: Mapping[str, object]) -> str | None:
    errors = [parsing.as_mapping(error) for error in parsing.as_list(body.get("errors"))]
    first = next((text for error in errors if (text := _parse_error_text(error))), None)
    detail = parsing.parse_text(body.get("detail"))
    if first is not None and first != detail:
        return f"{detail.rstrip('. ')}: {first}" if detail else first
    return detail or parsing.parse_text(body.get("title"))


def _parse_error_text(error: Mapping[str, object]) -> str | None:
    return next(
        (text for name in ("detail", "message", "title") if (text := parsing.parse_text(error.get(name)))),
        None,
    )


def _parse_unavailable_id(error: Mapping[str, object]) -> str | None:
    """Return the id of a post that X reports as deleted or not readable by this account."""
    kind = parsing.parse_text(error.get("type")) or ""
    is_about_post = error.get("resource_type") in ("tweet", "post")
    post_id = parsing.parse_text(error.get("resource_id")) or parsing.parse_text(error.get("value")) or ""
    return post_id if is_about_post and kind.endswith(_UNAVAILABLE_TYPES) and _ID.fullmatch(post_id) else None


def _find_newest_id(meta: Mapping[str, object], posts: Mapping[str, Post]) -> str | None:
    newest_id = parsing.parse_text(meta.get("newest_id")) or ""
    ids = [post_id for post_id in (newest_id, *posts) if _ID.fullmatch(post_id)]
    return max(ids, key=int, default=None)


def _parse_post(
    row: Mapping[str, object], authors: Mapping[str, Mapping[str, object]], now: datetime
) -> Post | None:
    """Parse a post; None without an id, public metrics, or a publication time that is not in the future."""
    post_id = parsing.parse_text(row.get("id")) or ""
    published = parsing.parse_timestamp(row.get("created_at"))
    metrics = row.get("public_metrics")
    if not _ID.fullmatch(post_id) or published is None or not isinstance(metrics, Mapping):
        return None
    if published > now + _MAX_CLOCK_SKEW:
        return None
    user = authors.get(str(row.get("author_id")), {})
    username = parsing.parse_text(user.get("username")) or ""
    return Post(
        id=post_id,
        text=_parse_text(row.get("text")),
        published_at=min(published.astimezone(UTC), now),
        metrics=_parse_metrics(metrics),
        username=username if _USERNAME.fullmatch(username) else "",
        name=content_sanitizer.clean_text(html.unescape(parsing.parse_text(user.get("name"), 100) or "")),
        verified=user.get("verified") is True,
        language=(parsing.parse_text(row.get("lang"), 8) or "").lower(),
    )


def _parse_metrics(metrics: Mapping[str, object]) -> PublicMetrics:
    names = ("like_count", "retweet_count", "quote_count", "reply_count")
    likes, reposts, quotes, replies = (_parse_count(metrics.get(name)) or 0 for name in names)
    return PublicMetrics(likes, reposts, quotes, replies)


def _parse_count(value: object) -> int | None:
    count = parsing.parse_int(value)
    return count if count is not None and 0 <= count <= 10**15 else None


def _parse_text(value: object) -> str:
    """Unescape and clean a text: X escapes ``&``, ``<`` and ``>``."""
    return (
        content_sanitizer.clean_text(html.unescape(value[:MAX_TEXT_CHARS])) if isinstance(value, str) else ""
    )
