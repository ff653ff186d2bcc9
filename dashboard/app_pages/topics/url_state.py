"""Reads and changes the state of the Topics page in its URL."""

from collections.abc import Mapping
from datetime import date

from dashboard import i18n
from dashboard.app_pages.topics import filter_params, links, session_state
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.components.topic_categories import CATEGORIES
from dashboard.frame import url_state
from dashboard.i18n import LANGUAGES, Language

TOPIC, LANG, CATEGORY, SINCE, UNTIL = "topic", "topic_lang", "category", "from", "to"
ENTITY, SEARCH, PAGE, SIDE_BY_SIDE = "entity", "find", "page", "beside"
PARAMS = (TOPIC, LANG, CATEGORY, SINCE, UNTIL, ENTITY, SEARCH, PAGE, SIDE_BY_SIDE)


def read_filters() -> Filters:
    """Read the filters; invalid values count as missing."""
    return Filters(
        language=read_language(),
        category=next((code for code in CATEGORIES if code == url_state.read_param(CATEGORY)), None),
        since=filter_params.parse_day(url_state.read_param(SINCE)),
        until=filter_params.parse_day(url_state.read_param(UNTIL)),
        entity=filter_params.parse_entity_id(url_state.read_param(ENTITY)),
        search_text=url_state.read_param(SEARCH),
        page=filter_params.parse_number(url_state.read_param(PAGE)) or 1,
    )


def read_language() -> Language:
    """Read the language of topics; by default, the language of the dashboard."""
    code = url_state.read_param(LANG)
    return next((lang for lang in LANGUAGES if lang == code), i18n.language())


def read_topic() -> str:
    """Return the id of the open topic from the URL, unchecked; empty if none is open."""
    return url_state.read_param(TOPIC).strip()


def is_side_by_side() -> bool:
    """True if the open topic is shown in two languages side by side."""
    return url_state.read_param(SIDE_BY_SIDE) == "1"


def read_params() -> Mapping[str, str]:
    """Read all parameters of the page, for links."""
    return {name: url_state.read_param(name) for name in PARAMS}


def build_link(**changes: str) -> str:
    """Build a link to this page with some parameters changed."""
    return links.build_url(read_params(), **changes)


def set_filter(name: str, value: str) -> None:
    """Change a filter and go to the first page."""
    url_state.write_param(name, value)
    url_state.write_param(PAGE, "")


def set_language(code: str) -> None:
    set_filter(LANG, code)


def set_day(name: str, day: date | None) -> None:
    set_filter(name, day.isoformat() if day else "")


def clear_days() -> None:
    for name in (SINCE, UNTIL):
        set_day(name, None)


def clear_filters() -> None:
    """Clear all filters except the language."""
    for name in (CATEGORY, SINCE, UNTIL, ENTITY, SEARCH, PAGE):
        url_state.write_param(name, "")


def show_entity(entity: str) -> None:
    """Close the topic and list all topics about an entity."""
    clear_filters()
    url_state.write_param(ENTITY, entity)
    url_state.write_param(TOPIC, "")
    url_state.write_param(SIDE_BY_SIDE, "")


def build_entity_link(entity: str) -> str:
    """Build a link to the list of all topics about an entity, in the language of topics."""
    return links.build_url({LANG: url_state.read_param(LANG), ENTITY: entity})


def go_to_page(page: int) -> None:
    url_state.write_param(PAGE, "" if page <= 1 else str(page))


def open_topic(topic_id: int, page: int | None = None) -> None:
    """Open a topic and move the focus to its title; ``page`` is the page of the list that contains it."""
    url_state.write_param(TOPIC, str(topic_id))
    if page is not None:
        go_to_page(page)
    _request_focus(session_state.HEADING_ID)


def close_topic() -> None:
    """Close the topic and move the focus to its row in the list."""
    topic = read_topic()
    url_state.write_param(TOPIC, "")
    url_state.write_param(SIDE_BY_SIDE, "")
    if topic:
        _request_focus(f"tp-item-{topic}")


def _request_focus(target: str) -> None:
    state = session_state.load_state()
    state.focus_target, state.focus_request_number = target, state.focus_request_number + 1


def set_side_by_side(on: bool) -> None:
    url_state.write_param(SIDE_BY_SIDE, "1" if on else "")
