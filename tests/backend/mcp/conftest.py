"""One served service for all tests of a process."""

from collections.abc import Iterator

import pytest

from tests.support.apps.tool_service import ToolService, tool_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolService]:
    with tool_service(tmp_path_factory.mktemp("tools")) as running:
        yield running
