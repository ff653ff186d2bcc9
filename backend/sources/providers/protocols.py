"""Defines the protocol of search providers and their error."""

from typing import Protocol


class SearchFailed(Exception):
    """A provider could not search; ``message`` is a sentence without secrets."""

    def __init__(self, provider: str, reason: str) -> None:
        super().__init__(f"{provider}: {reason}")
        self.provider = provider
        self.message = f"{provider}: {reason}"


class SearchProvider(Protocol):
    name: str

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[str]:
        """Return the URLs of at most ``limit`` results, only those of ``site`` and its subdomains if given.

        The provider's titles and snippets are not used: the page itself is read. Raises
        :class:`SearchFailed`.
        """
        ...

    def close(self) -> None: ...
