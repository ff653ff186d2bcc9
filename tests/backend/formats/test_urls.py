"""Which addresses name a host."""

import pytest

from backend.formats.urls import names_a_host


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
def test_what_a_browser_opens_names_a_host(url: str) -> None:
    assert names_a_host(url)


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
def test_what_cannot_be_taken_apart_names_none(url: str) -> None:
    assert not names_a_host(url)
