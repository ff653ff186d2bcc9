"""The sign-in leads back to a page of the dashboard, and to nothing else in the world."""

from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sign_in.return_url import HOME, LONGEST, kept, sign_in

PAGES = (
    "/",
    "/topics?topic=5&lang=ja",
    "/research?job=1b-2",
    "/timelines?profile=a%2Fb",
    "/rankings?find=%E3%83%93",
)


@pytest.mark.parametrize("address", PAGES)
def test_a_deep_link_survives(address: str) -> None:
    assert kept(address) == address
    assert parse_qs(urlsplit(sign_in(address)).query)["next"] == [address]


@pytest.mark.parametrize(
    "address",
    [
        None, "", "topics", "//evil.test", "///evil.test", "/\\evil.test", "\\\\evil.test", "/\t/evil.test",
        "https://evil.test", "https:evil.test", "javascript:alert(1)", "/..//evil.test", "/.//evil.test",
        "/%2e%2e//evil.test", "/a/../b", "/%2E./b", " /topics", "/a\r\nSet-Cookie: a=b", "/\u2028", "/@[",
        "/sign-in", "/sign-in/callback?code=1", "/sign-out", "/_stcore/stream", "/media/1.csv", "/#a",
    ],
)  # fmt: skip
def test_anything_else_leads_to_the_first_page(address: str | None) -> None:
    assert kept(address) == HOME


@given(st.text("/\\.%2eE:@?#a\t\n \u00e9", max_size=12))
def test_no_text_leads_to_another_host(address: str) -> None:
    reached = urlsplit(urljoin("https://dashboard.test/sign-in", kept(address)))
    assert (reached.scheme, reached.netloc) == ("https", "dashboard.test")


def test_what_is_too_long_for_a_cookie_leads_to_its_page() -> None:
    assert kept("/topics?q=" + "a" * LONGEST) == "/topics"
    assert kept("/" + "a" * (LONGEST + 1)) == HOME
