"""The archive of landmarks as topics at their true dates, and those of this day of the year."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time

from backend.documents.landmark_archive import Landmark
from backend.entities.model import LANGUAGES, Language
from backend.sources.authority import Authorities
from backend.topics.model import Category, Media, Realm, Topic, TopicText
from backend.topics.number_format import format_day
from backend.topics.reports.report_templates import WORDS

_CATEGORIES: Mapping[str, Category] = {
    "incident": Category.BREAKING,
    "regulation": Category.IMPORTANT,
    "enforcement": Category.IMPORTANT,
}


def archive_topics(landmarks: Iterable[Landmark], authorities: Authorities) -> list[Topic]:
    """Each event as a topic of the day on which it was, with its primary sources."""
    return [
        Topic(
            category=_CATEGORIES.get(landmark.category, Category.NORMAL),
            published_at=_instant(landmark),
            url=landmark.primary_sources[0],
            texts={language: _text(landmark, language) for language in LANGUAGES},
            external_id=f"archive:{landmark.id}",
            realm="sample",
            entities=tuple(landmark.entities),
            event=landmark.id,
            media=_sources(landmark, authorities),
        )
        for landmark in landmarks
    ]


def on_this_day(
    landmarks: Iterable[Landmark], now: datetime, authorities: Authorities, realm: Realm
) -> list[Topic]:
    """The events of this day of the year in earlier years, told again today."""
    today = now.date()
    return [
        Topic(
            category=Category.NORMAL,
            published_at=datetime.combine(today, time(), UTC),
            url=landmark.primary_sources[0],
            texts={language: _retold(landmark, language) for language in LANGUAGES},
            external_id=f"{realm}:on-this-day:{today.isoformat()}:{landmark.id}",
            realm=realm,
            entities=tuple(landmark.entities),
            event=landmark.id,
            media=_sources(landmark, authorities),
        )
        for landmark in landmarks
        if _is_of(today, landmark.date)
    ]


def _is_of(today: date, then: date) -> bool:
    """Whether ``then`` was on this day of an earlier year; 29 February comes on 28 February else."""
    leaping = (then.month, then.day) == (2, 29) and (today.month, today.day) == (2, 28)
    same = (today.month, today.day) == (then.month, then.day)
    has_its_own = leaping and today.year % 4 == 0
    return then.year < today.year and (same or (leaping and not has_its_own))


def _instant(landmark: Landmark) -> datetime:
    return landmark.time_utc or datetime.combine(landmark.date, time(12), UTC)


def _text(landmark: Landmark, language: Language) -> TopicText:
    detail = landmark.detail[language]
    return TopicText(
        title=landmark.title[language],
        subtitle=format_day(landmark.date, language),
        summary=detail,
        bullets=((detail,),),
        origin="template",
    )


def _retold(landmark: Landmark, language: Language) -> TopicText:
    told = _text(landmark, language)
    words = WORDS[language]
    return TopicText(
        title=words["day_title"].format(year=landmark.date.year, title=told.title),
        subtitle=words["day_sub"].format(date=told.subtitle),
        summary=told.summary,
        bullets=told.bullets,
        origin="template",
    )


def _sources(landmark: Landmark, authorities: Authorities) -> tuple[Media, ...]:
    """Best first, each with the name of whoever answers for its host."""
    about = set(landmark.entities)
    ranked: Sequence[str] = sorted(
        landmark.primary_sources, key=lambda url: -authorities.classify(url, about=about).score
    )
    at = _instant(landmark)
    return tuple(Media("primary_source", url, published_at=at, site_name=_host(url)) for url in ranked)


def _host(url: str) -> str:
    return url.split("/")[2].removeprefix("www.")
