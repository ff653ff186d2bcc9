"""Finds the words directly around an ambiguous name that show whether it is a name or an ordinary word.

A regulator sues, a company hires, a coin falls: a verb or a noun of office beside a word makes it a name
("Block said", サークル社, 灰度提交了). A determiner, a number or a continuation makes it an ordinary word
("a block of flats", "12.4 SEC", 読書サークル).
"""

import re

from backend.articles.text.common_words import load_descriptive_words
from backend.entities.model import EntityType

_TRADED_TYPES = ("asset", "stablecoin", "protocol")
CUE_WINDOW_CHARS = 48
"""Characters on either side of a name in which cues are searched."""
DECISIVE_POINTS, STRONG_POINTS, WEAK_POINTS = 3, 2, 1
"""Points of one cue. A word counts as a name from ``DECISIVE_POINTS`` points in total."""

_AGENT_VERBS = (
    r"said|says|told|tells|sued|sues|suing|filed|hired|hires|fired|acquired|acquires|agreed|agrees|"
    r"announced|announces|declined|denied|denies|pleaded|argued|argues|confirmed|confirms|sanctioned|charged|"
    r"fined|accused|accuses|appealed|settled|settles|testified|laid off|lays off|went public|"
    r"goes public|partnered|disclosed|discloses|appointed|named|approved|approves|subpoenaed|urged|warned|"
    r"warns|wants|refused|rebranded|teamed up|bought|buys|employs|voted|owns|licensed|published|countersued"
)
_COMMON_VERBS = (
    r"raised|raises|launched|launches|upgraded|upgrades|lists|listed|priced|posted|reported|cut|won|lost|sold|sells|"
    r"paid|pays|added|adds|moved|opened|closed|halted|paused|suspended|resumed|burned|minted|froze|mined|deployed|"
    r"shed|offered|rejected|received|secured|introduced|unveiled|released|"
    r"expanded|signed|dropped|delayed|joined|invested|integrated|migrated|processed|went down|"
    r"goes down|suffered|got|holds|runs|lets|led|backed|seeks|sought"
)
_AUXILIARIES = (
    r"(?:(?:also|then|later|now|has|have|had|will|would|may|could|reportedly|recently|quietly|never|"
    r"just|today|yesterday|on \w+day|again|first|formally|finally|separately|plans to|wants to) )"
)
_ROLES = (
    r"(?:co-?)?founders?|C[ETOF]O|chief|chair(?:man|woman)?|commissioners?|creditors?|customers?|executives?|"
    r"employees|staff|spokes(?:man|woman|person|people)|shareholders?|shares|stock|governance|lawyers?|"
    r"attorneys?|users|depositors|governor|secretary|officials?|engineers|developers?|investigators|filings?|"
    r"lawsuit|enforcement|president|director|mainnet|testnet|blockchain|vaults?|holders|token|tokens|investors|"
    r"Chair(?:man|woman)?|Commissioner|Governor|Secretary|President|Labs|Foundation|Protocol|Inc\b|CEO|delegates"
)
_ENGLISH_AGENT_VERB = re.compile(rf"(?:,? (?:Inc\.|Corp\.|Ltd\.),?)? {_AUXILIARIES}*(?:{_AGENT_VERBS})\b")
_ENGLISH_COMMON_VERB = re.compile(rf" {_AUXILIARIES}*(?:{_COMMON_VERBS})\b")
_ENGLISH_POSSESSIVE_OR_PRICE = re.compile(
    r" [a-z]{2,12}(?: (?:down|up|off|out|back|on))? (?:its|their) (?!own)|"
    r" [a-z]{2,12}(?:ed|nt|ld|id|ught|ade|ok) [$€£¥]\d"
)
"""An agent acts on something of its own ("Vanguard reversed its ban") or pays a price."""
_ENGLISH_PAST_TENSE = re.compile(
    rf" {_AUXILIARIES}*(?:(?!need|speed|feed|seed|bed|red)[a-z]{{2,}}ed|"
    r"[a-z]+(?:ook|ought|aught|aid|ent|ew|ove)|rose|went|got|made|met|ran|won|held|kept|left|built|began|beat|hit|saw|"
    r"(?:was|were) [a-z]+(?:ed|en|ought))\b"
)
_MASS_NOUNS = frozenset(
    ("Optimism", "Helium", "Copper", "Rain", "Plasma", "Flow", "Grass", "Harmony", "Ink", "Near", "Stellar")
)
"""Names whose ordinary word also begins a sentence without an article."""
_SHARED_NAME_LIST = """
Apollo Aragon Artemis Avalanche Aztec Babylon Blast Bridge Camelot Canaan Celsius Compound
Cosmos Eclipse Euler Flare Galaxy Gemini Genesis Gnosis Jupiter Kraken Libra Lombard Lyra
Mirror Neo Orca Phantom Ripple Sonic Strategy Terra Trump Venus Visa Voyager Wormhole
"""
_SHARED_NAMES = frozenset(_SHARED_NAME_LIST.split())
"""Names that others share, or that headlines write without an article. A verb needs another cue."""
_ENGLISH_ROLE = re.compile(rf"(?:['’]s)? (?:{_ROLES})\b")
_ENGLISH_TARGET = re.compile(
    r"\b(?:sued|sues|suing|against|acquired|acquires|acquire|acquiring|buy|bought|buys|accused|accuses|charged|"
    r"fined|joined|joins|backed|founded|left|told|asked|urged|became|"
    r"is now|now called|renamed|rebranded as|rebranded to|vs?\.?|versus|invested in|"
    r"parent of|shares of|owner of|maker of|users of|investor in|partner with|partnered with|"
    r"letter to|talks with|deal with|stake in|case against|complaint against|"
    r"shares in|investors in|analysts at|lawyers at|engineers at|executives at|company behind|run by|made by|"
    r"issued by|backed by|owned by|founded by|led by|listed on|"
    r"deployed on|built on|launched on|live on|runs on|staked on)\s(?:the |US |rival )*\Z"
)
_ENGLISH_SOURCE = re.compile(
    r"\b(?:[Aa]ccording to|CEO of|founder of|head of|chair of|president of|lawyers? for|spokes\w+ for|"
    r"creditors of|customers of|executive at|analysts? at|data from|report by|reported by|interview with) "
    r"(?:the )?\Z"
)
_OWNED_BY_PERSON = re.compile(r"[A-Z][\w-]+['’]s? \Z")
_AFTER_PAST = re.compile(r"\b[A-Z]\w+ (?:[a-z]{2,}ed|[a-z]+(?:ook|ought|ew|ove|ent)|beat|hit|met) \Z")
_NAMED_OF = re.compile(
    r"\b(?:Chair|Chairman|Commissioner|Governor|President|Secretary|Judge) [A-Z][\w-]+ of (?:the )?\Z"
)
_LOWER_BEFORE = re.compile(r"(?:\A|[\s(“\"‘])[a-z][\w'’-]*[,:]? (?:[\"“(])?\Z")
_MARKET = re.compile(
    r"(?:['’]s price)?(?: (?:also|then|briefly|each|both|all|have|has|had|later|is|are|was|were|prices?))* "
    r"(?:rose|rises|rising|fell|falls|falling|jumped|jumps|slid|slides|slipped|surged|surges|soared|soars|rallied|rallies|plunged|"
    r"plunges|tumbled|tumbles|dropped|drops|gained|gains|climbed|climbs|sank|dipped|spiked|crashed|led|lagged|"
    r"outperformed|underperformed|traded|trades|trading|"
    r"(?:up|down)(?= (?:\d|by|almost|nearly|about|more|sharply|for))|hit|doubled|tripled|halved|rebounded|"
    r"recovered|bounced|shed|lost|added|topped|broke|bled|pumped|dumped|closed at|opened at|changed hands|"
    r"holders|perpetuals|futures|options|price|prices|tokens?|vaults?|pair|staking|deposits|liquidity)\b"
)
_MARKET_LIST = re.compile(r"(?:(?:, | and |, and | & |/|, or | or )\$?[A-Z0-9]{2,6}\b){1,5}")
_AMOUNT = re.compile(
    r"(?:[\d,.]+ ?(?:[kKmM]|million|billion|thousand)? |\b(?:worth of|price of|of his|of her|of their|staked|"
    r"swapped|sold|bought|holding|long|short|into|for) (?:his |her |its |their )?)\Z"
)

