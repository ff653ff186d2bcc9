"""Holds the sentence templates of insights; names, figures and dates are filled in from stored facts."""

from collections.abc import Mapping

from backend.entities.model import Language

JOIN: Mapping[Language, str] = {"en": ", ", "ja": "、", "zh": "、"}

PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "official": "Confirmed at the source: {names}.",
        "outlets": "Reported by {names}; no official source is among them yet.",
        "own": "Written from the market figures of this service, which its source links to.",
        "alone": "No source beside this topic itself is stored.",
        "confirmed": "Who confirms it",
        "differ": "Where sources differ",
        "differ_one": "{first} gives {a}, {second} gives {b}.",
        "market": "The market around it",
        "market_one": "{name} went from {before} to {after} ({change}) between {from_} and {to}.",
        "sample": "Prices are those of the sample market.",
        "before": "What came before",
        "before_one": "{day}: {title}",
        "moved": "{name} moved {change} in the day around it.",
    },
    "ja": {
        "official": "一次情報で確認：{names}。",
        "outlets": "{names}が報道。公式の情報源はまだ含まれていません。",
        "own": "このサービスの市場データから書かれたもので、出典からたどれます。",
        "alone": "このトピック以外の情報源は保存されていません。",
        "confirmed": "確認している情報源",
        "differ": "情報源で異なる点",
        "differ_one": "{first}は{a}、{second}は{b}としています。",
        "market": "前後の市場",
        "market_one": "{name}は{from_}から{to}の間に{before}から{after}へ（{change}）。",
        "sample": "価格はサンプル市場のものです。",
        "before": "これまでの経緯",
        "before_one": "{day}：{title}",
        "moved": "{name}は前後1日で{change}動きました。",
    },
    "zh": {
        "official": "已由一手来源证实：{names}。",
        "outlets": "{names}有报道，尚无官方来源。",
        "own": "依据本服务的市场数据写成，可由来源链接查看。",
        "alone": "除本话题外没有保存其他来源。",
        "confirmed": "由谁证实",
        "differ": "来源之间的差异",
        "differ_one": "{first}称{a}，{second}称{b}。",
        "market": "前后的市场",
        "market_one": "{name}在{from_}至{to}之间由{before}变为{after}（{change}）。",
        "sample": "价格来自示例市场。",
        "before": "此前的相关话题",
        "before_one": "{day}：{title}",
        "moved": "{name}在前后一日内变动{change}。",
    },
}
