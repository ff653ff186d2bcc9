"""Insights as they are asked for: written from the facts of the moment, and kept as long as those stand."""

import hashlib
from typing import Any

import orjson

from backend.articles.rules.ruleset import Rules
from backend.db import Database
from backend.entities.model import Language
from backend.instants import Clock
from backend.markets.sources import realm_of
from backend.settings import Settings
from backend.sources.authority import Authorities
from backend.topics import insights_table
from backend.topics.insights.facts import Surroundings, gather
from backend.topics.insights.writing import written
from backend.topics.model import Realm, Topic


class InsightDesk:
    """Writes insights for one process."""

    def __init__(
        self, settings: Settings, database: Database, rules: Rules, realms: tuple[Realm, ...], *, now: Clock
    ) -> None:
        self._settings = settings
        self._database = database
        self._rules = rules
        self._realms = realms
        self._now = now
        self._authorities: tuple[str, Authorities] | None = None

    def insight(self, topic: Topic, language: Language) -> dict[str, Any]:
        """The interface's answer on ``topic``, which is stored and has text in ``language``."""
        now, around = self._now(), self._surroundings()
        with self._database.read() as connection:
            facts = gather(connection, topic, language, around, now)
        digest = _digest(facts.as_plain())
        known = insights_table.read(self._database, topic.id or 0, language)
        if known is not None and known.inputs == digest:
            return known.body
        body = written(facts, language, self._settings.api_url)
        with self._database.write() as connection:
            insights_table.write(connection, topic.id or 0, language, body, inputs=digest, now=now)
        return body

    def _surroundings(self) -> Surroundings:
        rules = self._rules.current
        if self._authorities is None or self._authorities[0] != rules.version:
            self._authorities = (rules.version, Authorities(rules.entities))
        return Surroundings(rules.entities, self._authorities[1], realm_of(self._settings), self._realms)


def _digest(facts: dict[str, object]) -> str:
    return hashlib.sha256(orjson.dumps(facts, default=str, option=orjson.OPT_SORT_KEYS)).hexdigest()
