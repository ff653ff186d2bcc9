"""Builds the articles and posts that sample mode shows for its topics, each labelled as a sample.

They retell the topic's own text and name its record. Market reports get posts only, because no outlet
retells the service's own figures. The scores of posts are derived from the topic's name, so they are the same
in every store, and ``/ranking_topics`` has an order without a network.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import yaml

from backend.entities.model import Language
from backend.topics.model import Media, Topic, TopicText
from backend.topics.number_format import format_day
from backend.topics.reports.report_templates import SAMPLE_PREFIX

_FILE = Path(__file__).parent / "data" / "sample_media.yaml"
MIN_SCORE, MAX_SCORE = 1.0, 9.0
"""Scores of posts as real ones have them: the logarithm of a few to some thousand reactions."""
ARCHIVE_FACTOR, REPORT_FACTOR = 0.2, 0.01
"""Factors on the scores of the archive's events, which rank behind the news of the day, and of market
reports, which rank behind both."""


def add_sample_media(topic: Topic, now: datetime, service_url: str) -> Topic:
    """Return ``topic`` with sample media in each of its languages. None is later than ``now``.

    ``service_url`` is the address of this service, which is the source of its own market reports.
    """
    media = [
        item
        for language, text in topic.texts.items()
        for item in _build_media(topic, language, text, now, service_url)
    ]
    return replace(topic, media=(*topic.media, *media))


def _build_media(
    topic: Topic, language: Language, text: TopicText, now: datetime, service_url: str
) -> Iterator[Media]:
    templates = _load_templates()
    is_report = topic.url.startswith(service_url)
    record = templates["records"]["report" if is_report else "archive"]
    host = (urlsplit(topic.url).hostname or "").removeprefix("www.")
    values = {
        "title": text.title.removeprefix(SAMPLE_PREFIX[language]).rstrip(".。"),
        "detail": text.summary or text.title,
        "day": text.subtitle if topic.event else format_day(topic.published_at.date(), language),
        "record": record[language].format(host=host),
    }
    name = quote(topic.external_id or "", safe="")
    for outlet in () if is_report else templates["outlets"]:
        yield Media(
            kind="article",
            url=f"https://{outlet['host']}/{language}/{name}",
            title=outlet["article"][language].format_map(values),
            summary=values["detail"],
            site_name=outlet["name"][language],
            published_at=min(topic.published_at + timedelta(minutes=outlet["minutes"]), now),
            language=language,
        )
    for post in templates["posts"]:
        url = f"https://sample-posts.example/{post['account']}/{language}/{name}"
        yield Media(
            kind="tweet",
            url=url,
            summary=post["text"][language].format_map(values),
            published_at=min(topic.published_at + timedelta(minutes=post["minutes"]), now),
            language=language,
            score=round(_derive_score(url) * (REPORT_FACTOR if is_report else ARCHIVE_FACTOR), 4),
        )


def _derive_score(name: str) -> float:
    share = int.from_bytes(blake2b(name.encode(), digest_size=4).digest()) / 2**32
    return round(MIN_SCORE + (MAX_SCORE - MIN_SCORE) * share, 4)


@cache
def _load_templates() -> Mapping[str, Any]:
    templates: Mapping[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return templates
