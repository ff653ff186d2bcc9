"""Writes a sentence of a report so that it can be quoted alone.

A sentence is quoted as it is, without the connective at its beginning, with the name of a person in brackets,
or behind the sentence before it. Where none of these makes it clear, it is not quoted.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from backend.entities.model import Language
from backend.sources.claims.places import find_cities, find_countries
from backend.topics.feeds.anaphora import has_unclear_opening
from backend.topics.feeds.article_sentences import (
    MAX_SENTENCE_CHARS,
    ArticleSentence,
    Context,
    find_context,
)
from backend.topics.grouping.title_tokens import words
from backend.topics.insights.known_nouns import names_known_noun

ELLIPSIS = "… "
MAX_NOUN_WORDS = 3
MAX_OFFICE_WORDS = 5
"""Words behind a name among which its office is named; a later one belongs to another clause."""
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
_ALSO = re.compile(
    r"^(?:[A-Z][\w’'.&-]*|the|its?) (?:[\w’'.&-]+ ){0,3}also (?![^,.]*(?:\bsaid|\bsays|\btold)\b)"
)
"""*Orrin also plans to …*: what else it plans stands in the sentence before."""
_PLURAL_PRONOUN = re.compile(r"\b(?:they|them)\b")
_PLURAL = re.compile(
    r"\b(?!(?:was|has|is|its|this|does|says|his|as|us|plus|across|perhaps)\b)[A-Za-z]{2,}s\b|\band\b|\bpeople\b"
)
_PRONOUN_BEHIND_FIRST_WORD = re.compile(r"^[A-Z][a-z]+ (?:it|they|he|she)\b")
_ANY_NAME = "Quillport"
"""Stands in for a noun that the reader knows, to learn if the rest of its sentence is clear."""
_IDENTIFIES = re.compile(
    r"^The (?:main|biggest|largest|chief|key|primary|sole|only|top) (?P<rest>[^,;:.“”]{8,70}?)"
    r" (?:is|are|was|were) (?:the )?(?!(?:It|They|This|That|In|On|At|By|For|[A-Z][a-z]+day|January"
    r"|February|March|April|May|June|July|August|September|October|November|December)\b)[A-Z]"
)
"""*The main buyer of the coins was Kestrel*: the sentence itself names its subject."""
_NAMED_OTHERS = re.compile(r"^Other [a-z]+s,? (?:including|such as) (?:the )?[A-Z]")
"""*Other buyers, including Kestrel, …* names those whom it adds to the sentence before."""
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
        r"|^(?:また|なお|さらに|一方で?)(?=同)"
    ),
    "zh": re.compile(r"^(?:但是?|不过|然而|此外|另外|同时|与此同时|另一方面|随后|此后|另据[^，]{2,8})，"),
}
NAME = r"[A-Z][\w’'-]+(?: (?:[A-Z]\.|[A-Z][\w’'-]+)){0,3}"
VERB_OF_SPEECH = (
    r"(?:said|says|wrote|writes|told|argued|argues|added|noted|warned|cautioned|stated|explained|stressed)"
)
_PERSON_PRONOUN = re.compile(r"^(?:he|she)\b", re.IGNORECASE)
_SPEAKER_PRONOUN = re.compile(rf"^(?:he|she) (?=(?:also |later |then )?{VERB_OF_SPEECH}\b)", re.IGNORECASE)
_ANY_PERSON_PRONOUN = re.compile(r"\b(?:he|him|his|himself|she|hers?|herself)\b", re.IGNORECASE)
_SPEAKS_AS_ORGANISATION = re.compile(rf"\b{VERB_OF_SPEECH} (?:that )?(?:it|its|they|their)\b")
_PERSON = (
    r"\b(?:co-?founder|founder|chief|executive|officer|president|chair(?:man|woman|person)?|director|manager"
    r"|head|leader|boss|owner|deputy|adviser|advisor|aide|secretary|minister|senator|lawmaker|congress(?:wo)?man"
    r"|representative|governor|mayor|official|politician|nominee|candidate|judge|lawyer|attorney|counsel"
    r"|prosecutor|detective|agent|guard|suspect|defendant|plaintiff|victim|witness|hacker|attacker|thief"
    r"|fraudster|scammer|whistleblower|insider|client|customer|user|creditor|debtor|shareholder|holder|buyer"
    r"|seller|trader|investor|broker|banker|analyst|economist|expert|critic|engineer|developer|programmer"
    r"|researcher|scientist|professor|student|journalist|reporter|author|employee|worker|accountant|auditor"
    r"|spokes(?:wo)?man|spokesperson|member|partner|colleague|friend|rival|successor|predecessor|billionaire"
    r"|entrepreneur|wife|husband|brother|sister|son|daughter|father|mother|man|woman|boy|girl|teenager|person"
    r"|someone|somebody|anyone|nobody|everyone|one of|CEO|CFO|CTO|COO)\b"
)
_PERSON_NOUN = re.compile(_PERSON, re.IGNORECASE)
_OFFICE = re.compile(rf"{_PERSON}(?:[ -]{_PERSON})*", re.IGNORECASE)
_NO_FIRST_NAME = (
    r"(?:The|On|In|At|For|From|Since|But|And|When|While|After|Before|Under|With|By|As|If|Senators?|Judges?"
    r"|Representatives?|Investors?|Analysts?|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
)
_NO_PERSON = re.compile(
    r"\b(?:North|South|East|West|Northern|Southern|Eastern|Western|Old|New|Great|Big|Little|Former|Rival|Wrapped"
    r"|Staked|Crypto|Banks?|Exchange|Group|Labs?|Capital|Foundation|Inc|Corp|Ltd|LLC|Company|Holdings?|Partners"
    r"|Ventures?|Funds?|Trust|Court|Commission|Committee|Council|Ministry|Department|Agency|Authority|Union"
    r"|Association|Institute|University|Party|Senate|Congress|House|Parliament|Treasury|Reserve|Board|Network"
    r"|Protocol|Finance|Financial|Digital|Markets?|Securities|Technolog(?:y|ies)|Systems|Solutions|Research"
    r"|Analytics|Media|News|Times|Journal|Post|Street|Police|Office|Bureau|Services?|Team|DAO|Chain|Coin|Token"
    r"|Ether|Ethereum|Bitcoin|Cash|Pay|Payments|Wallet|Swap|Games|Studios|Global|International|Assets?"
    r"|Management|Investments?|Insurance|Energy|Industries|Mining|Airlines|Motors|Minister|Chairman|States?|City"
    r"|Islands?|Kingdom|Republic|[A-Z]{2,})\b"
)
"""Words of names of organisations, assets and places."""
_FULL_NAME = re.compile(
    rf"\b(?!{_NO_FIRST_NAME}\b)[A-Z][a-z’'-]+ (?:[A-Z]\. |[A-Z][a-z’'-]+ )?[A-Z][a-z][\w’'-]*"
)
_SPEAKER = re.compile(
    rf"(?:^|[”\"] )(?P<first>{NAME})(?P<office>, [^,]{{3,120}},)? {VERB_OF_SPEECH}\b"
    rf"|[,”\"] {VERB_OF_SPEECH} (?P<behind>{NAME})"
)
_SURNAME = re.compile(rf"^(?P<name>[A-Z][a-z][\w’'-]*)(?= (?:also |later |then )?{VERB_OF_SPEECH}\b)")


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
    if (language != "en" or _NAMED_OTHERS.match(sentence.text)) and _follows_printed(listed, at, printed):
        return sentence.text
    if names_known_noun(sentence.text, listed[:at], printed, language):
        return sentence.text
    connective = _CONNECTIVE[language].match(sentence.text)
    rest = sentence.text[connective.end() :] if connective else sentence.text
    if language == "en" and _PERSON_PRONOUN.match(rest):
        pronoun = _SPEAKER_PRONOUN.match(rest)
        speaker = _find_speaker(listed, at) if pronoun else ""
        if not pronoun or not speaker:
            return ""
        return f"{ELLIPSIS if connective else ''}[{speaker}] {rest[pronoun.end() :]}"
    capitalised = rest[:1].upper() + rest[1:]
    if connective and not _is_unclear(replace(sentence, text=capitalised), language, is_cut=True):
        return f"{ELLIPSIS}{rest}"
    if connective and names_known_noun(rest, listed[:at], printed, language):
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


def _follows_printed(listed: Sequence[ArticleSentence], at: int, printed: str) -> bool:
    """True if the reader has read the sentence before, to which 该 or 同 refers."""
    former = listed[at - 1] if at > 0 else None
    return former is not None and former.place == listed[at].place - 1 and former.text in printed


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
    """True if a sentence needs the one before it. ``is_cut``: its connective was cut off, so that its context
    is found anew. The checks of pronouns and of lone adjectives are for English alone."""
    context = find_context(sentence.text, language) if is_cut else sentence.context
    if context == Context.PREVIOUS:
        return language != "en" or _NAMED_BEHIND.match(sentence.text) is None
    if language != "en" or sentence.place == 0:
        return False
    plural = _PLURAL_PRONOUN.search(sentence.text)
    return (
        _PRONOUN_BEHIND_FIRST_WORD.match(sentence.text) is not None
        or _LONE_ADJECTIVE.match(sentence.text) is not None
        or _ALSO.match(sentence.text) is not None
        or (plural is not None and not _PLURAL.search(sentence.text, 0, plural.start()))
        or (context == Context.NONE and has_unclear_opening(sentence.text, "en"))
    )


def _are_names_printed(sentence: ArticleSentence, printed: str, opening: str) -> bool:
    is_introduced = all(name in printed for name in sentence.needs)
    return is_introduced and all(name in opening for name in sentence.rivals)


def _introduce(listed: Sequence[ArticleSentence], at: int, printed: str) -> ArticleSentence:
    """Write the full name and the office of a person who speaks by the surname, in brackets.

    Nothing is filled in if another name ends with the surname, or if the name may be no person's.
    """
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
    if len({match["full"] for match in found}) != 1 or not is_person(found[0]["full"]):
        return sentence
    office = found[0]["office"] or ""
    has_office = _PERSON_NOUN.search(" ".join(office.split()[:MAX_OFFICE_WORDS])) is not None
    if found[0].start() == 0 and not has_office:  # *Exchange Harrow* may begin a sentence
        return sentence
    introduced = f"{found[0]['full']}{office if has_office else ''}"
    text = f"[{introduced}]{sentence.text[surname.end() :]}"
    return replace(sentence, text=text, needs=sentence.needs - {surname["name"]})


def _is_introduced(sentence: str, printed: str) -> bool:
    """True if a sentence needs the text before it only for a noun (*the net loss*) that ``printed`` has."""
    known = frozenset(words(printed))
    if (identified := _IDENTIFIES.match(sentence)) is not None:
        return not frozenset(words(identified["rest"])).isdisjoint(known)
    first, *others = sentence.split(" ")
    for length in range(1, MAX_NOUN_WORDS + 1):
        noun, rest = " ".join(others[:length]), others[length:]
        if first != "The" or not noun.islower() or not rest:
            return False
        named = frozenset(words(noun))
        if named and named <= known and find_context(" ".join([_ANY_NAME, *rest]), "en") == Context.NONE:
            return True
    return False


def _find_speaker(listed: Sequence[ArticleSentence], at: int) -> str:
    """Find the only person to whom *he* or *she* can refer: the speaker of the sentence right before.

    Empty if the report names another person before, or if that sentence has another noun or pronoun for one.
    """
    former = listed[at - 1] if at > 0 else None
    if former is None or former.place != listed[at].place - 1:
        return ""
    speakers = list(_SPEAKER.finditer(former.text))
    if len(speakers) != 1:
        return ""
    speaker = speakers[0]["first"] or speakers[0]["behind"]
    names = {name for one in listed[:at] for name in _FULL_NAME.findall(one.text) if is_person(name)}
    if names != {speaker} or not _FULL_NAME.fullmatch(speaker):
        return ""
    office = speakers[0]["office"] or ""
    others = former.text.replace(office, _OFFICE.sub("", office, count=1)) if office else former.text
    is_unsure = (
        _PERSON_NOUN.search(others)
        or _ANY_PERSON_PRONOUN.search(former.text)
        or _SPEAKS_AS_ORGANISATION.search(former.text)
    )
    return "" if is_unsure else speaker


def is_person(name: str) -> bool:
    """True for a name without a word of an organisation, an asset or a place."""
    return not (_NO_PERSON.search(name) or find_countries(name) or find_cities(name))


def has_word(text: str, word: str) -> bool:
    """True if a text has a whole word."""
    return re.search(rf"\b{re.escape(word)}\b", text) is not None
