"""Defines a web feed before it is rendered as Atom or JSON Feed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

NO_ENTRIES_UPDATED_AT = datetime(1970, 1, 1, tzinfo=UTC)
"""The update time of a feed without entries. It is constant, so that the entity tag is too."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. ``id`` and the URLs are absolute; all texts are plain and may hold any character.

    ``page_url`` is the page for people, ``source_url`` the page of the publisher, if there is one.
    """

    id: str
    title: str
    page_url: str
    published_at: datetime
    updated_at: datetime
    summary: str = ""
    bullets: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source_url: str | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed, newest entry first. ``url`` is its own address without a feed token."""

    title: str
    url: str
    home_url: str
    language: str
    entries: Sequence[Entry]

    @property
    def updated_at(self) -> datetime:
        return max((entry.updated_at for entry in self.entries), default=NO_ENTRIES_UPDATED_AT)
