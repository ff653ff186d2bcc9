"""Tests the page at ``/``: its links, its language and its security headers."""

import re

import pytest
from fastapi import FastAPI

from backend.http.pages import landing_page
from backend.settings import Settings
from tests.support.http.asgi import Answer, send


def page(path: str = "/", *, settings: Settings | None = None, **headers: str) -> Answer:
    """What a service with these settings answers."""
    app = FastAPI()
    app.state.settings = settings or Settings()
    app.include_router(landing_page.router)
    return send(app, path, headers={name.replace("_", "-"): text for name, text in headers.items()})


def addresses(answer: Answer) -> list[str]:
    return re.findall(r'<li><a href="([^"]+)"', answer.text.decode())


def test_page_links_to_dashboard_api_reference_and_health_checks() -> None:
    settings = Settings(dashboard_public_url="https://desk.example")
    found = page(settings=settings)
    assert found.status == 200
    assert addresses(found) == ["https://desk.example", "docs", "openapi.json", "healthz", "readyz"]


def test_dashboard_link_uses_the_local_port_without_a_public_url() -> None:
    assert addresses(page(settings=Settings(dashboard_port=8601)))[0] == "http://127.0.0.1:8601"


def test_page_shows_the_version_and_the_data_mode() -> None:
    text = page().text.decode()
    assert re.search(r"Version \d+\.\d+", text)
    assert "Sample data" in text
    assert "Live data" in page(settings=Settings(mode="live")).text.decode()


@pytest.mark.parametrize(
    ("accept_language", "language"),
    [("ja-JP,ja;q=0.9,en;q=0.5", "ja"), ("zh-TW", "zh-Hans"), ("de, en;q=0.4", "en"), ("", "en")],
)
def test_page_uses_the_language_of_accept_language(accept_language: str, language: str) -> None:
    assert f'<html lang="{language}">'.encode() in page(accept_language=accept_language).body


def test_lang_parameter_overrides_accept_language() -> None:
    assert b'<html lang="ja">' in page("/?lang=ja", accept_language="zh").body
    assert b'<html lang="en">' in page("/?lang=tlh").body


def test_page_varies_by_language_and_has_an_etag_for_each_language() -> None:
    found = page(accept_language="ja")
    assert "Accept-Language" in found.headers["vary"]
    assert found.headers["etag"] != page(accept_language="zh").headers["etag"]
    not_modified = page(accept_language="ja", if_none_match=found.headers["etag"])
    assert (not_modified.status, not_modified.body) == (304, b"")


def test_content_security_policy_allows_only_the_page_style() -> None:
    policy = page().headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy
    assert b"<script" not in page().body
