"""Builds the X search query for posts about a topic. No I/O.

Operators and their limits: https://docs.x.com/x-api/posts/search/integrate/operators. A post matches if it
links to one of the topic's articles, quotes its headline, or names both of its two main entities. Reposts,
replies and quotes are excluded: X counts them in the metrics of the original post.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from backend.entities.model import LANGUAGES, Entity
from backend.topics.model import Topic

MAX_QUERY_CHARS = 512
"""The limit of X's self-serve plans."""
MAX_URLS = 6
MAX_URL_CHARS = 150
MIN_HEADLINE_CHARS, MAX_HEADLINE_CHARS = 12, 120
"""A shorter headline matches unrelated posts. A longer one is cut after the last word that fits."""
FILTERS = f"-is:retweet -is:reply -is:quote ({' OR '.join(f'lang:{language}' for language in LANGUAGES)})"
_UNQUOTABLE = re.compile(r"[\"“”„«»\\\x00-\x1f]+")


def build_query(topic: Topic, entities: Mapping[str, Entity]) -> str | None:
    """Build the query for posts about ``topic``, up to :data:`MAX_QUERY_CHARS` characters. Returns None if
    nothing sets its posts apart. The same topic always gives the same query."""
    chars_left = MAX_QUERY_CHARS - len(FILTERS) - len("() ")
    alternatives: list[str] = []
    for part in _build_alternatives(topic, entities):
        length = len(part) + (len(" OR ") if alternatives else 0)
        if part not in alternatives and length <= chars_left:
            alternatives.append(part)
            chars_left -= length
    return f"({' OR '.join(alternatives)}) {FILTERS}" if alternatives else None


def _build_alternatives(topic: Topic, entities: Mapping[str, Entity]) -> Iterator[str]:
    """Generate the alternatives of the query, the most reliable first."""
    addresses = dict.fromkeys(filter(None, map(_normalize_url, _list_urls(topic))))
    yield from [f'url:"{address}"' for address in addresses][:MAX_URLS]
    for language in LANGUAGES:
        if language in topic.texts and (headline := _trim_headline(topic.texts[language].title)):
            yield f'"{headline}"'
    topic_entities = [entities[entity_id] for entity_id in topic.entities if entity_id in entities][:2]
    if len(topic_entities) == 2:
        yield f"({' '.join(map(_build_name_query, topic_entities))})"


def _list_urls(topic: Topic) -> Iterator[str]:
    """Generate the URLs of the topic, its primary sources and its articles, in this order."""
    yield topic.url
    for kind in ("primary_source", "article"):
        for item in topic.media:
            if item.kind == kind:
                yield item.url


def _normalize_url(url: str) -> str | None:
    """Return a URL without scheme and query, the form that X's ``url:`` operator matches. None for a front
    page, which unrelated posts link to, and for a URL that cannot be quoted."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    address = f"{host}{path}"
    usable = host and path and len(address) <= MAX_URL_CHARS and not _UNQUOTABLE.search(address)
    return address if usable and " " not in address else None


def _trim_headline(title: str) -> str | None:
    words = " ".join(_UNQUOTABLE.sub(" ", title).split())
    if len(words) > MAX_HEADLINE_CHARS:
        cut = words[:MAX_HEADLINE_CHARS]
        words = cut[: cut.rfind(" ")] if cut.rfind(" ") > MAX_HEADLINE_CHARS / 2 else cut
    return words if len(words) >= MIN_HEADLINE_CHARS else None


def _build_name_query(entity: Entity) -> str:
    """Build the alternatives of an entity's names in the three languages."""
    names = dict.fromkeys(_UNQUOTABLE.sub(" ", entity.name(language)).strip() for language in LANGUAGES)
    quoted = [f'"{name}"' for name in names if name]
    return quoted[0] if len(quoted) == 1 else f"({' OR '.join(quoted)})"
