"""Reads what authors say about their spelling: ``[sic]``, "misspelled as", remarks that switch rules off."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_QUOTES = r"[\"'”’」』》〉*_`）)\]]*"
_AFTER = re.compile(
    rf"{_QUOTES}\s?(?:"
    r"[^\n.!?。！？」』”\"]{0,40}[(（\[［](?:sic|ママ|原文ママ|原文如此)[)）\]］]|"
    r"[\[(（［〔〈]\s?(?:sic|as written|ママ|原文ママ|原文のまま|原文どおり|原文通り|"
    r"原文如此|原文照录|原文照錄|照录|照錄)[\s.!！?？]*[\])）］〕〉]|"
    r",? (?:is|was|being|as) (?:an? )?(?:common |frequent )?(?:misspell|misspelt|typo|wrong spelling)|"
    r",? \(a (?:misspelling|typo)\b|"
    r",? with (?:an?|one|two|no) [\"'“‘]?[a-z](?:['’]?s)?(?![a-z])|"
    r"(?<=[」』])と(?:だけ|のみ|しか)?(?:\w{0,4}て|\w{0,3}く)?(?:言|呼|発音|読|打|入力|検索|書|綴|表記|タイプ)|"
    r"(?<=[\"'”’」』])(?:は|是|为|為| is)[^。．.\n]{0,16}"
    r"(?:綴り|つづり|書き方|表記|写法|寫法|拼法|拼写|拼寫|spelling)|"
    r"と(?:誤記|誤字|誤って|書き間違|打ち間違|誤表記|誤植)|という(?:誤記|誤字|表記ミス|誤表記|誤植|つづり|綴り)|"
    r"は(?:誤記|誤字|誤植|誤り|書き間違い)|(?:的|之)?(?:误写|誤寫|错别字|錯別字|笔误|筆誤)|"
    r"(?:是|系|為|为)(?:误写|誤寫|错别字|錯別字|笔误|筆誤|错误写法|錯誤寫法))",
    re.IGNORECASE,
)
_CONTRAST = re.compile(rf"{_QUOTES},? (?:instead of|rather than) [\"'“‘*_`]*(\S+)", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:\b(?:mis-?spell(?:ed|ing|ings|s)?|misspelt|mis-?typed|mis-?written|written as|typos?|"
    r"(?:mistakenly|wrongly) (?:called|written|spelled|spelt)|spell(?:ed|s|ing)?|spelt)"
    r"(?: (?:it|(?:his|her|its|their|this|the) [a-z]+|of|as|like|for|such as|include[sd]?|"
    r"including|was|is|sometimes|often|both|either|out)){0,3}:?|"
    r"\b(?:typed|typing|types?|pronounced?|pronounces|searched for|searching for|entered) (?=[\"'“‘])|"
    r"(?:输入|輸入|搜索|搜尋|念成|读成|讀成|读作|讀作)(?=[“‘「『\"])|"
    r"(?:誤って|誤記で?|誤字で?|表記を|つづりを|綴りを)|(?:表記|つづり|綴り|スペル)[がはも](?=[「『“\"])|"
    r"(?:拼写|拼寫|写法|寫法|拼法)(?:是|为|為|成了?)(?=[“「『\"])|"
    r"(?:误写|誤寫|错写|錯寫)(?:为|為|成|作)?|误拼为|误作|誤作|[写寫拼]成了?|[拼][写寫](?:为|為|成|作)|错别字|笔误)"
    r"[\s:：,，]*[\"'“‘「『《〈*_`（(]*\Z",
    re.IGNORECASE,
)
MIN_SHARED_CHARS = 2
"""Letters at the start that two spellings of one name share."""
MAX_MARK_CHARS = 64
"""How far from a name a mark may begin or end."""

_REMARK = re.compile(
    r"(?:<!--+|/\*+|\{/\*+|\{#|//+|\#+|%+|;+|--+|\.\.)[^\S\n]*chainproof-(disable|enable)(-next-line|-line)?"
    r"(?![\w-])(?:[^\S\n]+([^\n]*?))?[^\S\n]*(?:--+>|\*/\}?|\#\}|$)",
    re.MULTILINE,
)
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_REASON = re.compile(r"(?:^|\s)(?:--|:|—)(?:\s|$)")


NEXT_LINE = "-next-line"


class Remark(NamedTuple):
    """A remark ``chainproof-disable`` or ``chainproof-enable`` in a text, with its span in code points."""

    start: int
    end: int
    enables: bool
    scope: str
    """``""`` for all that follows, ``-line`` or ``-next-line``."""
    ids: frozenset[str]
    """Ids of rules or entities; empty for all."""


class DisabledSpan(NamedTuple):
    """A stretch of a text in which rules are switched off: all of them if ``ids`` is empty."""

    start: int
    end: int
    ids: frozenset[str]


def has_author_mark(text: str, start: int, end: int) -> bool:
    """Whether words beside ``text[start:end]`` say that it is written like this on purpose."""
    before, after = text[max(0, start - MAX_MARK_CHARS) : start], text[end : end + MAX_MARK_CHARS]
    return (
        _AFTER.match(after) is not None
        or _BEFORE.search(before) is not None
        or _is_contrasted_with_spelling(text[start:end], after)
    )


def _is_contrasted_with_spelling(written: str, after: str) -> bool:
    """Whether another spelling of the name follows: "instead of Ethereum", but not "rather than Solana"."""
    contrast = _CONTRAST.match(after)
    if contrast is None:
        return False
    return contrast[1][:MIN_SHARED_CHARS].lower() == written[:MIN_SHARED_CHARS].lower()


def find_remarks(text: str) -> Iterator[Remark]:
    """Find the remarks of ``text`` in order. Text after two hyphens or a colon is a reason, not an id."""
    if "chainproof-" not in text:
        return
    for found in _REMARK.finditer(text):
        listed = _REASON.split(found[3] or "", maxsplit=1)[0]
        ids = frozenset(_ID.findall(listed.lower()))
        yield Remark(found.start(), found.end(), found[1] == "enable", found[2] or "", ids)


def find_disabled_spans(text: str) -> list[DisabledSpan]:
    """List where rules are switched off, by start. The remarks themselves are never corrected either."""
    spans: list[DisabledSpan] = []
    line = following = (0, 0)
    open_all: int | None = None
    open_ids: dict[str, int] = {}
    for remark in find_remarks(text):
        spans.append(DisabledSpan(remark.start, remark.end, frozenset()))
        if remark.scope:
            if not remark.enables:
                if remark.start >= line[1]:
                    line = _line_of(text, remark)
                    following = _next_line_of(text, line)
                spans.append(DisabledSpan(*(following if remark.scope == NEXT_LINE else line), remark.ids))
        elif not remark.enables:
            if not remark.ids and open_all is None:
                open_all = remark.end
            for one in remark.ids:
                open_ids.setdefault(one, remark.end)
        else:
            if not remark.ids and open_all is not None:
                spans.append(DisabledSpan(open_all, remark.start, frozenset()))
                open_all = None
            for one in remark.ids or frozenset(open_ids):
                if one in open_ids:
                    spans.append(DisabledSpan(open_ids.pop(one), remark.start, frozenset((one,))))
    if open_all is not None:
        spans.append(DisabledSpan(open_all, len(text), frozenset()))
    spans += [DisabledSpan(start, len(text), frozenset((one,))) for one, start in open_ids.items()]
    return sorted(spans, key=lambda span: (span.start, span.end, sorted(span.ids)))


def _line_of(text: str, remark: Remark) -> tuple[int, int]:
    end = text.find("\n", remark.start)
    return text.rfind("\n", 0, remark.start) + 1, end if end >= 0 else len(text)


def _next_line_of(text: str, line: tuple[int, int]) -> tuple[int, int]:
    start = min(line[1] + 1, len(text))
    end = text.find("\n", start)
    return start, end if end >= 0 else len(text)
