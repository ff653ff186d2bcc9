"""Lists words that decide whether a part of a person's name names that person."""

_COMMON_FAMILY_NAMES = """
米兰 库克 乔丹 伍德 罗斯 格林 史密斯 约翰逊 威廉姆斯 沃伦 亚当斯 哈里斯 詹姆斯 杰克逊 布朗 希尔
戴维斯 马库斯 摩根 华纳 琼斯 托德 汉密尔顿 亨特 李维 米勒 克鲁兹 贝尔 罗宾逊 沃纳 桑德斯 沃克 斯科特
施瓦茨 克拉克 刘易斯 威尔逊 泰勒 安德森 米蘭 喬丹 羅斯 約翰遜 沃倫 亞當斯 傑克遜 戴維斯 馬庫斯 瓊斯
漢密爾頓 貝爾 羅賓遜 劉易斯 威爾遜 Smith Scott Lee Wood Long Young Johnson Brown Clayton Back Hill
Kim Chan Dixon Sun Liu Wang Li Xu Zhou Wu Ng Hayes Storm Hughes Martin Davis Miller Wilson Moore
Taylor Thomas Jackson White Harris Lewis Walker Hall Allen King Wright Green Adams Baker Nelson
Carter Mitchell Bailey Cook Powell Warren Waters Chen Lin Yang Zhang Zhao Park Choi
Tan Wong Lam Cheung Ho Yu Finney Larsen Barker Evans Mann Vance Trump Musk Ma He Le Do Day Fox Rose
May Price Cross Gray Stone Bell Ross Wells Butler Hunt West Cohen Howard Grant スミス スコット リー
ウッド ロング ヤング ジョンソン ブラウン ヒル キム チャン サン ディクソン ライト マーティン デービス
ミラー ウィルソン テイラー ルイス ウォーカー ホール アレン キング グリーン 李 王 张 刘 陈 杨 赵 黄
周 吴
"""
COMMON_FAMILY_NAMES = frozenset(_COMMON_FAMILY_NAMES.split())
"""Family names that too many people bear for a title to single one of them out."""

_NO_GIVEN_NAMES = """
Mr Ms Mrs Dr Judge Justice Chair Chairman Chairwoman Commissioner Senator Governor President
Secretary Minister Prime Representative Chancellor Mayor Founder Analyst Trader Investor Billionaire
But And Later Next Earlier Soon Yet Still Like When While If As After Before Since Although Because
Then Now Today Meanwhile However For With By From That Former Did Does Is Was Will Would Can Could
Has Had Why How What Where Crypto Bitcoin Ethereum Strategy Ripple Binance Circle Tether Treasury
Fed
"""
NO_GIVEN_NAMES = frozenset(_NO_GIVEN_NAMES.split())
"""Capitalised words before a family name that are no given names (titles, conjunctions, firms)."""
