"""Time and source of figures, and escaping of their markup."""

from datetime import UTC, datetime, timedelta

from dashboard.frame.freshness import freshness_html, mode_label_html, source_name
from dashboard.frame.markup import tag, text

NOON = datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)


def test_a_line_shows_time_age_and_source_with_the_exact_utc() -> None:
    line = freshness_html(NOON, "coingecko+coinmarketcap", now=NOON + timedelta(seconds=12))
    assert "as of 12:00:05 · 12 s ago" in line
    assert "CoinGecko + CoinMarketCap" in line
    assert 'title="2026-05-18 12:00:05 UTC"' in line
    assert 'datetime="2026-05-18T12:00:05+00:00"' in line


def test_an_unknown_time_is_named_as_unknown() -> None:
    assert "time unknown" in freshness_html(None)


def test_a_source_shows_provider_names_and_stale_state() -> None:
    assert source_name("coingecko:stale") == "CoinGecko (last known)"
    assert source_name("sample") == "sample market"
    assert source_name(None) == "no source"
    assert source_name("another+sample-b") == "another + Sample view B"


def test_only_simulated_figures_have_the_sample_label() -> None:
    assert "Sample data" in mode_label_html("sample")
    assert mode_label_html("live") == mode_label_html(None) == ""


def test_markup_escapes_texts_and_attributes() -> None:
    assert text("<b>&") == "&lt;b&gt;&amp;"
    assert tag("a", text("x"), href='"><script>', aria_label=None, class_="k") == (
        '<a href="&quot;&gt;&lt;script&gt;" class="k">x</a>'
    )
    assert tag("img", alt="") == '<img alt="">'


def test_a_source_with_markup_is_escaped() -> None:
    assert "<script>" not in freshness_html(NOON, "<script>", now=NOON)
