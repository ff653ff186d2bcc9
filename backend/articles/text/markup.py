"""Finds code, comments, tags and link targets in Markdown, HTML and blog templates.

An article does not declare its format, so all formats are searched for. Fences, code spans and comments
follow CommonMark, also if their end is missing: a fence or a comment then runs to the end of the text, and
backticks without closing backticks are text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import partial
from itertools import chain, groupby

Span = tuple[int, int]

_RAW_NAMES = "script|style|pre|code|textarea|kbd|samp|var|tt|math|svg"
# Searched for one by one: finding one character is much faster than any of several.
_SIGNS = tuple(
    (sign[0], re.compile(re.escape(sign[0]) + sign[1:])) for sign in ("`", "<", "\\", "{(?=[{%])", "~(?=~~)")
)
# The most frequent cases: a code span in one line, a tag without quotes. _Follower handles the others.
_SIMPLE = re.compile(rf"(?<!`)`(?!`)[^`\n]++`(?!`)|<(?!(?i:{_RAW_NAMES})\b)[A-Za-z/][^<>\"'\n]*+>")
_BEFORE_FENCE = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])?[ \t>]*")
_FENCE = re.compile(r"`{3,}+|~{3,}+")
_BACKTICKS = re.compile(r"`++")
_BLANK_LINE = re.compile(r"\n[ \t]*+(?=\n)")
# A `<` inside a tag but outside its quotes ends the attempt. At any offset, at most three attempts are alive
# (outside quotes, or inside either kind of quotes), so the time is linear.
_TAG = re.compile(r"<[A-Za-z/!?](?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>")
_TAG_WITHOUT_QUOTES = re.compile(r"<[A-Za-z/!?][^<>]*+>")
_RAW = re.compile(rf"<({_RAW_NAMES})\b", re.IGNORECASE)
_RAW_END = re.compile(rf"</({_RAW_NAMES})\s*+>", re.IGNORECASE)
MAX_TEMPLATE_CHARS = 2_000
MAX_INDENT_CHARS = 40

_TARGET = re.compile(
    r"\]\(\s*+(?:<[^<>\n]*+>|(?:[^\s()]++|\((?:[^\s()]++|\([^\s()]*+\))*+\))*+)"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?+\s*+\)"
)
_DEFINITION = re.compile(
    r"\n[ \t>]{0,12}+\[(?!\^)([^\[\]\n]{1,999}+)\]:[ \t]*+(?:<[^<>\n]*+>|[^\s<]\S*+)"
    r"(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\)))?+[ \t\r]*+(?=\n|\Z)"
)
_BRACKETS = re.compile(r"\[[^\[\]]{1,999}+\]")
_WIKI_LINK = re.compile(r"\[\[[^\[\]|\n]*+(?:\||\]\])")

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_PROSE_KEY = re.compile(
    r"(?:title|subtitle|headline|summary|description|excerpt|lead|caption|tags|keywords)[ \t]*:", re.I
)
_FRONT_MATTER_ITEM = re.compile(r"[ \t]*+-[ \t]++(?![^\s\"':]++:)")
_CODE_BEHIND_BLANK = re.compile(r"\n[^\S\n]*+\n(?: {4}| {0,3}\t)")
_WORD_BEHIND_BLANK = re.compile(r"\n[ \t\r]*+\n(?=[^\W\d])")
_INDENTED = re.compile(r"(?: {4}|\t| {1,3}\t)")
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_WORD_BEGINS = re.compile(r"[^\W\d]")


def structure_spans(text: str) -> Iterator[Span]:
    """Generate the spans of code, comments, tags and template marks. They do not overlap."""
    start = 0
    if text.startswith("---"):
        head = _FRONT_MATTER.match(text)
        if head:
            start = head.end()
            yield from _front_matter(text, start)
    yield from _inline(text, start)
    yield from _indented_code(text, start)


def _front_matter(text: str, end: int) -> Iterator[Span]:
    at = 0
    in_prose = False
    for line in text[:end].splitlines(keepends=True):
        prose = _PROSE_KEY.match(line)
        item = _FRONT_MATTER_ITEM.match(line) if in_prose else None
        shown = prose or item
        yield at, at + (shown.end() if shown else len(line))
        in_prose = shown is not None
        at += len(line)


def _inline(text: str, at: int) -> Iterator[Span]:
    follow = _Follower(text)
    signs = [[found.start() for found in sign.finditer(text, at)] for mark, sign in _SIGNS if mark in text]
    for start in sorted(chain.from_iterable(signs)):
        if start < at:
            continue
        simple = _SIMPLE.match(text, start)
        if simple:
            at = simple.end()
            yield start, at
        else:
            protected, at = follow(start)
            if protected:
                yield start, at


class _Follower:
    """Finds the end of the construct that starts at an offset, and whether it is protected text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ticks: _Backticks | None = None
        self._closing_tags: _ClosingTags | None = None

    def __call__(self, at: int) -> tuple[bool, int]:
        text = self._text
        sign = text[at]
        if sign == "<":
            return self._angle(at)
        if sign == "{":
            close = text.find("}}" if text[at + 1] == "{" else "%}", at + 2, at + MAX_TEMPLATE_CHARS)
            return (True, close + 2) if close >= 0 else (False, at + 2)
        if sign == "\\":  # the escaped character starts nothing
            return False, at + 2
        fence = _FENCE.match(text, at)
        if fence and _opens_line(text, at):
            end = _fence_end(text, fence)
            if end:
                return True, end
        if sign == "~":
            return False, fence.end() if fence else at + 1
        self._ticks = self._ticks or _Backticks(text)
        end = self._ticks.end(at)
        if end:
            return True, end
        run = _BACKTICKS.match(text, at)
        return False, run.end() if run else at + 1

    def _angle(self, at: int) -> tuple[bool, int]:
        text = self._text
        if text.startswith("<!--", at):
            close = text.find("-->", at + 4)
            return True, close + 3 if close >= 0 else len(text)
        tag = _TAG.match(text, at) or _TAG_WITHOUT_QUOTES.match(text, at)
        if tag is None:
            return False, at + 1
        raw = _RAW.match(text, at)
        if raw and not tag.group().endswith("/>"):
            self._closing_tags = self._closing_tags or _ClosingTags(text)
            return True, self._closing_tags.after(tag.end(), raw.group(1)) or tag.end()
        return True, tag.end()


