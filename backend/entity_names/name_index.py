"""Finds entities by any of their names, in any language and script. No I/O."""

from collections.abc import Iterable
from typing import NamedTuple

from backend.documents.tokenizer import terms
from backend.entities.model import Entity

MAX_NAME_WORDS = 6
"""Longest run of words in a search that is looked up as one name."""


class NamedEntities(NamedTuple):
    """A name in a search, and the ids of the entities with this name."""

    text: str
    entities: tuple[str, ...]


class NameIndex:
    """Maps names to the ids of entities. Case, width, and Traditional or Simplified characters do not
    matter, except in tickers that are also words: these count in capitals only."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._ids_by_name: dict[str, dict[str, None]] = {}
        self._ids_by_ticker: dict[str, dict[str, None]] = {}
        for entity in entities:
            if entity.type == "term":
                continue
            for name in list_all_names(entity):
                self._ids_by_name.setdefault(_fold(name), {})[entity.id] = None
            for ticker in entity.symbols:
                if entity.symbols_need_context:
                    self._ids_by_ticker.setdefault(ticker, {})[entity.id] = None
                else:
                    self._ids_by_name.setdefault(_fold(ticker), {})[entity.id] = None

    def find(self, name: str) -> tuple[str, ...]:
        """Return the ids of the entities with this name or ticker."""
        folded = _fold(name)
        by_name = self._ids_by_name.get(folded, {}) if folded else {}
        return tuple({**by_name, **self._ids_by_ticker.get(name, {})})

    def split(self, search: str) -> tuple[str, tuple[NamedEntities, ...]]:
        """Split a search into its other words and the names in it; the longest names count."""
        words, others, found = search.split(), [], []
        at = 0
        while at < len(words):
            for end in range(min(len(words), at + MAX_NAME_WORDS), at, -1):
                name = " ".join(words[at:end])
                entities = self.find(name)
                if entities:
                    found.append(NamedEntities(name, entities))
                    at = end
                    break
            else:
                others.append(words[at])
                at += 1
        return " ".join(others), tuple(found)


def list_all_names(entity: Entity) -> list[str]:
    """List the names of an entity in all languages, its former names included and tickers excluded."""
    also = [name for names in entity.also.values() for name in names]
    former = [former.name for former in entity.former]
    return list(dict.fromkeys([*entity.names.values(), *also, *former]))


def _fold(name: str) -> str:
    return " ".join(terms(name))