_JA_MARKET = re.compile(
    r"(?:など)?(?:が|は|も|の価格[がは])[^。、]{0,14}?(?:上昇|下落|急騰|急落|続伸|続落|反発|反落|高騰|暴落|"
    r"[\d.]+[%％]|買われ|売られ|値上がり|値下がり|値を|最高値|下げ幅|上げ幅|上場来|下げた|上げた|下げる|続騰|軟調|堅調)"
)
_ZH_MARKET = re.compile(
    r"[^，。、；\s]{0,5}?(?:上涨|下跌|大涨|大跌|暴涨|暴跌|拉升|跳水|跌破|突破|站上|反弹|回落|领跌|领涨|跟涨|跟跌|"
    r"稳住|走高|走低|新高|新低|涨超|跌超|涨逾|跌逾|翻倍|插针|横盘|净流入|净流出|收涨|收跌|涨幅|跌幅|"
    r"上漲|大漲|暴漲|跟漲|領漲|漲超|漲逾|突破|反彈|淨流入|淨流出|价格|價格|现货|期货|持仓)"
)
_CJK_LIST = re.compile(r"(?:(?:と|や|、|・|和|与|與|及|,|/) ?[A-Z0-9]{2,6}(?![A-Za-z])){1,5}")
_JA_OFFICE = (
    r"(?:氏|委員長|委員|議長|CEO|ＣＥＯ|CTO|会長|社長|総裁|代表|長官|理事長|理事|最高経営責任者|創業者)"
)
_PERSON_TITLE = re.compile(rf"(?:元|前|新|現|副|兼)?{_JA_OFFICE}|さん|先生|女士|主席|总裁|總裁|博士")
_PERSON_OFFICE = re.compile(
    r"\b(?:Mr\.?|Ms\.?|Judge|Chair|Chairman|Commissioner|Senator|Governor|President|Secretary|CEO|"
    r"founder|analyst) \Z|"
    r"(?:主席|总裁|總裁|创始人|創始人|董事长|首席执行官|行政总裁|局长|行长|部长|议员|法官|证监会主席) ?\Z"
)
_JA_ROLE = re.compile(
    r"社(?![会員内外債屋])|財団|創業者|共同創業者|"
    r"の(?:共同|元|前)?(?:創業者|創設者|創始者|CEO|最高経営責任者|会長|社長|代表|広報|幹部|開発者|開発チーム|利用者|顧客|保有者|"
    r"債権者|株価|株式|株を|トークン|財団|ネットワーク|委員長|議長|委員|長官|総裁|チェーン|手数料収入|弁護士|"
    r"親会社|子会社|上場|ガバナンス|預かり資産|ステーブルコイン|バリデーター|経営陣|日本法人)|"
    rf"の[\u30a1-\u30fa・ー\u4e00-\u9fff]{{2,12}}?{_JA_OFFICE}|"
    r"(?:によると|によれば|幹部|広報|側は|上の(?:DEX|取引)|を率いる|を運営する|を創業)"
)
_JA_COMMON_VERBS = (
    r"提訴|訴え|上場|買収|発表|提携|申請|増発|発行|調達|買い増し|買い増す|開示|導入|延期|停止|撤退|承認|起訴|合意|"
    r"解雇|否定|凍結|参入|却下|公表|表明|免許|認可|出資|採用した|閉鎖|支払|統合|削減|再開|提出|更新|引き上げ|引き下げ|破産|和解|展開する|移った|移る|移転|"
    r"取り下げ|検討|融資|声明|方針|計画|見直|提供|撤回|支援|協力|参加|獲得|取得|設立|開設|意見書|拡大|縮小|値下げ"
)
_JA_SUBJECT = re.compile(
    rf"(?:[とや、][^。、]{{1,20}}?)?(?:は|が|も|では|側が|側は)[^。]{{0,40}}?(?:{_JA_COMMON_VERBS})"
)
_JA_AGENT_VERB = re.compile(
    r"(?:は|が|も)(?:[^。、]{0,24}?[をにでと])?"
    r"(?:発表|公表|公開|開示|提訴|買収|上場|出資|申請|提携|警告|表明|否定|解雇|起訴|参入)(?:し|する|へ|を)|"
    r"[はが][^。]{0,30}?(?:報じ|伝え)"
)
_JA_OF = re.compile(
    r"の(?:技術|基盤|ブロックチェーン|エコシステム|規格|仕組み|サービス|アプリ|事業)|上(?:の|で|に)"
)
_JA_OBJECT = re.compile(
    r"(?:を|に|と|へ|から|への|との|に対し|に対する|に対して)[^。、]{0,5}"
    r"(?:提訴|訴え|買収|起訴|提携|出資|調査|上場|合意|提出|申請|入社|勝訴|敗訴|送金|入金|出金|預け|移行|和解|訴訟|契約|"
    r"協業|協議|裁判|係争|統合|合併|競|組)|"
    r"を使った(?:送金|資金|決済|取引)"
)
_JA_BEFORE = re.compile(
    r"(?:米|英|旧|取引所|取引所の|企業の?|会社の?|大手の?|発行体の?|発行元の?|運営元の?|運営する|手がける|"
    r"スタートアップの?|ウォレットの?|プロトコルの?|チェーンの?|レイヤー[12２]の?|傘下の|子会社の)\Z"
)
_ZH_DECISIVE = re.compile(
    r" ?(?:主网|主網|网络(?!安全|攻击|犯罪|诈骗)|"
    r"公司|集团|集團|基金会|基金會|协议|協議|交易所|平台|创始人|創始人|联合创始人|"
    r"聯合創始人|联创|首席|CEO|高管|官方|报道|報導|获悉|獲悉|援引|旗下|主席|债权人|生态|股价|股價|股票|市值|团队|持股|首日|上市首日|季度|财报|財報|"
    r"(?:已|已经|将|拟|再次|正式|此前|随后|随即|也|最近|今日|昨日|周[一二三四五六日]|同日|同时|先后|联合)?"
    r"(?:向[^，。]{1,16}?(?:提交|递交|申请|起诉|支付|转|捐)|宣布|宣佈|起诉|起訴|收购|收購|提交|递交|遞交|领投|領投|跟投|"
    r"发布|發布|推出|表示|称(?!为)|回应|回應|否认|否認|指控|批准|裁员|裁員|公布|披露|任命|创办|增发|增發|联席|出任|"
    r"认为|認為|完成|表态|发文|发推|离职|入股|增持|减持|买入|卖出|说|聘请|聘任|获批|获得|上调|下调|上线|上線|发行|"
    r"递表|登陆|调查|申请|申請|共用|退出|支持|推动|"
    r"支付|缴纳|赔偿|冻结|销毁|启动|上架|下架|转移|关闭|破产|遭|赢|输|胜诉|败诉|治理|改名|更名|重组|转型|撤回|放弃|上诉|反对|批评|警告|转换|撤销|募资|筹资|融资|考虑|解散|被盗|提高|降低|撤资|投资|进军|押注|看好|看空|抛售|清仓|建仓|加仓|减仓|"
    r"信托|基金|牌照|暂停|恢复|重启|聘用|委员|官员|执法|前主席))"
)
_ZH_WEAK = re.compile(r" ?(?:与|和|向|对|的|上市|把|将|已|用户|链上|網絡|网络|在)")
_ZH_BEFORE = re.compile(
    r"(?:起诉|起訴|收购|收購|指控|调查|調查|投资了?|加入|创办的?|旗下的?|关联的?|针对|出售|增持|减持|买入|抛售|登陆|"
    r"入股|监管机构|输给|击败|批评|联手|携手|改名|更名|更名为|改名为|前身为|交易所|公链|公司|创始人|總裁) ?\Z"
)
_FINANCE = re.compile(
    r"\b(?:shares?|stocks?|markets?|funds?|investors?|trading|traders?|prices?|banks?|fees?|loss|losses|profits?|"
    r"revenues?|lawsuits?|court|judge|IPO|listing|million|billion|payments?|loans?|licen[cs]e|regulators?|"
    r"customers|creditors|vaults?|contract|ETFs?|rally|sell-off|deposits?|withdrawals?|collateral|custody|"
    r"bankruptcy|treasury|remittances?|valuation|exchange|liquidity|coins?|airdrop|CPI|"
    r"round|funding|ventures?|networks?|chains?|launchpad|upgrade|outage|exploit|hack|hacked|hackers|phishing|bridge|app|"
    r"yield|savings|targets?|ratings?|stake|offices?|headquarters|staff|subsidiary|approval|wallets|users|developers|bill|legislation|lawmakers|regulations?|unlock|perpetuals|governance|validators)\b|[$€£¥]\d|\d%|"
    r"認可|免許|出資|準備金|国債|債券|決算|株|投資|送金|手数料|億|万ドル|ドル|証券|市場|資金|決済|企業|銀行|取引|裁判|訴訟|規制|利回り|清算|上場|"
    r"股|合作|绑定|联手|签署|竞争|企业|监管|投资|手续费|亿|万美元|美元|证券|市场|资金|支付|银行|融资|监管|法院|诉讼|交易|清算|上市|币"
)

