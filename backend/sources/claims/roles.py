"""Finds the roles of entities in acts: who did what to whom.

English marks roles by place, prepositions and the passive (*A sued B*, *B was sued by A*), Japanese by
particles and the passive (AがBを提訴, BがAに提訴され), Chinese by place and by 被, 由, 对, 向 (A起诉B,
B被A起诉, A对B提起诉讼). Only acts with roles in ``data/verbs.yaml`` are read, and only where the text
marks the roles clearly. Converse acts (buy and sell) share the names of their roles.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.actions import verbs
from backend.sources.claims.model import Action, Claim

NAMING = "naming"
"""The matter of acts whose roles are names."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Entity ids of the agents and the targets of an act; either may be empty."""

    verb: str
    agents: frozenset[str]
    patients: frozenset[str]
    text: str
    """The clause in its original wording."""
    recipients: frozenset[str] = frozenset()
    """Entities to whom something is done or given: sold to Coinbase."""
    givers: frozenset[str] = frozenset()
    """Entities from whom something comes: split from Bitcoin."""
    parties: frozenset[str] = frozenset()
    """All entities of the clause that can have a role."""

    def by_role(self) -> dict[str, frozenset[str]]:
        """Map the role names of the verb to entity ids."""
        names = verbs()[self.verb].roles
        parts = {
            "agent": self.agents,
            "patient": self.patients,
            "recipient": self.recipients,
            "giver": self.givers,
        }
        found: dict[str, frozenset[str]] = {}
        for part, name in names.items():
            if parts[part]:
                found[name] = found.get(name, frozenset()) | parts[part]
        return found


def find_roles(text: Claim) -> list[Roles]:
    """Return the roles of each act of ``text`` that has at least one of them."""
    read = _READERS[text.language]
    listed = verbs()
    can_act = _list_parties(text)
    found = []
    for action in text.actions:
        if listed[action.verb].roles and can_act:
            start, end = _sentence(text.text, action)
            inside = [one for one in can_act if start <= one.start and one.end <= end]
            if listed[action.verb].matter == NAMING:  # both names belong to one entity
                inside = [replace(one, entity_id=one.text.lower()) for one in inside]
            recipients, givers = _find_marked(text, action, start, inside)
            agents, patients = read(text.text, start, end, action, inside)
            both = agents & patients | recipients | givers
            agents, patients = agents - both, patients - both
            if agents or patients or recipients or givers:
                clause = text.text[start:end].strip()
                parties = frozenset(one.entity_id for one in inside)
                found.append(Roles(action.verb, agents, patients, clause, recipients, givers, parties))
    return found


_ATTRIBUTE = re.compile(
    r" (?:spot |perpetual )?(?:futures|options|etfs?|etps?|trust|price|network|mining|miners?|blockchain"
    r"|transactions?|holdings|token|coins?|platform|payments?)\b"
    "|先物|オプション|現物|取引|価格|ネットワーク|保有|マイニング|担保|建て|決済"
    "|期权|期货|现货|交易|平台|价格|网络|代币|信托|市场|矿机|矿工|挖矿|持有|区块"
)


def _list_parties(text: Claim) -> list[Mention]:
    """List the mentions that can have a role: no coins of an amount, no attributes (bitcoin futures)."""
    amounts = [(one.start, one.end) for one in text.quantities]
    low = text.text.lower()
    return [
        one
        for one in text.mentions
        if not any(start <= one.start < end for start, end in amounts) and not _ATTRIBUTE.match(low, one.end)
    ]


_TO_MARKS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:to|into) (?:(?:the|its|a|an|rival|exchange|lender|broker|[a-z]+ exchange) ?){0,3}$"
    ),
    "ja": re.compile("(?:側|社|氏)?(?:に(?!よ|対)|へ)"),
    "zh": re.compile("(?:给|予|向|至|(?<![遭受得])到|为|成|作)(?:了)?$"),
}
_FROM_MARKS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:from|off) (?:(?:the|its|a|an|rival) ){0,2}$"),
    "ja": re.compile("(?:側|社|氏)?(?:から|より)"),
    "zh": re.compile("(?:从|自|由)$"),
}


