"""Shows a topic's insight: the conclusion, then sections with headings, tables and links."""

import re
from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from dashboard.app_pages.topics import filter_params, url_state
from dashboard.client import Fetched
from dashboard.client.topics import ComparedFigure, EarlierTopic, Insight, InsightSection, PriceMove
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import dates, formats, states
from dashboard.i18n import HTML_LANG, Language, language, t

_EXACT_DAY_LINE = re.compile(
    r"\d{1,2}(?:(?: [A-Z][a-z]+ \d{4})? ?– ?\d{1,2})? [A-Z][a-z]+ \d{4}: "
    r"|\d{4}年\d{1,2}月\d{1,2}日(?:[〜至](?:\d{4}年\d{1,2}月)?\d{1,2}日)?："
)


def render(response: Fetched[Insight], lang: Language) -> None:
    """Render the insight, whose texts are in ``lang``; the next dates stand beside the text."""
    content = response.data
    if content is None:
        if response.error is not None:
            states.render_error(response.error, key="tp_insight")
        return
    body: list[Node | None] = [h("h3", t("topics.insight"), class_="cp-subhead")]
    if not content["conclusion"].strip() and not content["sections"]:
        body.append(h("p", t("topics.insight_none"), class_="cp-note"))
    elif content["conclusion"].strip():
        body.append(h("p", content["conclusion"], class_="tp-conclusion", lang=HTML_LANG[lang]))
    body += [
        _build_section(section, content, lang)
        for section in content["sections"]
        if section["text"].strip() != content["conclusion"].strip()
    ]
    opened = live_view([h("section", *body, class_="tp-insight")], key="tp_insight")
    if opened is not None and (number := filter_params.parse_number(opened)) is not None:
        url_state.open_topic(number)
        st.rerun()


def _build_section(section: InsightSection, content: Insight, lang: Language) -> Node | None:
    """Build a section; its data as a table or list, its text where there are none or a model wrote it."""
    kind = section["kind"]
    if kind == "next" and content["next_dates"] and not section["is_generated"]:
        if not (vague_times := _list_vague_times(section["text"])):
            return None
        section = {**section, "text": "\n".join(vague_times)}
    data: list[Node] = []
    if kind == "differ":
        data = [_build_compared_figures(group, lang) for group in content["differences"]]
    elif kind == "market":
        data = _build_price_moves(content["moves"], is_sample=content["is_sample"])
    elif kind == "before":
        data = [_build_earlier_topics(content["earlier_topics"], lang)]
    has_text = section["is_generated"] or not data
    return h(
        "div",
        _build_heading(section["title"], lang),
        *(_build_text(section, lang) if has_text else ()),
        *data,
        class_=f"tp-section tp-section-{kind}",
        key=kind,
    )


def _list_vague_times(text: str) -> list[str]:
    """List the lines with a time that is no exact day. The calendar shows the exact days."""
    return [line for line in text.splitlines() if line.strip() and not _EXACT_DAY_LINE.match(line)]


def _build_heading(title: str, lang: Language) -> Node:
    return h(
        "p",
        title,
        class_="tp-section-title",
        role="heading",
        aria_level="4",
        lang=HTML_LANG[lang],
        key="title",
    )


def _build_text(section: InsightSection, lang: Language) -> list[Node]:
    """Build one paragraph, or a list of several quotes and statements."""
    lines = [line for line in section["text"].splitlines() if line.strip()]
    if len(lines) == 1 or section["kind"] not in ("confirmed", "points", "unknown"):
        return [h("p", line, lang=HTML_LANG[lang]) for line in lines]
    return [h("ul", *(h("li", line) for line in lines), class_="tp-lines", lang=HTML_LANG[lang])]


def _build_compared_figures(group: Sequence[ComparedFigure], lang: Language) -> Node:
    rows = [
        h(
            "tr",
            h("th", figure["figure"], scope="row", lang=HTML_LANG[lang]),
            h("td", figure["source"]),
        )
        for figure in group
    ]
    measure = group[0].get("measure", "")
    name = measure[:1].upper() + measure[1:] if measure else t("topics.figure")
    return _build_table((name, t("topics.given_by")), rows, "tp-figures")


def _build_price_moves(moves: Sequence[PriceMove], *, is_sample: bool) -> list[Node]:
    """Build the prices before and after, the changes, and the time between them."""
    if not moves:
        return []
    rows = [_build_price_move(move) for move in moves]
    heads = (
        t("topics.asset"),
        t("topics.price_before"),
        t("topics.price_after"),
        t("topics.change"),
        t("topics.others"),
    )
    notes = [_format_period(moves[0]["before_at"], moves[0]["after_at"])]
    if any(move["is_unusual"] for move in moves):
        notes.append(t("topics.unusual_means"))
    if is_sample:
        notes.append(t("topics.sample_prices"))
    return [
        h("div", _build_table(heads, rows, "tp-moves"), class_="tp-scroll"),
        *(h("p", note, class_="cp-note") for note in notes),
    ]


def _format_period(start: str, end: str) -> str:
    """Format a period in the reader's time zone; the end has no date if it is on the same day."""
    zone = formats.parse_zone(st.context.timezone)
    first, last = (datetime.fromisoformat(instant).astimezone(zone) for instant in (start, end))
    day = "" if first.date() == last.date() else f"{dates.format_date(last.date(), language())} "
    return t(
        "topics.period",
        start=dates.format_date_time(first, language()),
        end=f"{day}{last:%H:%M}",
    )


def _build_price_move(move: PriceMove) -> Node:
    change = formats.parse_decimal(move["change"])
    market_change = formats.parse_decimal(move["market_change"])
    direction = formats.direction(change) or "flat"
    is_unusual = move["is_unusual"]
    mark = h(
        "span",
        t("topics.unusual" if is_unusual else "topics.usual"),
        class_="cp-badge cp-tone-warn" if is_unusual else "cp-note",
    )
    return h(
        "tr",
        h("th", move["name"], scope="row"),
        h("td", formats.price(formats.parse_decimal(move["before"]))),
        h("td", formats.price(formats.parse_decimal(move["after"]))),
        h(
            "td",
            h(
                "span",
                formats.percent_with_arrow(change),
                class_=f"cp-change cp-{direction}",
            ),
            mark if is_unusual is not None else None,
        ),
        h("td", formats.percent(market_change)),
    )


def _build_table(heads: Sequence[str], rows: Sequence[Node], class_name: str) -> Node:
    head = h("tr", *(h("th", name, scope="col") for name in heads))
    return h("table", h("thead", head), h("tbody", *rows), class_=f"cp-table {class_name}")


def _build_earlier_topics(earlier: Sequence[EarlierTopic], lang: Language) -> Node:
    zone = formats.parse_zone(st.context.timezone)
    return h(
        "ol",
        *(
            h(
                "li",
                h(
                    "time",
                    dates.format_date(
                        datetime.fromisoformat(topic["published_at"]).astimezone(zone).date(), language()
                    ),
                    datetime=topic["published_at"],
                    class_="cp-note",
                ),
                h(
                    "a",
                    topic["title"],
                    href=url_state.build_link(topic=str(topic["id"]), topic_lang=lang),
                    data_open=str(topic["id"]),
                    lang=HTML_LANG[lang],
                ),
            )
            for topic in earlier
        ),
        class_="tp-earlier",
    )
