"""Streamlit's HTML document with the style sheet, and the security headers of all responses."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from dashboard.frame import style_sheet
from dashboard.frame.document import DocumentMiddleware
from tests.dashboard.asgi_client import AsgiClient

PAGE = "<!doctype html><html><head><title>Streamlit</title></head><body></body></html>"
HTML = {"Accept": "text/html", "Accept-Encoding": "gzip", "If-None-Match": '"old"', "Range": "bytes=0-3"}


@pytest.fixture
def client(tmp_path: Path) -> AsgiClient:
    page = tmp_path / "index.html"
    page.write_text(PAGE)

    async def pieces(_: Request) -> Response:
        async def body() -> AsyncIterator[str]:
            for letter in PAGE:
                yield letter

        return StreamingResponse(body(), media_type="text/html")

    async def file(_: Request) -> Response:
        return FileResponse(page)

    async def plain(_: Request) -> Response:
        return PlainTextResponse("</head>", headers={"X-Frame-Options": "DENY"})

    routes = [Route("/", file), Route("/pieces", pieces), Route("/plain", plain)]
    document = DocumentMiddleware(Starlette(routes=routes), style="p{color:red}/*</style>*/", title="A & B")
    return AsgiClient(document)


@pytest.mark.parametrize("path", ["/", "/pieces"])
def test_the_style_and_the_title_are_in_the_head(client: AsgiClient, path: str) -> None:
    answer = client.get(path, headers=HTML)
    assert answer.status_code == 200
    assert "<title>A &amp; B</title>" in answer.text
    assert answer.text.count("<style>p{color:red}") == 1
    assert answer.text.count("</style>") == 1
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "etag" not in answer.headers


def test_other_responses_pass_unchanged(client: AsgiClient) -> None:
    assert client.get("/plain").text == "</head>"


def test_every_response_has_the_security_headers_and_keeps_its_own(client: AsgiClient) -> None:
    assert client.get("/").headers["x-content-type-options"] == "nosniff"
    assert client.get("/missing").headers["x-frame-options"] == "SAMEORIGIN"
    assert client.get("/plain").headers["x-frame-options"] == "DENY"
    assert client.get("/").headers["cross-origin-resource-policy"] == "same-origin"


def test_the_policy_blocks_requests_to_other_hosts(client: AsgiClient) -> None:
    policy = client.get("/", headers=HTML).headers["content-security-policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'self'"
    assert not re.search(r"https?:|\*|'unsafe-eval'", policy)
    assert {"connect-src", "frame-src"}.isdisjoint(rules)  # as the default says
    assert rules["frame-ancestors"] == "'self'"


def test_a_head_request_has_no_body(client: AsgiClient) -> None:
    answer = client.head("/", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.content) == (200, b"")


def test_no_style_selects_by_a_part_of_the_class_attribute() -> None:
    """With such a rule, browsers recheck all descendants of an element whose class changes. Streamlit changes
    classes at each run, above thousands of cells of the rank table."""
    assert not re.search(r"\[class\W+=", style_sheet.build_style_sheet())
