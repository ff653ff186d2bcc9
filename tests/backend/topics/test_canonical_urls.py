"""Canonical URLs: one for each page, and none for links that lead to no article."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.topics.canonical_urls import build_page_key, canonicalize, canonicalize_image


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("https://a.example/x?utm_source=rss&id=7&fbclid=q#top", "https://a.example/x?id=7"),
        ("HTTPS://WWW.A.Example:443/X", "https://www.a.example/X"),
        ("http://a.example", "http://a.example/"),
        ("  https://a.example/a\n/b ", "https://a.example/a/b"),
        ("https://a.example/記事?語=値", "https://a.example/%E8%A8%98%E4%BA%8B?%E8%AA%9E=%E5%80%A4"),
        ("https://a.example/%E8%A8%98", "https://a.example/%E8%A8%98"),
        ("https://a.example/?ref=rss&ref=42", "https://a.example/?ref=42"),
        ("https://a.example/#!/story", "https://a.example/#!/story"),
        ("https://www.google.com/amp/s/a.example/x", "https://a.example/x"),
        ("https://a-example.cdn.ampproject.org/c/s/a.example/x", "https://a.example/x"),
        ("https://例え.example/", "https://xn--r8jz45g.example/"),
        ("https://a.example/?p=1&b=&c", "https://a.example/?p=1&b=&c"),
    ],
)
def test_tracking_parameters_are_removed(link: str, expected: str) -> None:
    assert canonicalize(link) == expected


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("a1", "https://f.example/zh/a1"),
        ("/x", "https://f.example/x"),
        ("//b.example/x", "https://b.example/x"),
    ],
)
def test_a_relative_url_is_resolved_against_its_page(link: str, expected: str) -> None:
    assert canonicalize(link, "https://f.example/zh/feed") == expected


@pytest.mark.parametrize(
    "link",
    [
        "", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "file:///etc/hostname",
        "mailto:a@b.example", "http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://169.254.169.254/latest/",
        "http://[::1]/", "http://[fd00:ec2::254]/", "http://localhost/x", "http://nas.local/", "http://intranet/",
        "http://metadata.google.internal/", "https://user:pass@a.example/", "https://a.example:8443/", "http://[::1",
        "https://" + "a" * 2_100, "https://a.example/" + "b" * 2_000, "https://www.google.com/amp/127.0.0.1/x",
    ],
)  # fmt: skip
def test_links_to_no_public_page_are_refused(link: str) -> None:
    assert canonicalize(link) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/x", "https://www.a.example/x/", "https://m.a.example/x", "https://amp.a.example/x",
        "https://a.example/x/amp", "https://a.example/x/amp/", "https://a.example/amp/x", "https://a.example/x?amp=1",
        "https://a.example/x?outputType=amp", "https://a.example/%78",
    ],
)  # fmt: skip
def test_variants_of_a_page_have_the_same_key(url: str) -> None:
    assert build_page_key(url) == build_page_key("https://a.example/x")


@pytest.mark.parametrize(
    "url",
    ["https://b.example/x", "https://a.example/y", "https://a.example/x?id=2", "https://jp.a.example/x",
     "https://a.example/amp", "https://a.example/X", "https://amp.example/x"],
)  # fmt: skip
def test_different_pages_have_different_keys(url: str) -> None:
    assert build_page_key(url) != build_page_key("https://a.example/x")


def test_the_order_of_parameters_does_not_change_the_key() -> None:
    assert build_page_key("https://a.example/?a=1&b=2") == build_page_key("https://a.example/?b=2&a=1")


def test_an_image_url_uses_https_and_keeps_its_size() -> None:
    assert (
        canonicalize_image("https://i.example/p.png?fm=jpg&w=1920&h=1080")
        == "https://i.example/p.png?fm=jpg&w=1920&h=1080"
    )
    assert canonicalize_image("http://i.example/p.png") is None
    assert canonicalize_image("data:image/png;base64,AAAA") is None


@given(st.text(max_size=60).map(lambda tail: f"https://a.example/{tail}") | st.text(max_size=80))
def test_canonicalizing_twice_changes_nothing(link: str) -> None:
    found = canonicalize(link)
    if found is not None:
        assert found.isascii()
        assert canonicalize(found) == found
        assert len(build_page_key(found)) == 64
