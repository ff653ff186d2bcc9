"""Finds names in a text that its inputs do not contain.

Names are the catalogue's entities, words in Latin letters, and references (URLs, handles, wallets). Names in
kanji or katakana outside of the catalogue cannot be told from other words.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backend.articles.engine import RuleSet, mentions
from backend.entities.model import Language
from backend.sources.claims import numbers
from backend.topics.generated_texts import stated_values

_LATIN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ʯ][A-Za-zÀ-ÖØ-öø-ʯ0-9]*(?:[-.&'’+][A-Za-zÀ-ÖØ-öø-ʯ0-9]+)*\+?")
_ANY_LATIN = re.compile(r"[A-Za-zÀ-ʯͰ-ӿ]")
_POSSESSIVE = re.compile(r"['’]s?$")
_LINK = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\bmailto:|\]\(|<[a-z/!]|&#?\w{1,8};|`|\bjavascript:", re.I
)
_REFERENCE = re.compile(
    r"(?<![\w.])(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?:/\S*)?(?!\w|\.\w)"  # a host, perhaps with a path
    r"|[\w.+-]{1,64}@[\w.-]{1,255}|(?<!\w)@\w{2,40}|(?<!\w)[#$][a-z]\w{1,40}"
    r"|\b0x[0-9a-f]{4,64}\b|\b[0-9a-f]{32,64}\b|\bbc1[0-9a-z]{6,87}\b|\b[1-9A-HJ-NP-Za-km-z]{26,64}\b",
    re.I,
)
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…\n]['\"”’」』）)]*\s*['\"“‘「『（(]*$")
_ORDINARY_WORDS = frozenset({"i", "utc", "am", "pm"})
_CALENDAR_WORDS = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|q[1-4])s?",
    re.I,
)
_PLACES: Mapping[str, re.Pattern[str]] = {
    "u.s us united states america american americans": re.compile(
        "米(?!ドル)|美国|美國|美联储|アメリカ|全米"
    ),
    "u.k uk united kingdom britain british": re.compile("英国|英國|イギリス|英(?=中|議|政|金|当|の)"),
    "japan japanese": re.compile("日本|金融庁|日銀|东京|東京"),
    "tokyo": re.compile("東京|东京"),
    "china chinese": re.compile("中国|中國"),
    "hong kong": re.compile("香港"),
    "singapore": re.compile("シンガポール|新加坡"),
    "south korea korean": re.compile("韓国|韩国|韓國"),
    "north korea korean": re.compile("北朝鮮|朝鲜|北韩"),
    "new york": re.compile("ニューヨーク|纽约|紐約"),
    "eu european union europe": re.compile("欧州|欧盟|歐盟|ヨーロッパ|欧洲"),
    "german germany": re.compile("ドイツ|德国"),
    "swiss switzerland": re.compile("スイス|瑞士"),
    "russia russian": re.compile("ロシア|俄罗斯"),
    "india indian": re.compile("インド(?!ネシア)|印度(?!尼)"),
    "el salvador": re.compile("エルサルバドル|萨尔瓦多"),
    "dubai uae": re.compile("ドバイ|迪拜|アラブ首長国|阿联酋"),
    "canada canadian": re.compile("カナダ|加拿大"),
    "australia australian": re.compile("オーストラリア|豪(?=州|政|当)|澳大利亚"),
    "france french": re.compile("フランス|仏(?=政|当|検)|法国"),
}
"""English words for places by their Japanese and Chinese names, because the catalogue has no places."""


@dataclass(frozen=True, slots=True)
class NamedThings:
    """The names in a set of texts. Words in Latin letters are in lower case."""

    entities: frozenset[str]
    words: frozenset[str]
    references: frozenset[str]
    text: str
    """All texts in NFKC form."""


def collect_names(rules: RuleSet, texts: Iterable[str]) -> NamedThings:
    """Collect the names in ``texts``, which a text about them may use."""
    joined = normalize("\n".join(texts))
    entity_ids = {entity for _, _, entity in mentions(rules, joined)}
    words = {*_list_words(joined), *_list_place_words(joined)}
    return NamedThings(frozenset(entity_ids), frozenset(words), frozenset(_find_references(joined)), joined)


def normalize(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def find_links(text: str) -> list[str]:
    """Find links and markup, which a model's text must not contain."""
    return [match.group() for match in _LINK.finditer(normalize(text))]


