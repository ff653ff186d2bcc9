"""Pages of the topics that a search finds: all of them counted, newest first.

The index (:mod:`backend.topics.search_index`) tells which topics there are; putting them in order takes time
in proportion to their number. The order is therefore kept until a topic changes: whoever turns the pages,
however far, and whoever asks the same costs no more than a page.
"""

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.topics import search_index
from backend.topics.listing import LISTED, NEWEST_FIRST, Page, Wanted
from backend.topics.model import Realm
from backend.topics.tables import topic_texts, topics

MOST_KEPT = 2_000_000
"""Ids that are kept in all, at eight bytes each; the orders asked for longest ago go first."""


@dataclass
class _Orders:
    """What was found while the change counter stood at ``number``."""

    number: int = -1
    found: "OrderedDict[Wanted, array[int]]" = field(default_factory=OrderedDict)
    held: int = 0


class FoundPages:
    """Safe to share between threads."""

    def __init__(self, realms: Sequence[Realm]) -> None:
        self._realms = sorted(realms)
        self._orders = _Orders()
        self._lock = Lock()

    def read(self, connection: Connection, wanted: Wanted, number: int, *, page: int, page_size: int) -> Page:
        """``number`` is the change counter as this reader sees it."""
        order = self._known(wanted, number)
        if order is None:
            order = self._found(connection, wanted)
            self._keep(wanted, number, order)
        first = (page - 1) * page_size
        ids = list(order[first : first + page_size]) if first < len(order) else []
        look = (
            sa.select(*LISTED)
            .join(topics, topics.c.id == topic_texts.c.topic_id)
            .where(topic_texts.c.topic_id.in_(ids), topic_texts.c.language == wanted.language)
        )
        # Put in order here: the planner would walk the whole order of a language for it.
        rows = {row.topic_id: row for row in connection.execute(look)} if ids else {}
        return Page([rows[number] for number in ids], len(order))

    def _found(self, connection: Connection, wanted: Wanted) -> "array[int]":
        """The ids of all topics that are wanted, newest first."""
        matching = search_index.matching(connection, wanted.language, wanted.find, wanted.entities)
        if matching is None:
            return array("q")
        text = topic_texts.c
        asked = [text.language == wanted.language, text.realm.in_(self._realms)]
        if wanted.category is not None:
            asked.append(text.category == int(wanted.category))
        if wanted.after is not None:
            asked.append(text.published_at >= wanted.after)
        if wanted.before is not None:
            asked.append(text.published_at < wanted.before)
        look = (
            sa.select(text.topic_id)
            .join(matching, matching.c.topic_id == text.topic_id)
            .where(*asked)
            .order_by(*NEWEST_FIRST)
        )
        return array("q", connection.execute(look).scalars())

    def _known(self, wanted: Wanted, number: int) -> "array[int] | None":
        with self._lock:
            found = self._orders.found
            if self._orders.number != number or wanted not in found:
                return None
            found.move_to_end(wanted)
            return found[wanted]

    def _keep(self, wanted: Wanted, number: int, order: "array[int]") -> None:
        with self._lock:
            if self._orders.number < number:
                self._orders = _Orders(number)
            orders = self._orders
            if orders.number > number or wanted in orders.found:  # by a reader of an earlier state, or twice
                return
            orders.found[wanted] = order
            orders.held += len(order) + 1
            while orders.held > MOST_KEPT and len(orders.found) > 1:
                _, oldest = orders.found.popitem(last=False)
                orders.held -= len(oldest) + 1
