"""Builds the text that a reader sees: without markup inside names, and with one space for a break.

A name may be split by a line break with indentation, two spaces, ``&nbsp;``, a soft hyphen, emphasis
(``**Ether**eum``) or a link around a part of it. The visible text replaces each such split by nothing or one
white-space character, so that rule matching and its context checks see a split name as one. The replaced
parts of the source are the *collapsed spans*. The time is linear.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

Span = tuple[int, int]


CollapsedSpan = tuple[int, int, str]
"""Start and end of a span of the source, and what replaces it: nothing, or one white-space character.

A plain tuple, since an indented text has one for each line.
"""


MAX_WORD_CHARS = 40
"""Maximum number of letters on each side of markup that are looked up as part of one word."""
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
_INVISIBLE_CHARACTERS = "\u200b\u00ad\u2060\ufeff"
_INVISIBLE_RUN = re.compile(f"[{_INVISIBLE_CHARACTERS}]+")
# Each pattern begins with one literal character, which is much faster to find than a set of characters.
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

    __slots__ = ("_shifts", "_starts", "_visible_starts", "collapsed_spans", "is_unchanged", "source", "text")

    def __init__(self, source: str, collapsed_spans: Sequence[CollapsedSpan]) -> None:
        self.source = source
        self.collapsed_spans = collapsed_spans
        self.is_unchanged = not collapsed_spans
        self.text = source
        if not collapsed_spans:
            return
        parts: list[str] = []
        done = 0
        for start, end, shown in collapsed_spans:
            parts += source[done:start], shown
            done = end
        parts.append(source[done:])
        self.text = "".join(parts)
        hidden = [end - start - len(shown) for start, end, shown in collapsed_spans]
        self._shifts = list(accumulate(hidden, initial=0))
        self._starts = [start for start, _, _ in collapsed_spans]
        self._visible_starts = [
            start - shift for start, shift in zip(self._starts, self._shifts, strict=False)
        ]

    def to_source_span(self, start: int, end: int) -> Span:
        """Map ``[start:end]`` of the visible text to the source, without collapsed spans at either end."""
        if self.is_unchanged:
            return start, end
        first, last = bisect_right(self._visible_starts, start), bisect_left(self._visible_starts, end)
        return start + self._shifts[first], end + self._shifts[last]

    def to_visible_offset(self, at: int) -> int:
        """Map the offset ``at`` of the source to the visible text; inside a collapsed span, to its start."""
        if self.is_unchanged:
            return at
        k = bisect_right(self._starts, at) - 1
        if k < 0:
            return at
        _, end, _ = self.collapsed_spans[k]
        return self._visible_starts[k] if at < end else at - self._shifts[k + 1]

    def list_collapsed_spans(self, start: int, end: int) -> list[tuple[int, CollapsedSpan]]:
        """List the collapsed spans inside ``[start:end]`` of the visible text, each with its offset there."""
        if self.is_unchanged:
            return []
        first, last = bisect_right(self._visible_starts, start), bisect_left(self._visible_starts, end)
        return [(self._visible_starts[k], self.collapsed_spans[k]) for k in range(first, last)]


def unwrap(text: str) -> str:
    """Replace each line break that only wraps a long line by a space. The length stays.

    A break after a short line, before a blank line or before a list item or heading stays.
    """
    return _WRAP.sub(" ", text) if "\n" in text else text


def find_collapsed_spans(
    source: str, bracket_spans: Iterable[Span], link_targets: Iterable[Span], is_word: Callable[[str], bool]
) -> list[CollapsedSpan]:
    """Find all collapsed spans of ``source``: sorted, disjoint.

    ``bracket_spans`` are the spans of ``[text]``, and ``link_targets`` those of ``](url)`` from the closing
    bracket; both are sorted. Markup between two Latin letters is collapsed only if ``is_word`` knows the word
    that results: a footnote (``Ethereum<a>note</a>``) must not hide a name. A line break between two
    kana or Han disappears under the same condition, since readers of Japanese and Chinese see no space there.
    """
    breaks = list(_find_breaks_and_invisibles(source))
    if "\n" in source and not source.isascii():
        inside_names = [(start, end, "") for start, end in _find_breaks_inside_names(source, is_word)]
        if inside_names:
            breaks = _drop_overlapping(sorted([*inside_names, *breaks]))
    spans = sorted(
        [*_find_emphasis(source), *_find_tags(source), *_find_links(source, bracket_spans, link_targets)]
    )
    markup = list(_keep_inside_names(source, spans, is_word)) if spans else []
    if not markup and len(breaks) <= 1:
        return breaks
    return _drop_overlapping(sorted([*breaks, *((start, end, "") for start, end in markup)]))


def _find_breaks_and_invisibles(source: str) -> Iterator[CollapsedSpan]:
    """Yield line breaks and double spaces of two or more characters, space references, and invisibles."""
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
    if not source.isascii() and any(character in source for character in _INVISIBLE_CHARACTERS):
        yield from ((*found.span(), "") for found in _INVISIBLE_RUN.finditer(source))


def _find_breaks_inside_names(source: str, is_word: Callable[[str], bool]) -> Iterator[Span]:
    """Yield the line breaks inside a name in katakana or Han."""
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


def _find_emphasis(source: str) -> Iterator[Span]:
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


def _find_tags(source: str) -> Iterator[Span]:
    return (found.span() for found in _TAGS.finditer(source)) if "<" in source else iter(())


def _find_links(source: str, bracket_spans: Iterable[Span], link_targets: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans of the opening bracket and of the target of each link that touches no other link."""
    target_by_start = {start + 1: (start, end) for start, end in link_targets}
    if not target_by_start:
        return
    for opening, closing in bracket_spans:
        target = target_by_start.get(closing)
        if target is None or source[max(0, opening - 1) : opening] in ("!", ")", "]"):
            continue
        if source[target[1] : target[1] + 1] not in ("[", "("):
            yield opening, opening + 1
            yield target


