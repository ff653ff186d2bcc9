"""The service with rules of its own, shared by the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.support.apps.article_app import Articles, article_app


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Articles]:
    with article_app(tmp_path_factory.mktemp("articles"), body_limit_bytes=1024 * 1024) as running:
        yield running
