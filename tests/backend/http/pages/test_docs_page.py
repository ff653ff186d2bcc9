"""Tests the documentation page: its files, its policy, and that it uses this host alone."""

import re

import pytest

from tests.backend.http.pages.docs_page_app import application
from tests.support.http.asgi import Answer, send


class Client:
    """Asks the application of the test as a server would."""

    def __init__(self) -> None:
        self.app = application()

    def get(self, path: str, **headers: str) -> Answer:
        return send(self.app, path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def addresses(self) -> list[str]:
        """What the page refers to."""
        page = self.get("/docs").text.decode()
        return re.findall(r'(?:src|href)="([^"]+)"', page) + re.findall(r"url: '([^']+)'", page)


@pytest.fixture
def client() -> Client:
    return Client()


def test_page_uses_only_relative_urls(client: Client) -> None:
    addresses = client.addresses()
    assert len(addresses) >= 5
    assert not [name for name in addresses if "//" in name or name.startswith("/")]


def test_every_linked_file_is_served_with_its_content_type(client: Client) -> None:
    kinds = {".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".json": "application/json"}
    for name in client.addresses():
        answer = client.get("/" + name)
        assert answer.status == 200, name
        assert answer.headers["content-type"].startswith(kinds["." + name.rpartition(".")[2]]), name


def test_content_security_policy_allows_one_inline_script_and_no_external_source(
    client: Client,
) -> None:
    policy = client.get("/docs").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert re.search(r"script-src 'self' 'sha256-[^']+';", policy)
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy


def test_page_and_files_return_304_for_a_matching_etag(client: Client) -> None:
    paths = ["docs", *(name for name in client.addresses() if name.startswith("docs/"))]
    for name in paths:
        tag = client.get("/" + name).headers["etag"]
        not_modified = client.get("/" + name, if_none_match=tag)
        assert not_modified.status == 304, name
        assert not_modified.body == b"", name


def test_large_files_are_compressed_with_gzip_on_request(client: Client) -> None:
    script = next(name for name in client.addresses() if name.endswith("bundle.js"))
    zipped = client.get("/" + script, accept_encoding="gzip")
    uncompressed = client.get("/" + script, accept_encoding="identity")
    assert zipped.headers["content-encoding"] == "gzip"
    assert int(zipped.headers["content-length"]) < int(uncompressed.headers["content-length"]) / 2
    assert zipped.text == uncompressed.body


@pytest.mark.parametrize(
    "name",
    ["nothing.js", "__init__.py", "..%2fmain.py"],
)
def test_unknown_docs_file_returns_404_problem(client: Client, name: str) -> None:
    answer = client.get(f"/docs/{name}")
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert "/docs" in answer.json()["detail"]


def test_docs_page_is_not_listed_in_the_openapi_document(client: Client) -> None:
    assert not [path for path in client.get("/openapi.json").json()["paths"] if path.startswith("/docs")]