def _keep_inside_names(source: str, spans: Sequence[Span], is_word: Callable[[str], bool]) -> Iterator[Span]:
    """Yield the spans of markup inside a known word, or at the edge of a word where a name can continue."""
    chain: list[list[Span]] = []
    word = ""
    for group in _group_touching(source, spans):
        start, end = group[0][0], group[-1][1]
        between = source[chain[-1][-1][1] : start] if chain else ""
        goes_on = between.isalpha() and between.isascii() and len(word) <= MAX_WORD_CHARS
        if chain and not goes_on:
            yield from _flatten_if_word(chain, word, is_word)
            chain = []
        before, after = source[start - 1 : start] or " ", source[end : end + 1] or " "
        if _is_latin(before) and _is_latin(after):
            if not chain:
                word = "".join(_LETTERS_BEFORE.findall(source[max(0, start - MAX_WORD_CHARS) : start]))
            following = _LETTERS_AFTER.match(source, end, end + MAX_WORD_CHARS)
            word += following.group() if following else ""
            chain.append(group)
        elif _can_continue_name(before, after):
            yield from group
    yield from _flatten_if_word(chain, word, is_word)


def _group_touching(source: str, spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Group spans that touch, and leave out groups in which an element ends and another begins."""
    group: list[Span] = []
    for span in [*spans, (len(source) + 2, 0)]:
        if group and span[0] > group[-1][1]:
            if not _ADJOINING_ELEMENTS.search(source, group[0][0], group[-1][1]):
                yield group
            group = []
        if not group or span[0] == group[-1][1]:
            group.append(span)


def _flatten_if_word(chain: list[list[Span]], word: str, is_word: Callable[[str], bool]) -> Iterator[Span]:
    if chain and is_word(word):
        for group in chain:
            yield from group


def _is_latin(character: str) -> bool:
    return character.isalpha() and character.isascii()


def _can_continue_name(before: str, after: str) -> bool:
    """Return whether a name can continue across the markup between two characters.

    One is of a word and the other a space, or both are kana or Han, which have no spaces between words.
    """
    if before.isalnum() and after.isalnum():
        return not before.isascii() and not after.isascii()
    return (before.isalnum() and after.isspace()) or (before.isspace() and after.isalnum())


def _drop_overlapping(collapsed_spans: Sequence[CollapsedSpan]) -> list[CollapsedSpan]:
    """Drop spans that begin inside another one."""
    kept: list[CollapsedSpan] = []
    behind = 0
    for collapsed_span in collapsed_spans:
        if collapsed_span[0] >= behind:
            kept.append(collapsed_span)
            behind = collapsed_span[1]
    return kept
