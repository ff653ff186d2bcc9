"""What a search provider gives, and how it fails."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """One result: text as plain text, ``published`` in UTC where the provider says when."""

    url: str
    title: str
    snippet: str
    published: datetime | None


class SearchFailed(Exception):
    """No results from a provider; ``message`` is a sentence that holds no secret."""

    def __init__(self, provider: str, reason: str) -> None:
        super().__init__(f"{provider}: {reason}")
        self.provider = provider
        self.message = f"{provider}: {reason}"


class SearchProvider(Protocol):
    name: str

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[Found]:
        """At most ``limit`` results, those of ``site`` and below alone if given.

        Raises :class:`SearchFailed`.
        """
        ...

    def close(self) -> None: ...