def _find_marked(
    text: Claim, action: Action, start: int, mentions: Sequence[Mention]
) -> tuple[frozenset[str], frozenset[str]]:
    """Find the entities marked as recipient (to, に, 给) and as origin (from, から, 从) of an act.

    In English they follow the act, in Japanese their mark follows them, in Chinese their mark precedes them.
    """
    names = verbs()[action.verb].roles
    found = []
    for part, marks in (("recipient", _TO_MARKS), ("giver", _FROM_MARKS)):
        ids = _NONE
        for one in mentions if part in names else ():
            if _is_marked(text, action, start, one, marks[text.language]):
                ids |= _ids(text.text, mentions, one)
        found.append(ids)
    return found[0], found[1]


_LAST_PREPOSITION_EN = re.compile(r"\b(?:from|to|for) (?:\S+ ){0,3}$")


def _is_marked(text: Claim, action: Action, start: int, one: Mention, mark: re.Pattern[str]) -> bool:
    low = text.text.lower()
    if text.language == "en":
        if one.start < action.end or not mark.search(low[action.start : one.start]):
            return False
        return not _OBJECT_END_EN.search(_LAST_PREPOSITION_EN.sub("", low[action.end : one.start]))
    if text.language == "ja":
        is_passive = _PASSIVE_JA.match(text.text[action.end : action.end + 10])
        return not is_passive and one.end <= action.start and mark.match(low, one.end) is not None
    return mark.search(low[max(start, one.start - 4) : one.start]) is not None


_STOP = re.compile(r"[.;](?=\s|$)|[。；\n]")
_ABBREVIATED = re.compile(r"\b(?:U\.S|U\.K|Mr|Ms|Inc|Corp|No|vs?)$")


def _sentence(text: str, action: Action) -> tuple[int, int]:
    start, end = 0, len(text)
    for stop in _STOP.finditer(text):
        if stop.group() == "." and _ABBREVIATED.search(text[: stop.start()]):
            continue
        if stop.end() <= action.start:
            start = stop.end()
        elif stop.start() >= action.end:
            end = stop.start()
            break
    return start, end


_AND = re.compile(r"(?:'s)?(?:,? (?:and|or) (?:the |its )?|, (?:the )?|/)|[と及和与與]|並びに|および|以及")
_HIRAGANA = re.compile("[\u3041-\u3096]")


def _group(text: str, mentions: Sequence[Mention], first: Mention) -> frozenset[str]:
    """Return the ids of ``first`` and of names joined to it by *and* or commas, on both sides."""
    ordered = sorted(mentions, key=lambda one: one.start)
    place = ordered.index(first)
    ids = {first.entity_id}
    for step in (1, -1):
        at = place
        while 0 <= at + step < len(ordered):
            one, other = sorted((ordered[at], ordered[at + step]), key=lambda m: m.start)
            between = text[one.end : other.start]
            # In a Japanese headline the mark stands behind the subject.
            is_list = between == "、" and not _HIRAGANA.search(text)
            if not (is_list or _AND.fullmatch(between)):
                break
            at += step
            ids.add(ordered[at].entity_id)
    return frozenset(ids)


_NONE: frozenset[str] = frozenset()
Reading = tuple[frozenset[str], frozenset[str]]

_PASSIVE_EN = re.compile(
    r"\b(?:was|were|is|are|been|being|be|got|gets|get)(?: \w+ly| also| later| then)?\s*$"
)
_PARTICIPLE_EN = re.compile(
    r"(?:ed|sued|bought|sold|fined|taken|seized|found guilty|hit|frozen|stolen|lost)$"
)
_BY_EN = re.compile(r"\b(?:by|at the hands of)\b")
_OBJECT_END_EN = re.compile(
    r"\b(?:over|for|in|on|at|after|when|with|before|because|amid|under|alleging|saying|from|until|while|by"
    r"|which|who|that|as|since)\b"
)
_AGAINST_EN = re.compile(r"\b(?:against|of|on|upon|to)\b(?: \w+){0,3}? *$")
NOMINAL_EN = re.compile(
    r"^(?:lawsuit|suit|complaint|case|charges|indictment|action|legal action|penalt(?:y|ies)|fine of"
    r"|settlement|acquisition(?: of)?|purchase|takeover|approval|rejection|ban|sanctions? (?:on|against)"
    r"|seizure|forfeiture|arrest|conviction|pardon|hack|theft|heist|order|warning|notice(?: of default)?)$"
)
_NOT_SUBJECT_EN = re.compile(
    r"\b(?:in|on|at|for|from|with|of|over|under|after|before|by|to|through|via|against|about|into|like"
    r"|between|within|behind|near|among|following|amid|than) (?:(?:the|a|an|its|their) )?"
    r"(?:(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]+ )?$"
)


