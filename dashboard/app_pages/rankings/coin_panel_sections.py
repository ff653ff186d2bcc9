"""Builds the HTML of the coin panel: head, quotes, spread, incidents, figures and links.

All text is escaped; only http and https URLs become links.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from html import escape

from dashboard.app_pages.rankings import cleared_incidents
from dashboard.app_pages.rankings.rows import FLAGS, Row
from dashboard.app_pages.rankings.spread_chart import build_spread_chart, compute_height_percent
from dashboard.client.market_schemas import Asset, AssetQuotes, Incident, ProviderQuote
from dashboard.frame import price_reasons
from dashboard.frame.formats import (
    ARROWS,
    UNKNOWN,
    age,
    direction,
    parse_decimal,
    parse_instant,
    percent,
    price,
    significant,
)
from dashboard.frame.freshness import provider_name
from dashboard.frame.providers import split_source
from dashboard.frame.session_currency import get_display_currency
from dashboard.i18n import Language, t
from dashboard.i18n.punctuation import add_label, end_sentence, join_sentences

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


def build_change(change: Decimal | None, label: str) -> str:
    """Builds a change with arrow, sign and span, in its colour."""
    change_direction = direction(change)
    arrow = (
        f'<span aria-hidden="true">{ARROWS[change_direction]}</span> '
        if change_direction in ("up", "down")
        else ""
    )
    change_html = f'<span class="rk-{change_direction or "flat"}">{arrow}{percent(change)}</span>'
    return f'<span class="rk-change">{change_html} {escape(label)}</span>'


def build_head(row: Row, icon: str, lang: Language, now: datetime) -> str:
    rank = t("rankings.rank_n", n=row.rank) if row.rank is not None else t("rankings.rank_none")
    image = f'<img src="{escape(icon)}" alt="" width="40" height="40">' if icon else ""
    changes = "".join(
        build_change(value, t(f"rankings.head_{span}"))
        for span, value in (
            ("1h", row.pct_1h),
            ("24h", row.pct_24h),
            ("7d", row.pct_7d),
            ("30d", row.pct_30d),
        )
    )
    currency = get_display_currency()
    full_price = escape(currency.format_full_price(row.price, lang))
    price_html = f'title="{full_price}">{currency.format_price(row.price)}'
    return (
        f'<div class="rk-coin">{image}<div><h2>{escape(row.name)} <span>{escape(row.symbol)}</span></h2>'
        f"<p>{escape(rank)}</p></div></div>"
        f'<p class="rk-price" {price_html}</p>'
        f'<p class="rk-changes">{changes}</p>'
        f'<p class="rk-source">{build_source_line(row, lang, now)}</p>'
    )


def build_source_line(row: Row, lang: Language, now: datetime) -> str:
    """Builds the source, age and warnings of the figure, in words."""
    facts = []
    if row.sample:
        facts.append(f"◇ {t('chart.sample')}")
    elif row.source:
        facts.append(" + ".join(provider_name(name) for name in split_source(row.source)))
    else:
        facts.append(t("rankings.source_none"))
    if row.last_updated is not None:
        facts.append(age((now - row.last_updated).total_seconds(), lang))
        facts.append(f"{row.last_updated:%Y-%m-%d %H:%M:%S} UTC")
    marks = [t("rankings.state_stale")] * row.stale + [
        t(f"rankings.incident_{flag}") for flag in row.flags if flag in FLAGS
    ]
    warnings = "".join(f' <strong class="rk-warn">⚠ {escape(mark)}</strong>' for mark in marks)
    return escape(" · ".join(facts)) + warnings


def build_quotes(answer: AssetQuotes, lang: Language, now: datetime) -> str:
    """Builds each provider's quote with age, use and reason, then the rule and the spread."""
    title = f"<h3>{escape(t('rankings.quotes'))}</h3>"
    if not answer["quotes"]:
        return f"{title}<p>{escape(t('rankings.quotes_none'))}</p>"
    names = ("quote_provider", "quote_price", "quote_age", "quote_used")
    columns = "".join(f'<th scope="col">{escape(t(f"rankings.{name}"))}</th>' for name in names)
    body = "".join(_build_quote_rows(quote, lang, now) for quote in answer["quotes"])
    rule = t(f"rankings.rule_{answer['rule']}")
    return (
        f'{title}<table class="cp-table"><caption class="rk-sr">{escape(t("rankings.quotes"))}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"
        f"<p><strong>{escape(end_sentence(t('rankings.rule')))}</strong> {escape(rule)}</p>"
        f'<p class="cp-small-note">{_build_reason(answer, now)}</p>{build_spread(answer, now)}'
    )


