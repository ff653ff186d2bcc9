"""Finds who acts or decides by the structure of a title or a lead, also without the catalogue."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.formats.chinese import to_simplified

_DECISION = (
    r"(?:approvals?|review|ruling|decision|clearance|licen[sc]e|charter|order|vote|permission|registration"
    r"|authori[sz]ation|investigation|probe)"
)
_DECIDED = (
    r"(?:approv(?:al|ed)|clear(?:ed|ance)|granted|licen[sc]ed?|charter(?:ed)?|authori[sz](?:ed|ation)|permission"
    r"|ruling|rul(?:ed)|fined|charged|sued|ordered|charges|lawsuit)"
)
_DECISION_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"(?:['’]s)? (?:(?!(?:to|in|on|of|for|and|by|from|with)\b)[a-z-]+ ){{0,2}}{_DECISION}\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(r"(?:の|が|による)?(?:最終|正式|条件付き)?(?:承認|認可|許可|審査|判断|決定|命令|登録)"),
    "zh": re.compile(
        r"(?:的|对[^，。]{1,8})?(?:最终|正式|有条件)?(?:批准|许可|审查|裁决|决定|命令|牌照|核准)"
    ),
}
_DECISION_BEFORE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"\b{_DECIDED}\b[^.,;]{{0,30}}?\b(?:from|by) (?:the )?(?:(?:US|U\.S\.|UK|EU) )?$", re.IGNORECASE
    ),
    "ja": re.compile(r"(?!)"),
    "zh": re.compile(r"(?:获得?|经|被)$"),
}
_ONE = (
    r"(?:parliament|council|senate|court|government|ministry|regulator|watchdog|commission|tribunal|congress"
    r"|authority|central bank)"
)
_MANY = r"(?:police|prosecutors|regulators|authorities)"
_ACT = (
    r"(?:approve|reject|pass|rule|order|ban|charge|sue|fine|vote|delay|adopt|grant|dismiss|sentence|convict|block"
    r"|freeze|propose|arrest|seize|raid|warn|convene|extend|suspend|revoke|uphold|overturn|allow)(?:e?s|e?d)?"
    r"|(?:banned|froze|upheld|overturned)"
)
"""Acts of an authority. Behind its name, another word is often no verb (*court filings*)."""
_AUTHORITY: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:The )?(?!(?:why|how|what|when|where|after|amid|before|despite|if|while|top|another)\b)"
        r"(?P<name>(?-i:(?:[A-Z][\w.]*(?:['’]s)? ){1,3})"
        rf"(?:{_ONE}|{_MANY}))(?= (?:(?:has|have|will) )?(?:{_ACT})\b)",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:【[^】]*】)?(?!なぜ|元)(?P<name>[^、。はがをにでとの【】]{1,8}(?:裁判所|地裁|高裁|最高裁|検察|警察|県警|議会|国会|政府))(?=[はが、])"
    ),
    "zh": re.compile(
        r"(?:【[^】]*】)?(?P<name>[^，。：向被在由与和遭获对据因从传前原【】]{1,6}(?:法院|法庭|议会|国会|检方|检察院|警方|政府|央行))"
        r"(?=[将已拟正]?(?:判|裁|批准|通过|否决|起诉|指控|逮捕|下令|宣布|驳回|要求|禁止|冻结|查扣|发布))"
    ),
}
_OFFICIAL_WORD: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\baccording to (?:an|the) official (?:announcement|statement|blog|post|notice)\b", re.IGNORECASE
    ),
    "ja": re.compile(r"公式(?:発表|サイト|ブログ|アカウント|X)?によ(?:ると|れば)"),
    "zh": re.compile(r"(?<!数)据官方|官方(?:消息|公告)(?:称|显示)"),
}
_INCLUDED = re.compile(
    r"[^,]{3,60}, including (?P<names>[^,]{3,80}), (?:are|have|were|will|plan|restrict|ban|tell|told)\b"
)


def is_deciding(text: str, start: int, end: int, language: Language) -> bool:
    """True if ``text[start:end]`` names an authority on whose decision the news depends (*OCC approval*)."""
    compared = to_simplified(text) if language == "zh" else text
    is_before = _DECISION_BEFORE[language].search(compared[:start])
    return is_before is not None or _DECISION_BEHIND[language].match(compared, end) is not None


def find_acting_authority(text: str, language: Language) -> str:
    """Return the authority with which a text begins as it is written, such as *the EU parliament*; empty
    without one."""
    match = _AUTHORITY[language].match(to_simplified(text) if language == "zh" else text)
    if match is None:
        return ""
    name = text[match.start("name") : match.end("name")]
    return f"the {name}" if language == "en" and "’s " not in name and "'s " not in name else name


def cites_official(text: str, language: Language) -> bool:
    """True if a text relays what the party itself announced, without a name (据官方消息)."""
    compared = to_simplified(text) if language == "zh" else text
    return _OFFICIAL_WORD[language].search(compared) is not None


def find_included_span(lead: str) -> tuple[int, int] | None:
    """Return the span of the names that a lead lists as examples of those who act; None without any."""
    match = _INCLUDED.match(lead)
    return match.span("names") if match else None
