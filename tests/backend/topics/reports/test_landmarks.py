"""Topics from the archive of landmarks, and on anniversaries."""

from datetime import UTC, datetime

import pytest

from backend.articles.rules import rules_loader
from backend.documents import landmark_archive
from backend.documents.landmark_archive import Landmark
from backend.sources.authority import Authorities
from backend.topics.model import Category
from backend.topics.reports.landmarks import build_anniversary_topics, build_archive_topics


@pytest.fixture(scope="module")
def authorities() -> Authorities:
    return Authorities(rules_loader.load_shipped().rules.entities)


@pytest.fixture(scope="module")
def landmarks() -> list[Landmark]:
    return landmark_archive.load_landmarks()


def test_every_landmark_becomes_a_topic_at_its_date_with_its_sources(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    topics = build_archive_topics(landmarks, authorities)
    assert len(topics) == len(landmarks) >= 120
    for topic, landmark in zip(topics, landmarks, strict=True):
        assert set(topic.texts) == {"en", "ja", "zh"}
        assert topic.published_at.date() == landmark.date
        assert {item.url for item in topic.media} == set(landmark.urls)
        assert all(item.title and item.title.startswith(str(item.site_name)) for item in topic.media)
        assert (topic.realm, topic.event) == ("sample", landmark.id)


def test_an_incident_is_breaking_and_a_rule_important(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    found = {
        one.category: topic.category
        for one, topic in zip(landmarks, build_archive_topics(landmarks, authorities), strict=True)
    }
    assert (found["incident"], found["regulation"], found["protocol"]) == (
        Category.BREAKING,
        Category.IMPORTANT,
        Category.NORMAL,
    )


def test_anniversaries_are_reported_with_the_year_of_the_event(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    now = datetime(2026, 4, 20, 9, tzinfo=UTC)
    facts = {topic.event: topic for topic in build_anniversary_topics(landmarks, now, authorities, "live")}
    halving = facts["lm-2024-04-20-bitcoin"]
    assert halving.texts["en"].title.startswith("On this day in 2024: ")
    assert halving.published_at == datetime(2026, 4, 20, tzinfo=UTC)
    assert halving.realm == "live"
    assert all(str(topic.event)[8:13] == "04-20" for topic in facts.values())


def test_an_event_has_no_anniversary_in_its_own_year(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    assert not any(
        topic.event == "lm-2024-04-20-bitcoin"
        for topic in build_anniversary_topics(
            landmarks, datetime(2024, 4, 20, tzinfo=UTC), authorities, "live"
        )
    )
