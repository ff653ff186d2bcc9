"""Builds a topic from the members of a group: texts, entities, category and media."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from backend.articles.engine import RuleSet
from backend.entities.model import LANGUAGES, Language
from backend.sources.claims.claim_splitting import sentences
from backend.sources.retrieval.content_sanitizer import clean_text, has_instructions
from backend.topics.feeds.article_sentences import MAX_SENTENCE_CHARS
from backend.topics.feeds.cited_pages import CitedPage
from backend.topics.grouping.article_kinds import ArticleKind, find_kind
from backend.topics.grouping.categories import PriceMoveCheck, assume_no_price_move, find_category
from backend.topics.grouping.cited_sources import find_cited_sources
from backend.topics.grouping.extractive_summary import (
    CACHE_SIZE,
    TITLE_PLACE,
    QuotedSentence,
    QuotedText,
    join_sentences,
    summarize,
)
from backend.topics.grouping.glossary import find_terms
from backend.topics.grouping.headline_features import extract_features
from backend.topics.grouping.news_window import NewsArticle
from backend.topics.grouping.publishers import PublisherCatalogue
from backend.topics.model import Media, Realm, Topic, TopicText

MAX_ENTITIES = 12
TEXT_MENTION_WEIGHT = 0.25
"""Weight of an entity in a member's text, relative to one in a title."""
_RELEVANT_TYPES = frozenset({"asset", "stablecoin", "protocol", "exchange"})


@dataclass(frozen=True, slots=True)
class TopicContext:
    """The common inputs of all topics of a regrouping."""

    rules: RuleSet
    publishers: PublisherCatalogue
    now: datetime
    moved: PriceMoveCheck = assume_no_price_move
    pages: Mapping[str, CitedPage] = field(default_factory=dict)
    """The cited pages that were read, by page key."""
    realm: Realm = "live"
    subtitles: Mapping[Language, str] = field(default_factory=dict)
    """The subtitle of every topic, which says that it is made up."""

    def find_kind(self, member: NewsArticle) -> ArticleKind | None:
        """Return the kind of a member that reports no single event; None for a report.

        An article of an official body always counts as a report."""
        kind = find_kind(member.title, member.language, member.text, member.url)
        return None if kind is None or self.publishers.is_official_body(member) else kind


def build_topic(context: TopicContext, members: Sequence[NewsArticle], topic_id: int | None = None) -> Topic:
    """Build the topic of ``members``, at least one. The language of the earliest member comes first."""
    sorted_members = sorted(members, key=lambda member: (member.published_at, member.id))
    about = _rank_entities(context, sorted_members)
    official_ids = frozenset(
        member.id for member in sorted_members if context.publishers.is_primary_source(member, about)
    )
    languages = dict.fromkeys(member.language for member in sorted_members)
    quoted_texts = {
        language: summarize(
            [member for member in sorted_members if member.language == language], official_ids, language
        )
        for language in languages
    }
    lead = quoted_texts[sorted_members[0].language].title.member
    pictures = (member.image for member in (lead, *sorted_members) if member.image)
    return Topic(
        category=find_category(
            sorted_members,
            context.publishers,
            about=about,
            is_relevant=_is_relevant(context, sorted_members, about),
            moved=context.moved,
        ),
        published_at=sorted_members[0].published_at,
        url=lead.url,
        texts={
            language: _build_text(context, quoted_text, language)
            for language, quoted_text in quoted_texts.items()
        },
        realm=context.realm,
        cover_img=next(pictures, None),
        coverage=context.publishers.compute_coverage(sorted_members, about, context.now),
        entities=about,
        media=tuple(_build_media(context, sorted_members, about, official_ids, quoted_texts)),
        id=topic_id,
    )


