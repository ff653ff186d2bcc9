"""Extracts language-independent features of headlines: entities, figures, actions and Latin names.

Headlines in different languages share no words. These features show whether they report the same event.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from backend.articles.engine import RuleSet
from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.extraction.mentions import find_mentions
from backend.sources.claims import actions, dates, numbers, quantities
from backend.sources.claims.model import Quantity

CACHE_SIZE = 20_000
"""Titles whose features are cached, because each regrouping reads the window again."""
BUCKET_WIDTH = 0.06
"""Width of the buckets of figures, as a share of the value."""
PADDING_WEIGHT = 0.56
"""Weight of a virtual feature that only this headline has, as a share of the weight of a name that is unique
in the window. It keeps headlines with a single common feature (Bitcoin) from matching others."""
MIN_PADDING = 2.0
"""Minimum weight of the virtual feature, because a small window does not show which features are rare."""
WEIGHTS: Mapping[str, float] = {"entity": 1.0, "name": 1.0, "figure": 0.7, "verb": 0.5}

_LATIN_NAME = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]{2,}(?![A-Za-z0-9])")
_PLAIN_WORDS = frozenset(
    {"the", "and", "for", "with", "from", "ceo", "etf", "new", "dex", "defi", "nft", "usd"}
)
_COMMON_UNITS = frozenset({"time", "hour", "minute", "second", "day", "month", "year"})
_NEEDS_TWO_LANGUAGES = ("name:", "figure:")

Features = frozenset[str]


def extract_features(rules: RuleSet, title: str, language: Language) -> Features:
    """Return the features of a title: ``entity:bybit``, ``verb:hack``, ``name:pectra``, and for each figure
    the two buckets of its unit that contain its value."""
    return _extract_cached(_CacheableRules(rules), title, language)


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
def _extract_cached(cacheable: _CacheableRules, title: str, language: Language) -> Features:
    plain = numbers.normalize(title)
    mentions = find_mentions(cacheable.rules, title)
    found = {f"entity:{mention.entity_id}" for mention in mentions}
    found |= {f"verb:{action.verb}" for action in actions.find(plain, language)}
    found |= {f"name:{name}" for name in _names(title, mentions)}
    for figure in quantities.find(plain, language, dates.find(plain)):
        found.update(_buckets(figure))
    return frozenset(found)


def _names(title: str, mentions: Sequence[Mention]) -> Iterator[str]:
    for match in _LATIN_NAME.finditer(title):
        named = any(mention.start <= match.start() < mention.end for mention in mentions)
        if not named and (name := match.group().lower()) not in _PLAIN_WORDS:
            yield name


def _buckets(figure: Quantity) -> Iterator[str]:
    """Yield two buckets that overlap by half, so that values within half a bucket share at least one."""
    if figure.unit is None or figure.unit in _COMMON_UNITS or figure.value <= 0:
        return
    half = math.floor(2 * (float(figure.value.ln()) / BUCKET_WIDTH))
    yield f"figure:{half} {figure.unit}"
    yield f"figure:{half + 1} {figure.unit}"


def weigh_features(headlines: Sequence[Features], languages: Sequence[Language]) -> list[Mapping[str, float]]:
    """Return for each headline a vector of at most length 1, with features weighted by kind and rarity.

    Latin names and figures count only if headlines of two languages contain them. An English title consists
    of Latin words, and only those that other languages share are names.
    """
    times = Counter(one for each in headlines for one in each)
    languages_of: dict[str, set[Language]] = defaultdict(set)
    for each, language in zip(headlines, languages, strict=True):
        for one in each:
            languages_of[one].add(language)
    weight = {
        one: WEIGHTS[one.partition(":")[0]] * math.log1p(len(headlines) / count)
        for one, count in times.items()
        if len(languages_of[one]) > 1 or not one.startswith(_NEEDS_TWO_LANGUAGES)
    }
    padding = max(PADDING_WEIGHT * math.log1p(len(headlines)), MIN_PADDING)
    vectors: list[Mapping[str, float]] = []
    for each in headlines:
        vector = {one: weight[one] for one in each if one in weight}
        length = math.sqrt(padding**2 + math.fsum(value * value for value in vector.values()))
        vectors.append({one: value / length for one, value in vector.items()})
    return vectors
