"""Names the parties of a topic that have official pages, none of which is among its sources."""

import re
from collections.abc import Collection, Mapping, Sequence

from backend.articles.engine import RuleSet
from backend.entities.mention import Mention
from backend.entities.model import Entity, Language
from backend.sources.claims import actions
from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.grouping.headline_features import find_title_mentions
from backend.topics.insights.model import Report
from backend.topics.insights.named_agents import (
    find_acting_authority,
    find_included_span,
    is_deciding,
)

MAX_PARTIES = 3
"""Of more parties none is named, because a part of them would mislead."""
BITCOIN_ID = "bitcoin"
"""Bitcoin has no organisation behind it, whose page could be missing."""
MAX_LEADING_SHARE = 1 / 3
"""Share of a title within which its subject begins."""
MAX_WORDS_BEFORE = 1
"""English words before a subject, beside articles, places and owners."""
MAX_VERB_CHARS = 16
_ENUMERATION = re.compile(r"\s*(?:,|&|、|，|・|や|と|和|与|與|及|,?\s*\band\b)\s*")
_ENUMERATED_BEHIND = re.compile(
    r"(?:\s*,|\s*&|,?\s+and)\s+[A-Z]|\s*[、・・]\s*[ァ-ヺ一-鿿A-Z]|[和与與及]\s*[A-Z一-鿿]"
)
_ENUMERATED_BEFORE = re.compile(r"[\w’'.]+(?:\s*,|\s*&|,?\s+and)\s+$")
_AUTHORITIES = frozenset({"regulator", "court", "government"})
_AUTHORITY_NOUN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:[A-Z][\w.]+ ){0,2}(?:US|U\.S\.|UK|EU|court|judge|jury|prosecutors?|police|regulators?|watchdog"
        r"|authorities|lawmakers?|senators?|government|tribunal)\b|(?:US|U\.S\.|UK) ",
        re.IGNORECASE,
    ),
    "ja": re.compile(r".{0,8}(?:当局|裁判所|地裁|高裁|最高裁|検察|警察|警視庁|県警|政府|議会|国会)"),
    "zh": re.compile(
        r".{0,8}(?:当局|當局|法院|法官|检方|檢方|检察|檢察|警方|监管机构|監管機構|政府|议会|議會)"
    ),
}
"""A title that begins so tells of an act of an authority, even if the catalogue does not know it."""
_MEMBERS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r" (?:democrats?|republicans?|lawmakers?|senators?|representatives?|members?|parliament|council"
        r"|politicians?|mps?|legislators?|employees?|workers?|users?|customers?|clients?|investors?|holders?"
        r"|alum\w*|(?:co-?)?founders?)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"の?(?:議員|議会|委員会|会員|利用者|ユーザー|顧客|投資家|従業員|(?:共同)?創業者|(?:共同)?創設者|元)"
    ),
    "zh": re.compile(
        r"的?(?:议员|議員|议会|議會|委员会|成员|用户|客户|投资者|员工|(?:联合|聯合|共同)?(?:创始人|創始人|創辦人|创办人)|前)"
    ),
}
"""Those who belong to an organisation and act for themselves."""
_PREPOSITION = re.compile(
    r"\b(?:in|of|from|by|to|at|with|against|for|across|under|on|into|via|outside)(?: the)?\s$", re.IGNORECASE
)
_PLACE_BEFORE = re.compile(r"(?:(?<!自)从|從|存入|转入|轉入|转至|流入|提自)\s*$")
_RECIPIENT_BEFORE = re.compile(r"(?<!一)向\s*$")
_TRANSFER_BEHIND = re.compile(r"[^，。]{0,4}(?:转|轉|存|充|汇|匯)")
_PLACE_BEHIND = re.compile(r"(?:から|(?:へ|に)[^、。]{0,8}(?:入金|送金|移動|預け))")
"""A name behind 从 or in front of から is where something moves from or to, and not who acts."""
_INTRODUCTION = re.compile(
    r"^(?:[^,]{1,30}, )|\b(?:the|an?|US|U\.S\.|UK|EU)\s|(?:[\w.]+ ){0,2}[\w.]+[’']s\s", re.I
)
_SPEAKS = re.compile(
    r" (?:says|confirms|announces|denies|plans|launches|freezes|targets|schedules|delays|activates|releases"
    r"|unveils|proposes|to)\b",
    re.IGNORECASE,
)
_ORGANISATIONS = frozenset({"exchange", "company", "regulator", "organization"})
_PROJECTS = frozenset({"protocol", "stablecoin", "asset"})
"""Types whose name also means the organisation behind them."""


