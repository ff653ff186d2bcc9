"""Decides whether a text affirms or denies an act.

A negation counts within its scope: in English and Chinese it precedes the verb in the same clause (or follows
it in the passive: its listing was blocked, 上市计划告吹), in Japanese it follows it. A verb of refusing,
failing or giving up negates the verb that it governs (refused to drop, 拒绝撤诉, 上場を見送り) and is then
not an act of its own. A denial after a whole sentence (との報道を否定, 并非事实) negates all of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from backend.entities.model import Language
from backend.sources.claims.model import Action

_BEFORE_EN, _BEHIND_EN, _BEFORE_ZH, _BEHIND_ZH, _BEHIND_JA = 48, 48, 16, 10, 20
"""Maximum characters between a verb and a negation before or after it."""
_CLAUSE = re.compile(
    r"[.,;:!?](?=\s|$)|(?<=[\u3041-\u9fff])[,;:!?]|[,;:!?](?=[\u3041-\u9fff])"
    r"|[。、，；：！？\n]| (?:but|and|although|while|after|following|because|since|when|until) "
)
_GOVERNING_EN = (
    r"(?:fail(?:s|ed|ing)?|refus(?:e|es|ed|ing|al)|declin(?:e|es|ed|ing)|unable"
    r"|decid(?:e|es|ed) (?:not|against)"
    r"|opt(?:s|ed) not|(?:scrap(?:s|ped)?|shelv(?:e|es|ed)|drop(?:s|ped)?|abandon(?:s|ed)?|cancell?(?:s|ed)?"
    r"|call(?:s|ed) off|withdr(?:aws|ew|awn|awing)|ditch(?:es|ed)?|axe[sd]?|revers(?:es|ed)"
    r"|back(?:s|ed) out of"
    r"|walk(?:s|ed) away from|g(?:ive|ives|ave) up(?: on)?|pull(?:s|ed))"
    r" (?:(?:its|the|his|her|their|a|any|all) )?(?:\w+ )?(?:plans?|bid|proposal|idea|attempt|move"
    r"|application))"
    r"(?: to| for| of|(?= (?:[a-z]+ing\b|$)))"
    r"|(?:stop(?:s|ped)?|ceas(?:e|es|ed)|halt(?:s|ed)?|quit(?:s)?)(?= (?:[a-z]+ing\b|$))"
)
_NOT_EN = re.compile(
    rf"\b(?:(?:{_GOVERNING_EN})|not (?:one|a single)(?: more| of)?|not(?! only| need| requir)"
    rf"|never|none of|nobody|cannot|no longer(?! need| requir)"
    r"|nor|neither|yet to|den(?:y|ies|ied|ying)|refut(?:es?|ed|ing)"
    r"|rul(?:es?|ed|ing) out|false(?:ly)?"
    r"|rather than|avoid(?:s|ed|ing)?|avert(?:s|ed|ing)?|escap(?:es?|ed|ing)"
    r"|instead of|short of|without|no)\b"
    r"|n't\b",
)
_NOT_EN_BEHIND = re.compile(
    r"^[\w '-]{0,28}?\b(?:was|were|is|are|be|been|got|gets) (?:\w+ly )?"
    r"(?:cancell?ed|called off|scrapped|shelved|blocked|denied|refused|turned down|abandoned|averted"
    r"|rejected)\b"
)
_FAILED = ("fail", "fails", "failed", "failing")
_ONLY_NEAR = frozenset({"no", "without", "not", "no longer", "never", "cannot"})
_DENIED_SUBJECT_EN = re.compile(
    r" (?!(?:longer|less|more|fewer|later|sooner|doubt)\b)(?:[\w'’-]+ ){1,4}"
    r"(?:is|are|was|were|ha[sd]|have|may|can|could|will|would|must|shall|should)\b"
)
"""What follows *no* if nobody of a kind did something: *no private business is to be forced*."""
_STOPPING_EN = re.compile(r"(?:stop|ceas|halt|quit)")
"""Verbs that govern only the next verb: stop trading."""
_FIRST_OTHERWISE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:before|until|prior to)\b[^;]{3,110}\bnever\b[^;,]{0,60}"
        r"|\bnever\b[^;]{3,80}\b(?:before|until)\b"
        r"|\bno (?:other )?[^;,]{3,160}\b(?:before|until)\b[^;,]*|\bnever before\b[^;]*"
        r"|\b(?:before|until|prior to)\b[^;]{3,110}, no (?:other )?\w+[^;,]*"
    ),
    "ja": re.compile(
        "(?:それまで|これまで|以前に?は)[^。、]{2,40}(?:なかった|ない)"
        "|(?:する|される|の|した)まで(?:は)?、?[^。]{0,50}(?:一つも|一社も|一件も|一度も|一人も|誰も|どこも|例が|前例[がは])[^。]{0,16}"
        "(?:なかった|ない)"
    ),
    "zh": re.compile(
        "(?:此前|之前|以前)[，,]?[^。，]{0,24}(?:从未|从没|没有|尚未|还没|尚无|未有|未曾|不曾)[^，。]*"
    ),
}
"""Negations that tell that something happened for the first time: had never done it before."""
_GOVERNING_ZH = (
    "拒绝|拒絕|取消|放弃|放棄|搁置|擱置|未获|未獲|未能|没能|沒能|不予|不准|(?:[没沒未不]|拒不)(?:有)?(?:让|讓|使|令|叫)(?!人)|无意|避免|免于|逃过|躲过"
    "|停止|终止|終止|废除|廢除|废止|撤回(?!了?(?:诉|起诉|指控|令|对))"
)
_NOT_ZH = re.compile(
    rf"{_GOVERNING_ZH}|从未|從未|没有|沒有|尚未|并未|並未|并没|並沒|并非|並非|否认|否認|不会|不會|不再|绝不|未曾|并不|並不|不构成|不属于|不算|算不上|不视为"
    r"|(?:没|未(?!经|經|来|來|注册|註冊|登记|登記|登録)|不(?!断|仅|过|法|久|少|只|单|但|光|止)|无(?!注|许|罪))(?=.{0,2}$)"
)
_NOT_ZH_BEHIND = re.compile(
    r"(?:的)?(?:计划|計劃|申请|申請|方案|提案|一事|请求|要求|动议|被|遭|已|而|均|并|终|最终){0,4}"
    r"(?:取消|告吹|落空|流产|流產|搁置|擱置|被拒|被否|遭拒|未果|未成)"
)
_GOVERNING_JA = (
    "拒否(?!権)|免れ|防い|防ぎ|回避|拒ん|拒む|拒み|拒絶|見送|取りやめ"
    "|取り止め|断念|中止|停止|やめ|否定|撤回|失敗"
)
_NOT_JA = re.compile(
    r"(?!を受け(?:て|、))(?!(?:だけ|のみ|ばかり)(?:で|に|か))(?:て|し|され|せ|れ|られ|い|が|は|には|を|に|と|さ|っ|わ|ま|か|え|め|け|ら|り|当た|行わ|認め|する|した"
    r"|で|も|の|づけ|付け|最後まで|一切|断固|かたくなに|頑なに|こと|事実|方針|計画|予定|申請|得|受け|取得|でき|至|下げ|げ|る|う|く|へ|ず|よう|との|報道){0,10}?"
    rf"(?P<word>なかった|ない|なく|ません|ず(?![つっ])|{_GOVERNING_JA})"
)
_GOVERNING = re.compile(rf"\b(?:{_GOVERNING_EN})|{_GOVERNING_ZH}")
_SENTENCE = 200
"""Maximum characters before a denial of a whole sentence."""
_UNTRUE = re.compile(
    r"(?:との|という|とする|の)(?:報道|見方|うわさ|噂|観測|指摘|説|話|情報)(?:を否定|は誤り|は事実で(?:は)?な|は虚偽)"
    r"|は(?:事実無根|誤報|デマ)|(?:并非|不是|并不是)(?:事实|真的)|(?:纯)?属(?:谣言|虚假)"
    r"|(?:是|为)(?:假消息|谣言|假新闻)|不属实"
    r"|\b(?:is|was|are|were) (?:a hoax|untrue|fake news)\b"
)


UNTIL_EN = re.compile(r"[^.;,]{0,40}\buntil\b")
"""Text after a negated verb that happened after all, later."""
_EXCEPTIVE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:not?|never|cannot|nobody)\b[^.;]{0,80}\b(?:without|unless|until)\b|\bneed not\b"),
    "ja": re.compile(
        "(?:なしに|なしで|なければ|ないと|ない限り|しか)[^。]{0,24}(?:ない|ません|できな|ならな|禁)"
        "|(?:ないまま|ずに|ぬまま)[^。]{0,40}(?:できな|できず|ならな|いけな|許され|禁じ)"
    ),
    "zh": re.compile(
        "(?:未|无|無|没有|沒有|非)[^，。]{1,14}(?:不得|不可|不能|禁止)|不得[^，。]{0,6}(?:无牌|擅自)"
        "|(?:并非|不是|无须|无需|不必|不用)[^，。]{0,20}(?:不可|才行|才能)|直到[^，。]{1,16}才不再"
    ),
}


_DENIALS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:it|that)(?: is|'s| was) (?:untrue|false|not true|a lie|wrong|incorrect|a myth) that\b"
        r"|\bcontrary to (?:\w+ )?(?:reports?|rumou?rs?|claims?|belief)\b|\bnever happened\b"
        r"|\b(?:false|fake|unfounded) (?:reports?|claims?|rumou?rs?|news) that\b"
        r"|\bthere (?:is|was) no truth\b|\b(?:is|was|are|were) (?:a hoax|untrue|fake news|made up)\b"
        r"|\b(?:reports?|rumou?rs?|claims?)\b[^.]{0,80} (?:is|was|are|were|proved|turned out)"
        r" (?:to be )?(?:false|untrue|unfounded|denied|wrong)\b"
    ),
    "ja": re.compile(
        "(?:との|という|とする|といった|の)(?:報道|見方|うわさ|噂|観測|指摘|説|話|情報|主張|のは)"
        "[^。]{0,12}(?:否定|誤り|誤報|事実で(?:は)?な|虚偽|嘘|うそ|デマ|根拠がな)|は(?:事実無根|誤報|デマ)"
    ),
    "zh": re.compile(
        "(?:并非|不是|并不是|並非)(?:事实|事實|真的|真实)|(?:纯|純)?(?:属|屬|系)(?:谣言|謠言|虚假|虛假|误传)"
        "|(?:是|为|為)(?:假消息|谣言|假新闻|谣传)|不(?:属实|实(?!信息|陈述|消息|内容|言论|表述|资料)|真实(?!信息|陈述|内容))"
        "|(?:说法|消息|报道|传闻|報道|傳聞)[^，。]{0,8}(?:否认|不实|错误|有误(?!导))"
    ),
}


def find_denial(lowered: str, language: Language) -> str | None:
    """Return the words with which a statement calls all that it tells untrue, or None."""
    match = _DENIALS[language].search(lowered)
    return None if match is None else match.group()


def is_exceptive(lowered: str, language: Language) -> bool:
    """True if two negations form a condition: *not without a licence* requires one. So does *need not*."""
    return _EXCEPTIVE[language].search(lowered) is not None


_NEGATIONS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not(?! only| less| more| fewer)|never|nobody|nothing|none|nor|neither|cannot|no longer"
        r"|(?:fail|refuse|decline)(?:s|d|ed)? to|stop(?:s|ped)? short of|backed (?:away|out|off)"
        r"|fell short of|absent from|nothing to do with|played no part|left (?:off|out of)|excluded from"
        r"|(?<!vote )(?<!votes )(?<!voted )(?<!voting )no(?! less| more| fewer| later| sooner| doubt))\b"
        r"|n't\b"
    ),
    "ja": re.compile(
        "なかった|ないまま|ていない|できない|されない|しない|はない|がない|もない|くない|ではない(?![がで])"
        "|無関係|関与していな|関わっていな|至らず|見送[っりら]|拒[みんむ]|断念"
        "|ありません|ませんでした|ず(?=に終|、|。|$)"
    ),
    "zh": re.compile(
        "没有|沒有|并未|並未|从未|從未|从来没|尚未|未曾|未能|并非|並非|并没|並沒|不再|不是(?!.{0,12}而是)"
        "|绝不|并不|並不|毫无关系|(?:与[^，。]{1,12})无关|没能|沒能|(?<![淹吞埋沉出])[没沒](?![收落顶有几多过])|拒绝|拒絕|未(?![来經经必免])"
    ),
}


def find_negation(lowered: str, language: Language) -> re.Match[str] | None:
    """Find the first word with which a text denies anything."""
    return _NEGATIONS[language].search(lowered)


def find_negations(lowered: str, language: Language) -> Iterator[re.Match[str]]:
    """Find all words with which a text denies anything."""
    return _NEGATIONS[language].finditer(lowered)


def find_first_otherwise(lowered: str, language: Language) -> Sequence[tuple[int, int]]:
    """Return the spans that tell by a negation that something was new: had never been done before."""
    return [match.span() for match in _FIRST_OTHERWISE[language].finditer(lowered)]


def find_governing_starts(lowered: str) -> set[int]:
    """Return the offsets of words that negate the verb that they govern."""
    return {match.start() for match in _GOVERNING.finditer(lowered)}


def is_in_scope(lowered: str, end: int, following: int | None) -> bool:
    """True if the next verb is within the scope of the word that ends at ``end``, in the same clause. Failing
    to do something is not a failure of its own."""
    if lowered.endswith(_FAILED, 0, end):
        return True
    reach = _BEFORE_EN if lowered[end - 1].isascii() else _BEFORE_ZH
    between = "" if following is None else lowered[end:following]
    return (
        following is not None
        and following - end < reach
        and _CLAUSE.search(between) is None
        and _OBJECT_ZH.search(between) is None
    )


_OBJECT_ZH = re.compile("的[\u4e00-\u9fff]{2,}$")
"""What stands behind the object of a verb, so that the next verb is not governed: 废除规则的决议成为法律."""


_CONDITION_BEFORE = re.compile(r"\bwithout (?:(?:a|an|any|the|prior|[\w.]+['’]s) ){0,2}$|未经$")
_LICENCE_JA = re.compile("登録|免許|認可|許可|承認|届け?出|同意|許諾|監査|審査")
"""What is needed to act. 停止しないで denies the act itself."""
_CONDITION_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile("(?!)"),
    "ja": re.compile(
        "(?:を|も|が|は)?(?:せ|し|さ|受け|得|取ら|とら|経|され|取得せ|取得し)?"
        "(?:ず(?:に|して)|ぬまま|(?:の)?ない(?:まま|で|うちに)|な(?:し|く)(?:に|して))"
    ),
    "zh": re.compile("[^，。；]{0,4}(?:的情况下|就(?!此|是)|便(?!利|捷|宜)|而擅自)"),
}


def is_conditional_denial(lowered: str, start: int, end: int, language: Language) -> bool:
    """True if the denied verb only says under which condition something else was done.

    Examples: *without a licence*, 登録をしないまま, 没有注册就.
    """
    if language == "ja" and _LICENCE_JA.search(lowered, start, end) is None:
        return False
    return (
        _CONDITION_BEFORE.search(lowered, 0, start) is not None
        or _CONDITION_BEHIND[language].match(lowered, end) is not None
    )


_ATTRIBUTE_BEFORE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:^|[.;] )(?:the|those|all|any|some|an?) (?:[\w'-]+ ){1,3}?(?:that|which|who)"
        r"(?:(?: (?:ha[sd]|have|did|do|does|was|were|is|are))? (?:not|never)| \w+n't)\b[^.,;]{0,30}$"
    ),
    "ja": re.compile("$"),
    "zh": re.compile("(?:^|[。，；！？\n])(?:那些|那条|那个|当时)?(?:没有?|尚?未|不)[^。，；]{0,16}$"),
}
_ATTRIBUTE_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(""),
    "ja": re.compile(
        "(?:を|が|は|に|も)?(?:し|さ|せ|れ|され|せられ|られ|行わ|受け|得){0,3}(?:て(?:は)?い)?(?:な(?:かった|い))"
        "(?=[\u4e00-\u9fff\u30a1-\u30fc])"
        "(?!方針|見通|考え|可能性|意向|見込|模様|場合|理由|判断|決定|旨|事|限り|状態|状況|姿勢|予定|構え|代わり|恐れ|結果"
        "|結論|声明|措置|命令|決議|判決|発表|方向|立場|約束|合意|提案|見解)"
        "(?![^。]{1,16}は[^。]{1,24}(?:である|だ|です)(?:。|$))"
    ),
    "zh": re.compile(
        "[^。，；]{0,8}的(?!情况|话)[\u4e00-\u9fff]{1,4}?(?:并[未没非不]|仍|依然|依旧|继续|至今|以[^。，]|则|却)"
    ),
}


def is_attributive_denial(lowered: str, start: int, end: int, language: Language) -> bool:
    """True if the denied verb only describes a noun: *the chain that did not fork*, 分岐しなかった網."""
    return (
        _ATTRIBUTE_BEFORE[language].search(lowered, 0, start) is not None
        and _ATTRIBUTE_BEHIND[language].match(lowered, end) is not None
    )


def negate_denied_sentences(lowered: str, actions: list[Action]) -> list[Action]:
    """Negate the actions of a sentence that the text afterwards calls untrue as a whole."""
    for match in _UNTRUE.finditer(lowered):
        earliest = max(0, match.start() - _SENTENCE)
        start = max(earliest - 1, *(lowered.rfind(stop, earliest, match.start()) for stop in "。！？!?\n"))
        actions = [
            replace(action, affirmed=not action.affirmed) if start < action.start < match.start() else action
            for action in actions
        ]
    return actions


_DENIED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:\b(?:not|never|no longer|declin(?:e|es|ed)|refus(?:e|es|ed|ing)|fail(?:s|ed|ing)?|unable)|n't)"
        r"(?: to| be| been| ever| yet| also| have| even){0,3} (?P<word>[a-z]{4,30})\b"
    ),
    "ja": re.compile(
        "(?P<word>[\u4e00-\u9fff]{2})(?:を|は|が|も|に|し|さ|せ|れ|られ|でき|行わ|応じ"
        "|含め|含ま|触れ|設け|伴わ|見られ|加え){0,4}"
        "(?:なかった|ない|ません|ず(?=に|、|。|$))"
    ),
    "zh": re.compile(
        "(?:没有|沒有|并未|並未|从未|尚未|未曾|未能|没能|不再|(?<![的之])(?:拒绝|拒絕)|未|没|沒)(?:被|将|能|予)?"
        "(?P<word>[\u4e00-\u9fff]{2})"
    ),
}


_ABSENT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\bno(?: native| own)? (?P<word>[a-z]{4,30})\b"
        r"(?! [a-z]+ (?:is|are|was|were|ha[sd]|have|may|can|will)\b)"
    ),
    "ja": re.compile(
        "(?P<word>[\u4e00-\u9fff]{2}|[\u30a1-\u30fc]{3,12})(?:は|が|も)(?:な[いか]|なく(?!な)|存在しな)"
    ),
    "zh": re.compile(
        "(?:没有(?:任何|自己的|原生)|(?:不设|不含|并无|毫无)(?:任何|自己的|原生)?)(?P<word>[\u4e00-\u9fff]{2})"
    ),
}


def find_absent_things(lowered: str, language: Language) -> set[str]:
    """Return the words for things of which a text says that there is none (no token, トークンはない)."""
    return {match["word"] for match in _ABSENT[language].finditer(lowered)}


def find_negated_words(lowered: str, language: Language) -> Iterator[re.Match[str]]:
    """Find the words (``word``) next to a negation, listed verbs or not. A condition denies none."""
    for match in _DENIED[language].finditer(lowered):
        if not is_conditional_denial(lowered, *match.span("word"), language):
            yield match


def find_verb_negation(
    lowered: str, start: int, end: int, before_end: int, language: Language
) -> tuple[bool, int | None]:
    """Return whether the verb is negated, and (Japanese) the end of the negating word after it."""
    if lowered[start].isascii():
        window = lowered[max(before_end, start - _BEFORE_EN) : start]
        negations = [match.group() for match in _NOT_EN.finditer(_last_clause(window)) if _is_near(match)]
        return _is_odd(negations) != bool(
            _NOT_EN_BEHIND.match(_first_clause(lowered[end : end + _BEHIND_EN]))
        ), None
    if language == "ja":
        match = _NOT_JA.match(_first_clause(lowered[end : end + _BEHIND_JA]))
        return match is not None, match.start("word") if match else None
    window = lowered[max(before_end, start - _BEFORE_ZH) : start]
    following_match = _NOT_ZH_BEHIND.match(_first_clause(lowered[end : end + _BEHIND_ZH]))
    return _is_odd(_NOT_ZH.findall(_last_clause(window))) != bool(following_match), None


def _first_clause(window: str) -> str:
    clause = _CLAUSE.search(window)
    return window[: clause.start()] if clause else window


def _last_clause(window: str) -> str:
    ends = [match.end() for match in _CLAUSE.finditer(window)]
    return window[ends[-1] :] if ends else window


def _is_near(match: re.Match[str]) -> bool:
    """True if a negation is close enough: short ones reach over four words, a denial over its whole
    clause."""
    words = len(match.string[match.end() :].split())
    if _STOPPING_EN.match(match.group()):
        return words <= 1
    if match.group() == "no" and _DENIED_SUBJECT_EN.match(match.string, match.end()):
        return True
    return match.group() not in _ONLY_NEAR or words <= 4


def _is_odd(negations: list[str]) -> bool:
    return len(negations) % 2 == 1