def _build_reason(reasoned: AssetQuotes | ProviderQuote, now: datetime) -> str:
    explanation = price_reasons.explain(
        reasoned["reason"], reasoned["reason_code"], reasoned["reason_values"], now
    )
    return _mark_language(explanation)


def _mark_language(explanation: price_reasons.Explanation) -> str:
    """Builds an explanation, in an element with its language if that is not the reader's."""
    text = escape(explanation.text)
    return f'<span lang="{explanation.lang}">{text}</span>' if explanation.lang is not None else text


def _build_quote_rows(quote: ProviderQuote, lang: Language, now: datetime) -> str:
    currency = get_display_currency()
    used = t("rankings.used") if quote["used"] else t("rankings.not_used")
    quoted_price = parse_decimal(quote["price_usd"])
    volume = parse_decimal(quote["volume_24h"])
    volume_text = ""
    if volume is not None:
        volume_text = end_sentence(add_label(t("chart.volume"), currency.format_compact(volume, lang)))
    details = join_sentences(_build_reason(quote, now), escape(volume_text))
    full_price = escape(currency.format_full_price(quoted_price, lang))
    return (
        f'<tr><th scope="row">{escape(provider_name(quote["provider"]))}</th>'
        f'<td title="{full_price}">{currency.format_price(quoted_price)}</td>'
        f'<td title="{escape(quote["as_of"])}">{escape(age(quote["age_seconds"], lang))}</td>'
        f'<td class="{"rk-used" if quote["used"] else "rk-unused"}">{escape(used)}</td></tr>'
        f'<tr class="rk-why"><td colspan="4">{details}</td></tr>'
    )


def build_spread(answer: AssetQuotes, now: datetime) -> str:
    """Builds the spread against its two limits as a bar and in words, then the chart of the day."""
    value, agree_limit, conflict_limit = (
        parse_decimal(answer["spread_pct"]),
        parse_decimal(answer["agree_pct"]),
        parse_decimal(answer["conflict_pct"]),
    )
    if agree_limit is None or conflict_limit is None or conflict_limit <= 0:
        return f"<p>{escape(t('rankings.spread_none'))}</p>"
    day = build_spread_chart(answer["spread_24h"], agree_limit, conflict_limit, now)
    if value is None:
        return f"<p>{escape(t('rankings.spread_none'))}</p>{day}"
    level = "ok" if value <= agree_limit else "mid" if value <= conflict_limit else "bad"
    words = t(
        "rankings.spread_words",
        spread=significant(value, 2),
        agree=significant(agree_limit, 2),
        conflict=significant(conflict_limit, 2),
    )
    at, limit = (compute_height_percent(part, conflict_limit) for part in (value, agree_limit))
    return (
        f'<div class="rk-spread rk-{level}" aria-hidden="true"><i style="width:{at:.1f}%"></i>'
        f'<b style="left:{limit:.1f}%"></b><b style="left:80%"></b></div><p>{escape(words)}</p>{day}'
    )


def build_incidents(quotes: AssetQuotes, now: datetime) -> str:
    """Builds the asset's incidents. An open one also says if its cause has gone by these quotes."""
    title = f"<h3>{escape(t('rankings.incidents'))}</h3>"
    if not quotes["incidents"]:
        return f"{title}<p>{escape(t('rankings.incidents_none'))}</p>"
    items = "".join(_build_incident(entry, quotes, now) for entry in quotes["incidents"])
    return f'{title}<ul class="rk-incidents">{items}</ul>'