_DECIMAL_BEFORE = re.compile(r"\d[.,]\d+ \Z")
_NUMBER_BEFORE = re.compile(r"(?:\A|[^\d.,])\d{1,3} \Z")
_NO_NOUN_AFTER = re.compile(
    r"[.,;:!?)]|\Z| (?:by|on|in|of|per|at|to|for|from|with|and|or|but|flat|after|before|later)\b"
)
_NUMBER_AFTER = re.compile(r" (?:#|[Nn]o\. ?|number |height )?\d")
_DETERMINER = re.compile(r"(?:\A|[\s(“\"])(?:[Aa]n?|[Ee]ach|[Ee]very|[Aa]nother|[Pp]er|[Nn]o|[Oo]ne) \Z")
_OWNER_BEFORE = re.compile(
    r"\b(?:an?|the|its|his|her|their|my|your|our|this|that|to|will|can) \Z", re.IGNORECASE
)
_ORDINARY_AFTER = re.compile(r" of (?:a|an|the|his|her|their|its|[a-z]{3,})\b|-and-")
_SIMILE = re.compile(r"のように|のような|のごとく|という名の|をかたどった|を弾く|の花")
_KATAKANA_WORD = re.compile(r"[\u30a1-\u30fa・ー]+")
_HAN_BEFORE = re.compile(r"[\u4e00-\u9fff]\Z")
_ALLOWED_BEFORE = re.compile(
    r"(?:米|英|独|仏|韓|印|加|豪|星|港|旧|元|新|現|前|同|対|反|脱|超|約|国|者|業|社|所|手|貨|産|体|人|等|家|株|柄|団|局|庁|"
    r"省|連|日|時|年|月|間|後|中|下|上|方|本|初|全|各|両|他|主|型ETFの|億|万|円|性|基盤|通貨|系|網|版)\Z"
)
_CLASSIFIER = re.compile(r"[一二三四五六七八九十两兩几幾这這那每]\s?[张張块塊个個条條片只隻座间間圈]\Z")
_OBJECT_SUFFIX = re.compile(r"[塀数柄型状形付模様状彫製弓材色味虫鳥]")
_BRACKETED = re.compile(r"[\u4e00-\u9fff][（(]\Z")


