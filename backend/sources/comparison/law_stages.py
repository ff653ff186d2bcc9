"""Compares how far a bill got: passed by one chamber, or signed, or in force.

A record of the vote of one chamber bears out no later stage, and no vote of the other chamber.
"""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.sources.claims.model import ComparedValue, MissingElement, ParsedStatement

_CHAMBERS: Mapping[Language, Mapping[str, re.Pattern[str]]] = {
    "en": {
        "lower": re.compile(r"\bHouse(?: of Representatives)?\b(?<!White House)"),
        "upper": re.compile(r"\bSenate\b"),
    },
    "ja": {"lower": re.compile("下院"), "upper": re.compile("上院")},
    "zh": {"lower": re.compile("众议院"), "upper": re.compile("参议院")},
}
_NOT_YET: Mapping[Language, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "en": (
        re.compile(
            r"(?:\b(?:goes|went|go|going|sent|moved?s?|head(?:s|ed)|passed on) (?:on )?to"
            r"|\bnot \w+ (?:up )?(?:by|in)|\bbefore"
            r"|\b(?:await\w*|pending|stalled|died|stuck)(?: \w+)?(?: in| by)?) (?:the )?(?:U\.?S\.? )?$"
        ),
        re.compile(
            r"(?: \w+)? (?:never|did not|didn't|has not|hasn't|had not|refus\w+|declin\w+|reject\w+)\b"
        ),
    ),
    "ja": (
        re.compile("(?!)"),
        re.compile("に(?:送|回|付託)|(?:で|は|では)[^、。]{0,16}(?:なかった|ない|れず|せず|否決|見送)"),
    ),
    "zh": (
        re.compile("(?:送交|移交|送往|交由|提交|有待|等待)(?:美国)?$"),
        re.compile("[^，。]{0,4}(?:未|没|不|否决|搁置)"),
    ),
}
"""What stands before or behind a chamber that has not voted for a bill."""
_PASSED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:pass(?:es|ed)?|clear(?:s|ed)?|adopt(?:s|ed)?|approv(?:es|ed)|vot(?:es|ed))\b"),
    "ja": re.compile("可決|通過|採択"),
    "zh": re.compile("通过|表决"),
}
_NO_CHAMBER_EN = r"(?:(?!\b(?:House|Senate)\b)[^.;])"
_ADVERB_EN = r"(?: (?:has|have|had|also|then|later|first|finally|narrowly|\w+ly|(?:on|in|last) \w+))*"
_VOTED_FOR: Mapping[Language, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "en": (
        re.compile(
            r"(?<!not )(?<!never )(?<!n't )(?<!be )(?<!not been )(?<!never been )"
            r"\b(?:pass(?:es|ed)|clear(?:s|ed)|adopted|approved)"
            r"(?: through| in| by|(?: (?!(?:on|and|but|to)\b|\w+ed\b)[\w-]+){0,4} (?:by|in))?(?: both)?"
            r" (?:(?:the )?(?:U\.?S\.? )?(?:House(?: of Representatives)?|Senate),? and )?"
            r"(?:the )?(?:U\.?S\.? )?$"
        ),
        re.compile(
            r"(?:,? and (?:the )?(?:U\.?S\.? )?(?:House(?: of Representatives)?|Senate))?"
            rf"(?:,[^.;,]{{1,60}},|, which)?{_ADVERB_EN}"
            rf"(?: (?:refus|declin|reject|amend|debat)\w+ {_NO_CHAMBER_EN}{{1,60}}?,? (?:and|but|then)"
            rf"{_ADVERB_EN})?"
            r" (?:pass(?:es|ed)?|clear(?:s|ed)?|adopt(?:s|ed)?|approv(?:es?|ed)"
            r"|vot(?:es?|ed)(?! (?:\S+ )?(?:against|down|to (?:reject|table|block|delay|kill))))\b"
            r"(?! (?:on|over) )"
        ),
    ),
    "ja": (
        re.compile("(?!)"),
        re.compile(
            "(?:(?:と|、|・|および|及び)米?[上下]院)?(?:本会議)?(?:[はがでもをの、])(?:(?![上下]院)[^。]){0,60}?"
            "(?:可決|通過|採択)(?!(?:し|され|して|されて|できて?)(?:い)?(?:ない|なかっ|ず)|せず)"
        ),
    ),
    "zh": (
        re.compile("(?!)"),
        re.compile(
            "(?:(?:和|与|、|及)(?:众议院|参议院))?"
            "(?:(?!众议院|参议院|委员会|议长|议员|未|没|不|否决|搁置)[^。]){0,40}?通过"
        ),
    ),
}
"""What stands before or behind a chamber that voted for a bill."""
_NO_VOTER_EN = re.compile(
    r"['’]s\b| (?:bill|version|committee|panel|subcommittee|speaker|leader|members?|floor leader)\b"
    r"| [A-Z]\w+"
)
"""What makes a chamber the attribute of something else."""
_LATER: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\bsign(?:ed|s)\b(?! off\b)(?: (?:[\w.'’-]+ ){0,10}?into law\b"
        r"| by (?:the )?(?:U\.?S\.? )?[Pp]resident\b"
        r"| the (?:[\w.'’-]+ ){0,10}?(?:Act|[Bb]ill)\b)|\b(?:became|becomes|become) (?:\w+ )?law\b"
        r"|\b(?:took|takes|taken|into|in) (?:effect|force)\b"
    ),
    "ja": re.compile("成立し|が成立|法律とな|施行|発効|署名"),
    "zh": re.compile("(?:成为|正式立)[^，。]{0,4}法|生效|施行|签署|成法"),
}
"""Stages behind the vote of a chamber: signature, law, force."""


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return a chamber that passed the bill in the claim and had not voted for it in the passage."""
    if not _PASSED[claim.language].search(claim.text):
        return None
    _, behind = _find_chambers(passage)
    passed, _ = _find_chambers(claim)
    for chamber in passed.keys() & behind.keys():
        return ComparedValue("polarity", passed[chamber], behind[chamber])
    return None


def find_missing_stage(claim: ParsedStatement, passage: ParsedStatement) -> MissingElement | None:
    """Return a stage of the claim behind the vote of a chamber, which is all that the passage tells."""
    later = _LATER[claim.language].search(claim.text)
    passed, _ = _find_chambers(passage)
    if later is None or not passed or not _PASSED[passage.language].search(passage.text):
        return None
    if _LATER[passage.language].search(passage.text) or len(passed) > 1:
        return None
    return MissingElement("act", later.group())


def _find_chambers(statement: ParsedStatement) -> tuple[dict[str, str], dict[str, str]]:
    """Map the chambers that voted for a bill, and those that had not, to the words for it."""
    passed, behind = dict[str, str](), dict[str, str]()
    before_pattern, behind_pattern = _NOT_YET[statement.language]
    text = statement.text
    for chamber, pattern in _CHAMBERS[statement.language].items():
        for match in pattern.finditer(text):
            before = before_pattern.search(text[max(0, match.start() - 40) : match.start()])
            after = behind_pattern.match(text, match.end())
            if _voted_for(statement, match, is_awaited=before is not None):
                passed.setdefault(chamber, match.group())
            elif before is not None or after is not None:
                lead = before.group() if before is not None else ""
                trail = after.group() if after is not None else ""
                behind.setdefault(chamber, f"{lead}{match.group()}{trail}".strip())
    return passed, {chamber: words for chamber, words in behind.items() if chamber not in passed}


def _voted_for(statement: ParsedStatement, chamber: re.Match[str], *, is_awaited: bool) -> bool:
    """True if a verb of passing belongs to a chamber: the Senate passed it, it passed the Senate."""
    text, language = statement.text, statement.language
    if language == "en" and _NO_VOTER_EN.match(text, chamber.end()):
        return False
    if language == "zh" and is_awaited:
        return False
    before, behind = _VOTED_FOR[language]
    return (
        behind.match(text, chamber.end()) is not None
        or before.search(text[max(0, chamber.start() - 90) : chamber.start()]) is not None
    )
