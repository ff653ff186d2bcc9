"""Builds insights on request from templates, with stored model prose where it matches the facts."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from backend.articles.rules.active_rules import ActiveRules
from backend.entities.model import Language
from backend.formats.timestamps import Clock
from backend.markets.sources_by_mode import build_realm
from backend.settings import Settings
from backend.sources.authority import Authorities
from backend.store.database import Database
from backend.topics.ai_disclosure import build_insight_note
from backend.topics.insights.facts import FactSources, collect_facts
from backend.topics.insights.model import InsightFacts
from backend.topics.insights.section_data import build_sections
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
        parts = build_parts(self.facts(topic, language), language, self._settings.api_url)
        prose = generation_records.load_prose(self._database, topic.id or 0, language)
        title, text = build_insight_note(language, prose.model)
        return build_insight(parts, prose.by_basis, Part("note", title, text, ""))

    def sections(self, topic: Topic, language: Language) -> dict[str, Any]:
        """Build the response data of the same insight with the data of its sections."""
        facts = self.facts(topic, language)
        prose = generation_records.load_prose(self._database, topic.id or 0, language)
        note = Part("note", *build_insight_note(language, prose.model), "")
        parts = build_parts(facts, language, self._settings.api_url)
        return build_sections(facts, parts, prose.by_basis, note, today=self._now().date())

    def facts(self, topic: Topic, language: Language, at: datetime | None = None) -> InsightFacts:
        """Collect the facts of ``topic`` as of now, or as of ``at``.

        The articles of made-up news are its sources. Other sample media retell their topic and are none.
        """
        if not topic.is_grouped:
            topic = replace(topic, media=tuple(item for item in topic.media if not item.is_sample))
        with self._database.read() as connection:
            return collect_facts(connection, topic, language, self._get_fact_sources(), at or self._now())

    def _get_fact_sources(self) -> FactSources:
        rules = self._rules.current
        if self._authorities is None or self._authorities[0] != rules.version:
            self._authorities = (rules.version, Authorities(rules.entities))
        return FactSources(
            rules,
            self._authorities[1],
            build_realm(self._settings),
            self._realms,
            self._settings.api_url,
        )
