"""Pieces of the coin panel as HTML: its head, quotes, spread, incidents, figures and links.

All text is escaped; links lead only to http and https addresses.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from html import escape

from dashboard.app_pages.rankings.rows import Row
from dashboard.app_pages.rankings.spread_chart import height, spread_day
from dashboard.client.market_schemas import Asset, AssetQuotes, Incident, ProviderQuote
from dashboard.frame.formats import (
    ARROWS,
    UNKNOWN,
    age,
    compact_usd,
    direction,
    parse_decimal,
    parse_instant,
    percent,
    price,
    price_label,
    significant,
)
from dashboard.frame.freshness import provider_name
from dashboard.i18n import Language, t

LINK_KINDS = (
    "website",
    "technical_doc",
    "explorer",
    "source_code",
    "twitter",
    "reddit",
    "message_board",
    "announcement",
)


def change_span(change: Decimal | None, label: str) -> str:
    """A change with arrow, sign and span, in its colour."""
    way = direction(change)
    arrow = f'<span aria-hidden="true">{ARROWS[way]}</span> ' if way in ("up", "down") else ""
    figure = f'<span class="rk-{way or "flat"}">{arrow}{percent(change)}</span>'
    return f'<span class="rk-change">{figure} {escape(label)}</span>'


def head(row: Row, icon: str, lang: Language, now: datetime) -> str:
    rank = t("rankings.rank_n", n=row.rank) if row.rank is not None else t("rankings.rank_none")
    image = f'<img src="{escape(icon)}" alt="" width="40" height="40">' if icon else ""
    changes = "".join(
        change_span(value, t(f"rankings.head_{span}"))
        for span, value in (
            ("1h", row.pct_1h),
            ("24h", row.pct_24h),
            ("7d", row.pct_7d),
            ("30d", row.pct_30d),
        )
    )
    return (
        f'<div class="rk-coin">{image}<div><h2>{escape(row.name)} <span>{escape(row.symbol)}</span></h2>'
        f"<p>{escape(rank)}</p></div></div>"
        f'<p class="rk-price" title="{escape(price_label(row.price, lang))}">{price(row.price)}</p>'
        f'<p class="rk-changes">{changes}</p>'
        f'<p class="rk-source">{source_line(row, lang, now)}</p>'
    )


def source_line(row: Row, lang: Language, now: datetime) -> str:
    """Where the figure is from, how old it is, and what is wrong with it, in words."""
    words = []
    if row.sample:
        words.append(f"◇ {t('chart.sample')}")
    elif row.source:
        words.append(" + ".join(provider_name(name) for name in row.source.split(":")[0].split("+")))
    else:
        words.append(t("rankings.source_none"))
    if row.last_updated is not None:
        words.append(age((now - row.last_updated).total_seconds(), lang))
        words.append(f"{row.last_updated:%Y-%m-%d %H:%M:%S} UTC")
    marks = [t("rankings.state_stale")] * row.stale + [
        t(f"rankings.incident_{flag}") for flag in row.flags if flag in FLAGS
    ]
    warned = "".join(f' <strong class="rk-warn">⚠ {escape(mark)}</strong>' for mark in marks)
    return escape(" · ".join(words)) + warned


FLAGS = ("divergent", "conflict", "depeg", "jump", "missing")


def quotes(answer: AssetQuotes, lang: Language, now: datetime) -> str:
    """Each provider's quote with its age, used or not and why; then the rule and the spread."""
    title = f"<h3>{escape(t('rankings.quotes'))}</h3>"
    if not answer["quotes"]:
        return f"{title}<p>{escape(t('rankings.quotes_none'))}</p>"
    names = ("quote_provider", "quote_price", "quote_age", "quote_used")
    columns = "".join(f'<th scope="col">{escape(t(f"rankings.{name}"))}</th>' for name in names)
    body = "".join(_quote(quote, lang) for quote in answer["quotes"])
    rule = t(f"rankings.rule_{answer['rule']}")
    return (
        f'{title}<table class="cp-table"><caption class="rk-sr">{escape(t("rankings.quotes"))}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"
        f"<p><strong>{escape(t('rankings.rule'))}.</strong> {escape(rule)}</p>"
        f'<p class="cp-small-note" lang="en">{escape(answer["reason"])}</p>{spread(answer, now)}'
    )


def _quote(quote: ProviderQuote, lang: Language) -> str:
    used = t("rankings.used") if quote["used"] else t("rankings.not_used")
    figure = parse_decimal(quote["price_usd"])
    volume = parse_decimal(quote["volume_24h"])
    more = escape(quote["reason"]) + (
        f" {escape(t('chart.volume'))}: {compact_usd(volume, lang)}." if volume is not None else ""
    )
    return (
        f'<tr><th scope="row">{escape(provider_name(quote["provider"]))}</th>'
        f'<td title="{escape(price_label(figure, lang))}">{price(figure)}</td>'
        f'<td title="{escape(quote["as_of"])}">{escape(age(quote["age_seconds"], lang))}</td>'
        f'<td class="{"rk-used" if quote["used"] else "rk-unused"}">{escape(used)}</td></tr>'
        f'<tr class="rk-why"><td colspan="4">{more}</td></tr>'
    )


