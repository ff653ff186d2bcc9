"""Finds the earlier topics of the same story; none is better than a wrong one.

An earlier topic is of the same story if both give the same reference (a proposal, a case, a page of a primary
source), if a report links to it or names the day of it, or if the reports retell it: its parties, its names
and its act.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.extraction.mentions import find_mentions
from backend.sources.claims import actions, dates, lexical_features, numbers
from backend.sources.claims.claim_splitting import sentences
from backend.topics.grouping.headline_features import extract_features
from backend.topics.grouping.title_tokens import words
from backend.topics.insights.model import Related, Report
from backend.topics.model import Realm, Topic
from backend.topics.store import topic_rows
from backend.topics.tables import topics

MAX_RELATED = 3
MAX_SEARCHED_TOPICS = 400
"""Earlier topics that are searched for related ones."""
MIN_RETOLD = 0.6
"""Share of an earlier title, weighted by rarity, that the reports of a topic must repeat."""
MIN_RETOLD_UNNAMED = 0.8
"""The same for a title in which no name can be told from ordinary words."""
MAX_ANCHOR_SHARE, MAX_ANCHOR_TITLES = 0.03, 5
"""Share and number of the searched titles that may contain a word that ties two titles together."""
_COMMON_TYPES = frozenset({"asset", "stablecoin", "regulator", "media", "data_provider", "term"})
"""Types of entities that occur in many stories, so that they tie none together."""
MAX_TEXT_CHARS = 6_000
_REFERENCE = re.compile(
    r"\b(?:BIP|EIP|ERC|SIMD|AIP|CIP|SIP|ACP|PIP|HIP|MIP|CVE|ZIP|LIP|TIP)[- ]?\d{1,5}(?:-\d{2,6})?\b"
    r"|\b\d:\d\d-[a-z]{2}-\d{3,6}\b|\bH\.?R\.? ?\d{2,5}\b|\bS\. ?\d{3,5}\b"
)
_REPORTED = re.compile(
    r"\breport(?:ed|s)\b|\bpreviously\b|\bearlier\b|此前|早前|曾报道|既報|報じ|報道", re.IGNORECASE
)
_CAPITAL = re.compile(r"(?<![.!?:“\"] )(?<!^)(?<!\n)\b[A-Z][A-Za-z0-9]+")
_LOWER = re.compile(r"(?<![A-Za-z0-9])[a-z][a-z0-9]+")
_NAME_HAN = re.compile(r"[ァ-ヺー]{3,}|[A-Za-z][A-Za-z0-9]{2,}")


@dataclass(frozen=True, slots=True)
class _Story:
    """What is known of a topic in one language. ``titles`` are those of its reports."""

    titles: str
    text: str
    features: frozenset[str]
    """Features of the titles in all languages."""
    references: frozenset[str]
    pages: frozenset[str]
    """Specific pages of primary sources."""


def find_earlier(
    connection: Connection,
    topic: Topic,
    language: Language,
    reports: Sequence[Report],
    rules: RuleSet,
    realms: Collection[Realm],
    base_url: str,
    *,
    before: datetime,
) -> list[Related]:
    """Find up to :data:`MAX_RELATED` topics from before ``before`` of the same story, the oldest first."""
    earlier = [
        one
        for one in _load_earlier(connection, topic, realms, before)
        if language in one.texts
        and (one.event is None or one.event != topic.event)
        and not one.url.startswith(base_url)
    ]
    own = _build_story(topic, language, rules, [report for report in reports if report.language == language])
    finder = _Finder(own, topic, reports, rules, language, [one.texts[language].title for one in earlier])
    found = [one for one in earlier if finder.is_same_story(one)][:MAX_RELATED]
    return [Related(one.id or 0, one.texts[language].title, one.published_at) for one in reversed(found)]


class _Finder:
    def __init__(
        self,
        own: _Story,
        topic: Topic,
        reports: Sequence[Report],
        rules: RuleSet,
        language: Language,
        titles: Sequence[str],
    ) -> None:
        self._own = own
        self._rules = rules
        self._language = language
        self._texts = [f"{report.title}\n{report.text}" for report in reports]
        self._words = frozenset(words(own.text))
        self._title_words = frozenset(words(own.titles))
        self._parties = _find_parties(rules, own.titles, language)
        acts = _find_acts(own.text[:MAX_TEXT_CHARS], language)
        self._acts = acts.union(*(actions.load_verbs()[act].after for act in acts))
        """The acts of the topic and those that they take for granted: a case that is dismissed was filed."""
        mentioned = {mention.entity_id for mention in find_mentions(rules, own.text[:MAX_TEXT_CHARS])}
        self._entities = mentioned | set(topic.entities)
        self._counts = Counter(word for title in titles for word in set(words(title)))
        self._topics = len(titles)
        self._reported_days = _find_reported_days(reports, language)

    def is_same_story(self, earlier: Topic) -> bool:
        story = _build_story(earlier, self._language, self._rules, ())
        if story.references & self._own.references or story.pages & self._own.pages:
            return True
        if any(item.url in text for item in earlier.media for text in self._texts):
            return True
        title = earlier.texts[self._language].title
        if not self._has_anchor(title):
            return False
        if earlier.published_at.date() in self._reported_days:
            return True
        return self._is_retold(title, story)

    def _has_anchor(self, title: str) -> bool:
        """True if both titles name one party. If both have parties of the catalogue, these decide."""
        parties = _find_parties(self._rules, title, self._language)
        if parties and self._parties:
            return bool(parties & self._parties)
        limit = max(MAX_ANCHOR_TITLES, int(MAX_ANCHOR_SHARE * self._topics))
        rare = {word for word in self._title_words.intersection(words(title)) if self._counts[word] <= limit}
        if not rare:
            return False
        proper = _find_proper_names(title, self._own.text, self._language)
        names = _find_other_names(self._rules, title).union(*(words(name) for name in proper))
        return not rare.isdisjoint(names)

    def _is_retold(self, title: str, story: _Story) -> bool:
        entities = {one.removeprefix("entity:") for one in story.features if one.startswith("entity:")}
        acts = {one.removeprefix("verb:") for one in story.features if one.startswith("verb:")}
        told_acts = _without_generic(acts) or _find_acts(story.text[:MAX_TEXT_CHARS], self._language)
        if not entities <= self._entities or not told_acts & self._acts:
            return False
        names = _find_proper_names(title, story.text, self._language)
        if any(name.lower() not in self._own.text.lower() for name in names):
            return False
        weights = {word: math.log1p(self._topics / self._counts[word]) for word in words(title)}
        retold = math.fsum(weight for word, weight in weights.items() if word in self._words)
        required = MIN_RETOLD if names or entities else MIN_RETOLD_UNNAMED
        return retold >= required * math.fsum(weights.values())


def _load_earlier(
    connection: Connection, topic: Topic, realms: Collection[Realm], before: datetime
) -> list[Topic]:
    """Load the latest topics from before ``before``, the newest first."""
    selected = (
        sa.select(topics.c.id)
        .where(
            topics.c.realm.in_(sorted(realms)),
            topics.c.published_at < before,
            topics.c.merged_into.is_(None),
            topics.c.id != topic.id,
        )
        .order_by(topics.c.published_at.desc(), topics.c.id.desc())
        .limit(MAX_SEARCHED_TOPICS)
    )
    return topic_rows.read_topics(connection, connection.execute(selected).scalars().all())


def _build_story(topic: Topic, language: Language, rules: RuleSet, reports: Sequence[Report]) -> _Story:
    text = topic.texts[language]
    bullets = (bullet for group in text.bullets for bullet in group)
    visible = "\n".join([text.title, text.summary, *bullets])
    full = "\n".join([visible, *(f"{report.title}\n{report.text}" for report in reports)])
    features = {
        feature for code, one in topic.texts.items() for feature in extract_features(rules, one.title, code)
    }
    return _Story(
        titles="\n".join([text.title, *(report.title for report in reports)]),
        text=full,
        features=frozenset(features),
        references=frozenset(
            match.group().replace(" ", "-").upper() for match in _REFERENCE.finditer(visible)
        ),
        pages=frozenset(
            item.url
            for item in topic.media
            if item.kind == "primary_source" and "/" in urlsplit(item.url).path.strip("/")
        ),
    )


def _find_acts(text: str, language: Language) -> frozenset[str]:
    found = actions.find_actions(numbers.normalize(text, language), language)
    return _without_generic(action.verb for action in found)


def _without_generic(names: Iterable[str]) -> frozenset[str]:
    listed = actions.load_verbs()
    return frozenset(name for name in names if not listed[name].generic)


def _find_parties(rules: RuleSet, title: str, language: Language) -> frozenset[str]:
    """Find the parties of the catalogue in a title."""
    return frozenset(
        name
        for feature in extract_features(rules, title, language)
        if (name := feature.removeprefix("entity:")) != feature
        and rules.entities[name].type not in _COMMON_TYPES
    )


def _find_other_names(rules: RuleSet, title: str) -> frozenset[str]:
    """Find the words of names outside the catalogue in a title, as :func:`words` gives them."""
    spans = [(mention.start, mention.end) for mention in find_mentions(rules, title)]
    names = lexical_features.find_names(title, spans)
    return frozenset(word for name in names for word in words(name) if not word.isdigit())


def _find_proper_names(title: str, text: str, language: Language) -> set[str]:
    """Find the names in a title. In English these are words that are capitals inside of its sentences and
    nowhere in lower case, because headlines may capitalise every word."""
    if language != "en":
        return set(_NAME_HAN.findall(title))
    body = text.removeprefix(title)
    lower = set(_LOWER.findall(body))
    capital = set(_CAPITAL.findall(body))
    return {
        word
        for word in re.findall(r"[A-Z][A-Za-z0-9]+", title)
        if word in capital and word.lower() not in lower
    }


def _find_reported_days(reports: Sequence[Report], language: Language) -> set[date]:
    """Find the days on which the reports say that something was reported."""
    found: set[date] = set()
    for report in reports:
        if report.language != language:
            continue
        for sentence in sentences(report.text[:MAX_TEXT_CHARS]):
            if _REPORTED.search(sentence):
                spans = dates.find_dates(numbers.normalize(sentence, language), report.published_at.date())
                found |= {span.first for span in spans if span.precision == "day" and not span.yearless}
    return found
