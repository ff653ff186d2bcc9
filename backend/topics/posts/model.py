"""Defines posts, pages of posts, rate limits and request errors of X. No I/O."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from backend.markets.model import ErrorKind, ProviderError

PROVIDER_NAME = "X"
RATE_WINDOW_SECONDS = 900
"""X counts requests in windows of 15 minutes."""
POST_RETENTION = timedelta(days=8)
"""Stored counts and searches are deleted after this time. A search covers the last seven days, so a
deleted post is not found again."""


@dataclass(frozen=True, slots=True)
class PublicMetrics:
    """The public engagement counts of a post."""

    likes: int = 0
    reposts: int = 0
    quotes: int = 0
    replies: int = 0


@dataclass(frozen=True, slots=True)
class Post:
    """A post as X returns it. ``username`` is empty if X does not return the author. ``language`` is X's
    code, possibly of a language that this service does not have."""

    id: str
    text: str
    published_at: datetime
    metrics: PublicMetrics
    username: str = ""
    name: str = ""
    verified: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class RateLimitWindow:
    """A rate limit of one endpoint: X accepts ``remaining`` more requests until ``reset_at``."""

    limit: int
    remaining: int
    reset_at: datetime

    def is_spent(self, now: datetime) -> bool:
        return self.remaining <= 0 and now < self.reset_at


@dataclass(frozen=True, slots=True)
class Page:
    """One response of a search or a lookup.

    ``unavailable_ids`` holds requested ids that no longer exist or that this account may not read.
    ``partial_errors`` holds X's messages about other missing parts of the response.
    """

    posts: tuple[Post, ...] = ()
    newest_id: str | None = None
    next_token: str | None = None
    unavailable_ids: tuple[str, ...] = ()
    partial_errors: tuple[str, ...] = ()
    window: RateLimitWindow | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Posts that the project has read in its billing month, and the monthly cap. None if X does not return
    the figure."""

    used: int | None
    cap: int | None
    reset_day: int | None


class XRequestError(ProviderError):
    """A request to X failed. ``is_invalid_request`` is set if X rejects the request itself as malformed."""

    def __init__(
        self,
        fault: ErrorKind,
        message: str,
        *,
        retry_after: float | None = None,
        window: RateLimitWindow | None = None,
        is_invalid_request: bool = False,
    ) -> None:
        super().__init__(PROVIDER_NAME, fault, message, retry_after=retry_after)
        self.window = window
        self.is_invalid_request = is_invalid_request
