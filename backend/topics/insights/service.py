"""Builds insights on request from templates, with stored model prose where it matches the facts."""

from datetime import datetime
from typing import Any

from backend.articles.rules.active_rules import ActiveRules
from backend.entities.model import Language
from backend.formats.timestamps import Clock
from backend.markets.provider_registry import build_realm
from backend.settings import Settings
from backend.sources.authority import Authorities
from backend.store.database import Database
from backend.topics.ai_disclosure import build_insight_note
from backend.topics.insights.facts import FactSources, InsightFacts, collect_facts
from backend.topics.insights.sections import Part, build_insight, build_parts
from backend.topics.model import Realm, Topic
from backend.topics.store import generation_records


class InsightService:
    """Writes insights for one process."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        rules: ActiveRules,
        realms: tuple[Realm, ...],
        *,
        now: Clock,
    ) -> None:
        self._settings = settings
        self._database = database
        self._rules = rules
        self._realms = realms
        self._now = now
        self._authorities: tuple[str, Authorities] | None = None

    def insight(self, topic: Topic, language: Language) -> dict[str, Any]:
        """Build the response data for ``topic``, which is stored and has a text in ``language``."""
        found = build_parts(self.facts(topic, language), language, self._settings.api_url)
        prose = generation_records.load_prose(self._database, topic.id or 0, language)
        title, text = build_insight_note(language, prose.model)
        return build_insight(found, prose.by_basis, Part("note", title, text, ""))

    def facts(self, topic: Topic, language: Language, at: datetime | None = None) -> InsightFacts:
        """Collect the facts of ``topic`` as of now, or as of ``at``."""
        with self._database.read() as connection:
            return collect_facts(connection, topic, language, self._fact_sources(), at or self._now())

    def _fact_sources(self) -> FactSources:
        rules = self._rules.current
        if self._authorities is None or self._authorities[0] != rules.version:
            self._authorities = (rules.version, Authorities(rules.entities))
        return FactSources(
            rules.entities,
            self._authorities[1],
            build_realm(self._settings),
            self._realms,
            self._settings.api_url,
        )