_CAPITALISED_BEFORE = re.compile(r"(?:\A|[\s(“\"'])([A-Z][a-z]+) \Z")


def is_part_of_longer_name(before: str, name: str, after: str) -> bool:
    """Return whether a wrong form of ordinary English words is part of a longer name ("Nostr Wallet Connect")
    or of a longer hyphenated word ("bit-by-bit")."""
    if not name.isascii() or name.isalnum():
        return False
    if before[-1:] == "-" or after[:1] == "-":
        return True
    match = _CAPITALISED_BEFORE.search(before)
    return match is not None and match[1].lower() not in load_descriptive_words()


def is_ordinary_use(before: str, name: str, after: str, *, is_ticker: bool) -> bool:
    """Return whether the adjacent words make an ambiguous name an ordinary word, whatever the subject."""
    if name.isascii():
        return _is_ordinary_latin(before, name, after, is_ticker=is_ticker)
    if _CLASSIFIER.search(before):
        return True
    if _KATAKANA_WORD.fullmatch(name):
        if _SIMILE.match(after) or _OBJECT_SUFFIX.match(after) or _BRACKETED.search(before):
            return True
        return _HAN_BEFORE.search(before) is not None and _ALLOWED_BEFORE.search(before) is None
    return False


def _is_ordinary_latin(before: str, name: str, after: str, *, is_ticker: bool) -> bool:
    if is_ticker:
        return False
    if name.islower():
        return _OWNER_BEFORE.search(before) is not None
    if name.isupper():
        if before[-1:] == " " and before[-2:-1].isdigit():
            if _DECIMAL_BEFORE.search(before):
                return True
            return _NUMBER_BEFORE.search(before) is not None and _NO_NOUN_AFTER.match(after) is not None
        return False
    has_determiner = _DETERMINER.search(before) is not None
    if _NUMBER_AFTER.match(after):
        return True
    if _ORDINARY_AFTER.match(after) and (has_determiner or _LOWER_BEFORE.search(before) is None):
        return True
    return " " not in name and has_determiner and _NO_NOUN_AFTER.match(after) is not None