def _read_english(text: str, start: int, end: int, action: Action, mentions: Sequence[Mention]) -> Reading:
    before = [one for one in mentions if one.end <= action.start]
    behind = [one for one in mentions if one.start >= action.end]
    low = text.lower()
    verb = action.text.lower()
    tail = low[action.end : end]
    by = _BY_EN.search(tail)
    by_agent = None
    if by is not None:
        at = action.end + by.end()
        by_agent = next((one for one in behind if at <= one.start <= at + 40), None)
    subject = _last_subject(text, start, before)
    nominal = NOMINAL_EN.match(verb) is not None and not any(action.start - one.end <= 1 for one in before)
    if nominal:
        against = re.search(r"\b(?:against|of|on)\b", tail)
        patient = None
        if against is not None:
            at = action.end + against.end()
            patient = next((one for one in behind if at <= one.start <= at + 30), None)
        possessive = next((one for one in reversed(before) if low.startswith("'s", one.end)), None)
        agent = by_agent or possessive or (subject if patient is not None else None)
        return _ids(text, mentions, agent), _ids(text, mentions, patient)
    is_passive = _PASSIVE_EN.search(low[start : action.start]) is not None
    if is_passive or (by_agent is not None and _PARTICIPLE_EN.search(verb)):
        patient = subject
        if not is_passive and patient is None and before:
            patient = before[-1]
        return _ids(text, mentions, by_agent), _ids(text, mentions, patient)
    cut = _OBJECT_END_EN.search(tail)
    limit = action.end + (cut.start() if cut is not None else len(tail))
    patient = next((one for one in behind if one.start < limit), None)
    if patient is None and (against := re.search(r"\bagainst (?:the )?", tail)) is not None:
        at = action.end + against.end()
        patient = next((one for one in behind if at <= one.start <= at + 20), None)
    return _ids(text, mentions, subject), _ids(text, mentions, patient)


def _last_subject(text: str, start: int, before: Sequence[Mention]) -> Mention | None:
    """Find the last name before the verb without a preposition, with its clause."""
    for one in reversed(before):
        if not _NOT_SUBJECT_EN.search(text[start : one.start].lower()):
            return one
    return None


def _ids(text: str, mentions: Sequence[Mention], one: Mention | None) -> frozenset[str]:
    return _NONE if one is None else _group(text, mentions, one)


_BRACKET = r"(?:（[^）]{0,40}）|\([^)]{0,40}\))?(?:側|氏|被告|容疑者|社|など|等|両社|の?(?:２|2)社)?"
_MARK_JA = re.compile(
    rf"{_BRACKET}(?P<mark>を相手取|を相手に|に対する|に対して|に対し|によって|により|による|から|より|は|が|も|を|に|へ|の)"
)
_PASSIVE_JA = re.compile(r"^.{0,6}?(?:され|られ|れた|を受け|を食ら)")
_RELATIVE_JA = re.compile(r"^.{0,3}?(?:した|する|している|された|される|られた|を受けた|れた|った|いた)$")


