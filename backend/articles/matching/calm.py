"""The quick look whether corrections disturb nothing, so that the text need not be read again.

A correction replaces one name by another in an unchanged sentence. The rest of the text can read
otherwise than before only where a surface reaches across an edge of the correction, where the character
at an edge is of another class, where protected text could begin or end there, or where evidence, capitals
or the language hang on it. Where none of this can be, the corrections are calm. Where it cannot be told
cheaply, they are not, and the text is read again: this module may only err to that side.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise

from backend.articles.matching.article import ReadArticle, ReadField
from backend.articles.matching.context import Span, any_near
from backend.articles.matching.crossing import nothing_reaches_across
from backend.articles.matching.exchange import Exchange, exchange
from backend.articles.matching.fixing import Fix, Places
from backend.articles.matching.neighbours import among_latin
from backend.articles.matching.reading import Reading
from backend.articles.text.boundaries import CLASS, KATAKANA, MARK, WORD
from backend.articles.text.languages import detect
from backend.articles.text.markup import LONGEST_LABEL
from backend.articles.text.protection import JOINING

_SIGNS = frozenset(":/@#&＠＃.<")
"""Characters that tie what stands beside them into a token or a mark."""
LONGEST_TARGET = LONGEST_LINE = 2_000
_SENTENCE_SIGNS = frozenset(".:")
_DEFINED = re.compile(r"\[([^\[\]\n]{1,999}+)\]:")


def is_calm(read: ReadArticle, fixes: Mapping[str, Sequence[Fix]]) -> bool:
    """Whether making ``fixes``, which are all of their fields, surely leaves all else as it is read."""
    if read.rules.mentions or not _keeps_language(read, fixes):
        return False
    if read.tags_asked:
        return False
    return all(
        _is_calm_field(field, fixes[field.reading.path])
        for field in read.fields
        if field.reading.path in fixes
    )


def stays_calm(read: ReadArticle, fixes: Mapping[str, Sequence[Fix]]) -> bool:
    """Whether any selection of ``fixes``, which are calm, surely is too: none stands near another."""
    if not read.article.language:
        return False
    width = read.rules.longest + read.rules.reach
    for field in read.fields:
        made = fixes.get(field.reading.path, ())
        if field.reading.formers or any(other.start - fix.end <= width for fix, other in pairwise(made)):
            return False
        if not _lasting_evidence_is_near(field.reading, made):
            return False
    return True


def _keeps_language(read: ReadArticle, fixes: Mapping[str, Sequence[Fix]]) -> bool:
    if read.article.language:
        return True
    if all(field.reading.text.isascii() for field in read.fields) and all(
        fix.text.isascii() for listed in fixes.values() for fix in listed
    ):
        return True
    corrected = read.corrected(fixes)
    texts = (corrected.title, corrected.summary, corrected.content, *corrected.tags)
    return detect(text for text in texts if text) == read.language


def _is_calm_field(field: ReadField, fixes: Sequence[Fix]) -> bool:
    reading = field.reading
    if reading.evidence.asked and not _keeps_evidence(reading, fixes):
        return False
    if reading.formers and not _keeps_formers(reading, fixes):
        return False
    if _Labels(reading.text).might_change(fixes):
        return False
    text = reading.text
    exchanges: list[Exchange] = []
    for fix in fixes:
        found = exchange(reading, text[fix.start : fix.end], fix.text)
        if found is None or not _is_calm_fix(reading, fix, found):
            return False
        exchanges.append(found)
    return nothing_reaches_across(reading, fixes, exchanges)


def _is_calm_fix(reading: Reading, fix: Fix, exchange: Exchange) -> bool:
    """Whether the place of a correction leaves it harmless."""
    text = reading.text
    before = text[fix.start - 1] if fix.start else "\n"
    after = text[fix.end] if fix.end < len(text) else "\n"
    if exchange.is_dotted and not before == after == " ":
        return False
    if exchange.leaves_latin and among_latin(text, fix.start, fix.end):
        return False
    if exchange.changes_spaces and _follows_target(text, fix.start):
        return False
    if exchange.changes_capitals and text.rfind("\n", 0, fix.start) + 1 in reading.lines.asked:
        return False
    if (before in _SIGNS or after in _SIGNS) and not _ends_sentence(text, before, fix.end):
        return False
    return not (exchange.binds_left and _binds(before)) and not (exchange.binds_right and _binds(after))


def _keeps_formers(reading: Reading, fixes: Sequence[Fix]) -> bool:
    """Whether no former name that stays stands in a paragraph that is corrected: it may be right beside the
    name of today."""
    made = {fix.start for fix in fixes}
    paragraph = reading.evidence.paragraph
    left = {paragraph(start) for start in reading.formers if start not in made}
    return not left or not any(paragraph(fix.start) in left for fix in fixes)


def _follows_target(text: str, at: int) -> bool:
    """Whether the target of a link may begin before ``at``, which a space less would let go on."""
    before = text[max(0, at - LONGEST_TARGET) : at]
    opening = before.rfind("](")
    if opening >= 0:
        return not any(map(str.isspace, before[opening + 2 :].lstrip()))
    return len(before) == LONGEST_TARGET and not any(map(str.isspace, before))


def _ends_sentence(text: str, before: str, end: int) -> bool:
    """Whether the sign behind a name is only the end of its sentence."""
    behind = text[end + 1 : end + 2]
    return before not in _SIGNS and text[end] in _SENTENCE_SIGNS and (not behind or behind.isspace())


def _binds(neighbour: str) -> bool:
    return bool(CLASS[neighbour] & WORD) or neighbour in JOINING


class _Labels:
    """What in a field looks like the definition of a label."""

    def __init__(self, text: str) -> None:
        self._text = text

    def might_change(self, fixes: Sequence[Fix]) -> bool:
        """Whether ``fixes`` might make or unmake a label or its definition."""
        text = self._text
        if "]:" not in text:
            return False
        for k, (start, end, *_) in enumerate(fixes):
            line = text.rfind("\n", max(0, start - LONGEST_LINE), start) + 1
            if start - line >= LONGEST_LINE or text.find("]:", line, start) >= 0:
                return True
            opening = text.rfind("[", max(0, start - LONGEST_LABEL - 2), start)
            if opening >= 0:
                closing = text.find("]", opening, end + LONGEST_LABEL + 2)
                if closing >= end and self._might_change(fixes, k, opening, closing):
                    return True
        return False

    @cached_property
    def _defined(self) -> frozenset[str]:
        return frozenset(_label(label) for label in _DEFINED.findall(self._text))

    def _might_change(self, fixes: Sequence[Fix], k: int, opening: int, closing: int) -> bool:
        text, fix = self._text, fixes[k]
        shared = (k > 0 and fixes[k - 1].end > opening) or (
            k + 1 < len(fixes) and fixes[k + 1].start < closing
        )
        corrected = text[opening + 1 : fix.start] + fix.text + text[fix.end : closing]
        return shared or _label(corrected) in self._defined


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _keeps_evidence(reading: Reading, fixes: Sequence[Fix]) -> bool:
    """Whether each ordinary word that asked for evidence near a correction is told the same as before."""
    return all(
        _answers_last(reading, *each) or _tells_the_same(reading, *each)
        for each in _corrected_paragraphs(reading, fixes)
    )


def _answers_last(reading: Reading, paragraph: int, fixes: Sequence[Fix]) -> bool:
    """Whether the very evidence that answered each ordinary word surely stays near it: the quickest look."""
    asked, slack = reading.evidence.asked[paragraph], _slack(fixes)
    lasting = set(_lasting((answer for answer in asked.values() if answer), fixes))
    return all(
        answer and answer[0] in lasting and abs(answer[0] - at) <= within - slack
        for (at, within), answer in asked.items()
    )


def _tells_the_same(reading: Reading, paragraph: int, fixes: Sequence[Fix]) -> bool:
    evidence, place = reading.evidence, Places(fixes).of
    near = evidence.near_asked(paragraph, _slack(fixes))
    now = [start for start, _ in near]
    written = [(fix, place(fix.start) + begin) for fix in fixes for begin in reading.alone(fix.text)[1]]
    sure = list(map(place, _lasting(near, fixes)))
    sure += [at for fix, at in written if _stands_free(reading.text, fix)]
    perhaps = [*map(place, now), *(at for _, at in written)]
    sure.sort()
    perhaps.sort()
    return all(
        any_near(sure, place(at), within)
        if any_near(now, at, within)
        else not any_near(perhaps, place(at), within)
        for at, within in evidence.asked[paragraph]
    )


def _lasting_evidence_is_near(reading: Reading, fixes: Sequence[Fix]) -> bool:
    """Whether all that asked for evidence in paragraphs that ``fixes`` correct has some that surely stays."""
    evidence = reading.evidence
    for paragraph, own in _corrected_paragraphs(reading, fixes):
        if _answers_last(reading, paragraph, own):
            continue
        lasting = _lasting(evidence.near_asked(paragraph, 0), own)
        slack = _slack(own)
        if not all(any_near(lasting, at, within - slack) for at, within in evidence.asked[paragraph]):
            return False
    return True


def _corrected_paragraphs(reading: Reading, fixes: Sequence[Fix]) -> Iterator[tuple[int, list[Fix]]]:
    """Paragraphs in which evidence was asked for, with those of ``fixes`` that are theirs."""
    paragraph = reading.evidence.paragraph
    for number, own in groupby(fixes, key=lambda fix: paragraph(fix.start)):
        if number in reading.evidence.asked:
            yield number, list(own)


def _slack(fixes: Sequence[Fix]) -> int:
    """How much nearer or farther things can come to each other by ``fixes``, or by some of them."""
    return sum(abs(len(fix.text) - (fix.end - fix.start)) for fix in fixes)


def _lasting(places: Iterable[Span], fixes: Sequence[Fix]) -> list[int]:
    """Where evidence begins that no fix overlaps."""
    starts = [fix.start for fix in fixes]
    lasting = []
    for start, end in places:
        k = bisect_right(starts, start)
        if (k == 0 or fixes[k - 1].end <= start) and (k == len(fixes) or end <= starts[k]):
            lasting.append(start)
    return lasting


def _stands_free(text: str, fix: Fix) -> bool:
    """Whether no boundary can fail at the edges of ``fix``."""
    before, after = text[fix.start - 1 : fix.start], text[fix.end : fix.end + 1]
    return not (before and _bounds(before, fix.text[0])) and not (after and _bounds(after, fix.text[-1]))


def _bounds(neighbour: str, edge: str) -> bool:
    """Whether a boundary may fail between ``neighbour`` and the ``edge`` of a name."""
    found = CLASS[neighbour]
    return bool(found & MARK or found & CLASS[edge] & KATAKANA or (found & WORD and CLASS[edge] & WORD))
