"""Runs the source finder over a test store."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from backend.articles.rules.active_rules import ActiveRules
from backend.settings import Settings
from backend.sources.schemas import SourcesRequest, SourcesResult
from backend.sources.service import ImmediateSteps, SourceFinder
from backend.store.database import Database
from tests.support.test_session import shipped_data_cache

Find = Callable[..., SourcesResult]


@contextmanager
def open_finder(database: Database, home: Path, **settings: Any) -> Iterator[SourceFinder]:
    """Open a finder with the shipped rules and archive; ``settings`` are those of the service."""
    finder_settings = Settings(home=home, **settings)
    with shipped_data_cache.cache_rule_sets():
        finder = SourceFinder(finder_settings, database, ActiveRules(finder_settings))
        finder.prepare()
        try:
            yield finder
        finally:
            finder.close()


def find_sources(finder: SourceFinder, statement: str | None = None, **more: Any) -> SourcesResult:
    """Find the sources of a statement, outside a job."""
    request = SourcesRequest.model_validate({"statement": statement, **more})
    return finder.find(request, ImmediateSteps(lambda _: None, seconds=60))