def find_unsupported_references(text: str, input_names: NamedThings) -> list[str]:
    """Find hosts, handles, cashtags, wallets and transactions that are not in ``input_names``."""
    return sorted(
        reference
        for reference in _find_references(normalize(text))
        if reference not in input_names.references
    )


def find_unsupported_entities(rules: RuleSet, text: str, input_names: NamedThings) -> list[str]:
    """Find names of catalogue entities that ``input_names`` does not contain in any language."""
    normalized = normalize(text)
    return [
        normalized[start:end]
        for start, end, entity in mentions(rules, normalized)
        if entity not in input_names.entities and rules.entities[entity].type != "term"
    ]


def find_unsupported_words(
    rules: RuleSet,
    text: str,
    language: Language,
    input_names: NamedThings,
    excused: Mapping[str, str] | None = None,
) -> list[str]:
    """Find names and tickers in Latin letters that are not in ``input_names``.

    In Japanese and Chinese each Latin word counts. In English a word counts if it has a capital inside a
    sentence or after its first letter. ``excused`` maps names of the source to their translations.
    """
    normalized = normalize(text)
    covered = [(s, e) for s, e, entity in mentions(rules, normalized) if entity in input_names.entities]
    covered += [
        *_find_excused_spans(normalized, input_names, excused or {}),
        *stated_values.find_measures(numbers.normalize(normalized), language),
    ]
    unsupported = []
    matches = list(_LATIN.finditer(normalized))
    for index, match in enumerate(matches):
        word = _POSSESSIVE.sub("", match.group())
        if any(start <= match.start() and match.start() + len(word) <= end for start, end in covered):
            continue
        if _is_known(word, input_names.words) or (
            language == "en" and not _is_name(normalized, matches, index)
        ):
            continue
        unsupported.append(word)
    return unsupported


def _is_known(word: str, words: frozenset[str]) -> bool:
    low = word.lower()
    if low in words or low in _ORDINARY_WORDS or _CALENDAR_WORDS.fullmatch(low):
        return True
    parts = [part for part in re.split(r"[-/]", low) if part]
    return len(parts) > 1 and all(part in words or (part.islower() and part == low) for part in parts)


def _is_name(text: str, matches: Sequence[re.Match[str]], index: int) -> bool:
    """True if an English word is a name by its capitals: after the first letter, or inside a sentence. The
    first word of a sentence counts if another capitalised word follows directly."""
    match = matches[index]
    word = _POSSESSIVE.sub("", match.group())
    if not any(letter.isupper() for letter in word):
        return False
    if any(letter.isupper() for letter in word[1:]) or (
        len(word) > 1 and not word.isalpha() and "-" not in word
    ):
        return True
    before = text[: match.start()].rstrip(" '\"“‘(")
    if before and not _SENTENCE_END.search(text[: match.start()]):
        return True
    follows = matches[index + 1] if index + 1 < len(matches) else None
    is_adjacent = follows is not None and text[match.end() : follows.start()] == " "
    return bool(is_adjacent and follows and follows.group()[0].isupper() and len(word) > 3)


def _find_excused_spans(
    text: str, input_names: NamedThings, names: Mapping[str, str]
) -> Iterator[tuple[int, int]]:
    """Generate the spans of translated names whose original is in the source in another script."""
    for source, translated in names.items():
        original, name = normalize(source).strip(), normalize(translated).strip()
        if (
            len(original) < 2
            or len(name) < 2
            or original not in input_names.text
            or _ANY_LATIN.search(original)
        ):
            continue
        if any(letter.isdigit() for letter in name) or len(name) > 60:
            continue
        yield from ((at, at + len(name)) for at in _find_all(text, name))


def _find_all(text: str, name: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        yield at
        at = text.find(name, at + 1)


def _list_words(text: str) -> Iterator[str]:
    for match in _LATIN.finditer(text):
        word = _POSSESSIVE.sub("", match.group()).lower()
        yield word
        yield from re.split(r"[-/.&]", word)


def _list_place_words(text: str) -> Iterator[str]:
    for words, pattern in _PLACES.items():
        if pattern.search(text):
            yield from words.split()


def _find_references(text: str) -> Iterator[str]:
    return (match.group().lower().rstrip("./") for match in _REFERENCE.finditer(text))
