"""Decides whether a sentence states something checkable: not a question, wish, forecast or bare name."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.sources.claims.model import ParsedStatement
from backend.sources.claims.units import load_units

_ASKED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"[?？][)\"'”]*\s*$"),
    "ja": re.compile(r"[?？][」』）]*\s*$|(?:ですか|ますか|でしたか|ましたか|だろうか|のか|かな)[。]?\s*$"),
    "zh": re.compile(r"[?？][」』”）]*\s*$|[吗嗎呢][。]?\s*$"),
}
_BE = "is|are|was|were|do|does|did|can|should"
_INVERTED = re.compile(
    rf"\W*(?:(?:what|why|how|when|where|who|which)(?:'s| (?:{_BE}|will|happened))"
    rf"|{_BE}|has|have|could|would) ",
    re.IGNORECASE,
)
"""The first words of an English question without a question mark; a name may begin with them (Do Kwon)."""
_BELIEF: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^\W*(?:(?:honestly|personally|imo|so|well),? )?(?:i|we) (?:(?:really|still|personally|also) )?"
        r"(?:think|believe|feel|hope|expect|guess|predict|bet|am sure|am convinced)\b"
        r"|, (?:i|we) (?:think|believe|guess)\b|^\W*i'm (?:sure|certain|convinced)\b"
        r"|\bin (?:my|our) (?:view|opinion)\b|\bto the moon\W*$|\bwill (?:likely|probably)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(r"と思(?:う|い|わ)|だろう[。]?$|でしょう[。]?$|かもしれない|はずだ|と予想する"),
    "zh": re.compile("我认为|我觉得|我们认为|我相信|我预计|我希望|也许|或许|恐怕"),
}
_MOVES = (
    "(?:go|be worth|reach|hit|rise|fall|drop|surge|soar|moon|crash|double|triple|climb|surpass|overtake|flip"
    "|collapse)"
)
_FORECAST: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"\b(?:will|is going to|could|might|may) (?:(?:soon|eventually|one day) )?{_MOVES}\b", re.IGNORECASE
    ),
    "ja": re.compile(
        "見通し(?:だ|である|です)。?$|(?:上がる|下がる|達する|超える|暴落する|高騰する)(?:見込み|予想|はず)"
    ),
    "zh": re.compile("(?:将|会)(?:再)?(?:涨|跌|升|突破|达到|超过|暴涨|暴跌|归零)"),
}
"""Forecasts of prices. Future amounts of coins in a protocol are fixed by it and can be checked."""
_TASTE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:good|bad|best|worst|better|worse|amazing|exciting|terrible|great|beautiful|stupid|scam|overrated"
        r"|underrated|undervalued|overvalued|should)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile("べきだ|べきで|素晴らし|最高|最悪|良い|悪い|面白い"),
    "zh": re.compile("应该|最好|最差|最棒|很好|不好|垃圾|令人(?:兴奋|失望)"),
}
_JUDGEMENT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:the|a) (?:best|worst|dumbest|smartest|greatest mistake)\b"
        r"|\b(?:far too|much too|way too|overreach|overkill|ridiculous|disgrace(?:ful)?|absurd|foolish|unwise"
        r"|brilliant|shameful|wonderful)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile("行き過ぎ|やり過ぎ|最悪の|最低の|素晴らしい|愚か|馬鹿げ|ばかげ|不当だ|残念だ|見事だ"),
    "zh": re.compile("最糟糕|糟糕的|最愚蠢|愚蠢|荒唐|荒谬|太过分|令人失望|可笑|太棒|英明|最明智"),
}
"""Words of judgement. Beside a date or a figure they are taken as colour of a fact."""


def is_checkable(claim: ParsedStatement) -> bool:
    """True if ``claim`` states something about the past or present that can be true or false."""
    text, language = claim.text.strip(), claim.language
    if _ASKED[language].search(text) or _BELIEF[language].search(text):
        return False
    if language == "en" and _INVERTED.match(text) and ": " not in text and not _begins_with_a_name(claim):
        return False
    in_coins = any(
        quantity.unit in load_units().codes - load_units().currencies for quantity in claim.quantities
    )
    if _FORECAST[language].search(text) and not in_coins:
        return False
    if _JUDGEMENT[language].search(text) and not (claim.dates or claim.quantities):
        return False
    if claim.dates or claim.quantities or claim.actions:
        return True
    if _TASTE[language].search(text):
        return False
    return bool(claim.words) or not (claim.mentions or claim.names)


def _begins_with_a_name(claim: ParsedStatement) -> bool:
    start = len(claim.text) - len(claim.text.lstrip())
    return any(mention.start == start for mention in claim.mentions)
