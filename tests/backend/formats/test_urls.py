"""Tests which URLs are accepted, and how they are normalized."""

import pytest

from backend.formats.urls import is_home_page, normalize_web_url


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "http://a.example:8080/x?y#z",
        "https://例え.jp/記事?題=あ#い",
        "https://😍.example/a%20b",
        "http://[2001:db8::1]:80/",
        "https://A_1/",
    ],
)
def test_urls_that_browsers_open_stay_as_they_are(url: str) -> None:
    assert normalize_web_url(url) == url


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        ("https://a.example/x|y?q={a}", "https://a.example/x%7Cy?q=%7Ba%7D"),
        ("https://a.example/[1]%zz", "https://a.example/%5B1%5D%25zz"),
        ("https://a.example#b#c", "https://a.example#b%23c"),
        ("https://a.example/\ue000\x81\U000e0a4f", "https://a.example/%EE%80%80%C2%81%F3%A0%A9%8F"),
    ],
)
def test_characters_that_no_iri_contains_are_percent_encoded(url: str, normalized: str) -> None:
    assert normalize_web_url(url) == normalized
    assert normalize_web_url(normalized) == normalized


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https://:80/",
        "https://]a",
        "http://[::1",
        "http://[zz]/",
        "http://a[b]c/",
        "http://a:b/",
        "http://a:0/",
        "http://a:99999/",
        "http://\u2100/",
        "http://a\x81b/",
        "http://a\ue000b/",
        "http://a\u3000b/",
        "http://a b/",
        "http://a/b c",
        "https://日..本/",
        "https://a..b/",
        f"https://{'a' * 64}/",
        "https://a.example/\ud800",
        "https://name:secret@a.example/",
        "ftp://a.example",
        "a.example",
    ],
)
def test_other_text_and_hosts_that_cannot_exist_are_no_url(url: str) -> None:
    assert normalize_web_url(url) is None


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
