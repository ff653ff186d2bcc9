"""Builds a topic from the members of a group: texts, entities, category and media."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from urllib.parse import urlsplit

from backend.articles.engine import RuleSet
from backend.entities.model import LANGUAGES, Language
from backend.sources.claims.claim_splitting import sentences
from backend.sources.retrieval.content_sanitizer import clean_text, has_instructions
from backend.topics.grouping.categories import Moved, category, never_moved
from backend.topics.grouping.extractive_summary import (
    CACHE_SIZE,
    MAX_SENTENCE_CHARS,
    QuotedSentence,
    QuotedText,
    join_sentences,
    summarize,
)
from backend.topics.grouping.glossary import terms_in
from backend.topics.grouping.headline_features import extract_features
from backend.topics.grouping.news_window import Member
from backend.topics.grouping.outlets import Outlets
from backend.topics.model import Media, Topic, TopicText

MAX_ENTITIES = 12
MAX_CITED_PAGES = 5
"""Cited pages among the primary sources of one topic."""
TEXT_MENTION_WEIGHT = 0.25
"""Weight of an entity in a member's text, relative to one in a title."""
_RELEVANT_TYPES = frozenset({"asset", "stablecoin", "protocol", "exchange"})
_URL = re.compile(r"https?://[^\s<>\"'（）()「」『』【】、。，；]{4,500}")


@dataclass(frozen=True, slots=True)
class TopicContext:
    """The common inputs of all topics of a regrouping."""

    rules: RuleSet
    outlets: Outlets
    now: datetime
    moved: Moved = never_moved


def build_topic(context: TopicContext, members: Sequence[Member], topic_id: int | None = None) -> Topic:
    """Build the topic of ``members``, at least one. The language of the earliest member comes first."""
    known = sorted(members, key=lambda one: (one.published_at, one.id))
    about = _rank_entities(context, known)
    official_ids = frozenset(one.id for one in known if context.outlets.is_primary(one, about))
    languages = dict.fromkeys(one.language for one in known)
    quoted_texts = {
        language: summarize([one for one in known if one.language == language], official_ids, language)
        for language in languages
    }
    lead = quoted_texts[known[0].language].title.member
    pictures = (one.image for one in (lead, *known) if one.image)
    return Topic(
        category=category(
            known,
            context.outlets,
            about=about,
            is_relevant=_is_relevant(context, known, about),
            moved=context.moved,
        ),
        published_at=known[0].published_at,
        url=lead.url,
        texts={
            language: _build_text(quoted_text, language) for language, quoted_text in quoted_texts.items()
        },
        realm="live",
        cover_img=next(pictures, None),
        coverage=context.outlets.coverage(known, about, context.now),
        entities=about,
        media=tuple(_build_media(context, known, about, official_ids, quoted_texts)),
        id=topic_id,
    )


def _rank_entities(context: TopicContext, members: Sequence[Member]) -> tuple[str, ...]:
    """Rank the entities by the number of members that name them, with titles weighing more. Outlets that only
    report are left out, as are entities in the texts of less than half of the members."""
    titled: Counter[str] = Counter()
    for member in members:
        found = extract_features(context.rules, member.title, member.language)
        titled.update(sorted(one.removeprefix("entity:") for one in found if one.startswith("entity:")))
    texts = Counter(entity for member in members for entity in dict.fromkeys(member.entities))
    publishers = {context.outlets.publisher(member) for member in members}
    known = context.rules.entities
    named = [
        entity
        for entity in {**titled, **texts}
        if entity in known
        and known[entity].type != "term"
        and not (known[entity].type == "media" and entity in publishers)
        and (entity in titled or 2 * texts[entity] >= len(members))
    ]
    return tuple(sorted(named, key=lambda e: (-titled[e] - TEXT_MENTION_WEIGHT * texts[e], e))[:MAX_ENTITIES])


def _is_relevant(context: TopicContext, members: Sequence[Member], about: Sequence[str]) -> bool:
    if any(context.rules.entities[entity].type in _RELEVANT_TYPES for entity in about):
        return True
    return any(terms_in([member.title], member.language) for member in members)


def _build_text(quoted_text: QuotedText, language: Language) -> TopicText:
    bullets = tuple(tuple(one.text for one in group) for group in quoted_text.bullets)
    summary = join_sentences(quoted_text.summary, language)
    shown = [quoted_text.title.text, summary, *(one for group in bullets for one in group)]
    return TopicText(
        title=quoted_text.title.text,
        summary=summary,
        bullets=bullets,
        terms=terms_in(shown, language),
        origin="publisher",
    )


def _build_media(
    context: TopicContext,
    members: Sequence[Member],
    about: Sequence[str],
    official_ids: frozenset[int],
    quoted_texts: Mapping[Language, QuotedText],
) -> Iterator[Media]:
    """Generate primary sources, then articles, in order of time. An article's summary contains the sentences
    that the topic quotes from it, so that each quote can be traced."""
    quoted: dict[int, list[QuotedSentence]] = {}
    for language in LANGUAGES:
        for one in quoted_texts[language].quotes if language in quoted_texts else ():
            quoted.setdefault(one.member.id, []).append(one)
    for member in sorted(members, key=lambda one: one.id not in official_ids):
        quotes = quoted.get(member.id, [])
        yield Media(
            kind="primary_source" if member.id in official_ids else "article",
            url=member.url,
            title=clean_text(member.title),
            summary=join_sentences(quotes, member.language)
            if quotes
            else _find_first_sentence(member.text, member.language),
            published_at=member.published_at,
            site_name=context.outlets.site_name(member),
            language=member.language,
        )
    yield from _find_cited_pages(context, members, about)


def _find_cited_pages(
    context: TopicContext, members: Sequence[Member], about: Sequence[str]
) -> Iterator[Media]:
    """Generate linked pages of the topic's entities and of authorities."""
    seen = {member.url for member in members}
    count = 0
    for member in members:
        for match in _URL.finditer(member.text):
            url = match.group().rstrip(".,;:!?]}*_")
            if url in seen or not _is_specific_page(url) or not context.outlets.is_primary_page(url, about):
                continue
            seen.add(url)
            yield Media(kind="primary_source", url=url, site_name=context.outlets.name_of(url, member))
            count += 1
            if count == MAX_CITED_PAGES:
                return


def _is_specific_page(url: str) -> bool:
    """True if a URL leads to a specific page; the front page of a site proves nothing."""
    try:
        return len(urlsplit(url).path.strip("/")) > 0
    except ValueError:
        return False


@lru_cache(maxsize=CACHE_SIZE)
def _find_first_sentence(text: str, language: Language) -> str:
    """Return the first sentence of a member's text if it is short enough."""
    visible = clean_text(text)
    first = next(sentences(visible), "")
    return "" if has_instructions(visible) or len(first) > MAX_SENTENCE_CHARS[language] else first
