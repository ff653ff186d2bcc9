"""What a search provider gives, and how it fails."""

from typing import Protocol


class SearchFailed(Exception):
    """No results from a provider; ``message`` is a sentence that holds no secret."""

    def __init__(self, provider: str, reason: str) -> None:
        super().__init__(f"{provider}: {reason}")
        self.provider = provider
        self.message = f"{provider}: {reason}"


class SearchProvider(Protocol):
    name: str

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[str]:
        """The addresses of at most ``limit`` results, those of ``site`` and below alone if given.

        What a provider says of a page is not taken over: the page itself is read. Raises
        :class:`SearchFailed`.
        """
        ...

    def close(self) -> None: ...
