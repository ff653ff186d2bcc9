"""URLs: the displayed host, and which URLs may be links."""

import pytest

from dashboard.frame import web_links


@pytest.mark.parametrize(
    ("url", "host", "is_web"),
    [
        ("https://www.sec.gov/x", "sec.gov", True),
        ("HTTPS://SEC.GOV", "sec.gov", True),
        ("javascript:alert(1)", "javascript:alert(1)", False),
        ("https://[bad", "https://[bad", False),
        ("//sec.gov/x", "sec.gov", False),
    ],
)
def test_only_http_and_https_urls_with_a_host_are_linked(url: str, host: str, is_web: bool) -> None:
    assert web_links.display_host(url) == host
    assert web_links.is_web_url(url) is is_web