def _build_incident(entry: Incident, quotes: AssetQuotes, now: datetime) -> str:
    kind, period = t(f"rankings.incident_{entry['kind']}"), _format_period(entry, quotes)
    detail = _mark_language(
        price_reasons.explain(entry["detail"], entry["detail_code"], entry["detail_values"], now)
    )
    if entry["closed_at"] is not None or cleared_incidents.find_cleared_cause(entry, quotes) is not None:
        detail = add_label(escape(t("rankings.incident_worst")), detail)  # else it reads as of now
    return f"<li><strong>{escape(kind)}</strong> {escape(period)}<br>{detail}</li>"


def _format_period(entry: Incident, quotes: AssetQuotes) -> str:
    opened = f"{parse_instant(entry['opened_at']):%m-%d %H:%M}"
    closed = entry["closed_at"]
    if (cause := cleared_incidents.find_cleared_cause(entry, quotes)) is not None:
        minutes = cleared_incidents.QUIET_MINUTES
        return t(f"rankings.incident_cleared_{cause}", time=f"{opened} UTC", n=minutes)
    if closed is None:
        return t("rankings.incident_open", time=f"{opened} UTC")
    return t("rankings.incident_closed", start=opened, end=f"{parse_instant(closed):%m-%d %H:%M} UTC")


def build_figures(row: Row, asset: Asset | None, lang: Language) -> str:
    currency = get_display_currency()
    facts = [(t("rankings.col_cap"), currency.format_compact(row.market_cap, lang))]
    if row.volume is not None:
        facts.append((t("rankings.col_volume"), currency.format_compact(row.volume, lang)))
    facts.append((t("rankings.ath"), _format_ath(asset)))
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    return f'<h3>{escape(t("rankings.facts"))}</h3><dl class="rk-facts">{items}</dl>'


def _format_ath(asset: Asset | None) -> str:
    """Formats the all-time high, in US dollars: today's rate would not give the high in another currency."""
    if asset is None or asset["ath"] is None:
        return t("rankings.ath_unknown")
    ath_time = parse_instant(asset["ath_date"])
    change = parse_decimal(asset["ath_change_percentage"])
    return t(
        "rankings.ath_line",
        price=price(parse_decimal(asset["ath"])),
        date=f"{ath_time:%Y-%m-%d}" if ath_time else UNKNOWN,
        change=percent(change),
    )


def build_links(asset: Asset) -> str:
    """Builds links to the first URL of each kind and to the page at the second provider."""
    urls: Mapping[str, Sequence[str]] = {kind: asset["urls"].get(kind) or () for kind in LINK_KINDS}  # type: ignore[misc]
    links = [(kind, urls_of_kind[0]) for kind, urls_of_kind in urls.items() if urls_of_kind]
    page = asset["urls"]["datasrc2"]
    links += [("datasrc2", page)] if page else []
    items = "".join(
        _build_external_link(kind, url) for kind, url in links if url.startswith(("https://", "http://"))
    )
    return f'<h3>{escape(t("rankings.links"))}</h3><ul class="rk-links">{items}</ul>' if items else ""


def _build_external_link(kind: str, url: str) -> str:
    name = escape(t(f"rankings.link_{kind}"))
    return f'<li><a href="{escape(url)}" target="_blank" rel="noopener noreferrer">{name}</a></li>'


def build_curl_commands(base_url: str, asset_id: str, span: str) -> str:
    """Builds curl commands of the panel's calls, with a placeholder for the key."""
    calls = (f"/prices/{asset_id}/quotes", f"/assets/{asset_id}/candles?span={span}")
    return "\n".join(f"curl -H 'CP-X-API-KEY: YOUR_KEY' '{base_url}{path}'" for path in calls)