def find_silent_parties(
    title: str,
    own: Sequence[Report],
    reports: Sequence[Report],
    linked_owners: Collection[str],
    rules: RuleSet,
    language: Language,
) -> list[str]:
    """Name the parties that have official pages, none of which is among the reports or ``linked_owners``.

    Where an authority acts or decides, its page is one to miss: not that of the party that it fines or names.
    Either all parties of an enumeration are named or none. An authority that the catalogue does not know is
    named as the text writes it.
    """
    owners = {*(report.owner for report in reports), *linked_owners}
    leads = _list_leads(own)
    texts = [(title, language), *leads]
    is_authority = bool(_AUTHORITY_NOUN[language].match(title) or find_acting_authority(title, language))
    if is_authority:
        texts += _list_leads(reports)
    found = (_find_authorities(text, rules, code) for text, code in texts)
    authorities = next((entities for entities in found if entities), [])
    if authorities and not any(authority.id in owners for authority in authorities):
        parties = authorities
    elif is_authority and not authorities:
        written = (find_acting_authority(text, code) for text, code in [(title, language), *leads])
        name = next(filter(None, written), "")
        return [name] if name and not any(report.official for report in reports) else []
    else:
        parties = _list_parties(title, rules, language)
        deciding = [one for text, code in texts for one in _list_deciding(text, rules, code)]
        parties += [one for one in deciding if one not in parties]
        if not parties:
            parties = [one for text, _ in leads for one in _list_included(text, rules)]
    has_organisation = any(entity.type in _ORGANISATIONS for entity in parties)
    silent = {
        entity.id: _write_name(entity, language)
        for entity in parties
        if entity.id not in owners
        and entity.official_domains
        and entity.id != BITCOIN_ID
        and not (has_organisation and _is_ticker(entity, title))
    }
    return list(silent.values()) if len(silent) <= MAX_PARTIES else []


def _write_name(entity: Entity, language: Language) -> str:
    """Write a name, in English with the article that the name of an authority has."""
    name = entity.name(language)
    has_article = language == "en" and entity.type == "regulator" and " " in name
    return f"the {name}" if has_article and not name.startswith("The ") else name


def _list_deciding(text: str, rules: RuleSet, language: Language) -> list[Entity]:
    """List the authorities on whose decision the news depends."""
    return [
        entity
        for mention in find_title_mentions(rules, text)
        if (entity := rules.entities.get(mention.entity_id)) is not None
        and (entity.type == "regulator" or entity.authority in _AUTHORITIES)
        and is_deciding(text, mention.start, mention.end, language)
    ]


def _list_included(lead: str, rules: RuleSet) -> list[Entity]:
    """List the organisations that a lead names as examples of those who act, if the catalogue knows all."""
    span = find_included_span(lead)
    if span is None:
        return []
    mentions = [
        one for one in find_title_mentions(rules, lead) if span[0] <= one.start and one.end <= span[1]
    ]
    entities = [rules.entities.get(mention.entity_id) for mention in mentions]
    known = [one for one in entities if one is not None and one.type in _ORGANISATIONS]
    rest = lead[span[0] : span[1]]
    for mention in mentions:
        rest = rest.replace(lead[mention.start : mention.end], "")
    return known if not re.search(r"[A-Z]", rest) else []


def _is_ticker(entity: Entity, title: str) -> bool:
    """True if a title names a coin by its ticker, which stands for the coin and not for who issues it."""
    return any(
        re.search(rf"(?<![A-Za-z]){re.escape(symbol)}(?![A-Za-z])", title) for symbol in entity.symbols
    )


