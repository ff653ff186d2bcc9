"""Analyses feed entries: language, entities, quantities and a fingerprint of the text."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
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
from backend.topics.feeds.article_sentences import is_boilerplate
from backend.topics.feeds.entry_links import Link, OfficialLinks
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.parsing import Entry, ParsedFeed

MAX_ANALYSED_CHARS = 4_000
"""Characters of a text that are searched for entities and quantities."""
MAX_ENTITIES, MAX_QUANTITIES = 40, 40
MIN_TERMS = 8
"""Distinct terms from which the fingerprint of a text tells it from others."""
MIN_SHARED_GUIDS = 3
"""A guid that this many entries of one response share identifies none of them."""
_RELEVANT_TYPES = frozenset({"asset", "stablecoin", "protocol", "exchange", "data_provider", "term"})
_TRADING_PAIR = re.compile(r"(?<![A-Za-z0-9])[A-Z0-9]{2,10}/[A-Z]{3,5}(?![A-Za-z0-9])")
_TICKER = re.compile(r"\W*[A-Z]{2,6}\W*[$€£¥]?[\d.,]+(?:\s*[(+−-]*[\d.,]+%\)?)?\W*")
_KANA = range(0x3041, 0x30FB)
_HAN = range(0x3400, 0xA000)


@dataclass(frozen=True, slots=True)
class Draft:
    """An article ready to be stored. ``dated`` is True if ``published_at`` is the publisher's own date."""

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
    """A signed 64-bit integer, as databases store it; 0 if the text is too short."""
    entity_ids: tuple[str, ...]
    quantities: tuple[str, ...]
    links: tuple[Link, ...] = ()
    """The links to official pages."""


@dataclass(frozen=True, slots=True)
class DraftResult:
    drafts: tuple[Draft, ...]
    off_topic: int
    """Entries of a general feed that name no entity or term of the crypto field."""
    repeated: int
    """Entries that the same response contained before, by guid or by URL."""


def build_drafts(feed: Feed, parsed: ParsedFeed, rules: RuleSet, *, now: datetime) -> DraftResult:
    """Build the articles of a response received at ``now``. Of entries with one guid or URL the first counts.

    An entry without a date gets the time of its feed's last change, or else ``now``.
    """
    undated = entry_dates.clamp(parsed.updated_at, now) or now
    official_links = OfficialLinks(rules.entities)
    drafts: list[Draft] = []
    seen_keys: set[str] = set()
    off_topic = repeated = 0
    guids = Counter(entry.guid for entry in parsed.entries)
    for original in parsed.entries:
        # Some publishers give all their entries one guid, which then identifies none of them.
        entry = replace(original, guid=original.url) if guids[original.guid] >= MIN_SHARED_GUIDS else original
        keys = {
            f"guid {canonical_urls.hash_text(entry.guid)}",
            f"url {canonical_urls.build_page_key(entry.url)}",
        }
        if keys & seen_keys:
            repeated += 1
            continue
        seen_keys |= keys
        entities, is_relevant = _find_entities(rules, feed, entry)
        if feed.about == "general" and not is_relevant:
            off_topic += 1
            continue
        entry = replace(entry, title=cut_outlet(entry.title, feed.name))
        links = official_links.select(entry.links, entry.url)
        drafts.append(_build_draft(feed, entry, entities, links, undated, now))
    return DraftResult(tuple(drafts), off_topic, repeated)


def cut_outlet(title: str, outlet: str) -> str:
    """Return a title without the name of its outlet behind a dash or a bar."""
    return re.sub(rf"\s+[-–—|｜]\s+{re.escape(outlet)}\s*$", "", title, flags=re.IGNORECASE)


def detect_language(entry: Entry, feed_language: Language) -> Language:
    """Return the feed's language, unless the script of the entry clearly shows another one.

    A text in Han characters alone may be Japanese or Chinese; then the feed's language counts.
    """
    text_start = f"{entry.title}\n{entry.text[:MAX_ANALYSED_CHARS]}"
    detected = detect([text_start])
    if detected == feed_language:
        return feed_language
    kana = any(ord(letter) in _KANA for letter in text_start)
    han = sum(1 for letter in text_start if ord(letter) in _HAN)
    if detected == "en":
        spelled = any(letter.isalpha() for letter in text_start)
        return "en" if spelled and not kana and not han else feed_language
    if feed_language == "en":
        return detected
    if detected == "ja":
        return "ja" if kana else feed_language
    return "zh" if not kana and han >= 60 else feed_language


def find_quantities(title: str, text: str, language: Language, day: datetime) -> tuple[str, ...]:
    """Find the figures with a unit in a text, as ``value unit`` in plain notation (``3.125 BTC``)."""
    text_start = f"{title}\n{text}"[:MAX_ANALYSED_CHARS]
    spans = dates.find_dates(text_start, day.date())
    quantities_with_unit = (
        q for q in quantities.find_quantities(text_start, language, spans) if q.unit is not None
    )
    texts = dict.fromkeys(f"{_strip_zeros(format(q.value, 'f'))} {q.unit}" for q in quantities_with_unit)
    return tuple(texts)[:MAX_QUANTITIES]


def dump_json(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False, separators=(",", ":"))


def _build_draft(
    feed: Feed,
    entry: Entry,
    entity_ids: tuple[str, ...],
    links: tuple[Link, ...],
    undated: datetime,
    now: datetime,
) -> Draft:
    language = detect_language(entry, feed.language)
    published = entry_dates.clamp(entry.published_at, now) or undated
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
        simhash=_compute_simhash(f"{entry.title}\n{entry.text}"),
        entity_ids=entity_ids,
        quantities=find_quantities(entry.title, entry.text, language, published),
        links=links,
    )


def _find_entities(rules: RuleSet, feed: Feed, entry: Entry) -> tuple[tuple[str, ...], bool]:
    """Find the ids of the entities that the entry names, in order, and whether any entity or term is
    relevant.

    A press outlet that names itself ("CoinDesk has learned") is not a subject of the article.
    """
    told = "\n".join([entry.title, *list_told_lines(entry.text[:MAX_ANALYSED_CHARS], feed.language)])
    article = ParsedArticle(rules, Article.model_construct(content=told))
    entity_ids = dict.fromkeys(
        meaning.entity
        for field in article.fields
        for _, _, meaning, _ in field.matched_field.occurrences
        if meaning.entity is not None
    )
    types = {entity: rules.entities[entity].type for entity in entity_ids}
    own_names = () if feed.is_official else (feed.id, feed.publisher)
    mentioned = [entity for entity in entity_ids if types[entity] != "term" and entity not in own_names]
    return tuple(mentioned[:MAX_ENTITIES]), not _RELEVANT_TYPES.isdisjoint(types.values())


def list_told_lines(text: str, language: Language) -> Iterator[str]:
    """Generate the lines of a text without lines of the page (credits, prices, footers) and trading pairs."""
    for line in text.split("\n"):
        if not _TICKER.fullmatch(line) and not is_boilerplate(line, language):
            yield _TRADING_PAIR.sub(" ", line)


def _compute_simhash(text: str) -> int:
    if len(set(tokenizer.document_terms(text))) < MIN_TERMS:
        return 0
    fingerprint = simhash.compute_fingerprint(text)
    return fingerprint - (1 << simhash.BITS) if fingerprint >> (simhash.BITS - 1) else fingerprint


def _strip_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
