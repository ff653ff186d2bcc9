"""Disables automatic correction where the surrounding words suggest that the text names something else.

Solona Ventures is a firm of its own, カルダーノ also a mathematician, and 《比特大路》 the title of a game.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import CompiledRule
from backend.articles.matching.private_persons import remove_private_persons
from backend.articles.slips.lexicon import load_lexicon
from backend.articles.text.common_words import load_common_words
from backend.articles.text.folding import fold
from backend.articles.text.scripts import has_han_or_kana
from backend.entities.model import Entity

_NAMING_BEFORE = re.compile(
    r"(?:\b(?:call(?:ed|ing)|nam(?:ed|ing)|dubbed|nicknamed|titled|entitled|branded|known as|"
    r"(?:named|styled|titled) (?:it|him|her|them)self)(?: (?:it|itself|the|a|an))?|"
    r"(?:名为|名為|叫做|叫作|取名(?:为|為)?|号称|號稱|自称|自稱|题为|題為))"
    r"\s*[\"'“‘「『《〈（(]*\Z",
    re.IGNORECASE,
)
_NAMING_AFTER = re.compile(
    r"[\"'”’」』》〉）)]*\s?(?:と名(?:乗|づけ|付け)|と称する|という(?:名|社名|屋号)|と題(?:する|した)|を名乗る)"
)
_TITLE_BEFORE, _TITLE_AFTER = re.compile(r"[《〈『][^》〉』\n]*\Z"), re.compile(r"[^《〈『\n]*[》〉』]")
_FIRM_AFTER = re.compile(
    r" (?:Ventures|Capital|Partners|Holdings|Gold|Silver|Group|Fund|Advisors|Associates|Consulting|Realty|"
    r"Hotel|Café|Cafe|Restaurant|Bar|Farms?|Street|Road|Avenue|River|County|University|College|School|Hospital|"
    r"Records|Studios?|Pictures|Motors?|Airlines|FC|GmbH|LLC|LLP|Ltd|S\.A\.|A\.G\.)(?![\w-])|[堂屋銃邸]"
)
"""Words that end the name of a firm or place. A right name with one of them is a longer name itself."""
_CAPITALISED_BEFORE = re.compile(r"(?<![A-Za-z])(?P<word>[A-Z]{2,}) \Z")
MAX_CUE_CHARS = 40

HasEvidence = Callable[[int, int], bool]
"""Tells whether evidence of the field stands beside ``[start:end]``."""


def disable_auto_fix_for_namesakes(
    text: str, occurrences: list[Occurrence], entities: Mapping[str, Entity], has_evidence: HasEvidence
) -> None:
    """Disable the automatic correction of ``occurrences`` that may name something else.

    An occurrence that the text introduces as a person's family name (ジェロラモ・カルダーノ), or that ends a
    longer name (the DAO Maker is not Maker), is removed. ``has_evidence`` tells whether evidence of the field
    stands beside a word: without it, a word in lower case may be of another language.
    """
    occurrences[:] = [
        occurrence
        for occurrence in occurrences
        if occurrence[2].rule is None
        or not (
            _is_family_name(text, occurrence[0], occurrence[1])
            or _ends_longer_name(text, occurrence[0], occurrence[1])
        )
    ]
    remove_private_persons(text, occurrences, entities)
    for index, (start, end, meaning, right) in enumerate(occurrences):
        rule = meaning.rule
        if rule is None or not rule.auto_fix:
            continue
        entity = entities.get(meaning.entity or "")
        is_case = rule.type == "wrong_case"
        if _may_be_namesake(text, start, end, right, entity, is_case=is_case) or (
            not is_case and _is_ordinary(text, start, end, right) and not has_evidence(start, end)
        ):
            occurrences[index] = (start, end, meaning._replace(rule=_disable_auto_fix(rule)), right)


def _may_be_namesake(
    text: str, start: int, end: int, right: str | None, entity: Entity | None, *, is_case: bool
) -> bool:
    written = text[start:end]
    if is_case:
        return written.islower() and written in load_common_words()["en"]
    before, after = text[max(0, start - MAX_CUE_CHARS) : start], text[end : end + MAX_CUE_CHARS]
    if _NAMING_BEFORE.search(before) or _NAMING_AFTER.match(after) or _FIRM_AFTER.match(after):
        return True
    if _TITLE_BEFORE.search(before) and _TITLE_AFTER.match(after):
        return True
    if written.isascii():
        return False
    if entity is not None and entity.type == "person" and has_han_or_kana(written, 0, len(written)):
        return True
    return right is not None and fold(written).text != fold(right).text and _is_katakana_word(written)


def _is_ordinary(text: str, start: int, end: int, right: str | None) -> bool:
    """Return whether a word is in lower case, and the right name is not."""
    written = text[start:end]
    return (
        written.isascii()
        and written.isalpha()
        and written.islower()
        and right is not None
        and right != right.lower()
    )


def _is_family_name(text: str, start: int, end: int) -> bool:
    """Return whether a katakana word follows a given name and a middle dot anywhere in the text."""
    written = text[start:end]
    if written.isascii() or not _is_katakana_word(written):
        return False
    return re.search(rf"[ァ-ヺー]・{re.escape(written)}(?![ァ-ヺー])", text) is not None


def _ends_longer_name(text: str, start: int, end: int) -> bool:
    """Return whether a capitalised ordinary word follows a word in capitals that is no ordinary one."""
    words = load_common_words()["en"]
    if not text[start].isupper() or text[start:end].lower() not in words:
        return False
    before = _CAPITALISED_BEFORE.search(text, max(0, start - MAX_CUE_CHARS), start)
    return before is not None and before["word"].lower() not in words


def _is_katakana_word(written: str) -> bool:
    """Return whether a word list contains the text as written. Half-width kana never match."""
    return written in load_lexicon("katakana")


@lru_cache(maxsize=16_384)
def _disable_auto_fix(rule: CompiledRule) -> CompiledRule:
    return replace(rule, auto_fix=False)