def _read_japanese(text: str, start: int, _end: int, action: Action, mentions: Sequence[Mention]) -> Reading:
    marks: dict[str, Mention] = {}
    for one in mentions:
        if one.end > action.start:
            continue
        match = _MARK_JA.match(text, one.end)
        if match is not None:
            marks[match["mark"]] = one
        elif one.start == start and text[one.end : one.end + 1] in ("、", "，") and not marks:
            marks["headline"] = one
    is_passive = _PASSIVE_JA.match(text[action.end : action.end + 10]) is not None
    topic = next((marks[m] for m in ("が", "は", "も", "headline") if m in marks), None)
    source = next(
        (marks[m] for m in ("によって", "により", "による", "から", "より", "に") if m in marks), None
    )
    target = next(
        (
            marks[m]
            for m in ("を", "を相手取", "を相手に", "に対し", "に対して", "に対する", "に", "へ")
            if m in marks
        ),
        None,
    )
    following = next((one for one in mentions if 0 <= one.start - action.end <= 6), None)
    if following is not None and not _RELATIVE_JA.match(text[action.end : following.start]):
        following = None
    if is_passive:
        return _ids(text, mentions, source), _ids(text, mentions, following or topic)
    agent = topic or marks.get("による") or marks.get("によって")
    if agent is None:  # Aから分岐する形でBが誕生
        behind = [one for one in mentions if one.start > action.end]
        agent = next((one for one in behind if text.startswith(("が", "は"), one.end)), None)
    patient = target
    if following is not None:
        if agent is None:
            agent = following
        elif patient is None:
            patient = following
    return _ids(text, mentions, agent), _ids(text, mentions, patient)


_BY_ZH = re.compile("(?:被|遭到?|受到?|获得?|獲得?|由|经|經|来自|來自)(?:了)?$")
_TO_ZH = re.compile("(?:对|對|向|将|將|把|针对|針對|给予|状告|控告)$")
_BREAK_ZH = re.compile("[，,、；]|被|遭|由")
_BESIDE_ZH = re.compile("(?:与|和|同|跟|在|因|就|于|从|的|有关|关于|涉及|围绕|为了)$")


def _read_chinese(text: str, start: int, _end: int, action: Action, mentions: Sequence[Mention]) -> Reading:
    agent = patient = subject = None
    for one in mentions:
        lead = text[max(start, one.start - 4) : one.start]
        lead = re.sub("(?:美国|美國|中国|香港|日本|韩国|新加坡|该|其)$", "", lead)
        if one.end <= action.start:
            if _BY_ZH.search(lead):
                agent = one
            elif _TO_ZH.search(lead):
                patient = one
            elif subject is not None and text[subject.end : one.start] == "的":
                subject = one  # Polygon的POL
            elif not _BESIDE_ZH.search(lead) and subject is None:
                subject = one
    behind = next((one for one in mentions if 0 <= one.start - action.end <= 4), None)
    if behind is not None and _BREAK_ZH.search(text[action.end : behind.start]):
        behind = None
    lead = text[subject.end if subject is not None else start : action.start]
    passive = "被" in lead or "遭" in lead
    if agent is not None or passive:
        return _ids(text, mentions, agent), _ids(text, mentions, patient or subject)
    return _ids(text, mentions, subject), _ids(text, mentions, patient or behind)


Reader = Callable[[str, int, int, Action, Sequence[Mention]], Reading]
_READERS: Mapping[Language, Reader] = {"en": _read_english, "ja": _read_japanese, "zh": _read_chinese}


def are_converse(claim: Roles, source: Roles) -> bool:
    """True if two acts tell one thing from both sides: B sells to A, A buys from B."""
    listed = verbs()
    if claim.verb == source.verb or listed[claim.verb].matter != listed[source.verb].matter:
        return False
    ours, theirs = claim.by_role(), source.by_role()
    same = any(ours[name] & theirs.get(name, _NONE) for name in ours)
    return same and not any(ours[mine] & theirs[other] for mine in ours for other in theirs if mine != other)


def are_swapped(claim: Roles, source: Roles) -> bool:
    """True if an entity has another role in the source and none has the same.

    Either the claim names two roles and one of their fillers has another role in the source, or both texts
    have the same two names and differ in which of them is the new one.
    """
    listed = verbs()
    if listed[claim.verb].matter != listed[source.verb].matter:
        return False
    ours, theirs = claim.by_role(), source.by_role()
    if any(ours[name] & theirs.get(name, _NONE) for name in ours):
        return False
    if len(ours) > 1 and any(
        ours[mine] & theirs[other] for mine in ours for other in theirs if mine != other
    ):
        return True
    return listed[claim.verb].matter == NAMING and any(
        ours[name] <= source.parties and theirs[name] <= claim.parties for name in ours.keys() & theirs.keys()
    )
