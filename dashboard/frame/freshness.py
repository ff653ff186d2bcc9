"""Renders the time and source of figures: beside panels, in the page's head and in its footer."""

from collections.abc import Mapping
from datetime import UTC, datetime

import streamlit as st

from dashboard.client import Mode
from dashboard.frame import formats, preferences, providers, refresh
from dashboard.frame.markup import tag, text
from dashboard.frame.providers import PROVIDERS, Provider
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import add_note, join_items

MODE_LABELS: Mapping[Mode | None, tuple[str, str]] = {
    "sample": ("frame.sample_label", "frame.sample_note"),
    "replay": ("frame.replay_label", "frame.replay_note"),
}
"""Catalogue keys of the label and note for modes without current figures."""


def provider_name(provider: str) -> str:
    """Returns the display name of a provider; the sample market has two views, A and B."""
    if provider.startswith("sample-"):
        return t("frame.sample_view", letter=provider.removeprefix("sample-").upper())
    return providers.get_name(provider)


def source_name(source: str | None) -> str:
    """Returns the display name of a source such as ``coingecko+coinmarketcap:stale``."""
    if not source:
        return t("frame.source_unknown")
    names = " + ".join(
        t("frame.source_sample") if name == "sample" else provider_name(name)
        for name in providers.split_source(source)
    )
    return add_note(names, t("frame.source_stale")) if source.endswith(":stale") else names


def freshness_html(
    instant: datetime | None, source: str | None = None, *, now: datetime | None = None
) -> str:
    """Builds ``as of 12:00:05 · 12 s ago · CoinGecko + CoinMarketCap``, with the exact UTC in a title."""
    if instant is None:
        when = tag("span", text(t("frame.time_unknown")))
    else:
        present = now or datetime.now(UTC)
        local = formats.local_time(instant, st.context.timezone, present)
        age = formats.age((present - instant).total_seconds(), language())
        when = tag(
            "time",
            text(t("frame.as_of_line", time=local.text, age=age)),
            datetime=instant.isoformat(),
            title=local.utc,
        )
    source_html = "" if source is None else f" · {tag('span', text(source_name(source)))}"
    return tag("span", when, source_html, class_="cp-fresh")


def render_freshness(instant: datetime | None, source: str | None = None) -> None:
    """Renders the time and source as a line of its own."""
    st.html(freshness_html(instant, source))


def interval_html() -> str:
    """Builds the text on the refresh interval of the page."""
    code = preferences.current().refresh
    if refresh.is_overdue():
        words = t("frame.refresh_waiting")
    elif code == "off":
        words = t("frame.refresh_is_off")
    elif refresh.is_backing_off():
        words = t("frame.refresh_resting")
    else:
        words = t("frame.refresh_every", n=code)
    return tag("span", f" · {text(words)}", class_="cp-fresh")


def mode_label_html(mode: Mode | None) -> str:
    """Builds the label for simulated or replayed figures; empty in live mode."""
    if mode not in MODE_LABELS:
        return ""
    label, note = t(MODE_LABELS[mode][0]), t(MODE_LABELS[mode][1])
    return tag(
        "span",
        tag("strong", text(label)),
        tag("span", text(note), class_="cp-sample-note"),
        class_="cp-sample",
        title=note,
    )


def _provider_link(provider: Provider) -> str:
    return tag("a", text(provider.name), href=provider.website, rel="noreferrer", target="_blank")


def render_footer(mode: Mode | None) -> None:
    """Renders the data sources, as the providers' terms require, and the time zone of the page."""
    links = join_items(map(_provider_link, PROVIDERS.values()))
    if mode is None:
        origin = ""  # nothing was received, so there is no provider to name
    elif mode == "sample":
        origin = text(t("frame.footer_sample"))
    else:
        origin = text(t("frame.footer_live", providers="\0")).replace("\0", links)
    zone = st.context.timezone or "UTC"
    times = text(t("frame.footer_utc") if zone == "UTC" else t("frame.footer_times", zone=zone))
    st.html(tag("footer", tag("p", origin), tag("p", times), class_="cp-footer"))
