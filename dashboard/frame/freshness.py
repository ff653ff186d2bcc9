"""When a figure is from and from whom: beside every panel, in the page's head and at its foot."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import streamlit as st

from dashboard.client import Mode
from dashboard.frame import formats, preferences, refresh
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

PROVIDERS = {"coingecko": "CoinGecko", "coinmarketcap": "CoinMarketCap", "alternative.me": "alternative.me"}
LABELS: Mapping[Mode | None, tuple[str, str]] = {
    "sample": ("frame.sample_label", "frame.sample_note"),
    "replay": ("frame.replay_label", "frame.replay_note"),
}
"""Label and note of the modes whose figures are not those of this moment."""
PROVIDER_SITES = {
    "CoinGecko": "https://www.coingecko.com/",
    "CoinMarketCap": "https://coinmarketcap.com/",
    "alternative.me": "https://alternative.me/crypto/fear-and-greed-index/",
}


def provider_name(provider: str) -> str:
    """A provider as a reader would name it; the sample market has two views, A and B."""
    if provider.startswith("sample-"):
        return t("frame.sample_view", letter=provider.removeprefix("sample-").upper())
    return PROVIDERS.get(provider, provider)


def source_name(source: str | None) -> str:
    """``coingecko+coinmarketcap:stale`` as a reader would name it."""
    if not source:
        return t("frame.source_unknown")
    names, _, state = source.partition(":")
    shown = " + ".join(
        t("frame.source_sample") if name == "sample" else provider_name(name) for name in names.split("+")
    )
    return f"{shown} ({t('frame.source_stale')})" if state == "stale" else shown


def freshness_html(
    instant: datetime | None, source: str | None = None, *, now: datetime | None = None
) -> str:
    """``as of 12:00:05 · 12 s ago · CoinGecko + CoinMarketCap``, with the exact UTC in a title."""
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
    named = "" if source is None else f" · {tag('span', text(source_name(source)))}"
    return tag("span", when, named, class_="cp-fresh")


def freshness(instant: datetime | None, source: str | None = None) -> None:
    """The line by itself."""
    st.html(freshness_html(instant, source))


def interval_html() -> str:
    """How often the page asks by itself, or that it does not."""
    code = preferences.current().refresh
    if code == "off":
        words = t("frame.refresh_is_off")
    elif refresh.resting():
        words = t("frame.refresh_resting")
    else:
        words = t("frame.refresh_every", n=code)
    return tag("span", f" · {text(words)}", class_="cp-fresh")


def sample_html(mode: Mode | None) -> str:
    """The label that every page carries while its figures are simulated or replayed; nothing in live mode."""
    if mode not in LABELS:
        return ""
    label, note = t(LABELS[mode][0]), t(LABELS[mode][1])
    return tag(
        "span",
        tag("strong", text(label)),
        tag("span", text(note), class_="cp-sample-note"),
        class_="cp-sample",
        title=note,
    )


def footer(
    mode: Mode | None, providers: Iterable[str] = ("coingecko", "coinmarketcap", "alternative.me")
) -> None:
    """Where the data come from, as the providers' terms ask, and whose clock the times are."""
    names = [PROVIDERS.get(name, name) for name in providers]
    links = ", ".join(
        tag("a", text(name), href=PROVIDER_SITES[name], rel="noreferrer", target="_blank")
        if name in PROVIDER_SITES
        else text(name)
        for name in names
    )
    if mode is None:
        origin = ""  # nothing was received, so there is nobody to name
    elif mode == "sample":
        origin = text(t("frame.footer_sample"))
    else:
        origin = text(t("frame.footer_live", providers="\0")).replace("\0", links)
    zone = st.context.timezone or "UTC"
    times = text(t("frame.footer_utc") if zone == "UTC" else t("frame.footer_times", zone=zone))
    st.html(tag("footer", tag("p", origin), tag("p", times), class_="cp-footer"))