def _rank_entities(context: TopicContext, members: Sequence[NewsArticle]) -> tuple[str, ...]:
    """Rank the entities by the number of members that name them; titles weigh more.

    Publishers that only report or are credited are left out, as are entities in the texts of less than half
    of the members.
    """
    titled: Counter[str] = Counter()
    for member in members:
        title_features = extract_features(context.rules, member.title, member.language)
        titled.update(
            sorted(
                feature.removeprefix("entity:") for feature in title_features if feature.startswith("entity:")
            )
        )
    texts = Counter(entity for member in members for entity in dict.fromkeys(member.entity_ids))
    own_publishers = {context.publishers.get_publisher_key(member) for member in members}
    catalogue = context.rules.entities
    ranked_entities = [
        entity
        for entity in {**titled, **texts}
        if entity in catalogue
        and catalogue[entity].type != "term"
        and (catalogue[entity].type != "media" or (entity in titled and entity not in own_publishers))
        and (entity in titled or 2 * texts[entity] >= len(members))
    ]
    return tuple(
        sorted(ranked_entities, key=lambda e: (-titled[e] - TEXT_MENTION_WEIGHT * texts[e], e))[:MAX_ENTITIES]
    )


def _is_relevant(context: TopicContext, members: Sequence[NewsArticle], about: Sequence[str]) -> bool:
    if any(context.rules.entities[entity].type in _RELEVANT_TYPES for entity in about):
        return True
    return any(find_terms([member.title], member.language) for member in members)


def _build_text(context: TopicContext, quoted_text: QuotedText, language: Language) -> TopicText:
    """Build the text. If it quotes several publishers, each quote names its own."""
    names = [context.publishers.get_publisher_name(quote.member) for quote in quoted_text.quotes]
    template = (
        "{text}" if len(set(names)) < 2 else "{text} ({name})" if language == "en" else "{text}（{name}）"
    )

    def attribute(text: str, member: NewsArticle) -> str:
        return template.format(text=text, name=context.publishers.get_publisher_name(member)) if text else ""

    bullets = tuple(
        tuple(attribute(sentence.text, sentence.member) for sentence in group)
        for group in quoted_text.bullets
    )
    lead_member = quoted_text.summary[0].member if quoted_text.summary else quoted_text.title.member
    summary = attribute(join_sentences(quoted_text.summary, language), lead_member)
    visible_texts = [quoted_text.title.text, summary, *(bullet for group in bullets for bullet in group)]
    return TopicText(
        title=quoted_text.title.text,
        subtitle=context.subtitles.get(language, ""),
        summary=summary,
        bullets=bullets,
        terms=find_terms(visible_texts, language),
        origin="publisher",
    )


def _build_media(
    context: TopicContext,
    members: Sequence[NewsArticle],
    about: Sequence[str],
    official_ids: frozenset[int],
    quoted_texts: Mapping[Language, QuotedText],
) -> Iterator[Media]:
    """Generate primary sources, then articles, in order of time. An article's summary contains the sentences
    that the topic quotes from it, so that each quote can be traced."""
    quoted: dict[int, list[QuotedSentence]] = {}
    for language in LANGUAGES:
        for quote in quoted_texts[language].quotes if language in quoted_texts else ():
            if quote.place != TITLE_PLACE:
                quoted.setdefault(quote.member.id, []).append(quote)
    for member in sorted(members, key=lambda member: member.id not in official_ids):
        quotes = quoted.get(member.id, [])
        yield Media(
            kind="primary_source" if member.id in official_ids else "article",
            url=member.url,
            title=clean_text(member.title),
            summary=join_sentences(quotes, member.language)
            if quotes
            else _find_first_sentence(member.text, member.language),
            published_at=member.published_at,
            site_name=context.publishers.get_publisher_name(member),
            language=member.language,
        )
    yield from find_cited_sources(context.publishers, context.rules.entities, context.pages, members, about)


@lru_cache(maxsize=CACHE_SIZE)
def _find_first_sentence(text: str, language: Language) -> str:
    """Return the first sentence of a member's text if it is short enough."""
    visible = clean_text(text)
    first = next(sentences(visible), "")
    return "" if has_instructions(visible) or len(first) > MAX_SENTENCE_CHARS[language] else first
