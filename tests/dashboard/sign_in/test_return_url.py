"""The sign-in returns only to pages of the dashboard."""

from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sign_in.return_url import HOME, MAX_CHARS, build_sign_in_url, validate_path

PAGES = (
    "/",
    "/topics?topic=5&lang=ja",
    "/research?job=1b-2",
    "/timelines?profile=a%2Fb",
    "/rankings?find=%E3%83%93",
)


@pytest.mark.parametrize("address", PAGES)
def test_a_deep_link_is_valid(address: str) -> None:
    assert validate_path(address) == address
    assert parse_qs(urlsplit(build_sign_in_url(address)).query)["next"] == [address]


@pytest.mark.parametrize(
    "address",
    [
        None, "", "topics", "//evil.test", "///evil.test", "/\\evil.test", "\\\\evil.test", "/\t/evil.test",
        "https://evil.test", "https:evil.test", "javascript:alert(1)", "/..//evil.test", "/.//evil.test",
        "/%2e%2e//evil.test", "/a/../b", "/%2E./b", " /topics", "/a\r\nSet-Cookie: a=b", "/\u2028", "/@[",
        "/sign-in", "/sign-in/callback?code=1", "/sign-out", "/_stcore/stream", "/media/1.csv", "/#a",
    ],
)  # fmt: skip
def test_an_invalid_path_becomes_the_first_page(address: str | None) -> None:
    assert validate_path(address) == HOME


@given(st.text("/\\.%2eE:@?#a\t\n \u00e9", max_size=12))
def test_no_path_leads_to_another_host(address: str) -> None:
    reached = urlsplit(urljoin("https://dashboard.test/sign-in", validate_path(address)))
    assert (reached.scheme, reached.netloc) == ("https", "dashboard.test")


def test_a_too_long_path_loses_its_query() -> None:
    assert validate_path("/topics?q=" + "a" * MAX_CHARS) == "/topics"
    assert validate_path("/" + "a" * (MAX_CHARS + 1)) == HOME
