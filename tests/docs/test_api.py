"""The list of endpoints names each operation of the OpenAPI document once with its scope, and no others."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.apps.market_app import sample_app

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
ROW = re.compile(r"^\| `([A-Z]+) (/\S+)` \| (\w+) \|", re.MULTILINE)
WITHOUT_CREDENTIAL = {"open", "app"}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with sample_app(tmp_path_factory.mktemp("api"), ("bitcoin",)) as running:
        described: dict[str, Any] = running.json("/openapi.json")
        return described


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Method, path and scope of each operation. The scope is null where no credential is needed."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            scopes = [
                scope
                for requirement in operation.get("security", ())
                for scope in requirement.get("ApiKey", ())
            ]
            yield method.upper(), path, scopes[0] if scopes else None


def test_the_page_lists_each_endpoint_once_and_no_others(document: dict[str, Any]) -> None:
    listed = [(method, path) for method, path, _ in ROW.findall(PAGE.read_text("utf-8"))]
    assert len(listed) >= 40
    assert Counter(listed) == Counter((method, path) for method, path, _ in operations(document))


def test_the_page_names_the_scope_that_each_endpoint_needs(document: dict[str, Any]) -> None:
    needed = {(method, path): scope for method, path, scope in operations(document)}
    for method, path, scope in ROW.findall(PAGE.read_text("utf-8")):
        expected = needed[method, path]
        assert scope == expected if expected else scope in WITHOUT_CREDENTIAL, (method, path)
