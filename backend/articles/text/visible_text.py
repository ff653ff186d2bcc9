"""Builds the text that a reader sees: without markup inside names, and with one space for a break.

A name may be split by a line break with indentation, two spaces, ``&nbsp;``, a soft hyphen, emphasis
(``**Ether**eum``) or a link around a part of it. Each such split is a *joint*. In the visible text a joint is
empty or one white-space character, so matching, guards and evidence read across it. The time is linear.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

Span = tuple[int, int]


Joint = tuple[int, int, str]
"""Start and end of a part of the source, and what a reader sees there: nothing, or one white-space character.

A plain tuple, since an indented text has one for each line.
"""


MAX_WORD_CHARS = 40
"""Letters on either side of a joint that are read as one word."""
_INDENTED_BREAK = re.compile(r"\n[ \t>]++(?=\S)")
_BREAK = re.compile(r"[ \t]*+\r?\n(?:[ \t>]++(?=\S))?")
_WRAP = re.compile(r"\n(?<=[^\n]{40}\n)(?!\n|[#>*+|-]|\d+[.)])")
_BREAK_IN_CJK = re.compile(
    r"(?<=[\u3041-\u30ff\u4e00-\u9fff])[ \t]*+\r?\n[ \t>]*+(?=[\u3041-\u30ff\u4e00-\u9fff])"
)
_KATAKANA_BEFORE, _KATAKANA_AFTER = re.compile(r"[\u30a1-\u30fc]+\Z"), re.compile(r"[\u30a1-\u30fc]+")
_HAN_BEFORE, _HAN_AFTER = re.compile(r"[\u4e00-\u9fff]{1,4}\Z"), re.compile(r"[\u4e00-\u9fff]{1,4}")
MIN_WRAPPED_CHARS = 6
"""Characters of a line before the name that it breaks; the lines of a list are shorter."""
_TWO_SPACES = re.compile(r"  (?=\S)")
_SPACE_REFERENCE = re.compile(r"&(?:nbsp|ensp|emsp|thinsp|#160|#[xX][aA]0);")
_EMPTY_REFERENCE = re.compile(r"&(?:shy|ZeroWidthSpace|NoBreak|#173|#8203|#[xX][aA][dD]|#[xX]200[bB]);")
_INVISIBLE = "\u200b\u00ad\u2060\ufeff"
_INVISIBLES = re.compile(f"[{_INVISIBLE}]+")
# Each begins with one literal character, which is much faster to search for than any of several.
_STARS = re.compile(r"\*\*?\*?")
_UNDERSCORES = re.compile(r"_(?<![\w/]_)(_{0,2}+)(?=[^\s_])[^_\n]{1,200}+(?<=\S)_\1(?!\w)")
_TAGS = re.compile(
    r"<(?:/(?:b|i|u|em|strong|a|span|mark|small|font|cite|q|abbr)"
    r"|(?:b|i|u|em|strong|a|span|mark|small|font|cite|q|abbr)(?:\s[^<>]{0,300}+)?|wbr/?)>",
    re.IGNORECASE,
)
_ADJOINING_ELEMENTS = re.compile(r"</\w+><\w")
_LETTERS_BEFORE, _LETTERS_AFTER = re.compile(r"[A-Za-z]+\Z"), re.compile(r"[A-Za-z]+")


class VisibleText:
    """The visible text of ``source``, with an exact mapping of offsets in both directions."""

    __slots__ = ("_shifts", "_starts", "_visible_starts", "is_source", "joints", "source", "text")

    def __init__(self, source: str, joints: Sequence[Joint]) -> None:
        self.source = source
        self.joints = joints
        self.is_source = not joints
        self.text = source
        if not joints:
            return
        parts: list[str] = []
        done = 0
        for start, end, shown in joints:
            parts += source[done:start], shown
            done = end
        parts.append(source[done:])
        self.text = "".join(parts)
        hidden = [end - start - len(shown) for start, end, shown in joints]
        self._shifts = list(accumulate(hidden, initial=0))
        self._starts = [start for start, _, _ in joints]
        self._visible_starts = [
            start - shift for start, shift in zip(self._starts, self._shifts, strict=False)
        ]

    def to_source(self, start: int, end: int) -> Span:
        """Map ``[start:end]`` of the visible text to the source, without joints at either end."""
        if self.is_source:
            return start, end
        first, last = bisect_right(self._visible_starts, start), bisect_left(self._visible_starts, end)
        return start + self._shifts[first], end + self._shifts[last]

    def from_source(self, at: int) -> int:
        """Map ``at`` in the source to the visible text; inside a joint, to the offset of the joint."""
        if self.is_source:
            return at
        k = bisect_right(self._starts, at) - 1
        if k < 0:
            return at
        _, end, _ = self.joints[k]
        return self._visible_starts[k] if at < end else at - self._shifts[k + 1]

    def joints_within(self, start: int, end: int) -> list[tuple[int, Joint]]:
        """List the joints inside ``[start:end]`` of the visible text, each with its offset there."""
        if self.is_source:
            return []
        first, last = bisect_right(self._visible_starts, start), bisect_left(self._visible_starts, end)
        return [(self._visible_starts[k], self.joints[k]) for k in range(first, last)]


def unwrap(text: str) -> str:
    """Replace each line break that only wraps a long line by a space. The length stays.

    A break after a short line, before a blank line or before a list item or heading stays.
    """
    return _WRAP.sub(" ", text) if "\n" in text else text


def find_joints(
    source: str, brackets: Iterable[Span], targets: Iterable[Span], is_word: Callable[[str], bool]
) -> list[Joint]:
    """Find all joints of ``source``: sorted, disjoint.

    ``brackets`` are texts in brackets, and ``targets`` link targets with the bracket before them, both
    sorted. Markup between two Latin letters is a joint only if ``is_word`` knows the word that results: a
    footnote (``Ethereum<a>note</a>``) must not hide a name. A line break between two kana or Han disappears
    under the same condition, since readers of Japanese and Chinese see no space there.
    """
    breaks = list(_breaks(source))
    if "\n" in source and not source.isascii():
        inside = [(start, end, "") for start, end in _breaks_inside_names(source, is_word)]
        if inside:
            breaks = sorted([*inside, *breaks])
            breaks = _disjoint(breaks)
    spans = sorted([*_emphasis(source), *_tags(source), *_links(source, brackets, targets)])
    markup = list(_joined(source, spans, is_word)) if spans else []
    if not markup and len(breaks) <= 1:
        return breaks
    return _disjoint(sorted([*breaks, *((start, end, "") for start, end in markup)]))


def _breaks(source: str) -> Iterator[Joint]:
    """Generate the breaks that are more than one character, and what no reader sees."""
    if " \n" in source or "\r\n" in source:
        for found in _BREAK.finditer(source):
            if found.end() - found.start() > 1:
                yield (found.start(), found.end(), "\n")
    else:
        yield from [(found.start(), found.end(), "\n") for found in _INDENTED_BREAK.finditer(source)]
    if "  " in source:
        for found in _TWO_SPACES.finditer(source):
            if found.start() and not source[found.start() - 1].isspace():
                yield (found.start(), found.end(), " ")
    if "&" in source:
        yield from ((*found.span(), "\u00a0") for found in _SPACE_REFERENCE.finditer(source))
        yield from ((*found.span(), "") for found in _EMPTY_REFERENCE.finditer(source))
    if not source.isascii() and any(character in source for character in _INVISIBLE):
        yield from ((*found.span(), "") for found in _INVISIBLES.finditer(source))


def _breaks_inside_names(source: str, is_word: Callable[[str], bool]) -> Iterator[Span]:
    """Generate the line breaks inside a name in katakana or Han."""
    for found in _BREAK_IN_CJK.finditer(source):
        line_start = source.rfind("\n", 0, found.start()) + 1
        first = max(line_start, found.start() - MAX_WORD_CHARS)
        before = source[first : found.start()]
        after = source[found.end() : found.end() + MAX_WORD_CHARS]
        wrapped = found.start() - line_start - MIN_WRAPPED_CHARS
        for head_pattern, tail_pattern, is_whole in (
            (_KATAKANA_BEFORE, _KATAKANA_AFTER, True),
            (_HAN_BEFORE, _HAN_AFTER, False),
        ):
            head, tail = head_pattern.search(before), tail_pattern.match(after)
            if head is None or tail is None:
                continue
            heads = [head.group()] if is_whole else [head.group()[n:] for n in range(len(head.group()))]
            tails = [tail.group()] if is_whole else [tail.group()[: n + 1] for n in range(len(tail.group()))]
            if any(len(one) <= wrapped and is_word(one + other) for one in heads for other in tails):
                yield found.span()


def _emphasis(source: str) -> Iterator[Span]:
    if "*" in source:
        yield from (found.span() for found in _STARS.finditer(source))
    at = source.find("~~")
    while at >= 0:
        yield at, at + 2
        at = source.find("~~", at + 2)
    if "_" in source:
        for found in _UNDERSCORES.finditer(source):
            length = 1 + len(found[1])
            yield found.start(), found.start() + length
            yield found.end() - length, found.end()


def _tags(source: str) -> Iterator[Span]:
    return (found.span() for found in _TAGS.finditer(source)) if "<" in source else iter(())


def _links(source: str, brackets: Iterable[Span], targets: Iterable[Span]) -> Iterator[Span]:
    """Generate the opening bracket and the target of each link that another link does not adjoin."""
    target_of = {start + 1: (start, end) for start, end in targets}
    if not target_of:
        return
    for opening, closing in brackets:
        target = target_of.get(closing)
        if target is None or source[max(0, opening - 1) : opening] in ("!", ")", "]"):
            continue
        if source[target[1] : target[1] + 1] not in ("[", "("):
            yield opening, opening + 1
            yield target


def _joined(source: str, spans: Sequence[Span], is_word: Callable[[str], bool]) -> Iterator[Span]:
    """Generate those of ``spans`` that stand inside a known word, or between words of a name."""
    chain: list[list[Span]] = []
    word = ""
    for group in _adjoining(source, spans):
        start, end = group[0][0], group[-1][1]
        between = source[chain[-1][-1][1] : start] if chain else ""
        goes_on = between.isalpha() and between.isascii() and len(word) <= MAX_WORD_CHARS
        if chain and not goes_on:
            yield from _if_word(chain, word, is_word)
            chain = []
        before, after = source[start - 1 : start] or " ", source[end : end + 1] or " "
        if _is_latin(before) and _is_latin(after):
            if not chain:
                word = "".join(_LETTERS_BEFORE.findall(source[max(0, start - MAX_WORD_CHARS) : start]))
            following = _LETTERS_AFTER.match(source, end, end + MAX_WORD_CHARS)
            word += following.group() if following else ""
            chain.append(group)
        elif _is_beside_word(before, after):
            yield from group
    yield from _if_word(chain, word, is_word)


def _adjoining(source: str, spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Group spans that touch, and leave out groups in which an element ends and another begins."""
    group: list[Span] = []
    for span in [*spans, (len(source) + 2, 0)]:
        if group and span[0] > group[-1][1]:
            if not _ADJOINING_ELEMENTS.search(source, group[0][0], group[-1][1]):
                yield group
            group = []
        if not group or span[0] == group[-1][1]:
            group.append(span)


def _if_word(chain: list[list[Span]], word: str, is_word: Callable[[str], bool]) -> Iterator[Span]:
    if chain and is_word(word):
        for group in chain:
            yield from group


def _is_latin(character: str) -> bool:
    return character.isalpha() and character.isascii()


def _is_beside_word(before: str, after: str) -> bool:
    """Whether a name can go on: over a space, or among kana and Han, where words have no spaces."""
    if before.isalnum() and after.isalnum():
        return not before.isascii() and not after.isascii()
    return (before.isalnum() and after.isspace()) or (before.isspace() and after.isalnum())


def _disjoint(joints: Sequence[Joint]) -> list[Joint]:
    """Drop joints that begin inside another one."""
    kept: list[Joint] = []
    behind = 0
    for joint in joints:
        if joint[0] >= behind:
            kept.append(joint)
            behind = joint[1]
    return kept
