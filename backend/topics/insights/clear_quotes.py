"""Writes a sentence of a report so that it can be quoted alone.

A sentence is quoted as it is, without the connective at its beginning, with the name of a person in brackets,
or behind the sentence before it. Where none of these makes it clear, it is not quoted.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from backend.entities.model import Language
from backend.topics.feeds.anaphora import has_unclear_opening
from backend.topics.feeds.article_sentences import (
    MAX_SENTENCE_CHARS,
    ArticleSentence,
    Context,
    find_context,
)
from backend.topics.grouping.title_tokens import words

ELLIPSIS = "… "
MAX_NOUN_WORDS = 3
_RELATIONAL_NOUN = re.compile(
    r"^The (?:\w+ )?(?:difference|gap|rest|remainder|result|total|sum|figure|reason|cause|move|decision"
    r"|change|delay|rise|fall|increase|decrease|largest|smallest|biggest|latest|first|last|next)\b"
)
"""Nouns that stand for something in the sentence before."""
_LONE_ADJECTIVE = re.compile(
    r"^The (?:largest|smallest|biggest|latest|first|last|next|other|others)"
    r" (?:is|are|was|were|has|have|had|will|would|comes?|came|went)\b"
)
_BACK_REFERENCE = re.compile(
    r"^(?:it|its|they|their|theirs|them|this|that|these|those|both|each|neither|either|none|all|most|some"
    r"|several|one|two|three|another|others?|such|there)\b"
    r"|^(?:an?|one|the|no|two|three) [^,;]{2,30} (?:on|of|for|to|with|against|by|about|in) (?:it|them)\b"
    r"|^(?:if|when|once|unless|until|after|before|while|as|although|though|despite|with|without|under|in|on|for)"
    r" (?:it|its|they|their|them|that|this|these|those)\b|\botherwise\b|\b(?:this|these|those)\b",
    re.IGNORECASE,
)
_NAMED_BEHIND = re.compile(
    r"^(?:If|When|Once|Unless|Until|After|Before|While|Although) it [^,]{2,40}, [A-Z][\w-]*[A-Z0-9]\b"
)
"""A clause whose pronoun means the name behind it (*If it passes, QIP-12 takes effect*)."""
_PLURAL_PRONOUN = re.compile(r"\b(?:they|them)\b")
_PLURAL = re.compile(
    r"\b(?!(?:was|has|is|its|this|does|says|his|as|us|plus|across|perhaps)\b)[A-Za-z]{2,}s\b|\band\b|\bpeople\b"
)
_PRONOUN_BEHIND_FIRST_WORD = re.compile(r"^[A-Z][a-z]+ (?:it|they|he|she)\b")
_ANY_NAME = "Quillport"
"""Stands in for a noun that the reader knows, to learn if the rest of its sentence is clear."""
_DEFINITE = re.compile(rf"^The (?P<noun>[a-z][\w-]*(?: [a-z][\w-]*){{0,{MAX_NOUN_WORDS - 1}}})")
_CONNECTIVE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:(?:however|even so|still|yet|nevertheless|nonetheless|meanwhile|moreover|furthermore|also"
        r"|at the same time|in addition|since then|by contrast|separately|instead|then|for now),"
        r"|but(?! for\b)|and) ",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"^(?:しかし|ただし?|だが|一方(?:で)?|また|なお|さらに|もっとも|とはいえ|その後|ところが)、"
    ),
    "zh": re.compile(r"^(?:但是?|不过|然而|此外|另外|同时|与此同时|另一方面|随后|此后|另据[^，]{2,8})，"),
}
_SPEAKER_PRONOUN = re.compile(r"^(?:he|she) (?=[a-z])", re.IGNORECASE)
_NAME = r"[A-Z][\w’'-]+(?: (?:[A-Z]\.|[A-Z][\w’'-]+)){0,3}"
VERB_OF_SPEECH = (
    r"(?:said|says|wrote|writes|told|argued|argues|added|noted|warned|cautioned|stated|explained|stressed)"
)
_NO_FIRST_NAME = (
    r"(?:The|On|In|At|For|From|Since|But|And|When|While|After|Before|Under|With|By|As|If|Senators?|Judges?"
    r"|Representatives?|Investors?|Analysts?|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
)
_FULL_NAME = re.compile(
    rf"\b(?!{_NO_FIRST_NAME}\b)[A-Z][a-z’'-]+ (?:[A-Z]\. |[A-Z][a-z’'-]+ )?[A-Z][a-z][\w’'-]*"
)
_SPEAKER = re.compile(
    rf"(?:^|[”\"] )(?P<first>{_NAME})(?:, [^,]{{3,120}},)? {VERB_OF_SPEECH}\b"
    rf"|[,”\"] {VERB_OF_SPEECH} (?P<behind>{_NAME})"
)
_SURNAME = re.compile(r"^(?P<name>[A-Z][a-z][\w’'-]*)(?= [a-z])")


def make_clear(
    listed: Sequence[ArticleSentence], at: int, language: Language, printed: str, opening: str
) -> str:
    """Return the sentence ``at`` of a report so that it stands alone; empty if nothing makes it clear.

    ``printed`` is what the reader has read, and ``opening`` its part that names the parties: the titles and
    the first sentence.
    """
    sentence = _introduce(listed, at, printed) if language == "en" else listed[at]
    if not _are_names_printed(sentence, printed, opening):
        return ""
    if not _is_unclear(sentence, language) or _is_introduced(sentence.text, printed):
        return sentence.text
    connective = _CONNECTIVE[language].match(sentence.text)
    rest = sentence.text[connective.end() :] if connective else sentence.text
    if language == "en" and (pronoun := _SPEAKER_PRONOUN.match(rest)):
        speaker = _find_speaker(listed, at)
        return f"{ELLIPSIS if connective else ''}[{speaker}] {rest[pronoun.end() :]}" if speaker else ""
    capitalised = rest[:1].upper() + rest[1:]
    if connective and not _is_unclear(replace(sentence, text=capitalised), language, is_cut=True):
        return f"{ELLIPSIS}{rest}"
    return _join_former(listed, sentence, at, language, printed, opening)


def _join_former(
    listed: Sequence[ArticleSentence],
    sentence: ArticleSentence,
    at: int,
    language: Language,
    printed: str,
    opening: str,
) -> str:
    """Put what comes before a sentence in front, if that stands alone and is what the sentence speaks of."""
    former = listed[at - 1] if at > 0 else None
    if former is None or former.place != sentence.place - 1 or former.text in printed:
        return ""
    if language == "en" and not _refers_to(sentence.text, former.text):
        return ""
    if not _is_unclear(former, language) or _is_introduced(former.text, printed):
        front = former.text if _are_names_printed(former, printed, opening) else ""
    else:
        front = _join_former(listed, former, at - 1, language, printed, opening) if language == "en" else ""
    if not front:
        return ""
    joined = f"{front}{' ' if language == 'en' else ''}{sentence.text}"
    return joined if len(joined) <= MAX_SENTENCE_CHARS[language] else ""


def _refers_to(sentence: str, former: str) -> bool:
    """True if a sentence begins with a pronoun for a thing, or with a noun that the sentence before has."""
    if re.match(r"(?:he|she|his|her)\b", sentence, re.IGNORECASE) or former.startswith(("“", '"')):
        return False
    if _LONE_ADJECTIVE.match(sentence):
        return _PLURAL.search(former) is not None
    if _RELATIONAL_NOUN.match(sentence):
        return True
    if definite := _DEFINITE.match(sentence):
        return not frozenset(words(definite["noun"])).isdisjoint(words(former))
    return _BACK_REFERENCE.search(sentence) is not None


def _is_unclear(sentence: ArticleSentence, language: Language, *, is_cut: bool = False) -> bool:
    """True if a sentence needs the one before it. ``is_cut``: its beginning was cut off since."""
    context = find_context(sentence.text, language) if is_cut else sentence.context
    if context == Context.PREVIOUS:
        return language != "en" or _NAMED_BEHIND.match(sentence.text) is None
    if language != "en" or sentence.place == 0:
        return False
    plural = _PLURAL_PRONOUN.search(sentence.text)
    return (
        _PRONOUN_BEHIND_FIRST_WORD.match(sentence.text) is not None
        or _LONE_ADJECTIVE.match(sentence.text) is not None
        or (plural is not None and not _PLURAL.search(sentence.text, 0, plural.start()))
        or (context == Context.NONE and has_unclear_opening(sentence.text, "en"))
    )


def _are_names_printed(sentence: ArticleSentence, printed: str, opening: str) -> bool:
    is_introduced = all(name in printed for name in sentence.needs)
    return is_introduced and all(name in opening for name in sentence.rivals)


def _introduce(listed: Sequence[ArticleSentence], at: int, printed: str) -> ArticleSentence:
    """Write the full name and the office of the person with whose surname a sentence begins, in brackets."""
    sentence = listed[at]
    surname = _SURNAME.match(sentence.text)
    if surname is None or has_word(printed, surname["name"]):
        return sentence
    name = re.escape(surname["name"])
    introduction = re.compile(
        rf"(?:^|(?<=[a-z,] ))(?P<full>(?!{_NO_FIRST_NAME}\b)[A-Z][\w.’'-]+ (?:[A-Z][\w.’'-]+ )?{name})\b"
        r"(?P<office>, (?:(?:an?|the) )?[a-z][^,“”]{3,90}(?=,))?"
    )
    found = [match for one in listed[:at] for match in introduction.finditer(one.text)]
    if len({match["full"] for match in found}) != 1:  # nobody, or two people of one surname
        return sentence
    text = f"[{found[0].group()}]{sentence.text[surname.end() :]}"
    return replace(sentence, text=text, needs=sentence.needs - {surname["name"]})


def _is_introduced(sentence: str, printed: str) -> bool:
    """True if a sentence needs the text before it only for a noun (*the net loss*) that ``printed`` has."""
    first, *others = sentence.split(" ")
    known = frozenset(words(printed))
    for length in range(1, MAX_NOUN_WORDS + 1):
        noun, rest = " ".join(others[:length]), others[length:]
        if first != "The" or not noun.islower() or not rest:
            return False
        named = frozenset(words(noun))
        if named and named <= known and find_context(" ".join([_ANY_NAME, *rest]), "en") == Context.NONE:
            return True
    return False


def _find_speaker(listed: Sequence[ArticleSentence], at: int) -> str:
    """Find who speaks in the sentence right before one that begins with *he* or *she*; empty if it names
    another person, or nobody by a full name."""
    former = listed[at - 1] if at > 0 else None
    if former is None or former.place != listed[at].place - 1:
        return ""
    speakers = {match["first"] or match["behind"] for match in _SPEAKER.finditer(former.text)}
    names = set(_FULL_NAME.findall(former.text))
    return next(iter(speakers)) if len(speakers) == 1 and names == speakers else ""


def has_word(text: str, word: str) -> bool:
    """True if a text has a whole word."""
    return re.search(rf"\b{re.escape(word)}\b", text) is not None
