"""Extracts features of headlines: words, and language-independent entities, figures, acts and Latin names.

Headlines in different languages share no words. The other features show whether they report the same event.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from backend.articles.engine import RuleSet
from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.extraction.mentions import find_mentions
from backend.sources.claims import actions, dates, numbers, quantities
from backend.sources.claims.model import Quantity
from backend.topics.grouping import title_tokens
from backend.topics.grouping.place_names import find_places

CACHE_SIZE = 20_000
"""Titles whose features are cached, because each regrouping reads the window again."""
RELATIVE_BUCKET_WIDTH = 0.06
"""Width of the buckets of figures, as a share of the value."""
COMMON_ENTITY_TYPES = frozenset({"asset", "regulator"})
"""Types of entities that say little about which event a headline reports."""
MAX_LEAD_CHARS = 300
"""Characters of an article's text that count as its lead."""

_ACTOR_TYPES = frozenset({"company", "exchange", "organization", "protocol"})
MAX_ACTOR_POSITION_SHARE = 1 / 3
"""Share of a title, or of the first sentence, within which its actor begins."""
_SENTENCE = re.compile(r".+?(?:[。！？]|[.!?](?=\s|$)|$)", re.DOTALL)
_LATIN_NAME = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]{2,}(?![A-Za-z0-9])")
_AMBIGUOUS_NAME_TYPES = frozenset({"asset", "stablecoin", "protocol", "term", "media"})
_SUBJECT_CONTEXT = "Cryptocurrency exchanges, blockchain, bitcoin, 暗号資産, 加密货币"
_PLAIN_WORDS = frozenset(
    {"the", "and", "for", "with", "from", "ceo", "etf", "new", "dex", "defi", "nft", "usd"}
)
_COMMON_UNITS = frozenset({"time", "hour", "minute", "second", "day", "month", "year"})
_DIGIT = re.compile(r"\d")

_RELEASE_WORDS = frozenset(
    title_tokens.words(
        "action actions agency announce announces application approval approve approves authority board"
        " bureau comment commission department final finalizes guidance issue issues meeting notice office"
        " order press proposal proposals proposed propose proposes public publishes release releases"
        " report request requests rule rules seek seeks statement two update updates"
        " 発表 公表 公告 通知 报告 報告 关于 决定 決定"
    )
)
"""Words that occur in the titles of any release."""

Features = frozenset[str]


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline with the features of its title and of its article's lead."""

    title: str
    language: Language
    published_at: datetime
    features: Features
    """See :func:`extract_features`."""
    words: tuple[str, ...]
    """Terms of :mod:`backend.topics.grouping.title_tokens`."""
    lead_words: tuple[str, ...] = ()
    lead_features: Features = frozenset()
    subjects: Features = frozenset()
    """Entities of the title and the lead except coins and regulators, which most headlines name."""
    actors: Features = frozenset()
    """The organisations with which the title and the lead begin."""
    places: frozenset[str] = frozenset()
    """The countries and states of the title (:mod:`.place_names`)."""
    release_of: str = ""
    """The authority that published the headline itself; empty for a report."""
    release_words: frozenset[str] = frozenset()
    """Words of a release's title beside the names of authorities and the words of releases in general."""


def build_headline(
    rules: RuleSet,
    title: str,
    language: Language,
    published_at: datetime,
    text: str = "",
    *,
    release_of: str = "",
) -> Headline:
    """Build a headline from an article's title and the start of its ``text``. ``release_of`` is the authority
    that published it, if one did."""
    lead = text[:MAX_LEAD_CHARS].strip()
    cacheable = _CacheableRules(rules)
    return Headline(
        title,
        language,
        published_at,
        *_analyse(cacheable, title, language, lead),
        release_of,
        _find_release_words(cacheable, title) if release_of else frozenset(),
    )


def _find_release_words(cacheable: "_CacheableRules", title: str) -> frozenset[str]:
    """Return the words that tell one release of an authority from another."""
    own = title
    for mention in sorted(_find_mentions_cached(cacheable, title), key=lambda mention: -mention.start):
        if cacheable.rules.entities[mention.entity_id].type == "regulator":
            own = f"{own[: mention.start]} {own[mention.end :]}"
    return frozenset(title_tokens.words(own)) - _RELEASE_WORDS


def _list_subjects(rules: RuleSet, features: Features) -> Iterator[str]:
    for feature in features:
        kind, _, entity = feature.partition(":")
        if kind == "entity" and rules.entities[entity].type not in COMMON_ENTITY_TYPES:
            yield feature


def extract_features(rules: RuleSet, title: str, language: Language) -> Features:
    """Return the features of a title: ``entity:bybit``, ``verb:hack``, ``name:pectra``, and for each figure
    the two buckets of its unit that contain its value."""
    return _extract_cached(_CacheableRules(rules), title, language)


