"""Builds the addresses that results name: pages of the dashboard, and the HTTP interface."""

from dataclasses import dataclass
from urllib.parse import urlencode

Query = dict[str, str | int | list[str] | None]


@dataclass(frozen=True, slots=True)
class Links:
    """``api`` and ``dashboard`` are the addresses of both, without a slash at the end."""

    api: str
    dashboard: str

    def build_page_url(self, page: str = "", **query: str) -> str:
        return f"{self.dashboard}/{page}{_build_query(dict(query))}"

    def build_api_url(self, path: str, query: Query | None = None) -> str:
        return f"{self.api}{path}{_build_query(query or {})}"


def drop_absent(query: Query) -> Query:
    return {name: value for name, value in query.items() if value is not None and value != ""}


def _build_query(query: Query) -> str:
    present = drop_absent(query)
    return f"?{urlencode(present, doseq=True)}" if present else ""
