"""The archive as topics, and events of this day."""

from datetime import UTC, datetime

import pytest

from backend.articles.rules import rules_loader
from backend.documents import landmark_archive
from backend.documents.landmark_archive import Landmark
from backend.sources.authority import Authorities
from backend.topics.model import Category
from backend.topics.reports.landmarks import archive_topics, on_this_day


@pytest.fixture(scope="module")
def authorities() -> Authorities:
    return Authorities(rules_loader.shipped().rules.entities)


@pytest.fixture(scope="module")
def landmarks() -> list[Landmark]:
    return landmark_archive.load()


def test_every_landmark_is_a_topic_of_its_day_with_its_primary_sources(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    topics = archive_topics(landmarks, authorities)
    assert len(topics) == len(landmarks) >= 120
    for topic, landmark in zip(topics, landmarks, strict=True):
        assert set(topic.texts) == {"en", "ja", "zh"}
        assert topic.published_at.date() == landmark.date
        assert {item.url for item in topic.media} == set(landmark.primary_sources)
        assert (topic.realm, topic.event) == ("sample", landmark.id)


def test_an_incident_is_breaking_and_a_rule_important(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    found = {
        one.category: topic.category
        for one, topic in zip(landmarks, archive_topics(landmarks, authorities), strict=True)
    }
    assert (found["incident"], found["regulation"], found["protocol"]) == (
        Category.BREAKING,
        Category.IMPORTANT,
        Category.NORMAL,
    )


def test_events_of_this_day_are_told_again_with_their_year(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    now = datetime(2026, 4, 20, 9, tzinfo=UTC)
    told = {topic.event: topic for topic in on_this_day(landmarks, now, authorities, "live")}
    halving = told["lm-2024-04-20-bitcoin"]
    assert halving.texts["en"].title.startswith("On this day in 2024: ")
    assert halving.published_at == datetime(2026, 4, 20, tzinfo=UTC)
    assert halving.realm == "live"
    assert all(str(topic.event)[8:13] == "04-20" for topic in told.values())


def test_an_event_is_not_told_again_in_its_own_year(
    landmarks: list[Landmark], authorities: Authorities
) -> None:
    assert not any(
        topic.event == "lm-2024-04-20-bitcoin"
        for topic in on_this_day(landmarks, datetime(2024, 4, 20, tzinfo=UTC), authorities, "live")
    )
