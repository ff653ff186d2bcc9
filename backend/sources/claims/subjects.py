"""Finds the agent of a text by a name outside of the catalogue: 任天堂は…, 星巴克以…, Robert Lang.

Not every subject is a name: offices and roles (the court, 当局, 黑客) are excluded by their endings, as are
texts longer than a name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.entities.model import Language
from backend.sources.claims.lexical_features import normalize_name

Span = tuple[int, int]

_EN = re.compile(
    r"(?<![\w.])(?P<name>[A-Z][a-z]{2,20} (?:[A-Z]\. )?[A-Z][a-z]{2,20})(?=[ ,'’.]|$)"
)  # first name and last name
_JA_DATE = r"(?:\d{1,4}年(?:\d{1,2}月)?(?:\d{1,2}日)?(?:に|、|は)*)?"
_JA = re.compile(
    rf"\s*{_JA_DATE}(?P<name>[\u30a1-\u30fc・]{{2,16}}?|[\u4e00-\u9fff]{{2,5}}?)"
    r"(?P<title>被告|容疑者|氏|社長|CEO)?(?=は|が|も)"
)
_JA_HEADLINE = re.compile(rf"\s*{_JA_DATE}(?P<name>[\u30a1-\u30fc・]{{2,16}})(?=、)")
_ZH_DATE = r"(?:\d{1,4}年(?:\d{1,2}月)?(?:\d{1,2}日)?[，,]?)?"
_ZH = re.compile(
    rf"\s*{_ZH_DATE}(?P<name>[\u4e00-\u9fff·]{{2,6}}?)"
    r"(?=\d|[在于以将把向]|宣布|披露|购|买|卖|推出|收购|同意|公司|集团)"
)
"""Only the beginning of a text, after an optional date, counts: the start of a later clause is rarely an
agent."""
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏"
    "韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤"
)
_TITLED_ZH = re.compile(
    "(?:创始人|创办人|首席执行官|联合创始人|总裁|董事长|法官|主席|CEO)"
    rf"(?P<name>[{_SURNAMES}][\u4e00-\u9fff]{{1,3}}?|[\u4e00-\u9fff]{{1,6}}·[\u4e00-\u9fff·-]{{1,12}}?)"
    "(?=[在于以将把向被从已曾，。\\d]|宣布|表示|称|承认|认罪|辞|判|获|当庭)"
)
_ROLES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:Court|Bank|Exchange|Commission|Department|Group|Foundation|Reserve|Act|House|Congress|Council"
        r"|Union|Street|City|State|States|Times|Journal|Chain|Network|Protocol|Finance|Capital|Labs|Trust|Fund"
        r"|Upgrade|Coin|Cash|Protection|Order|Bill|Office|Agency|Authority|Ministry|Treasury|Parliament|Road"
        r"|Glacier|Circuit|District|Supreme|Federal|Judge|President|The|January|February|March|April|May|June"
        r"|July|August|September|October|November|December|Bitcoin|Ethereum|Korea|Kong|Zealand|Africa|Salvador"
        r"|Rica|New|San|Los|Las|Santa|South|North|East|West|Saint|Mount|United|Wall|Lake|Fort|Port|Silicon"
        r"|Acting|Chairman|Commissioner|Chief|Task|Force|Crypto|Digital|Virtual|Strategic|Letter|Notice|Rule"
        r"|Securities|Services|Payment|Payments|Standard|Dollar|Stablecoin|Stablecoins|Law|Directive|Prime)\b"
    ),
    "ja": re.compile(
        "取引所|財団|委員|半減|アップグレード|フォーク|コイン|トークン|チェーン|ネットワーク|ブリッジ|ウォレット"
        "|ハッカー|マイナー|ユーザー|サービス|ファンド|ステーキング|ブロック|フェーズ|レベル|ドメイン|コード|ローン"
        "|ニューヨーク|デラウェア|ワイオミング|カリフォルニア|オンタリオ|マンハッタン|東京|大阪|日本|米国|英国|中国"
        "|[所裁局府省庁院会団行者家員人側社業国県州法案権額率価格状済半方金資税書券債株式利上下前後中外内全各諸両同"
        "本当該最初再新旧第的性化量数料発売買取引計画止停始了終開閉決定承認可否禁止流出入出庫産貨幣銭場市判決訴訟件]"
    ),
    "zh": re.compile(
        "黑客|[根据按依没跟被并其这该此后前另约逾为即则均各每且也都又还再才就只仅不未无可须应能会将已开启停终破受获得给让使对以于在把"
        "向从由至到等之的和与或及首次第个件条项名位批份笔新旧全部院庭局署团方者家员人们国府州省市港社行所网链币案法令"
        "额率价户机构政银券股币约额货资产市场表公示权罚款判刑增减涨跌适用投融发售募集估值诉状编号代码]"
    ),
}
_OFFICE = re.compile("[一之等及和兼]|.*(?:职|职务|职位|任期|身份|地位|本人)$")
"""Words after a title that are not names (辞去CEO一职)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An agent. ``is_person``: its form or title shows a person."""

    name: str
    is_person: bool


def find_subject(text: str, language: Language, slot_spans: Sequence[Span]) -> Subject | None:
    """Find the first name of an agent in ``text`` outside ``slot_spans`` (entities, dates, figures)."""
    for pattern in _PATTERNS[language]:
        for match in pattern.finditer(text) if pattern in _ANYWHERE else _match_at_start(pattern, text):
            start, end = match.span("name")
            if any(
                slot_start < end and start < slot_end for slot_start, slot_end in slot_spans
            ) or _OFFICE.match(match["name"]):
                continue
            titled = pattern is _TITLED_ZH or match.groupdict().get("title") is not None
            if titled or _ROLES[language].search(match["name"]) is None:
                return Subject(match["name"], titled or language == "en")
    return None


def is_known(name: str, text: str) -> bool:
    """True if ``text`` contains any part of a name: a word, or in Chinese and Japanese two characters."""
    parts = name.split() if name.isascii() else [name[index : index + 2] for index in range(len(name) - 1)]
    lowered = text.lower()
    return any(part.lower() in lowered for part in parts) or normalize_name(name) in normalize_name(text)


_PATTERNS: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "en": (_EN,),
    "ja": (_JA, _JA_HEADLINE),
    "zh": (_TITLED_ZH, _ZH),
}
_ANYWHERE = frozenset({_EN, _TITLED_ZH})


def _match_at_start(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    match = pattern.match(text)
    return [] if match is None else [match]
