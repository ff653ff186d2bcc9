"""What is stored of an entry: its language, whom and which figures it names, and a print of its text."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from backend.articles.engine import RuleSet
from backend.articles.matching.parsed_article import ParsedArticle
from backend.articles.schemas import Article
from backend.articles.text.language_detection import detect
from backend.documents import tokenizer
from backend.entities.model import Language
from backend.sources.claims import dates, quantities, simhash
from backend.topics import canonical_urls
from backend.topics.feeds import entry_dates
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.parsing import Entry, ParsedFeed

READ = 4_000
"""Characters of a text in which entities and figures are looked for."""
MOST_ENTITIES, MOST_FIGURES = 40, 40
FEWEST_TERMS = 8
"""Different terms that a text needs for its print to tell it from others."""
ONE_FOR_ALL = 3
"""Entries of one answer that share a guid, from which it is none."""
_OF_THE_FIELD = frozenset({"asset", "stablecoin", "protocol", "exchange", "data_provider", "term"})
_KANA = range(0x3041, 0x30FB)
_HAN = range(0x3400, 0xA000)


@dataclass(frozen=True, slots=True)
class Draft:
    """An article as it will be stored. ``dated`` where the instant is the publisher's own and past."""

    guid_key: str
    url_key: str
    url: str
    title: str
    text: str
    image: str | None
    language: Language
    published_at: datetime
    dated: bool
    simhash: int
    """Signed, as databases hold 64 bits; 0 where the text is too short for one."""
    entities: tuple[str, ...]
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drafted:
    drafts: tuple[Draft, ...]
    off_topic: int
    """Entries of a general feed that name nothing of the field."""
    repeated: int
    """Entries that the same answer held twice, by guid or by address."""


def drafts_of(feed: Feed, parsed: ParsedFeed, rules: RuleSet, *, now: datetime) -> Drafted:
    """The articles of an answer that came at ``now``; of entries with one guid or address the first.

    An entry without a date was published at the latest when its feed last changed, or else when it came.
    """
    undated = entry_dates.clamped(parsed.updated_at, now) or now
    drafts: list[Draft] = []
    seen: set[str] = set()
    off_topic = repeated = 0
    guids = Counter(entry.guid for entry in parsed.entries)
    for given in parsed.entries:
        # Some publishers give all their entries one guid, which then names none of them.
        entry = replace(given, guid=given.url) if guids[given.guid] >= ONE_FOR_ALL else given
        keys = {
            f"guid {canonical_urls.hash_text(entry.guid)}",
            f"url {canonical_urls.build_page_key(entry.url)}",
        }
        if keys & seen:
            repeated += 1
            continue
        seen |= keys
        entities, of_the_field = _entities(rules, feed, entry)
        if feed.about == "general" and not of_the_field:
            off_topic += 1
            continue
        drafts.append(_draft(feed, entry, entities, undated, now))
    return Drafted(tuple(drafts), off_topic, repeated)


def language_of(entry: Entry, feed_language: Language) -> Language:
    """The feed's language, unless the letters of the entry say plainly that it is in another.

    Titles in Han characters alone may be Japanese or Chinese; then the feed decides.
    """
    spoken = f"{entry.title}\n{entry.text[:READ]}"
    found = detect([spoken])
    if found == feed_language:
        return feed_language
    kana = any(ord(letter) in _KANA for letter in spoken)
    han = sum(1 for letter in spoken if ord(letter) in _HAN)
    if found == "en":
        spelled = any(letter.isalpha() for letter in spoken)
        return "en" if spelled and not kana and not han else feed_language
    if feed_language == "en":
        return found
    if found == "ja":
        return "ja" if kana else feed_language
    return "zh" if not kana and han >= 60 else feed_language


def figures_of(title: str, text: str, language: Language, day: datetime) -> tuple[str, ...]:
    """The figures with a unit that a text tells, as ``value unit`` in plain notation (``3.125 BTC``)."""
    spoken = f"{title}\n{text}"[:READ]
    spans = dates.find(spoken, day.date())
    found = (q for q in quantities.find(spoken, language, spans) if q.unit is not None)
    told = dict.fromkeys(f"{_plain(format(q.value, 'f'))} {q.unit}" for q in found)
    return tuple(told)[:MOST_FIGURES]


def as_json(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False, separators=(",", ":"))


def _draft(feed: Feed, entry: Entry, entities: tuple[str, ...], undated: datetime, now: datetime) -> Draft:
    language = language_of(entry, feed.language)
    published = entry_dates.clamped(entry.published_at, now) or undated
    return Draft(
        guid_key=canonical_urls.hash_text(entry.guid),
        url_key=canonical_urls.build_page_key(entry.url),
        url=entry.url,
        title=entry.title,
        text=entry.text,
        image=entry.image,
        language=language,
        published_at=published,
        dated=entry.dated and published == entry.published_at,
        simhash=_simhash(f"{entry.title}\n{entry.text}"),
        entities=entities,
        figures=figures_of(entry.title, entry.text, language, published),
    )


def _entities(rules: RuleSet, feed: Feed, entry: Entry) -> tuple[tuple[str, ...], bool]:
    """Ids of whom the entry names, in order, and whether it names anything of the field (terms too).

    The press naming itself ("CoinDesk has learned") tells nothing of what the article is about.
    """
    read = ParsedArticle(rules, Article.model_construct(content=f"{entry.title}\n{entry.text}"[:READ]))
    named = dict.fromkeys(
        meaning.entity
        for field in read.fields
        for _, _, meaning, _ in field.reading.found
        if meaning.entity is not None
    )
    types = {entity: rules.entities[entity].type for entity in named}
    itself = () if feed.is_official else (feed.id, feed.publisher)
    kept = [entity for entity in named if types[entity] != "term" and entity not in itself]
    return tuple(kept[:MOST_ENTITIES]), not _OF_THE_FIELD.isdisjoint(types.values())


def _simhash(text: str) -> int:
    if len(set(tokenizer.document_terms(text))) < FEWEST_TERMS:
        return 0
    found = simhash.compute_fingerprint(text)
    return found - (1 << simhash.BITS) if found >> (simhash.BITS - 1) else found


def _plain(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
