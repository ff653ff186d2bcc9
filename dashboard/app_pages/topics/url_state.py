"""What the Topics page shows: in its address, and what a session keeps beside it."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import streamlit as st

from backend.articles.schemas import MAX_ARTICLES
from dashboard import i18n
from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics.topic_text import Filters
from dashboard.client import articles
from dashboard.client.article_schemas import Article, build_blank_article
from dashboard.client.articles import RuleEntity
from dashboard.components import text_marks
from dashboard.components.text_entities import scan_entities
from dashboard.components.text_marks import Named
from dashboard.components.topic_categories import CATEGORIES
from dashboard.frame import url_state
from dashboard.i18n import LANGUAGES, Language

TOPIC, LANG, CATEGORY, SINCE, UNTIL = "topic", "topic_lang", "category", "from", "to"
ENTITY, FIND, PAGE, BESIDE = "entity", "find", "page", "beside"
ADDRESS = (TOPIC, LANG, CATEGORY, SINCE, UNTIL, ENTITY, FIND, PAGE, BESIDE)
HEADING = "tp-title"
REMEMBERED = 2000
_KEY = "topics_desk"


@dataclass
class Desk:
    """``turn`` counts the moves of the focus to ``target``."""

    turn: int = 0
    target: str = HEADING
    rules_version: str = ""
    """Of the rules by which the topics were read last."""
    named: OrderedDict[tuple[int, str, str], tuple[Named, ...]] = field(default_factory=OrderedDict)


def desk() -> Desk:
    found: Desk = st.session_state.setdefault(_KEY, Desk())
    return found


def filters() -> Filters:
    """As the address says; what it says wrongly counts as not said."""
    return Filters(
        language=text_language(),
        category=next((code for code in CATEGORIES if code == _text(CATEGORY)), None),
        since=reading.day(_text(SINCE)),
        until=reading.day(_text(UNTIL)),
        entity=reading.entity_id(_text(ENTITY)),
        find=_text(FIND),
        page=reading.number(_text(PAGE)) or 1,
    )


def text_language() -> Language:
    """The language that topics are read in: the dashboard's own until another is chosen."""
    said = _text(LANG)
    return next((code for code in LANGUAGES if code == said), i18n.language())


def shown() -> str:
    """The topic that the address names, as it is written there; empty for none."""
    return _text(TOPIC).strip()


def is_beside() -> bool:
    return _text(BESIDE) == "1"


def state() -> Mapping[str, str]:
    """The address as it is, for links."""
    return {name: _text(name) for name in ADDRESS}


def address(**changes: str) -> str:
    """A link to this page as it is, but for ``changes``."""
    return reading.address(state(), **changes)


def choose(name: str, value: str) -> None:
    """Change a filter: the list begins anew."""
    url_state.write(name, value)
    url_state.write(PAGE, "")


def choose_language(code: str) -> None:
    choose(LANG, code)


def choose_days(since: date | None, until: date | None) -> None:
    choose(SINCE, since.isoformat() if since else "")
    choose(UNTIL, until.isoformat() if until else "")


def clear() -> None:
    """Drop every filter but the language."""
    for name in (CATEGORY, SINCE, UNTIL, ENTITY, FIND, PAGE):
        url_state.write(name, "")


def turn_to(page: int) -> None:
    url_state.write(PAGE, "" if page <= 1 else str(page))


def open_topic(topic_id: int, page: int | None = None) -> None:
    """Show a topic and move the focus to its title; ``page`` turns the list to where it stands."""
    url_state.write(TOPIC, str(topic_id))
    if page is not None:
        turn_to(page)
    _focus(HEADING)


def close() -> None:
    """Back to the list, with the focus on the topic that was shown."""
    was = shown()
    url_state.write(TOPIC, "")
    url_state.write(BESIDE, "")
    if was:
        _focus(f"tp-item-{was}")


def _focus(target: str) -> None:
    now = desk()
    now.target, now.turn = target, now.turn + 1


def show_beside(on: bool) -> None:
    url_state.write(BESIDE, "1" if on else "")


def _text(name: str) -> str:
    return url_state.sync_text(name)[0]


# --- entities


def entities(topics: Sequence[Mapping[str, Any]]) -> dict[int, tuple[Named, ...]]:
    """Whom each topic's texts name, by topic; topics that the service cannot read now are left out."""
    now = desk()
    keys = {topic["id"]: (topic["id"], topic["lang"], topic["title"]) for topic in topics}
    lacking = [topic for topic in topics if keys[topic["id"]] not in now.named]
    for start in range(0, len(lacking), MAX_ARTICLES):
        part = lacking[start : start + MAX_ARTICLES]
        found = _read(part)
        if found is None:
            break
        for topic, named in zip(part, found, strict=True):
            now.named[keys[topic["id"]]] = named
    known = {number: now.named[key] for number, key in keys.items() if key in now.named}
    while len(now.named) > REMEMBERED:
        now.named.popitem(last=False)
    return known


def _read(topics: Sequence[Mapping[str, Any]]) -> list[tuple[Named, ...]] | None:
    """The entities of each text, by the service's own rules; null when it cannot be asked."""
    found = scan_entities([_article(topic) for topic in topics], ("title", "summary", "content"))
    if found.rules_version:
        desk().rules_version = found.rules_version
    if found.marks is None:
        return None
    return [tuple(text_marks.named_in(marks)) for marks in found.marks]


def _article(topic: Mapping[str, Any]) -> Article:
    article = build_blank_article()
    article["title"], article["language"] = topic["title"], topic["lang"]
    article["summary"], article["content"] = topic["subtitle"] or "", reading.content(topic)
    return article


def catalogue() -> Sequence[RuleEntity]:
    """Everybody whom topics can be about; nobody until some topic was read, and while the service is away."""
    version = desk().rules_version
    book = articles.fetch_rules(version).data if version else None
    return [one for one in book["entities"] if one["type"] != "term"] if book else ()
