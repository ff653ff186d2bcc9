"""The text of the landing page in English, Japanese and Chinese."""

from collections.abc import Mapping
from dataclasses import dataclass

from backend.http.pages.languages import Language
from backend.settings import Mode


@dataclass(frozen=True, slots=True)
class LandingPageText:
    """``links`` maps a link to its title and description. ``version`` has the placeholder ``{version}``."""

    lead: str
    modes: Mapping[Mode, str]
    links: Mapping[str, tuple[str, str]]
    version: str
    language: str


TRANSLATIONS: Mapping[Language, LandingPageText] = {
    "en": LandingPageText(
        lead="Crypto markets with the source and age of every figure, and articles with every name right.",
        modes={"sample": "Sample data", "live": "Live data", "replay": "Replayed data"},
        links={
            "dashboard": ("Dashboard", "Markets, rankings, topics, corrections, research and timelines"),
            "docs": ("API reference", "Every endpoint, ready to try; data endpoints need an API key"),
            "openapi": ("OpenAPI document", "The same description for programs"),
            "health": ("Health", "Whether this process is running"),
            "readiness": ("Readiness", "Whether the data store answers and the data is current"),
        },
        version="Version {version}",
        language="Language",
    ),
    "ja": LandingPageText(
        lead="すべての数値に出典と時刻を示す暗号資産市場と、固有名詞を正しく表記した記事のために。",
        modes={"sample": "サンプルデータ", "live": "ライブデータ", "replay": "再生データ"},
        links={
            "dashboard": (
                "ダッシュボード",
                "マーケット概況、ランキング、トピック、記事の校正、出典調査、タイムライン",
            ),
            "docs": (
                "API リファレンス",
                "全エンドポイントをその場で試せます（データの取得には API キーが必要です）",
            ),
            "openapi": ("OpenAPI 文書", "プログラム向けの同じ内容です"),
            "health": ("稼働状態", "このプロセスが動作しているかを示します"),
            "readiness": ("準備状態", "データストアが応答し、データが最新かを示します"),
        },
        version="バージョン {version}",
        language="言語",
    ),
    "zh": LandingPageText(
        lead="加密市场的每个数字都有来源和时间，文章中的每个名称都书写正确。",
        modes={"sample": "示例数据", "live": "实时数据", "replay": "回放数据"},
        links={
            "dashboard": ("仪表盘", "市场概览、排行榜、热点、文章校对、来源查证和评测时间线"),
            "docs": ("API 参考", "所有接口均可在线试用；数据接口需要 API 密钥"),
            "openapi": ("OpenAPI 文档", "供程序读取的相同说明"),
            "health": ("运行状态", "此进程是否正在运行"),
            "readiness": ("就绪状态", "数据存储是否响应、数据是否为最新"),
        },
        version="版本 {version}",
        language="语言",
    ),
}
