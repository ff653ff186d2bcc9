"""A post, a page of them, and how X refuses. Pure data."""

from dataclasses import dataclass
from datetime import datetime

from backend.markets.model import ErrorKind, ProviderError

NAME = "X"


@dataclass(frozen=True, slots=True)
class Metrics:
    """What X counts of a post in public."""

    likes: int = 0
    reposts: int = 0
    quotes: int = 0
    replies: int = 0


@dataclass(frozen=True, slots=True)
class Post:
    """A post as X tells it. ``username`` is empty where X does not tell whose it is; ``language`` is X's
    word for it, which may be none of ours."""

    id: str
    text: str
    published_at: datetime
    metrics: Metrics
    username: str = ""
    name: str = ""
    verified: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """How many requests of one kind X still takes until ``reset_at``."""

    limit: int
    remaining: int
    reset_at: datetime

    def is_spent(self, now: datetime) -> bool:
        return self.remaining <= 0 and now < self.reset_at


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a search or a look-up. ``gone`` are ids that were asked for and are no longer there, or
    not for us; ``troubles`` say what else of the answer is missing, in X's words."""

    posts: tuple[Post, ...] = ()
    newest_id: str | None = None
    next_token: str | None = None
    gone: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Posts that X says the project has read in its billing month, and how many it may; null where it does
    not tell."""

    used: int | None
    cap: int | None
    reset_day: int | None


class XRefused(ProviderError):
    """X gave nothing. ``invalid`` where it refuses the question itself, not the asker."""

    def __init__(
        self,
        fault: ErrorKind,
        message: str,
        *,
        retry_after: float | None = None,
        window: Window | None = None,
        invalid: bool = False,
    ) -> None:
        super().__init__(NAME, fault, message, retry_after=retry_after)
        self.window = window
        self.invalid = invalid
