"""What is known of a topic, where sources differ and what came before, with links to other topics."""

import streamlit as st

from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics import url_state as desk
from dashboard.client import Fetched
from dashboard.client.topics import Insight, InsightSection
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import states
from dashboard.i18n import HTML_LANG, Language, t


def show(answer: Fetched[Insight], lang: Language) -> None:
    found = answer.data
    if found is None:
        if answer.error is not None:
            states.error(answer.error, key="tp_insight")
        return
    body: list[Node | None] = [h("h3", t("topics.insight"), class_="cp-subhead")]
    if not found["conclusion"].strip() and not found["deep_analysis"]:
        body.append(h("p", t("topics.insight_none"), class_="cp-note"))
    elif found["conclusion"].strip():
        body.append(h("p", found["conclusion"], class_="tp-conclusion", lang=HTML_LANG[lang]))
    body += [
        _section(section, lang)
        for section in found["deep_analysis"]
        if section["expanded_explanation"].strip() != found["conclusion"].strip()
    ]
    opened = live_view([h("section", *body, class_="tp-insight")], key="tp_insight")
    if opened is not None and (number := reading.number(opened)) is not None:
        desk.open_topic(number)
        st.rerun()


def _section(section: InsightSection, lang: Language) -> Node:
    """Titles of other topics are links where the text has them; what the text lacks follows as a list."""
    links = {title: url for entry in section["topic_links"] for title, url in entry.items()}
    known = {title: number for title, url in links.items() if (number := reading.topic_of(url)) is not None}
    lines = [line for line in section["expanded_explanation"].splitlines() if line.strip()]
    placed = {title for title in known if any(title in line for line in lines)}
    paragraphs = [
        h("p", *(_piece(piece, lang) for piece in reading.linked(line, known)), lang=HTML_LANG[lang])
        for line in lines
    ]
    rest = [h("li", _open(title, number, lang)) for title, number in known.items() if title not in placed]
    return h(
        "div",
        h("p", section["title"], class_="tp-section", lang=HTML_LANG[lang]),
        *paragraphs,
        h("ul", *rest) if rest else None,
    )


def _piece(piece: reading.Linked, lang: Language) -> Node:
    return piece.text if piece.topic is None else _open(piece.text, piece.topic, lang)


def _open(title: str, number: int, lang: Language) -> Node:
    return h(
        "a",
        title,
        href=desk.address(topic=str(number), topic_lang=lang),
        data_open=str(number),
    )
