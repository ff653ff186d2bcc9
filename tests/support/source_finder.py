"""A finder of sources over a store of the test's own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from backend.articles.rules.active_rules import ActiveRules
from backend.settings import Settings
from backend.sources.schemas import SourcesRequest, SourcesResult
from backend.sources.service import ImmediateSteps, SourceFinder
from backend.store.database import Database
from tests.support import read_once

Find = Callable[..., SourcesResult]


@contextmanager
def finder_over(database: Database, home: Path, **settings: Any) -> Iterator[SourceFinder]:
    """With the shipped rules and archive; ``settings`` as in :class:`~backend.settings.Settings`."""
    chosen = Settings(home=home, **settings)
    with read_once.rule_sets():
        finder = SourceFinder(chosen, database, ActiveRules(chosen))
        finder.prepare()
        try:
            yield finder
        finally:
            finder.close()


def found(finder: SourceFinder, statement: str | None = None, **more: Any) -> SourcesResult:
    """What ``finder`` finds for a statement, outside any job."""
    request = SourcesRequest.model_validate({"statement": statement, **more})
    return finder.find(request, ImmediateSteps(lambda _: None, seconds=60))
