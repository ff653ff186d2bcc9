"""Shows beside a topic's text the calendar of its next dates, and the entities that it names."""

from collections.abc import Sequence
from datetime import date, datetime

import streamlit as st

from dashboard.app_pages.topics import days, entity_names, url_state
from dashboard.app_pages.topics.price_chart import filter_assets
from dashboard.client.topics import DueDate, Insight
from dashboard.components.live_view import Node, h, live_view
from dashboard.components.text_marks import NamedEntity
from dashboard.frame import dates, formats
from dashboard.frame.url_state import build_link
from dashboard.i18n import HTML_LANG, Language, language, t

MAX_ENTITIES = 12
_ENTITY_LINK_PREFIX = "entity="


def render_side_panel(
    insight: Insight | None, entities: Sequence[NamedEntity], topic_language: Language, now: datetime
) -> None:
    """Render both parts; a part without content is omitted. ``topic_language``: that of the topic's text."""
    today = now.astimezone(formats.parse_zone(st.context.timezone)).date()
    dates = insight["next_dates"] if insight is not None else []
    clicked = live_view(
        [
            _build_calendar(dates, topic_language, today) if dates else None,
            _build_entities(entities[:MAX_ENTITIES]) if entities else None,
        ],
        key="tp_aside",
    )
    if clicked is not None and clicked.startswith(_ENTITY_LINK_PREFIX):
        url_state.show_entity(clicked.removeprefix(_ENTITY_LINK_PREFIX))
        st.rerun()


def _build_calendar(dates: Sequence[DueDate], topic_language: Language, today: date) -> Node:
    return h(
        "section",
        h("h3", t("topics.calendar"), class_="cp-subhead"),
        h("ol", *(_build_date(due, topic_language, today) for due in dates), class_="tp-calendar"),
        key="calendar",
    )


def _build_date(due: DueDate, topic_language: Language, today: date) -> Node:
    """Build one calendar entry.

    It shows the date as a calendar page, the number of days until it, and the sentence that names it.
    """
    day, reader_language = date.fromisoformat(due["day"]), language()
    away = (day - today).days
    distance = (
        t("topics.today") if away == 0 else t("topics.in_days", n=away) if away > 0 else t("topics.past")
    )
    return h(
        "li",
        h(
            "time",
            h("span", days.format_short_month(day, reader_language), class_="tp-leaf-month"),
            h("strong", str(day.day)),
            h("span", str(day.year), class_="tp-leaf-year"),
            class_="tp-leaf",
            datetime=due["day"],
            title=dates.format_date(day, reader_language),
        ),
        h(
            "div",
            h("p", f"{days.format_weekday(day, reader_language)} · {distance}", class_="tp-distance"),
            h("p", due["text"], lang=HTML_LANG[topic_language]),
            h("p", due["source"], class_="cp-note"),
        ),
        key=due["day"],
    )


def _build_entities(entities: Sequence[NamedEntity]) -> Node:
    names = entity_names.load_names(language()).names
    asset_ids = {asset.id for asset in filter_assets(entities)}
    return h(
        "section",
        h("h3", t("topics.entities"), class_="cp-subhead"),
        h(
            "ul",
            *(
                _build_entity(entity, names.get(entity.id, entity.name), has_price=entity.id in asset_ids)
                for entity in entities
            ),
            class_="tp-entities",
        ),
        key="entities",
    )


def _build_entity(entity: NamedEntity, name: str, *, has_price: bool) -> Node:
    """Build the name as a link to all topics about the entity and, for a coin, a link to its price."""
    price = h(
        "a",
        t("topics.price"),
        href=build_link("/rankings", coin=entity.id),
        class_="tp-price-link",
        aria_label=t("topics.price_of", name=name),
    )
    return h(
        "li",
        h(
            "a",
            name,
            href=url_state.build_entity_link(entity.id),
            data_open=f"{_ENTITY_LINK_PREFIX}{entity.id}",
            title=t("topics.topics_about", name=name),
        ),
        price if has_price else None,
        key=entity.id,
    )