def score_ticker_cues(before: str, after: str) -> int:
    """Score the cues of a ticker: a market verb after it or after its list, an amount before it."""
    points = 0
    list_match = _MARKET_LIST.match(after) or _CJK_LIST.match(after)
    rest = after[list_match.end() :] if list_match else after
    if _MARKET.match(rest) or _JA_MARKET.match(rest) or _ZH_MARKET.match(rest):
        points += DECISIVE_POINTS
    elif _AMOUNT.search(before):
        points += WEAK_POINTS
    return points


def score_name_cues(before: str, name: str, after: str, entity_type: EntityType) -> int:
    """Score the cues of a name: verbs with it as subject or object, and offices that people hold in it."""
    points = _score_english(before, name, after) if after[:1] in " ,'’." or not after else 0
    if entity_type == "regulator" and before.endswith(("the ", "The ")) and name[:1].isupper():
        points += WEAK_POINTS
    if not after.isascii() or not before.isascii():
        points += _score_cjk(before, after)
    if entity_type == "person" and (_PERSON_TITLE.match(after) or _PERSON_OFFICE.search(before)):
        points += DECISIVE_POINTS
    is_mass_noun = name in _MASS_NOUNS
    if (
        entity_type in _TRADED_TYPES
        and not is_mass_noun
        and (_MARKET.match(after) or _JA_MARKET.match(after) or _ZH_MARKET.match(after))
    ):
        points += DECISIVE_POINTS if not name.isascii() else STRONG_POINTS
    return points


