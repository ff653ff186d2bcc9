"""Loads the made-up stories of sample mode and builds the reports and posts on them that are due.

The stories repeat after :data:`CYCLE_DAYS` days. Each has a fixed day of that cycle, and each report a fixed
time of the day, so that the same moment gives the same news in every store. A story is due from its first
report until it is older than the news window. Dates in a text are relative to the day of publication.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from backend.entities.model import Language
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.parsing import Entry
from backend.topics.model import NEWS_WINDOW, Media
from backend.topics.posts.model import PublicMetrics
from backend.topics.posts.scoring import compute_score

CYCLE_DAYS = 5
"""Days after which the stories repeat: longer than the news window, so that no story meets itself."""
_DATA = Path(__file__).parent / "data"
_DATE = re.compile(r"\{(?P<form>date|weekday|month)(?P<days>[+-]\d+)?\}")
_WEEKDAYS: Mapping[Language, str] = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "ja": "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
    "zh": "周一 周二 周三 周四 周五 周六 周日",
}


@dataclass(frozen=True, slots=True)
class Story:
    """A story whose reports are published from ``day``, with those reports and posts that are due."""

    name: str
    day: date
    reports: tuple[tuple[Feed, Entry], ...]
    posts: tuple[Media, ...]


def list_due_stories(now: datetime) -> list[Story]:
    """List the stories of the news window that ends at ``now``, the oldest first. None is in the future."""
    first = now - NEWS_WINDOW
    days = [first.date() + timedelta(days=number) for number in range(NEWS_WINDOW.days + 1)]
    stories = [
        _build_story(name, story, day, now)
        for day in days
        for name, story in _load_stories().items()
        if day.toordinal() % CYCLE_DAYS == story["day"]
    ]
    return [
        story
        for story in stories
        if story.reports and min(entry.published_at or first for _, entry in story.reports) >= first
    ]


@cache
def load_feeds() -> Mapping[tuple[str, Language], Feed]:
    """Load the editions of the made-up outlets by the outlet's key and language. None is ever polled."""
    return {
        (key, language): Feed(
            id=f"sample.{key}.{language}",
            name=outlet[language],
            url=f"https://sample-{key}.example/{language}/feed",
            language=language,
            kind=outlet["kind"],
            outlet=f"sample.{key}",
        )
        for key, outlet in _load_outlets()["outlets"].items()
        for language in _WEEKDAYS
        if language in outlet
    }


def load_subtitles() -> Mapping[Language, str]:
    subtitles: Mapping[Language, str] = _load_outlets()["subtitles"]
    return subtitles


def fill_dates(text: str, day: date, language: Language) -> str:
    """Write the dates of a text, such as ``{date+3}`` and ``{weekday}``, relative to ``day``."""

    def write(match: re.Match[str]) -> str:
        other = day + timedelta(days=int(match["days"] or 0))
        if match["form"] == "weekday":
            return _WEEKDAYS[language].split()[other.weekday()]
        if match["form"] == "month":
            return f"{other:%B}" if language == "en" else f"{other.month}月"
        return f"{other:%B} {other.day}" if language == "en" else f"{other.month}月{other.day}日"

    return _DATE.sub(write, text)


def _build_story(name: str, story: Mapping[str, Any], day: date, now: datetime) -> Story:
    return Story(
        name,
        day,
        tuple(_build_reports(name, story["reports"], day, now)),
        tuple(_build_posts(name, story.get("posts", ()), day, now)),
    )


def _build_reports(
    name: str, reports: list[dict[str, Any]], day: date, now: datetime
) -> Iterator[tuple[Feed, Entry]]:
    for number, report in enumerate(reports, 1):
        at = _find_time(report, day)
        if at > now:
            continue
        language: Language = report["language"]
        feed = load_feeds()[report["outlet"], language]
        url = f"https://sample-{report['outlet']}.example/{language}/{day}/{name}-{number}"
        title, text = (fill_dates(report[key].strip(), day, language) for key in ("title", "text"))
        yield feed, Entry(url, url, title, text, None, at, True)


def _build_posts(name: str, posts: list[dict[str, Any]], day: date, now: datetime) -> Iterator[Media]:
    for number, post in enumerate(posts, 1):
        at = _find_time(post, day)
        if at > now:
            continue
        language: Language = post["language"]
        metrics = PublicMetrics(likes=post["likes"], reposts=post["likes"] // 6, quotes=0, replies=0)
        yield Media(
            kind="tweet",
            url=f"https://sample-posts.example/{post['account']}/{language}/{day}-{name}-{number}",
            summary=fill_dates(post["text"].strip(), day, language),
            published_at=at,
            language=language,
            score=compute_score(metrics, at, official=False, now=at),
        )


def _find_time(item: Mapping[str, Any], day: date) -> datetime:
    return datetime.combine(day, time.fromisoformat(item["time"]), UTC)


@cache
def _load_stories() -> Mapping[str, Any]:
    """Load the stories by name."""
    return {
        path.stem.replace("_", "-"): _read_yaml(path) for path in sorted((_DATA / "stories").glob("*.yaml"))
    }


@cache
def _load_outlets() -> Any:
    return _read_yaml(_DATA / "outlets.yaml")


def _read_yaml(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
