"""The texts use one translation for each term of the glossary."""

import re
from typing import NamedTuple

import pytest

from dashboard.i18n import catalogue


class Term(NamedTuple):
    """A term in the three languages, and the translations that it must not have."""

    english: str
    """A pattern of whole words."""
    japanese: str
    chinese: str
    rejected: str = ""
    """A pattern of wrong translations, Japanese and Chinese."""


TERMS = (
    Term("market cap(?:italisation)?", "時価総額", "市值"),
    Term("24h volume|volumes?", "出来高", "成交额", "取引高|取引量|成交量|交易量|交易额"),
    Term("candles?", "ローソク足", "K线", "ロウソク足|キャンドル|蜡烛"),
    Term("coins?", "銘柄", "币", r"(?<![ァ-ヴー])コイン(?![ァ-ヴー])|仮想通貨|代币"),
    Term("stablecoins?", "ステーブルコイン", "稳定币"),
    Term("watchlists?", "ウォッチリスト", "自选", "お気に入り|关注列表|收藏"),
    Term("(?<!inference )providers?", "データ提供元", "数据源", "データソース|ベンダー|供应商|提供商|提供方"),
    Term("inference providers?", "推論プロバイダー", "推理服务商"),
    Term("median", "中央値", "中位数", "メジアン|中值"),
    Term("stale", "古い", "过期", "陳腐|陈旧|过时"),
    Term("volatility", "ボラティリティ", "波动率", "変動率|波动性"),
    Term("drawdown", "ドローダウン", "回撤"),
    Term("topics?", "トピック", "热点", "话题|主题|話題"),
    Term("entit(?:y|ies)", "エンティティ", "实体"),
    Term("articles?", "記事", "文章", "稿件|原稿"),
    Term("findings?", "指摘", "结果", "検出結果|検出数|問題点|发现项"),
    Term("rules?", "ルール", "规则", "規則|准则"),
    Term("batch", "一括", "批量", "バッチ"),
    Term("statements?", "記述", "陈述", "主張|声明|说法"),
    Term("runs?", "実行", "运行", "ラン(?![ァ-ヴー])"),
    Term("profiles?", "プロファイル", "配置", "プロフィール"),
    Term("alerts?", "アラート", "警报", "警告|告警|预警"),
    Term("incidents?", "インシデント", "异常"),
    Term("jobs?", "ジョブ", "任务", "作业"),
    Term("workers?", "ワーカー", "工作进程"),
    Term("API keys?", "APIキー", "API密钥"),
    Term("sign[ -]in", "サインイン", "登录", "ログイン|登入"),
    Term("filters?", "絞り込み", "筛选", "フィルター|过滤"),
    Term("exports?", "エクスポート", "导出", "書き出し|输出"),
    Term("shortcuts?", "ショートカット", "快捷键"),
)


def find_texts_with(term: Term) -> dict[str, dict[str, str]]:
    """Finds the texts whose English has the term, without their placeholders."""
    texts = {
        key: {lang: re.sub(r"\{[^}]*\}", "", text) for lang, text in by_language.items()}
        for key, by_language in catalogue().items()
    }
    pattern = re.compile(rf"\b(?:{term.english})\b", re.IGNORECASE)
    return {key: text for key, text in texts.items() if pattern.search(text["en"])}


@pytest.mark.parametrize("term", TERMS, ids=lambda term: re.sub(r"\W+", " ", term.english).strip())
def test_a_term_has_one_translation(term: Term) -> None:
    """A translation may leave the term out, but has no other word for it."""
    texts = find_texts_with(term)
    assert any(term.japanese in text["ja"] for text in texts.values())
    assert any(term.chinese in text["zh"] for text in texts.values())
    if term.rejected:
        rejected = re.compile(term.rejected)
        assert [key for key, text in texts.items() if rejected.search(text["ja"] + text["zh"])] == []