def _score_english(before: str, name: str, after: str) -> int:
    has_article = before.endswith(("the ", "The "))
    if has_article and not name.isupper() and not name.startswith("The ") and not _ENGLISH_NOUN.match(after):
        return 0
    points = 0
    if _ENGLISH_AGENT_VERB.match(after) or _ENGLISH_ROLE.match(after):
        points += DECISIVE_POINTS
    elif (
        not has_article
        and name not in _MASS_NOUNS
        and (
            _ENGLISH_COMMON_VERB.match(after)
            or _ENGLISH_POSSESSIVE_OR_PRICE.match(after)
            or _ENGLISH_PAST_TENSE.match(after)
        )
    ):
        points += STRONG_POINTS if name in _SHARED_NAMES or has_article else DECISIVE_POINTS
    elif after[:2] in ("'s", "’s"):
        points += WEAK_POINTS
    if _ENGLISH_SOURCE.search(before) or _OWNED_BY_PERSON.search(before):
        points += DECISIVE_POINTS
    elif _ENGLISH_TARGET.search(before):
        points += STRONG_POINTS
    elif _NAMED_OF.search(before) or _AFTER_PAST.search(before):
        points += WEAK_POINTS
    return points


_ENGLISH_NOUN = re.compile(r"['’]s| [a-z]{3,}")


def _score_cjk(before: str, after: str) -> int:
    points = 0
    if (
        _JA_ROLE.match(after)
        or _ZH_DECISIVE.match(after)
        or _JA_OBJECT.match(after)
        or _JA_AGENT_VERB.match(after)
    ):
        points += DECISIVE_POINTS
    elif _JA_SUBJECT.match(after) or _JA_OF.match(after):
        points += STRONG_POINTS
    elif _ZH_WEAK.match(after):
        points += WEAK_POINTS
    if _JA_BEFORE.search(before):
        points += DECISIVE_POINTS
    elif _ZH_BEFORE.search(before):
        points += STRONG_POINTS
    return points


def is_capitalised_inside_sentence(before: str, name: str) -> bool:
    """Return whether a name begins with a capital where an ordinary English word would not."""
    return name[:1].isupper() and _LOWER_BEFORE.search(before) is not None


def is_in_other_script(before: str, after: str) -> bool:
    """Return whether Han or kana are adjacent to a Latin name, which excludes an ordinary English word."""
    return before[-1:] > "\u2fff" or after[:1] > "\u2fff"


def has_finance_word(sentence: str) -> bool:
    return _FINANCE.search(sentence) is not None
