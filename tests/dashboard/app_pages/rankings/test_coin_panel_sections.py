"""Tests the coin panel and the HTML table of the Rankings page."""

from datetime import UTC, datetime

from dashboard.app_pages.rankings import coin_panel_sections, html_table
from dashboard.app_pages.rankings.rows import Row


def test_untrusted_text_is_escaped() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    table = html_table.build_html_table(hostile, [hostile], [[hostile, hostile]])
    assert "<img" not in table
    head = coin_panel_sections.build_head(Row("x", hostile, hostile), '"><script>', "en", datetime.now(UTC))
    assert "<script" not in head
    assert "<img src=x" not in head


def test_a_copied_curl_command_has_no_key() -> None:
    command = coin_panel_sections.build_curl_commands("http://127.0.0.1:8000", "bitcoin", "7d")
    assert "YOUR_KEY" in command
    assert "cp_" not in command
    assert "/assets/bitcoin/candles?span=7d" in command
