"""Who a text says acted, by a name that the catalogue lacks: 任天堂は…, 星巴克以…, Robert Lang.

What stands where a subject stands is not always a name: offices and roles (the court, 当局, 黑客) are left
out by their endings, and so is what is longer than names are.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.entities.model import Language

Span = tuple[int, int]

_EN = re.compile(
    r"(?<![\w.])(?P<name>[A-Z][a-z]{2,20} (?:[A-Z]\. )?[A-Z][a-z]{2,20})(?=[ ,'’.]|$)"
)  # first name and last name
_JA = re.compile(
    r"(?:^|[、。\n])(?:\d{1,4}年(?:\d{1,2}月)?(?:\d{1,2}日)?、?(?:に)?)?"
    r"(?P<name>[\u30a1-\u30fc・\u4e00-\u9fff]{2,12}?)"
    r"(?P<title>被告|容疑者|氏|社長|CEO)?(?=(?:は|が|も|から)[^\u3041-\u3096]?)"
)
_ZH = re.compile(
    r"(?:^|[，。；\n])(?P<name>[\u4e00-\u9fff·]{2,6}?)"
    r"(?=\d|[在于以将把向被与和同对从已曾的]|宣布|披露|表示|称|推出|购|买|卖|收购|起诉|公司|集团|同意|发行|上线|启动)"
)
_TITLED_ZH = re.compile(
    r"(?:创始人|创办人|首席执行官|联合创始人|总裁|董事长|法官|主席|CEO)(?P<name>[\u4e00-\u9fff·]{2,8}?)"
    r"(?=[在于以将把向被与和同对从已曾，。\d]|宣布|表示|称|承认|认罪|辞|判|获|当庭)"
)
_OFFICE = re.compile("[一之等及和兼]|.*(?:职|职务|职位|任期|身份|地位|本人)$")
"""What stands behind a title and is no name (辞去CEO一职)."""
_ROLES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:Court|Bank|Exchange|Commission|Department|Group|Foundation|Reserve|Act|House|Congress|Council|Union"
        r"|Street|City|State|States|Times|Journal|Chain|Network|Protocol|Finance|Capital|Labs|Trust|Fund|Upgrade"
        r"|Coin|Cash|Protection|Order|Bill|Office|Agency|Authority|Ministry|Treasury|Parliament|Road|Glacier"
        r"|Circuit|District|Supreme|Federal|Judge|President|The|January|February|March|April|May|June|July|August"
        r"|September|October|November|December|Bitcoin|Ethereum|Korea|Kong|Zealand|Africa|Salvador|Rica"
        r"|New|San|Los|Las|Santa|South|North|East|West|Saint|Mount|United|Wall|Lake|Fort|Port|Silicon)\b"
    ),
    "ja": re.compile(
        "(?:所|裁|局|府|省|庁|院|会|団|行|者|家|員|人|側|社|業|国|県|州|法|案|権|額|率|価|格|発行|取引|計画|開始|停止"
        "|部門|当局|銀行|企業|会社|制度|規制|規則|条例|指針|判決|訴訟|事件|犯行|攻撃|流出|資金|資産|通貨|市場|弁済|返済"
        "|創業者|大統領|上限|報酬|手数料|期間|協定|合意|基準|枠組み|機能|供給|残高|利用|導入|設立)$"
        "|取引所|財団|委員|半減|アップグレード|フォーク|コイン|トークン|チェーン|ネットワーク|ブリッジ|ウォレット"
        "|ハッカー|マイナー|ユーザー|サービス|ファンド|ステーキング|ブロック"
    ),
    "zh": re.compile(
        "(?:法院|院|庭|局|部|署|会|团|方|者|家|员|人|们|国|府|州|省|市|港|社|行|所|网|链|币|案|法|令|额|率|价|矿工|用户"
        "|当局|机构|政府|部门|央行|银行|公司|集团|平台|协议|项目|社区|黑客|基金|计划|条例|规则|指引|升级|分叉|减半"
        "|奖励|区块|交易|资产|市场|代币|合约|总统|法官|国会|议会|陪审|检方|该国|全球|首个|首次|其中|同时|此前|随后"
        "|目前|当时|此次|一项|一个|一名|有人)$|交易所|加密|稳定|数字|虚拟|比特|以太"
    ),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """``is_person`` where its form or its title tells so."""

    name: str
    is_person: bool


def find(text: str, language: Language, taken: Sequence[Span]) -> Subject | None:
    """The first name of a doer in ``text`` outside the spans ``taken`` (entities, dates, figures)."""
    patterns = {"en": (_EN,), "ja": (_JA,), "zh": (_TITLED_ZH, _ZH)}[language]
    for pattern in patterns:
        for match in pattern.finditer(text):
            start, end = match.span("name")
            if any(one < end and start < other for one, other in taken):
                continue
            if _OFFICE.match(match["name"]):
                continue
            titled = pattern is _TITLED_ZH or match.groupdict().get("title") is not None
            if titled or _ROLES[language].search(match["name"]) is None:
                return Subject(match["name"], titled or language == "en")
    return None
