"""The quick look whether corrections disturb nothing, so that the text need not be read again.

A correction replaces one name by another in an unchanged sentence. The rest of the text can read
otherwise than before only where a surface reaches across an edge of the correction, where the character
at an edge is of another class, where protected text could begin or end there, or where evidence, capitals
or the language hang on it. Where none of this can be, the corrections are calm. Where it cannot be told
cheaply, they are not, and the text is read again: this module may only err to that side.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from backend.articles.matching.article import ReadArticle, ReadField
from backend.articles.matching.compiled import RuleSet
from backend.articles.matching.fixing import Fix
from backend.articles.matching.reading import Reading
from backend.articles.text.boundaries import CLASS, KATAKANA, MARK, WORD
from backend.articles.text.folding import fold
from backend.articles.text.languages import detect
from backend.articles.text.markup import LONGEST_LABEL
from backend.articles.text.protection import JOINING

_ORDINARY = re.compile(r"[^\W_](?:[\w \-・―－]*[^\W_])?")
"""Names that hold nothing that markup, tokens or sentences are told by."""
_DOTTED = re.compile(r"[A-Za-z0-9]+\.[A-Za-z]+")
"""Names that are a token of their own where white space stands on both sides."""
_SIGNS = frozenset(":/@#&＠＃.<")
"""Characters that tie what stands beside them into a token or a mark."""
LONGEST_TARGET = LONGEST_LINE = 2_000
_SENTENCE_SIGNS = frozenset(".:")
_DEFINED = re.compile(r"\[([^\[\]\n]{1,999}+)\]:")
_SMALL = re.compile("[a-z\u00df-\u00f6\u00f8-\u00ff\uff41-\uff5a]")


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
    width = read.rules.longest + read.rules.reach
    return bool(read.article.language) and not any(
        field.reading.evidence.asked
        or any(other.start - fix.end <= width for fix, other in pairwise(fixes.get(field.reading.path, ())))
        for field in read.fields
    )


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
    if reading.has_markup and _Labels(reading.text).might_change(fixes):
        return False
    return all(_is_calm_fix(reading, fix) for fix in fixes) and _nothing_reaches_across(reading, fixes)


def _is_calm_fix(reading: Reading, fix: Fix) -> bool:
    """Whether the edges and the inside of one correction are harmless."""
    text, new = reading.text, fix.text
    old = text[fix.start : fix.end]
    before = text[fix.start - 1] if fix.start else "\n"
    after = text[fix.end] if fix.end < len(text) else "\n"
    ordinary = _ORDINARY.fullmatch(new) or (_DOTTED.fullmatch(new) and before == after == " ")
    if not (ordinary and _ORDINARY.fullmatch(old) and reading.alone(new)[0]):
        return False
    if old.count(" ") != new.count(" ") and _follows_target(text, fix.start):
        return False
    if (
        reading.lines.asked
        and bool(_SMALL.search(old)) != bool(_SMALL.search(new))
        and text.rfind("\n", 0, fix.start) + 1 in reading.lines.asked
    ):
        return False
    if (before in _SIGNS or after in _SIGNS) and not _ends_sentence(text, before, fix.end):
        return False
    return _same_class(old[0], new[0], before) and _same_class(old[-1], new[-1], after)


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


def _same_class(old: str, new: str, neighbour: str) -> bool:
    """Whether the new character beside ``neighbour`` binds to it as the old one did."""
    if not (CLASS[neighbour] & WORD or neighbour in JOINING):
        return True
    # That one of them is katakana means something to katakana alone.
    same = CLASS[old] & ~KATAKANA == CLASS[new] & ~KATAKANA
    return same and old.isascii() == new.isascii() and old.isalnum() == new.isalnum()


class _Labels:
    """What in a field looks like the definition of a label."""

    def __init__(self, text: str) -> None:
        self._text = text

    def might_change(self, fixes: Sequence[Fix]) -> bool:
        """Whether ``fixes`` might make or unmake a label or its definition."""
        return "]:" in self._text and any(self._might_change(fixes, k) for k in range(len(fixes)))

    @cached_property
    def _defined(self) -> frozenset[str]:
        return frozenset(_label(label) for label in _DEFINED.findall(self._text))

    def _might_change(self, fixes: Sequence[Fix], k: int) -> bool:
        text, fix = self._text, fixes[k]
        line = text.rfind("\n", max(0, fix.start - LONGEST_LINE), fix.start) + 1
        if fix.start - line >= LONGEST_LINE or text.find("]:", line, fix.start) >= 0:
            return True
        opening = text.rfind("[", max(0, fix.start - LONGEST_LABEL - 2), fix.start)
        if opening < 0:
            return False
        closing = text.find("]", opening, fix.end + LONGEST_LABEL + 2)
        if closing < fix.end:
            return False
        shared = (k > 0 and fixes[k - 1].end > opening) or (
            k + 1 < len(fixes) and fixes[k + 1].start < closing
        )
        corrected = text[opening + 1 : fix.start] + fix.text + text[fix.end : closing]
        return shared or _label(corrected) in self._defined


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _keeps_evidence(reading: Reading, fixes: Sequence[Fix]) -> bool:
    """Whether each paragraph that asked for evidence and is corrected has some that stays."""
    evidence = reading.evidence
    changed = {evidence.paragraph(fix.start) for fix in fixes} & evidence.asked
    if not changed:
        return True
    safe = {
        evidence.paragraph(start)
        for start, _, meaning, _ in reading.found
        if meaning.evidence and meaning.rule is None
    }
    starts = [fix.start for fix in fixes]

    def stays(start: int, end: int) -> bool:
        k = bisect_right(starts, start)
        return (k == 0 or fixes[k - 1].end <= start) and (k == len(fixes) or end <= starts[k])

    def keeps(paragraph: int) -> bool:
        if any(stays(*place) for place in evidence.places(paragraph)):
            return True
        own = [fix for fix in fixes if evidence.paragraph(fix.start) == paragraph]
        if not all(_stands_free(reading.text, fix) for fix in own):
            return False
        tells = any(reading.alone(fix.text)[1] for fix in own)
        return tells is evidence.holds(paragraph)

    return all(keeps(paragraph) for paragraph in changed - safe)


def _stands_free(text: str, fix: Fix) -> bool:
    """Whether no boundary can fail at the edges of ``fix``."""
    before, after = text[fix.start - 1 : fix.start], text[fix.end : fix.end + 1]
    return not (before and _bounds(before, fix.text[0])) and not (after and _bounds(after, fix.text[-1]))


def _bounds(neighbour: str, edge: str) -> bool:
    """Whether a boundary may fail between ``neighbour`` and the ``edge`` of a name."""
    found = CLASS[neighbour]
    return bool(found & MARK or found & CLASS[edge] & KATAKANA or (found & WORD and CLASS[edge] & WORD))


def _nothing_reaches_across(reading: Reading, fixes: Sequence[Fix]) -> bool:
    """Whether no surface begins or ends inside a correction and reaches out of it.

    Only the neighbourhoods are matched, all of a field at once.
    """
    rules = reading.rules
    windows, edges = _windows(reading.text, fixes, rules)
    folded = fold(windows)
    if not folded.identity:
        return False
    low = folded.text
    conditions = rules.conditions
    k = 0
    hits = rules.automaton.find_matches_as_indexes(low, overlapping=True)
    hits.sort(key=lambda hit: hit[1])
    for index, start, end in hits:
        while k < len(edges) and edges[k][1] + rules.longest + rules.reach < start:
            k += 1
        for j in range(k, len(edges)):
            first, last = edges[j]
            if first > end + rules.reach:
                break
            if first <= start and end <= last:
                continue
            if index in conditions or (
                start < last and first < end and _is_bounded(reading, index, low, start, end)
            ):
                return False
            if end == first and _differ(reading.text[fixes[j].start], low[first], rules.right[index]):
                return False
            if start == last and _differ(reading.text[fixes[j].end - 1], low[last - 1], rules.left[index]):
                return False
    return True


def _differ(old: str, new: str, mask: int) -> bool:
    """Whether a boundary beside a correction holds with one of the two characters alone."""
    return (CLASS[old] & mask == 0) is not (CLASS[new] & mask == 0)


def _is_bounded(reading: Reading, index: int, low: str, start: int, end: int) -> bool:
    before = low[start - 1] if start else "\n"
    after = low[end] if end < len(low) else "\n"
    rules = reading.rules
    return not (CLASS[before] & rules.left[index] or CLASS[after] & rules.right[index])


def _windows(text: str, fixes: Sequence[Fix], rules: RuleSet) -> tuple[str, list[tuple[int, int]]]:
    """The corrected text around all corrections, and where in it these are.

    Each neighbourhood ends where no surface can reach it from. Those that meet are one; a line break
    keeps the others apart.
    """
    width = rules.longest + rules.reach
    parts: list[str] = []
    edges: list[tuple[int, int]] = []
    length = done = 0
    for fix in fixes:
        before = text[max(done, fix.start - width) : fix.start]
        if not edges or fix.start - done > width:
            before = rules.stops.split(before)[-1]
            if edges:
                before = f"{rules.stops.split(text[done : done + width], 1)[0]}\n{before}"
        parts += before, fix.text
        length += len(before)
        edges.append((length, length + len(fix.text)))
        length += len(fix.text)
        done = fix.end
    parts.append(rules.stops.split(text[done : done + width], 1)[0])
    return "".join(parts), edges