def _opens_line(text: str, at: int) -> bool:
    start = text.rfind("\n", max(0, at - 80), at) + 1
    if start == 0 and at > 80:
        return False
    return _BEFORE_FENCE.fullmatch(text, start, at) is not None


def _fence_end(text: str, fence: re.Match[str]) -> int:
    """Return the end of the fenced block; 0 if the line is no fence, because backticks follow in it."""
    mark = fence.group()
    line_end = text.find("\n", fence.end())
    if mark[0] == "`" and "`" in text[fence.end() : line_end if line_end >= 0 else len(text)]:
        return 0
    while line_end >= 0:
        start = line_end + 1
        line_end = text.find("\n", start)
        line = text[start : line_end if line_end >= 0 else len(text)].strip(" \t>\r")
        if len(line) >= len(mark) and not line.strip(mark[0]):
            return line_end if line_end >= 0 else len(text)
    return len(text)


class _Backticks:
    """Finds for each run of backticks the next run of the same length in its paragraph."""

    def __init__(self, text: str) -> None:
        self._closes: dict[int, int] = {}
        blanks = [found.start() for found in _BLANK_LINE.finditer(text)]
        last: dict[int, tuple[int, int, int]] = {}
        for run in reversed(list(_BACKTICKS.finditer(text))):
            start, end = run.span()
            paragraph = bisect_right(blanks, start)
            known = last.get(end - start)
            if known and known[0] == paragraph:
                self._closes[start] = known[2]
            last[end - start] = (paragraph, start, end)

    def end(self, start: int) -> int:
        """Return the end of the code span that starts at ``start``; 0 if it is not closed."""
        return self._closes.get(start, 0)


class _ClosingTags:
    """Finds the ends of elements that contain code; each kind is searched once."""

    def __init__(self, text: str) -> None:
        self._ends: dict[str, list[int]] = {}
        for found in _RAW_END.finditer(text):
            self._ends.setdefault(found.group(1).lower(), []).append(found.end())

    def after(self, at: int, name: str) -> int:
        """Return the end of the first closing tag after ``at``; 0 if there is none."""
        ends = self._ends.get(name.lower(), [])
        k = bisect_right(ends, at)
        return ends[k] if k < len(ends) else 0