def spread(answer: AssetQuotes, now: datetime) -> str:
    """The spread against its two limits: in words, and as a bar for the eye; then the day's."""
    value, agree, conflict = (
        parse_decimal(answer["spread_pct"]),
        parse_decimal(answer["agree_pct"]),
        parse_decimal(answer["conflict_pct"]),
    )
    if agree is None or conflict is None or conflict <= 0:
        return f"<p>{escape(t('rankings.spread_none'))}</p>"
    day = spread_day(answer["spread_24h"], agree, conflict, now)
    if value is None:
        return f"<p>{escape(t('rankings.spread_none'))}</p>{day}"
    level = "ok" if value <= agree else "mid" if value <= conflict else "bad"
    words = t(
        "rankings.spread_words",
        spread=significant(value, 2),
        agree=significant(agree, 2),
        conflict=significant(conflict, 2),
    )
    at, limit = (height(part, conflict) for part in (value, agree))
    return (
        f'<div class="rk-spread rk-{level}" aria-hidden="true"><i style="width:{at:.1f}%"></i>'
        f'<b style="left:{limit:.1f}%"></b><b style="left:80%"></b></div><p>{escape(words)}</p>{day}'
    )


def incidents(entries: Sequence[Incident]) -> str:
    title = f"<h3>{escape(t('rankings.incidents'))}</h3>"
    if not entries:
        return f"{title}<p>{escape(t('rankings.incidents_none'))}</p>"
    items = "".join(_incident(entry) for entry in entries)
    return f'{title}<ul class="rk-incidents">{items}</ul>'


def _incident(entry: Incident) -> str:
    kind = t(f"rankings.incident_{entry['kind']}")
    return f"<li><strong>{escape(kind)}</strong> {escape(_period(entry))}<br>{escape(entry['detail'])}</li>"


def _period(entry: Incident) -> str:
    opened = f"{parse_instant(entry['opened_at']):%m-%d %H:%M}"
    closed = entry["closed_at"]
    if closed is None:
        return t("rankings.incident_open", time=opened)
    return t("rankings.incident_closed", start=opened, end=f"{parse_instant(closed):%m-%d %H:%M} UTC")


def figures(row: Row, asset: Asset | None, lang: Language) -> str:
    facts = [(t("rankings.col_cap"), compact_usd(row.market_cap, lang))]
    if row.volume is not None:
        facts.append((t("rankings.col_volume"), compact_usd(row.volume, lang)))
    facts.append((t("rankings.ath"), _ath(asset)))
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    return f'<h3>{escape(t("rankings.facts"))}</h3><dl class="rk-facts">{items}</dl>'


def _ath(asset: Asset | None) -> str:
    if asset is None or asset["ath"] is None:
        return t("rankings.ath_unknown")
    when = parse_instant(asset["ath_date"])
    change = parse_decimal(asset["ath_change_percentage"])
    return t(
        "rankings.ath_line",
        price=price(parse_decimal(asset["ath"])),
        date=f"{when:%Y-%m-%d}" if when else UNKNOWN,
        change=percent(change),
    )


def links(asset: Asset) -> str:
    """The first address of each kind, and the page at the second provider."""
    urls: Mapping[str, Sequence[str]] = {kind: asset["urls"].get(kind) or () for kind in LINK_KINDS}  # type: ignore[misc]
    found = [(kind, addresses[0]) for kind, addresses in urls.items() if addresses]
    page = asset["urls"]["datasrc2"]
    found += [("datasrc2", page)] if page else []
    items = "".join(
        _link(kind, address) for kind, address in found if address.startswith(("https://", "http://"))
    )
    return f'<h3>{escape(t("rankings.links"))}</h3><ul class="rk-links">{items}</ul>' if items else ""


def _link(kind: str, address: str) -> str:
    name = escape(t(f"rankings.link_{kind}"))
    return f'<li><a href="{escape(address)}" target="_blank" rel="noopener noreferrer">{name}</a></li>'


def curl(base_url: str, asset_id: str, span: str) -> str:
    """The panel's calls for a terminal; the key is left to the reader."""
    calls = (f"/prices/{asset_id}/quotes", f"/assets/{asset_id}/candles?span={span}")
    return "\n".join(f"curl -H 'CP-X-API-KEY: YOUR_KEY' '{base_url}{path}'" for path in calls)
