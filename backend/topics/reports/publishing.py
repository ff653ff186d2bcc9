"""Stores the reports that are due, each once."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
import structlog

from backend.articles.rules.active_rules import ActiveRules
from backend.documents import landmark_archive
from backend.documents.landmark_archive import Landmark
from backend.markets import configuration
from backend.markets.responses.snapshot import MarketView
from backend.settings import Settings
from backend.sources.authority import Authorities
from backend.store.database import Database
from backend.topics.model import Realm, Topic
from backend.topics.reports.landmarks import build_anniversary_topics, build_archive_topics
from backend.topics.reports.market_facts import collect_facts
from backend.topics.reports.market_reports import build_market_reports
from backend.topics.reports.report_builder import ReportContext
from backend.topics.reports.sample_media import add_sample_media
from backend.topics.store import topic_store
from backend.topics.tables import topic_media, topics

log = structlog.get_logger(__name__)


class ReportPublisher:
    """Publishes reports for one process."""

    def __init__(self, settings: Settings, database: Database, rules: ActiveRules) -> None:
        self._settings = settings
        self._database = database
        self._rules = rules
        self._market = configuration.build_market(settings, database)
        self._view = MarketView(database, self._market)
        self._landmarks: list[Landmark] | None = None

    def publish(self, now: datetime) -> int:
        """Store the due reports that do not exist yet; returns the number of new topics."""
        self._view.reload()
        rules = self._rules.current
        realm: Realm = "sample" if self._settings.mode == "sample" else "live"
        with self._database.read() as connection:
            facts = collect_facts(
                connection,
                self._view.snapshot,
                realm=realm,
                history_realm=self._market.sources.realm,
                entities=rules.entities,
                now=now,
            )
        authorities = Authorities(rules.entities)
        due = build_market_reports(facts, ReportContext(self._settings.api_url))
        due += build_anniversary_topics(self._load_archive(), now, authorities, realm)
        if realm == "sample":
            due += build_archive_topics(self._load_archive(), authorities)
            due = [add_sample_media(topic, now, self._settings.api_url) for topic in due]
        return self._write(due, now)

    def close(self) -> None:
        self._market.close()

    def _load_archive(self) -> list[Landmark]:
        if self._landmarks is None:
            self._landmarks = landmark_archive.load_landmarks()
        return self._landmarks

    def _write(self, due: Sequence[Topic], now: datetime) -> int:
        """Store the new topics. An existing report never changes; later figures go into the next one.

        Sample topics of an earlier version, which have no posts, are stored again with their media.
        """
        names = [topic.external_id for topic in due]
        has_posts = sa.exists().where(topic_media.c.topic_id == topics.c.id, topic_media.c.kind == "tweet")
        query = sa.select(topics.c.external_id).where(
            topics.c.external_id.in_(names), sa.or_(topics.c.realm != "sample", has_posts)
        )
        with self._database.read() as connection:
            stored_ids = set(connection.execute(query).scalars())
        new_reports = [topic for topic in due if topic.external_id not in stored_ids]
        if not new_reports:
            return 0
        with self._database.write() as connection:
            topic_store.store_topics(connection, new_reports, now=now)
        log.info("reports_written", topics=len(new_reports))
        return len(new_reports)
