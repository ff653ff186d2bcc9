"""Whether a surface might begin or end inside a correction and reach out of it."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import attrgetter, itemgetter

from backend.articles.matching.compiled import RuleSet
from backend.articles.matching.exchange import Exchange
from backend.articles.matching.fixing import Fix
from backend.articles.matching.joints import WIDTH, may_join
from backend.articles.matching.meanings import Meaning
from backend.articles.matching.reading import Reading
from backend.articles.text.boundaries import CLASS
from backend.articles.text.folding import fold


def nothing_reaches_across(reading: Reading, fixes: Sequence[Fix], exchanges: Sequence[Exchange]) -> bool:
    """Whether nothing is found over an edge of ``fixes`` once these are made, nor otherwise beside them.

    Mostly the three characters to either side of each edge tell. Where they do not, the neighbourhood is
    matched anew.
    """
    if not reading.is_even:
        return _nothing_in_windows(reading, fixes)
    doubtful = _looked_at(reading, fixes) | _close_to_others(fixes)
    doubtful.update(
        k
        for k, (start, end, *_) in enumerate(fixes)
        if not _is_surely_apart(reading, start, end, exchanges[k])
    )
    if not doubtful:
        return True
    return _nothing_in_windows(reading, _with_neighbours(fixes, sorted(doubtful), _width(reading.rules)))


def _looked_at(reading: Reading, fixes: Sequence[Fix]) -> set[int]:
    """Which of ``fixes`` stand where the conditions of a surface looked."""
    found: set[int] = set()
    for start, end in reading.looked_beside:
        k = bisect_left(fixes, start, key=attrgetter("end"))
        while k < len(fixes) and fixes[k].start <= end:
            found.add(k)
            k += 1
    return found


def _close_to_others(fixes: Sequence[Fix]) -> set[int]:
    """Which of ``fixes`` stand nearer to another than a joint is wide."""
    return {
        each
        for k, (fix, other) in enumerate(pairwise(fixes))
        if other.start - fix.end < WIDTH
        for each in (k, k + 1)
    }


def _is_surely_apart(reading: Reading, start: int, end: int, exchange: Exchange) -> bool:
    low = reading.low
    if len(exchange.head) < WIDTH or not (exchange.same_edges or _stands_alone(reading, start, end)):
        return False
    before = low[start - WIDTH : start] if start >= WIDTH else ("\n" * WIDTH + low[:start])[-WIDTH:]
    joints = reading.rules.joints
    if (exchange.may_go_on or low[end].isalnum()) and may_join(joints, exchange.tail, low[end : end + WIDTH]):
        return False
    return not may_join(joints, before, exchange.head)


def _stands_alone(reading: Reading, start: int, end: int) -> bool:
    """Whether nothing that is found ends or begins beside ``[start:end]``, nor would if that were no word."""
    low, hits = reading.low, reading.hits
    if not (_is_apart(low[start - 1]) and _is_apart(low[end])):
        return False
    first = bisect_left(hits, start - reading.rules.longest, key=itemgetter(1))
    last = bisect_left(hits, end, first, key=itemgetter(1))
    if last < len(hits) and hits[last][1] == end:
        return False
    return all(hit[2] != start for hit in hits[first:last])


def _is_apart(neighbour: str) -> bool:
    """Whether the automaton, which passes by parts of words in ASCII, finds what ends or begins with it."""
    return not (neighbour.isascii() and neighbour.isalpha())


def _with_neighbours(fixes: Sequence[Fix], chosen: Sequence[int], width: int) -> list[Fix]:
    """The ``chosen`` of ``fixes`` and all that stand in their neighbourhoods."""
    starts = [fixes[k].start for k in chosen]
    ends = [fixes[k].end for k in chosen]

    def is_near(fix: Fix) -> bool:
        k = bisect_left(starts, fix.start)
        return (k < len(starts) and starts[k] - fix.end <= width) or (
            k > 0 and fix.start - ends[k - 1] <= width
        )

    return [fix for fix in fixes if is_near(fix)]


def _nothing_in_windows(reading: Reading, fixes: Sequence[Fix]) -> bool:
    """The same by matching the neighbourhoods, all at once."""
    rules = reading.rules
    windows, edges = _windows(reading.text, fixes, rules)
    folded = fold(windows)
    if not folded.identity:
        return False
    low = folded.text
    conditions = rules.conditions
    k = 0
    for index, start, end in rules.hits(folded):
        before, behind = conditions.get(index, (0, 0))
        while k < len(edges) and edges[k][1] + rules.reach < start:
            k += 1
        for j in range(k, len(edges)):
            first, last = edges[j]
            if first > end + behind:
                break
            if last < start - before or (first <= start and end <= last):
                continue
            if index in conditions:
                return False
            if start < last and first < end and _is_bounded(rules, index, low, start, end):
                return False
            old = reading.text[fixes[j].start : fixes[j].end]
            if end == first and _differ(old[0], low[first], (m.right for m in _means(rules, index))):
                return False
            if start == last and _differ(old[-1], low[last - 1], (m.left for m in _means(rules, index))):
                return False
    return True


def _differ(old: str, new: str, masks: Iterable[int]) -> bool:
    """Whether a boundary beside a correction holds with one of the two characters alone."""
    return any((CLASS[old] & mask == 0) is not (CLASS[new] & mask == 0) for mask in masks)


def _means(rules: RuleSet, index: int) -> Iterable[Meaning]:
    return (*rules.meanings[index], *rules.evidence[index])


def _is_bounded(rules: RuleSet, index: int, low: str, start: int, end: int) -> bool:
    before = low[start - 1] if start else "\n"
    after = low[end] if end < len(low) else "\n"
    return not (CLASS[before] & rules.left[index] or CLASS[after] & rules.right[index])


def _width(rules: RuleSet) -> int:
    """How far from a correction something may be that it changes."""
    return rules.longest + rules.reach


def _windows(text: str, fixes: Sequence[Fix], rules: RuleSet) -> tuple[str, list[tuple[int, int]]]:
    """The corrected text around all corrections, and where in it these are.

    Each neighbourhood ends where no surface can reach it from. Those that meet are one; a line break
    keeps the others apart.
    """
    width = _width(rules)
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