def _indented_code(text: str, start: int) -> Iterator[Span]:
    """Generate blocks of lines indented by four spaces after a blank line, outside of lists and HTML."""
    indented = [found.end() for found in _CODE_BEHIND_BLANK.finditer(text, max(0, start - 1))]
    if _INDENTED.match(text, start):
        indented.insert(0, start)
    if not indented or "</p>" in text or "<div" in text:
        return
    # A word at the start of a paragraph ends lists and code, so the text before it has no influence.
    cuts = [start, *(found.end() for found in _WORD_BEHIND_BLANK.finditer(text, start))]
    for k, code in groupby(indented, key=partial(bisect_right, cuts)):
        first, last = cuts[k - 1], cuts[k] if k < len(cuts) else len(text)
        yield from _indented_lines(text[first:last], first, max(code))


def _indented_lines(text: str, at: int, last: int) -> Iterator[Span]:
    """Generate the code lines of ``text``, which starts at ``at`` after a blank line and outside of lists.

    The last code in it starts before ``last``.
    """
    after_blank, in_list, code = True, False, False
    for line in text.splitlines(keepends=True):
        if _WORD_BEGINS.match(line):  # most lines: neither blank nor code nor list items
            in_list = in_list and not after_blank
            code = after_blank = False
        elif not line.strip():
            after_blank = True
        elif _INDENTED.match(line):
            code = (code or after_blank) and not in_list
            if code:
                yield at, at + len(line)
            after_blank = False
        else:
            in_list = _LIST_ITEM.match(line) is not None or (in_list and (not after_blank or line[0] == " "))
            code = after_blank = False
        at += len(line)
        if at > last and not (code or after_blank):
            return


def find_link_targets(text: str) -> Iterator[Span]:
    """Generate the spans of link and image targets."""
    at = text.find("](")
    while at >= 0:
        found = _TARGET.match(text, at)
        if found:
            yield found.span()
        at = text.find("](", found.end() if found else at + 2)
    if "[[" in text:
        yield from (found.span() for found in _WIKI_LINK.finditer(text))


class Labels:
    """Finds link labels, which must match their definition and are therefore protected.

    Labels are ``[label]`` after a text in brackets, ``[label][]``, and ``[label]`` alone if it is defined. A
    space or a line break may separate the brackets, as in the original Markdown.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # The added line break makes every line start with one.
        found = list(_DEFINITION.finditer(f"\n{text}")) if "]:" in text else []
        self.definitions = [(definition.start(), definition.end() - 1) for definition in found]
        """Spans of the complete definitions, which are also protected."""
        self._definition_labels = [definition.group(1) for definition in found]
        self._defined: frozenset[str] | None = None
        self.bracket_spans = [found.span() for found in _BRACKETS.finditer(text)]
        """Spans in brackets without inner brackets, sorted and disjoint."""
        self._known: dict[int, bool] = {}

    def touch(self, start: int, end: int) -> bool:
        """True if a label overlaps ``[start:end]``."""
        k = bisect_left(self.bracket_spans, (end, 0)) - 1
        while k >= 0 and self.bracket_spans[k][1] > start:
            if self.are_label(*self.bracket_spans[k]):
                return True
            k -= 1
        return False

    def spans(self) -> Iterator[Span]:
        """Generate the spans of all labels."""
        return (span for span in self.bracket_spans if self.are_label(*span))

    def are_label(self, start: int, end: int) -> bool:
        """True if the brackets at ``[start:end]`` contain a label."""
        known = self._known.get(start)
        if known is None:
            known = self._known[start] = self._check_label(start, end)
        return known

    def _check_label(self, start: int, end: int) -> bool:
        text = self._text
        before = text[start - 1] if start else ""
        if before == "]" or text.startswith("[]", end) or text[start + 1] == "^":
            return True
        if before and before in " \n":
            lead = text[max(0, start - MAX_INDENT_CHARS - 2) : start].rstrip(" ")
            if lead.endswith(("]", "]\n", "] \n")):
                return True
        if not self._definition_labels or text.startswith("[", end):
            return False
        return self._is_defined(text[start + 1 : end - 1])

    def _is_defined(self, label: str) -> bool:
        if self._defined is None:
            self._defined = frozenset(map(_normalise_label, self._definition_labels))
        return _normalise_label(label) in self._defined


def _normalise_label(text: str) -> str:
    """Normalise a label: case is ignored, and any white space counts as one space (CommonMark 4.7)."""
    return " ".join(text.split()).casefold()
