"""Converts validated request bodies to topics and media.

:mod:`backend.topics.schemas` declares and validates the bodies; this module converts them to
:mod:`backend.topics.model`. :mod:`backend.topics.response_bodies` works in the other direction.
"""

from backend.topics.model import Category, Media, Term, Topic, TopicText
from backend.topics.schemas import MediaIn, TextIn, TopicIn


def build_topic(body: TopicIn) -> Topic:
    return Topic(
        category=Category(body.category),
        published_at=body.published_at,
        url=body.url,
        texts={language: _build_text(text) for language, text in body.texts.items()},
        external_id=body.external_id,
        cover_img=body.cover_img,
        tweet_score=float(body.total_tweet_score or 0),
        entities=tuple(dict.fromkeys(body.entities or ())),
    )


def build_media(body: MediaIn) -> list[Media]:
    sources = [
        Media(
            kind="primary_source",
            url=item.url,
            title=item.title or "",
            summary=item.summary or "",
            published_at=item.published_at,
            site_name=item.site_name or "",
            language=item.lang,
        )
        for item in body.primary_sources or ()
    ]
    articles = [
        Media(
            kind="article",
            url=item.entry_url,
            title=item.title or "",
            published_at=item.published_at,
            language=item.lang,
        )
        for item in body.articles or ()
    ]
    tweets = [
        Media(
            kind="tweet",
            url=item.entry_url,
            summary=item.summary or "",
            published_at=item.published_at,
            language=item.lang,
            score=float(item.score or 0),
        )
        for item in body.tweets or ()
    ]
    return [*sources, *articles, *tweets]


def _build_text(body: TextIn) -> TopicText:
    return TopicText(
        title=body.title,
        subtitle=body.subtitle or "",
        summary=body.summary or "",
        bullets=tuple(tuple(group) for group in body.summary_bullets or ()),
        terms=tuple(Term(concept.term, concept.definition) for concept in body.terms_concepts or ()),
    )
