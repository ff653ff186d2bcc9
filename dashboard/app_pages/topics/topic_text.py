"""Topics as they are read on the page: filters, search, neighbours, addresses, terms. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from dashboard.components.topic_categories import CATEGORIES, Category
from dashboard.i18n.languages import Language

PAGE_SIZE = 25
LONGEST_SEARCH = 200
"""Characters of a search, as the service takes them."""
EARLIEST, LATEST = date(2000, 1, 1), date(2099, 12, 31)
_ENTITY = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_TOPIC_PATH = re.compile(r"/topics/([1-9][0-9]{0,17})/?")
_QUOTES_PATH = re.compile(r"/(?:prices|assets)/([A-Za-z0-9._-]+)(?:/[a-z]+)?")
_PAGES: Mapping[str, str] = {"/crypto/market-overview": "/", "/rankings": "/rankings", "/prices": "/rankings"}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the list shows. Days are of UTC and both belong to the range; ``entity`` is a catalogue id."""

    language: Language = "en"
    category: Category | None = None
    since: date | None = None
    until: date | None = None
    entity: str = ""
    find: str = ""
    page: int = 1

    @property
    def narrows(self) -> bool:
        return bool(self.entity or self.find.strip() or self.category or self.since or self.until)


def query(filters: Filters, *, page: int | None = None, size: int = PAGE_SIZE) -> dict[str, str]:
    """The service's own parameters for one page of what the filters let through."""
    asked = {"lang": filters.language, "page": str(page or filters.page), "page_size": str(size)}
    if filters.category is not None:
        asked["category"] = str(CATEGORIES.index(filters.category))
    if filters.since is not None:
        asked["publish_after"] = _midnight(filters.since)
    if filters.until is not None:
        asked["publish_before"] = _midnight(filters.until + timedelta(days=1))
    if filters.entity:
        asked["entity"] = filters.entity
    if words := " ".join(filters.find.split())[:LONGEST_SEARCH]:
        asked["find"] = words
    return asked


def _midnight(day: date) -> str:
    return f"{datetime.combine(day, time(), UTC):%Y-%m-%dT%H:%M:%SZ}"


def day(text: str) -> date | None:
    """``2024-01-31`` as a day; null for what is none, and for one that no topic can be of."""
    try:
        found = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
    return found if found is not None and EARLIEST <= found <= LATEST else None


def number(text: str) -> int | None:
    """A positive whole number of at most 18 ASCII digits, else null."""
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,17}", text) else None


def entity_id(text: str) -> str:
    """``text`` where it can be the id of an entity, else nothing."""
    return text if len(text) <= 100 and _ENTITY.fullmatch(text) else ""


def pages(total: int, size: int = PAGE_SIZE) -> int:
    return max(1, -(-total // size))


_BY_MODEL = (
    "by a language model; names and figures checked.",
    "から言語モデルが翻訳。名称と数値は照合済み。",
    "，名称与数字已核对。",
)
"""How the service ends the subtitle of what a model translated."""


def is_by_model(item: Mapping[str, Any]) -> bool:
    """Whether a topic's text is a model's translation."""
    return str(item["subtitle"] or "").endswith(_BY_MODEL)


class Neighbours(NamedTuple):
    previous: int | None
    next: int | None


def neighbours(ids: Sequence[int], current: int) -> Neighbours:
    """The topics before and after one in the list; none for one that is not in it."""
    if current not in ids:
        return Neighbours(None, None)
    at = ids.index(current)
    return Neighbours(ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None)


def topic_of(url: str) -> int | None:
    """The topic that an address of the service (or a path of it) names."""
    try:
        found = _TOPIC_PATH.fullmatch(urlsplit(url).path)
    except ValueError:
        return None
    return int(found[1]) if found else None


def own_page(url: str, service: str) -> str | None:
    """The dashboard's page that shows what an address of the ``service`` answers; null for others.

    A browser has no API key, so the service's own address would only refuse it.
    """
    try:
        there, here = urlsplit(url), urlsplit(service)
    except ValueError:
        return None
    prefix = here.path.rstrip("/")
    if (there.scheme, there.netloc) != (here.scheme, here.netloc) or not there.path.startswith(prefix):
        return None
    path = there.path.removeprefix(prefix).rstrip("/")
    if found := _TOPIC_PATH.fullmatch(path):
        return f"/topics?topic={found[1]}"
    if found := _QUOTES_PATH.fullmatch(path):
        return f"/rankings?{urlencode({'coin': found[1]})}"
    return _PAGES.get(path)


def address(state: Mapping[str, str], **changes: str) -> str:
    """The page's link with ``state`` and ``changes`` in it; empty values are left out."""
    kept = {name: value for name, value in {**state, **changes}.items() if value}
    return f"/topics?{urlencode(kept)}" if kept else "/topics"


class Piece(NamedTuple):
    """A run of a text; ``definition`` when it is a term that is explained."""

    text: str
    definition: str | None


def explained(text: str, terms: Iterable[Mapping[str, Any]], told: set[str]) -> list[Piece]:
    """``text`` cut where a term first stands; ``told`` are terms found before, and grows.

    A Latin term is found as a whole word. Put together, the pieces are the text again.
    """
    places: list[tuple[int, int, str]] = []
    for one in sorted(terms, key=lambda term: -len(term["term"])):
        term = one["term"].strip()
        if not term or term.casefold() in told:
            continue
        for found in re.finditer(rf"(?<![A-Za-z0-9]){re.escape(term)}(?![A-Za-z0-9])", text, re.IGNORECASE):
            if not any(found.start() < end and start < found.end() for start, end, _ in places):
                places.append((found.start(), found.end(), one["definition"]))
                told.add(term.casefold())
                break
    cut, at = [], 0
    for start, end, definition in sorted(places):
        cut += [Piece(text[at:start], None)] if start > at else []
        cut.append(Piece(text[start:end], definition))
        at = end
    return [*cut, Piece(text[at:], None)] if at < len(text) else cut


class Linked(NamedTuple):
    """A run of a text; ``topic`` when it is the title of another topic."""

    text: str
    topic: int | None


def linked(line: str, titles: Mapping[str, int]) -> list[Linked]:
    """A line of an insight cut at the titles of topics within it."""
    known = sorted((title for title in titles if title in line), key=len, reverse=True)
    if not known:
        return [Linked(line, None)] if line else []
    title = known[0]
    before, _, after = line.partition(title)
    return [*linked(before, titles), Linked(title, titles[title]), *linked(after, titles)]


def bullets(topic: Mapping[str, Any]) -> list[list[str]]:
    """Groups of bullets that say something."""
    groups = [[one for one in group if one.strip()] for group in topic["summary_bullets"]]
    return [group for group in groups if group]


def summary_beside(topic: Mapping[str, Any]) -> str:
    """The summary, unless the bullets say all of it."""
    said = topic["summary"] or ""
    flat = " ".join(one for group in bullets(topic) for one in group)
    rest = said
    for one in sorted((one for group in bullets(topic) for one in group), key=len, reverse=True):
        rest = rest.replace(one, "")
    return "" if said in flat or not rest.strip() else said


def content(topic: Mapping[str, Any]) -> str:
    """What a topic says below its title, as one text."""
    return "\n".join([topic["summary"] or "", *(one for group in bullets(topic) for one in group)])