def find_title_mentions(rules: RuleSet, title: str) -> list[Mention]:
    """Find the entities of a title from news of the field.

    The field is evidence for organisations and people with names that are also ordinary words (Kraken,
    Gemini), but not for coins and protocols (Optimism, Flow).
    """
    mentions = [
        mention
        for mention in find_mentions(rules, f"{title}\n{_SUBJECT_CONTEXT}")
        if mention.end <= len(title)
    ]
    if all(rules.entities[mention.entity_id].type not in _AMBIGUOUS_NAME_TYPES for mention in mentions):
        return mentions
    spans = {(mention.start, mention.end) for mention in find_mentions(rules, title)}
    return [
        mention
        for mention in mentions
        if (mention.start, mention.end) in spans
        or rules.entities[mention.entity_id].type not in _AMBIGUOUS_NAME_TYPES
    ]


class _CacheableRules:
    """A set of rules that compares by version, so that a reload of the same rules keeps the cache valid."""

    __slots__ = ("rules",)

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def __hash__(self) -> int:
        return hash(self.rules.version)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CacheableRules) and other.rules.version == self.rules.version


@lru_cache(maxsize=CACHE_SIZE)
def _find_mentions_cached(cacheable: _CacheableRules, title: str) -> tuple[Mention, ...]:
    return tuple(find_title_mentions(cacheable.rules, title))


@lru_cache(maxsize=CACHE_SIZE)
def _analyse(
    cacheable: _CacheableRules, title: str, language: Language, lead: str
) -> tuple[Features, tuple[str, ...], tuple[str, ...], Features, Features, Features, frozenset[str]]:
    """Return the fields of a headline from ``features`` on. Leads are cached only here, with their title."""
    features = _extract_cached(cacheable, title, language)
    lead_mentions = find_title_mentions(cacheable.rules, lead) if lead else ()
    lead_features = _extract(lead, language, lead_mentions) if lead else frozenset()
    subjects = frozenset(_list_subjects(cacheable.rules, features | lead_features))
    lead_words = title_tokens.words.__wrapped__(lead) if lead else ()
    first_sentence = _SENTENCE.match(lead)
    mentions = _find_mentions_cached(cacheable, title)
    actors = {*_list_actors(cacheable.rules, title, mentions)}
    if first_sentence:
        actors.update(_list_actors(cacheable.rules, first_sentence.group(), lead_mentions))
    places = find_places(title, language)
    return features, title_tokens.words(title), lead_words, lead_features, subjects, frozenset(actors), places


def _list_actors(rules: RuleSet, text: str, mentions: Iterable[Mention]) -> Iterator[str]:
    """Yield the first organisation of a text, if the text begins with it."""
    for mention in mentions:
        if rules.entities[mention.entity_id].type in _ACTOR_TYPES:
            is_owner = text.startswith(("'s ", "’s "), mention.end)
            if mention.start <= MAX_ACTOR_POSITION_SHARE * len(text) and not is_owner:
                yield f"entity:{mention.entity_id}"
            return


@lru_cache(maxsize=CACHE_SIZE)
def _extract_cached(cacheable: _CacheableRules, title: str, language: Language) -> Features:
    return _extract(title, language, _find_mentions_cached(cacheable, title))


def _extract(title: str, language: Language, mentions: Sequence[Mention]) -> Features:
    normalized = numbers.normalize(title)
    features = {f"entity:{mention.entity_id}" for mention in mentions}
    features |= {f"verb:{action.verb}" for action in actions.find_actions(normalized, language)}
    features |= {f"name:{name}" for name in _find_names(title, mentions)}
    if _DIGIT.search(normalized):  # spelled numbers are rarely figures of a headline
        for quantity in quantities.find_quantities(normalized, language, dates.find_dates(normalized)):
            features.update(_list_buckets(quantity))
    return frozenset(features)


def _find_names(title: str, mentions: Sequence[Mention]) -> Iterator[str]:
    for match in _LATIN_NAME.finditer(title):
        is_in_mention = any(mention.start <= match.start() < mention.end for mention in mentions)
        if not is_in_mention and (name := match.group().lower()) not in _PLAIN_WORDS:
            yield name


def _list_buckets(quantity: Quantity) -> Iterator[str]:
    """Yield two buckets that overlap by half, so that values within half a bucket share at least one."""
    if quantity.unit is None or quantity.unit in _COMMON_UNITS or quantity.value <= 0:
        return
    half = math.floor(2 * (float(quantity.value.ln()) / RELATIVE_BUCKET_WIDTH))
    yield f"figure:{half} {quantity.unit}"
    yield f"figure:{half + 1} {quantity.unit}"
