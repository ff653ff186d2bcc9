"""Builds topics from the archive of landmarks: at their dates, and on anniversaries."""

from calendar import isleap
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time

from backend.documents.landmark_archive import Landmark
from backend.entities.model import LANGUAGES, Language
from backend.sources.authority import Authorities
from backend.topics.model import ANNIVERSARY_MARK, Category, Media, Realm, Topic, TopicText
from backend.topics.number_format import format_day
from backend.topics.reports.report_templates import TEMPLATES

_CATEGORIES: Mapping[str, Category] = {
    "incident": Category.BREAKING,
    "regulation": Category.IMPORTANT,
    "enforcement": Category.IMPORTANT,
}

MAX_TITLE_CHARS = 80
"""Characters of an address that is the title of a page."""


def build_archive_topics(landmarks: Iterable[Landmark], authorities: Authorities) -> list[Topic]:
    """Build a topic for each event at its date, with its sources."""
    return [
        Topic(
            category=_CATEGORIES.get(landmark.category, Category.NORMAL),
            published_at=_get_event_time(landmark),
            url=landmark.urls[0],
            texts={language: _build_text(landmark, language) for language in LANGUAGES},
            external_id=f"archive:{landmark.id}",
            realm="sample",
            entities=tuple(landmark.entities),
            event=landmark.id,
            media=_build_media(landmark, authorities),
        )
        for landmark in landmarks
    ]


def build_anniversary_topics(
    landmarks: Iterable[Landmark], now: datetime, authorities: Authorities, realm: Realm
) -> list[Topic]:
    """Build a topic of today for each event on this day of an earlier year."""
    today = now.date()
    return [
        Topic(
            category=Category.NORMAL,
            published_at=datetime.combine(today, time(), UTC),
            url=landmark.urls[0],
            texts={language: _build_anniversary_text(landmark, language) for language in LANGUAGES},
            external_id=f"{realm}{ANNIVERSARY_MARK}{today.isoformat()}:{landmark.id}",
            realm=realm,
            entities=tuple(landmark.entities),
            event=landmark.id,
            media=_build_media(landmark, authorities),
        )
        for landmark in landmarks
        if _is_anniversary(today, landmark.date)
    ]


def _is_anniversary(today: date, event_day: date) -> bool:
    """True if ``event_day`` was on this day of an earlier year. 29 February counts as 28 February in common
    years."""
    day = (event_day.month, event_day.day)
    if day == (2, 29) and not isleap(today.year):
        day = (2, 28)
    return event_day.year < today.year and (today.month, today.day) == day


def _get_event_time(landmark: Landmark) -> datetime:
    return landmark.time_utc or datetime.combine(landmark.date, time(12), UTC)


def _build_text(landmark: Landmark, language: Language) -> TopicText:
    detail = landmark.detail[language]
    return TopicText(
        title=landmark.title[language],
        subtitle=format_day(landmark.date, language),
        summary=detail,
        bullets=((detail,),),
        origin="template",
    )


def _build_anniversary_text(landmark: Landmark, language: Language) -> TopicText:
    text = _build_text(landmark, language)
    templates = TEMPLATES[language]
    return TopicText(
        title=templates["day_title"].format(year=landmark.date.year, title=text.title),
        subtitle=templates["day_sub"].format(date=text.subtitle),
        summary=text.summary,
        bullets=text.bullets,
        origin="template",
    )


def _build_media(landmark: Landmark, authorities: Authorities) -> tuple[Media, ...]:
    """List the sources, the most authoritative first, each named by its host, with its address as title."""
    about, general = set(landmark.entities), landmark.general_sources
    ranked: Sequence[str] = sorted(
        landmark.urls,
        key=lambda url: -authorities.classify(url, about=about, is_general=url in general).score,
    )
    at = _get_event_time(landmark)
    return tuple(
        Media("primary_source", url, title=_shorten(url), published_at=at, site_name=_get_host(url))
        for url in ranked
    )


def _shorten(url: str) -> str:
    """Return host and path, or the host alone where the path is long."""
    shortened = url.split("://", 1)[1].removeprefix("www.").rstrip("/")
    return shortened if len(shortened) <= MAX_TITLE_CHARS else _get_host(url)


def _get_host(url: str) -> str:
    return url.split("/")[2].removeprefix("www.")
