"""What to search posts of a topic by. Pure.

Operators and their limits: https://docs.x.com/x-api/posts/search/integrate/operators. A post counts that
links to one of the topic's articles, holds its headline word for word, or names both of the two whom the
topic tells of most. Reposts, replies and quotes are left out: X counts them in the metrics of the post that
they belong to.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from backend.entities.model import LANGUAGES, Entity
from backend.topics.model import Topic

LONGEST = 512
"""Characters of a query that the plans for everybody take."""
MOST_ADDRESSES = 6
LONGEST_ADDRESS = 150
SHORTEST_HEADLINE, LONGEST_HEADLINE = 12, 120
"""A shorter headline is said of anything; of a longer one as many words are taken as fit."""
FILTERS = f"-is:retweet -is:reply -is:quote ({' OR '.join(f'lang:{language}' for language in LANGUAGES)})"
_UNQUOTABLE = re.compile(r"[\"“”„«»\\\x00-\x1f]+")


def query_of(topic: Topic, entities: Mapping[str, Entity]) -> str | None:
    """The query for posts of ``topic``, up to :data:`LONGEST` characters; None where nothing tells its posts
    from others. The same topic always gives the same one."""
    room = LONGEST - len(FILTERS) - len("() ")
    chosen: list[str] = []
    for part in _parts(topic, entities):
        length = len(part) + (len(" OR ") if chosen else 0)
        if part not in chosen and length <= room:
            chosen.append(part)
            room -= length
    return f"({' OR '.join(chosen)}) {FILTERS}" if chosen else None


def _parts(topic: Topic, entities: Mapping[str, Entity]) -> Iterator[str]:
    """Alternatives, the surest first."""
    addresses = dict.fromkeys(filter(None, map(_address, _urls(topic))))
    yield from [f'url:"{address}"' for address in addresses][:MOST_ADDRESSES]
    for language in LANGUAGES:
        if language in topic.texts and (headline := _headline(topic.texts[language].title)):
            yield f'"{headline}"'
    told = [entities[one] for one in topic.entities if one in entities][:2]
    if len(told) == 2:
        yield f"({' '.join(map(_names, told))})"


def _urls(topic: Topic) -> Iterator[str]:
    """The articles' addresses, primary sources first."""
    yield topic.url
    for kind in ("primary_source", "article"):
        for item in topic.media:
            if item.kind == kind:
                yield item.url


def _address(url: str) -> str | None:
    """An address as X cuts it into words: without scheme and query; None for the front page of a site, which
    everybody links to, and for what cannot be put between quotes."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    address = f"{host}{path}"
    usable = host and path and len(address) <= LONGEST_ADDRESS and not _UNQUOTABLE.search(address)
    return address if usable and " " not in address else None


def _headline(title: str) -> str | None:
    words = " ".join(_UNQUOTABLE.sub(" ", title).split())
    if len(words) > LONGEST_HEADLINE:
        cut = words[:LONGEST_HEADLINE]
        words = cut[: cut.rfind(" ")] if cut.rfind(" ") > LONGEST_HEADLINE / 2 else cut
    return words if len(words) >= SHORTEST_HEADLINE else None


def _names(entity: Entity) -> str:
    """Its names in the three languages, as alternatives."""
    names = dict.fromkeys(_UNQUOTABLE.sub(" ", entity.name(language)).strip() for language in LANGUAGES)
    quoted = [f'"{name}"' for name in names if name]
    return quoted[0] if len(quoted) == 1 else f"({' OR '.join(quoted)})"
