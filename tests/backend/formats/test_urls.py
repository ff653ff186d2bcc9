"""Tests which URLs have a valid host."""

import pytest

from backend.formats.urls import has_valid_host, is_home_page


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "http://a.example:8080/x?y#z",
        "https://例え.jp/",
        "http://[2001:db8::1]:80/",
        "https://A/",
    ],
)
def test_urls_that_browsers_open_have_a_valid_host(url: str) -> None:
    assert has_valid_host(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https://:80/",
        "https://]a",
        "http://[::1",
        "http://a[b]c/",
        "http://a:b/",
        "http://a:0/",
        "http://a:99999/",
        "http://\u2100/",
        "a.example",
    ],
)
def test_unparsable_urls_have_no_valid_host(url: str) -> None:
    assert not has_valid_host(url)


@pytest.mark.parametrize(
    ("url", "is_home"),
    [
        ("https://a.example", True),
        ("https://a.example//", True),
        ("https://a.example/?q=1", True),
        ("https://a.example/en", False),
        ("http://[::1", False),
    ],
)
def test_a_home_page_has_no_path(url: str, is_home: bool) -> None:
    assert is_home_page(url) is is_home