def _list_leads(reports: Sequence[Report]) -> list[tuple[str, Language]]:
    """List the first sentence of each report that has one."""
    listed = ((list_sentences(report.text, report.language), report.language) for report in reports)
    return [(found[0].text, language) for found, language in listed if found]


def _find_authorities(text: str, rules: RuleSet, language: Language) -> list[Entity]:
    """Return the regulators, courts or ministries with which a text begins, as far as they are no object."""
    found: list[Entity] = []
    end = 0
    for mention in sorted(find_title_mentions(rules, text), key=lambda mention: mention.start):
        entity = rules.entities.get(mention.entity_id)
        if entity is None or entity.type not in _ORGANISATIONS:
            continue
        is_authority = entity.type == "regulator" or entity.authority in _AUTHORITIES
        if found:
            if not is_authority or not _ENUMERATION.fullmatch(text[end : mention.start]):
                break
        elif not is_authority or not _is_subject(text, mention, language):
            return []
        found.append(entity)
        end = mention.end
    return [] if found and _ENUMERATED_BEHIND.match(text, end) else found


def _is_subject(text: str, mention: Mention, language: Language) -> bool:
    """True if a text begins with a mention that is no object, place, owner or home of those who act."""
    before = text[: mention.start]
    is_first = mention.start <= MAX_LEADING_SHARE * len(text)
    is_owner = text.startswith(("'s ", "’s "), mention.end) or _MEMBERS[language].match(text, mention.end)
    if not is_first or is_owner or _is_object(text, mention, language):
        return False
    if language != "en":
        return True
    words_before = _INTRODUCTION.sub("", before).split()
    return len(words_before) <= MAX_WORDS_BEFORE and not _PREPOSITION.search(before)


def _list_parties(title: str, rules: RuleSet, language: Language) -> list[Entity]:
    """List the organisation with which a title begins, the object of an act, and those enumerated with one.
    Others are often a place or an addressee. An enumeration with an unknown name lists none."""
    parties: dict[str, Entity] = {}
    party_end = -1
    for mention in sorted(find_title_mentions(rules, title), key=lambda mention: mention.start):
        entity = rules.entities.get(mention.entity_id)
        if entity is None or title.startswith(("'s ", "’s "), mention.end):
            continue
        is_enumerated = party_end >= 0 and _ENUMERATION.fullmatch(title[party_end : mention.start])
        is_project = entity.type in _PROJECTS and entity.authority == "official_project"
        is_speaking = mention.start == 0 and _SPEAKS.match(title, mention.end)
        if entity.type not in _ORGANISATIONS and not (is_project and (is_enumerated or is_speaking)):
            continue
        is_first = party_end < 0 and mention.start <= MAX_LEADING_SHARE * len(title)
        if _MEMBERS[language].match(title, mention.end) or _PREPOSITION.search(title[: mention.start]):
            is_first = False
        if _is_place(title, mention, language):
            continue
        if is_first or is_enumerated or _is_object(title, mention, language):
            if not is_enumerated and _ENUMERATED_BEFORE.search(title[: mention.start]):
                return []
            parties[entity.id] = entity
            party_end = mention.end
    return [] if party_end >= 0 and _ENUMERATED_BEHIND.match(title, party_end) else list(parties.values())


def _is_place(title: str, mention: Mention, language: Language) -> bool:
    """True for the place from or to which a Japanese or Chinese title says that something moves."""
    if language == "zh":
        before = title[: mention.start]
        is_recipient = _RECIPIENT_BEFORE.search(before) and _TRANSFER_BEHIND.match(title, mention.end)
        return _PLACE_BEFORE.search(before) is not None or is_recipient is not None
    return language == "ja" and _PLACE_BEHIND.match(title, mention.end) is not None


def _is_object(title: str, mention: Mention, language: Language) -> bool:
    """True if a mention follows its verb (sues Kraken, 起诉币安) or has the particle of an object."""
    if language == "ja":
        return title.startswith("を", mention.end)
    words_before = title[: mention.start].split()
    return bool(words_before) and bool(actions.find_actions(words_before[-1][-MAX_VERB_CHARS:], language))
