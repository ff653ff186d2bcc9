"""What a program sent, as topics and media."""

from backend.topics.model import Category, Media, Term, Topic, TopicText
from backend.topics.schemas import MediaIn, TextIn, TopicIn


def topic(given: TopicIn) -> Topic:
    return Topic(
        category=Category(given.category),
        published_at=given.published_at,
        url=given.url,
        texts={language: _text(text) for language, text in given.texts.items()},
        external_id=given.external_id,
        cover_img=given.cover_img,
        tweet_score=float(given.total_tweet_score or 0),
        entities=tuple(dict.fromkeys(given.entities or ())),
    )


def media(given: MediaIn) -> list[Media]:
    sources = [
        Media(
            kind="primary_source",
            url=one.url,
            title=one.title or "",
            summary=one.summary or "",
            published_at=one.published_at,
            site_name=one.site_name or "",
            language=one.lang,
        )
        for one in given.primary_sources or ()
    ]
    articles = [
        Media(
            kind="article",
            url=one.entry_url,
            title=one.title or "",
            published_at=one.published_at,
            language=one.lang,
        )
        for one in given.articles or ()
    ]
    tweets = [
        Media(
            kind="tweet",
            url=one.entry_url,
            summary=one.summary or "",
            published_at=one.published_at,
            language=one.lang,
            score=float(one.score or 0),
        )
        for one in given.tweets or ()
    ]
    return [*sources, *articles, *tweets]


def _text(given: TextIn) -> TopicText:
    return TopicText(
        title=given.title,
        subtitle=given.subtitle or "",
        summary=given.summary or "",
        bullets=tuple(tuple(group) for group in given.summary_bullets or ()),
        terms=tuple(Term(one.term, one.definition) for one in given.terms_concepts or ()),
    )
