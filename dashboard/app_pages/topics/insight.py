"""Shows a topic's insight: conclusion, analysis, and links to other topics."""

import streamlit as st

from dashboard.app_pages.topics import filter_params, links, topic_text, url_state
from dashboard.client import Fetched
from dashboard.client.topics import Insight, InsightSection
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import states
from dashboard.i18n import HTML_LANG, Language, t


def render(response: Fetched[Insight], lang: Language) -> None:
    content = response.data
    if content is None:
        if response.error is not None:
            states.render_error(response.error, key="tp_insight")
        return
    body: list[Node | None] = [h("h3", t("topics.insight"), class_="cp-subhead")]
    if not content["conclusion"].strip() and not content["deep_analysis"]:
        body.append(h("p", t("topics.insight_none"), class_="cp-note"))
    elif content["conclusion"].strip():
        body.append(h("p", content["conclusion"], class_="tp-conclusion", lang=HTML_LANG[lang]))
    body += [
        _build_section(section, lang)
        for section in content["deep_analysis"]
        if section["expanded_explanation"].strip() != content["conclusion"].strip()
    ]
    opened = live_view([h("section", *body, class_="tp-insight")], key="tp_insight")
    if opened is not None and (number := filter_params.parse_number(opened)) is not None:
        url_state.open_topic(number)
        st.rerun()


def _build_section(section: InsightSection, lang: Language) -> Node:
    """Build a section. Titles of topics in the text become links; other titles follow as a list."""
    urls = {title: url for entry in section["topic_links"] for title, url in entry.items()}
    known = {title: number for title, url in urls.items() if (number := links.find_topic_id(url)) is not None}
    lines = [line for line in section["expanded_explanation"].splitlines() if line.strip()]
    in_text = {title for title in known if any(title in line for line in lines)}
    paragraphs = [
        h(
            "p",
            *(_build_piece(piece, lang) for piece in topic_text.split_at_titles(line, known)),
            lang=HTML_LANG[lang],
        )
        for line in lines
    ]
    rest = [
        h("li", _build_topic_link(title, number, lang))
        for title, number in known.items()
        if title not in in_text
    ]
    return h(
        "div",
        h("p", section["title"], class_="tp-section", lang=HTML_LANG[lang]),
        *paragraphs,
        h("ul", *rest) if rest else None,
    )


def _build_piece(piece: topic_text.TitlePiece, lang: Language) -> Node:
    return piece.text if piece.topic is None else _build_topic_link(piece.text, piece.topic, lang)


def _build_topic_link(title: str, number: int, lang: Language) -> Node:
    return h(
        "a",
        title,
        href=url_state.build_link(topic=str(number), topic_lang=lang),
        data_open=str(number),
    )
