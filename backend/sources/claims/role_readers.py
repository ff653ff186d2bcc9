"""Reads the agents and the patients of an act by the grammar of each language.

Each reader gets the text, the start and end of the sentence, the act, and the mentions in the sentence.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.model import Action

_AND = re.compile(r"(?:'s)?(?:,? (?:and|or) (?:the |its )?|, (?:the )?|/)|[と及和与與]|並びに|および|以及")
_HIRAGANA = re.compile("[\u3041-\u3096]")


def _list_joined_ids(text: str, mentions: Sequence[Mention], first: Mention) -> frozenset[str]:
    """Return the ids of ``first`` and of names joined to it by *and* or commas, on both sides."""
    ordered = sorted(mentions, key=lambda mention: mention.start)
    index = ordered.index(first)
    ids = {first.entity_id}
    for step in (1, -1):
        at = index
        while 0 <= at + step < len(ordered):
            left, right = sorted((ordered[at], ordered[at + step]), key=lambda mention: mention.start)
            between = text[left.end : right.start]
            # In a Japanese headline the mark stands behind the subject.
            is_list = between == "、" and not _HIRAGANA.search(text)
            if not (is_list or _AND.fullmatch(between)):
                break
            at += step
            ids.add(ordered[at].entity_id)
    return frozenset(ids)


_NONE: frozenset[str] = frozenset()
AgentsAndPatients = tuple[frozenset[str], frozenset[str]]

_PASSIVE_EN = re.compile(
    r"\b(?:was|were|is|are|been|being|be|got|gets|get)(?: \w+ly| also| later| then)?\s*$"
)
_OTHER_SUBJECT_EN = re.compile(
    r"\b(?:while|as|and|when|after|because|where|but) (?:its|the|their|his|her|an?|two|three|several)"
    r" (?:\w+ ){1,3}$"
)
"""Words between a name and a passive verb with a subject of its own: while its founders were charged."""
_FACING_EN = re.compile(
    r"\b(?:fac(?:e|es|ed|ing)|(?:hit|slapped|served|confronted) with|(?:target|subject|object) of)"
    r" (?:(?:an?|the|new|fresh|another|civil|criminal) )*$"
)
"""Words before a suit or a complaint whose subject is its target."""
_PARTICIPLE_EN = re.compile(
    r"(?:ed|sued|bought|sold|fined|taken|seized|found guilty|hit|frozen|stolen|lost)$"
)
_BY_EN = re.compile(r"\b(?:by|at the hands of)\b")
OBJECT_END_EN = re.compile(
    r"\b(?:over|for|in|on|at|after|when|with|before|because|amid|under|alleging|saying|from|until|while|by"
    r"|which|who|that|as|since)\b"
)
NOMINAL_EN = re.compile(
    r"^(?:lawsuit|suit|complaint|case|charges|indictment|action|legal action|penalt(?:y|ies)|fine of"
    r"|settlement|acquisition(?: of)?|purchase|takeover|approval|rejection|ban|sanctions? (?:on|against)"
    r"|seizure|forfeiture|blacklist|sanctions list|arrest|conviction|pardon|hack|theft|heist|order|warning"
    r"|notice(?: of default)?)$"
)
_NOT_SUBJECT_EN = re.compile(
    r"\b(?:in|on|at|for|from|with|of|over|under|after|before|by|to|through|via|against|about|into|like"
    r"|between|within|behind|near|among|following|amid|than) (?:(?:the|a|an|its|their) )?"
    r"(?:(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]+ )?$"
)


_BARRED_SUBJECT = frozenset({"may not", "must not", "cannot legally", "不得", "不许", "不准许"})
"""Words whose subject is the one that is barred."""


def _find_nearest_before(mentions: Sequence[Mention], action: Action) -> Mention | None:
    return max(
        (mention for mention in mentions if mention.end <= action.start),
        key=lambda mention: mention.end,
        default=None,
    )


_ATTRIBUTIVE_EN = re.compile(
    r"\b(?:the|an?|its|their|his|her|all|any|some|of|for|to|by|from|with|against|letting|allowing|serving) $"
)
_NOUN_EN = re.compile(r" (?!by|for|in|on|at|from|to|with|over|after|the|its|as|and|an?\b)[a-z]{3,}")


def _read_english(
    text: str, start: int, end: int, action: Action, mentions: Sequence[Mention]
) -> AgentsAndPatients:
    before = [mention for mention in mentions if mention.end <= action.start]
    following = [mention for mention in mentions if mention.start >= action.end]
    lowered = text.lower()
    verb = action.text.lower()
    if verb in _BARRED_SUBJECT:
        return _NONE, list_ids(text, mentions, _find_last_subject(text, start, before))
    if verb.startswith(("off ", "from ")):
        return _NONE, _NONE  # came off the blacklist: the name before it is no agent
    if (
        verb.endswith("ed")
        and _ATTRIBUTIVE_EN.search(lowered[start : action.start])
        and _NOUN_EN.match(text, action.end)
    ):
        return _NONE, _NONE  # letting sanctioned customers trade
    text_after = lowered[action.end : end]
    by_match = _BY_EN.search(text_after)
    by_agent = None
    if by_match is not None:
        position = action.end + by_match.end()
        by_agent = next(
            (mention for mention in following if position <= mention.start <= position + 40), None
        )
    subject = _find_last_subject(text, start, before)
    adjacent = next((mention for mention in before if 0 <= action.start - mention.end <= 1), None)
    facing = _FACING_EN.search(lowered[start : adjacent.start if adjacent is not None else action.start])
    if facing is not None and NOMINAL_EN.match(verb):
        faced_by = [mention for mention in before if mention.end <= start + facing.start()]
        patient = _find_last_subject(text, start, faced_by)
        return list_ids(text, mentions, by_agent or adjacent), list_ids(text, mentions, patient)
    is_nominal = NOMINAL_EN.match(verb) is not None and not any(
        action.start - mention.end <= 1 for mention in before
    )
    if is_nominal:
        against = re.search(r"\b(?:against|of|on)\b", text_after)
        patient = None
        if against is not None:
            position = action.end + against.end()
            patient = next(
                (mention for mention in following if position <= mention.start <= position + 30), None
            )
        possessive = next(
            (mention for mention in reversed(before) if lowered.startswith("'s", mention.end)), None
        )
        agent = by_agent or possessive or (subject if patient is not None else None)
        return list_ids(text, mentions, agent), list_ids(text, mentions, patient)
    is_passive = _PASSIVE_EN.search(lowered[start : action.start]) is not None
    if is_passive or (by_agent is not None and _PARTICIPLE_EN.search(verb)):
        patient = subject
        if subject is not None and _OTHER_SUBJECT_EN.search(lowered[subject.end : action.start]):
            patient = None
        elif not is_passive and patient is None and before:
            patient = before[-1]
        return list_ids(text, mentions, by_agent), list_ids(text, mentions, patient)
    object_end = OBJECT_END_EN.search(text_after)
    limit = action.end + (object_end.start() if object_end is not None else len(text_after))
    patient = next((mention for mention in following if mention.start < limit), None)
    if patient is None and (against := re.search(r"\bagainst (?:the )?", text_after)) is not None:
        position = action.end + against.end()
        patient = next((mention for mention in following if position <= mention.start <= position + 20), None)
    return list_ids(text, mentions, subject), list_ids(text, mentions, patient)


def _find_last_subject(text: str, start: int, before: Sequence[Mention]) -> Mention | None:
    """Find the last name before the verb without a preposition, with its clause."""
    for mention in reversed(before):
        if not _NOT_SUBJECT_EN.search(text[start : mention.start].lower()):
            return mention
    return None


def list_ids(text: str, mentions: Sequence[Mention], mention: Mention | None) -> frozenset[str]:
    return _NONE if mention is None else _list_joined_ids(text, mentions, mention)


_BRACKET = r"(?:（[^）]{0,40}）|\([^)]{0,40}\))?(?:側|氏|被告|容疑者|社|など|等|両社|の?(?:２|2)社)?"
_MARK_JA = re.compile(
    rf"{_BRACKET}(?P<mark>を相手取|を相手に|に対する|に対して|に対し|によって|により|による|から|より|は|が|も|を|に(?!よ)|へ|の)"
)
_ACTIVE_JA = "".join(f"(?<!{stem})" for stem in ("生ま", "現", "流", "離", "別", "分か"))
"""Stems whose れた is no passive: 生まれた."""
PASSIVE_JA = re.compile(rf"^.{{0,6}}?(?:され|られ|{_ACTIVE_JA}れた|を受け|を食ら)")
_RELATIVE_JA = re.compile(r"^.{0,3}?(?:した|する|している|された|される|られた|を受けた|れた|った|いた)$")


def _read_japanese(
    text: str, start: int, _end: int, action: Action, mentions: Sequence[Mention]
) -> AgentsAndPatients:
    marks: dict[str, Mention] = {}
    for mention in mentions:
        if mention.end > action.start:
            continue
        match = _MARK_JA.match(text, mention.end)
        if match is not None:
            marks[match["mark"]] = mention
        elif mention.start == start and text[mention.end : mention.end + 1] in ("、", "，") and not marks:
            marks["headline"] = mention
    is_passive = PASSIVE_JA.match(text[action.end : action.end + 10]) is not None
    topic = next((marks[mark] for mark in ("が", "は", "も", "headline") if mark in marks), None)
    source = next(
        (marks[mark] for mark in ("によって", "により", "による", "から", "より", "に") if mark in marks),
        None,
    )
    target = next(
        (
            marks[mark]
            for mark in ("を", "を相手取", "を相手に", "に対し", "に対して", "に対する", "に", "へ")
            if mark in marks
        ),
        None,
    )
    following = next((mention for mention in mentions if 0 <= mention.start - action.end <= 6), None)
    if following is not None and not _RELATIVE_JA.match(text[action.end : following.start]):
        following = None
    if is_passive:
        return list_ids(text, mentions, source), list_ids(text, mentions, following or topic)
    agent = topic or marks.get("による") or marks.get("によって")
    if agent is None:  # Aから分岐する形でBが誕生
        later_mentions = [mention for mention in mentions if mention.start > action.end]
        agent = next(
            (mention for mention in later_mentions if text.startswith(("が", "は"), mention.end)), None
        )
    patient = target
    if following is not None:
        if agent is None:
            agent = following
        elif patient is None:
            patient = following
    return list_ids(text, mentions, agent), list_ids(text, mentions, patient)


_BY_ZH = re.compile("(?:被|遭到?|受到?|获得?|獲得?|由|经|經|来自|來自)(?:了)?$")
_TO_ZH = re.compile("(?:对|對|向|将|將|把|针对|針對|给予|状告|控告)$")
_BREAK_ZH = re.compile("[，,、；]|被|遭|由")
_NOT_SUBJECT_ZH = re.compile("(?:与|和|同|跟|在|因|就|于|从|的|有关|关于|涉及|围绕|为了)$")


def _read_chinese(
    text: str, start: int, _end: int, action: Action, mentions: Sequence[Mention]
) -> AgentsAndPatients:
    agent = patient = subject = None
    for mention in mentions:
        lead = text[max(start, mention.start - 4) : mention.start]
        lead = re.sub("(?:美国|美國|中国|香港|日本|韩国|新加坡|该|其)$", "", lead)
        if mention.end <= action.start:
            if _BY_ZH.search(lead):
                agent = mention
            elif _TO_ZH.search(lead):
                patient = mention
            elif subject is not None and text[subject.end : mention.start] == "的":
                subject = mention  # Polygon的POL
            elif not _NOT_SUBJECT_ZH.search(lead) and subject is None:
                subject = mention
    if action.text in _BARRED_SUBJECT:
        return _NONE, list_ids(text, mentions, _find_nearest_before(mentions, action))
    following = next((mention for mention in mentions if 0 <= mention.start - action.end <= 4), None)
    if following is not None and _BREAK_ZH.search(text[action.end : following.start]):
        following = None
    lead = text[subject.end if subject is not None else start : action.start]
    is_passive = "被" in lead or "遭" in lead
    if agent is not None or is_passive:
        return list_ids(text, mentions, agent), list_ids(text, mentions, patient or subject)
    return list_ids(text, mentions, subject), list_ids(text, mentions, patient or following)


RoleReader = Callable[[str, int, int, Action, Sequence[Mention]], AgentsAndPatients]
READERS: Mapping[Language, RoleReader] = {"en": _read_english, "ja": _read_japanese, "zh": _read_chinese}
