"""Compares the names that a text gives to something: called X, renamed from X to Y, Y and not X."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import ComparedValue, ParsedStatement
from backend.sources.comparison.claim_passage import ClaimAndPassage

_OPEN, _CLOSE = '[“"「『《‘]', '[”"」』》’]'
_CALLED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:called|named|dubbed|codenamed|(?:re)?christened|renamed(?: as| to)?|under the name(?: of)?"
        r"|by the name of|(?:carried|carries|bore|bears|took|takes) the name(?: of)?)"
        r" (?:the )?[“\"‘']?(?P<name>[A-Z][\w-]+(?: [A-Z][\w-]+){0,2})"
    ),
    "ja": re.compile(
        "[「『](?P<name>[^」』]{2,20})[」』](?:[（(][^）)]{1,20}[）)])?"
        "(?:と(?:呼|名付|命名|称|改)|を名乗|という名|の名[でが]|へと?(?:改|看板|名|社名))"
    ),
    "zh": re.compile(
        "(?:名为|叫做|叫作|名叫|取名为?|称为|命名为|改名为?|更名为|改称|改叫)"
        f'(?:{_OPEN}(?P<quoted>[^”"」』》’]{{2,20}})|(?P<name>[A-Za-z]{{3,20}}))'
    ),
}
_IDENTIFIED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?!)"),  # read with the agents, where a first word can be a name
    "ja": re.compile(
        "のは、?[^、。]{0,8}?(?P<name>[\u30a1-\u30fc]{3,15}|[A-Z][\\w.]{2,15})(?:社|氏)?(?:だ|である|だった|であった)?[。]?$"
    ),
    "zh": re.compile("的(?:正|就|则)?是[^，。]{0,8}?(?P<name>[A-Z][A-Za-z.]{2,15})[。]?$"),
}
"""A sentence that ends with who it was: …のはXだ, …的是X。"""
_WORD_EN = r"[“\"‘']?(?P<{}>[A-Z][\w-]*|[“\"‘][^”\"’]{{2,30}})"
_RENAMED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:renam|rebrand|chang|switch|replac|convert)\w*[^.;]{0,40}? from "
        + _WORD_EN.format("old")
        + r"[”\"’']?(?: \w+)? (?:to|into) "
        + _WORD_EN.format("new")
        + "|"
        + _WORD_EN.format("first")
        + r"[”\"’']?(?:,[^.;]{3,80},)? (?:was |is |were |will be |has been )?"
        r"(?:renamed|rebranded|switched to the name|changed its name|becomes|became)(?: as| to| itself)? "
        + _WORD_EN.format("later")
    ),
    "ja": re.compile(
        "[「『](?P<old>[^」』]{2,20})[」』](?:という[^「、。]{1,6})?(?:から|を|が|は)、?"
        "[「『](?P<new>[^」』]{2,20})[」』](?:へ|に|と)"
        "|(?P<first>[\u30a1-\u30fc]{2,12})の名(?:称)?で[^。]{1,24}?"
        "[「『]?(?P<later>[\u30a1-\u30fc]{2,12})[」』]?(?:へと?|に)(?:看板|改称|改名|名称|名を)"
    ),
    "zh": re.compile(
        f'(?:由|从|将|把){_OPEN}(?P<old>[^”"」』》’]{{2,20}}){_CLOSE}[^，。；“「]{{0,2}}'
        f'(?:改为|改称为?|改名为?|更名为?|变为|换成|改成|到){_OPEN}(?P<new>[^”"」』》’]{{2,20}})'
    ),
}
_NOT_FIRST = re.compile(r" ?ではなく、?|でなく、?|[，,]?而是|,? but (?:by )?(?:the )?")
_NOT_SECOND = re.compile(
    r",? (?:and )?(?:not|rather than|instead of)(?: by| from| to| at)? (?:the )?"
    "|[，,]?(?:而非|而不是|并非|不是)"
)
_NOT_BEFORE = re.compile(r"(?:\bnot(?: by| from| to)? (?:the )?|不是|并非)$")


def find_difference(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Return a name that the claim gives to something, and the one that the passage gives instead."""
    return (
        _find_reversed_renaming(inputs.claim, inputs.passage)
        or _find_other_name(inputs)
        or _find_replaced_name(inputs)
    )


def _find_reversed_renaming(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    if claim.language != passage.language:
        return None
    for renamed in _RENAMED[claim.language].finditer(claim.text):
        names = _list_old_and_new(renamed)
        for other in _RENAMED[passage.language].finditer(passage.text):
            other_names = _list_old_and_new(other)
            if names[0] == other_names[1] or names[1] == other_names[0]:
                return ComparedValue("roles", renamed.group(), other.group())
        for called in _CALLED[passage.language].finditer(passage.text):  # the new name alone
            new = normalize_name(next(name for name in called.groupdict().values() if name))
            if names[0] == new and names[1] != new:
                return ComparedValue("roles", renamed.group(), called.group())
    return None


def _list_old_and_new(match: re.Match[str]) -> list[str]:
    groups = match.groupdict()
    old, new = groups["old"] or groups.get("first"), groups["new"] or groups.get("later")
    return [normalize_name((name or "").strip("“\"‘'")) for name in (old, new)]


def _find_other_name(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Find a name with *called*, *named* of which the source has nothing, in place of a name that it has."""
    claim, passage = inputs.claim, inputs.passage
    told = normalize_name(" ".join((passage.text, *inputs.record_names)))
    claimed = normalize_name(claim.text)
    called, identified = (patterns[claim.language] for patterns in (_CALLED, _IDENTIFIED))
    for match in (*called.finditer(claim.text), *identified.finditer(claim.text)):
        name = match[match.lastgroup or "name"]
        unclaimed = [other for other in passage.names if normalize_name(other) not in claimed]
        if normalize_name(name) not in told and unclaimed and claim.language == passage.language:
            return ComparedValue("agent", name, unclaimed[0])
    return None


def _find_replaced_name(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Find an entity that the claim puts in the place of one of the source: Y and not X."""
    for denied, asserted in _list_replacements(inputs.claim):
        if (
            denied.entity_id in inputs.record_entity_ids
            and asserted.entity_id not in inputs.record_entity_ids
        ):
            return ComparedValue("agent", asserted.text, denied.text)
    return None


def _list_replacements(claim: ParsedStatement) -> Iterator[tuple[Mention, Mention]]:
    """Yield pairs of entities of which the claim denies the first and asserts the second."""
    for left, right in pairwise(claim.mentions):
        between = claim.text[left.end : right.start]
        lead = claim.text[max(0, left.start - 12) : left.start].lower()
        if _NOT_SECOND.fullmatch(between):
            yield right, left
        elif _NOT_FIRST.fullmatch(between) and (claim.language == "ja" or _NOT_BEFORE.search(lead)):
            yield left, right
