"""How readers are told that a model worded something, in their language, within what the interface sends."""

from collections.abc import Mapping

from backend.entities.model import Language

_FROM: Mapping[Language, Mapping[Language, str]] = {
    "en": {"ja": "Japanese", "zh": "Chinese", "en": "English"},
    "ja": {"en": "英語", "zh": "中国語", "ja": "日本語"},
    "zh": {"en": "英文", "ja": "日文", "zh": "中文"},
}
_TRANSLATED: Mapping[Language, str] = {
    "en": "Translated from {source} by a language model; names and figures checked.",
    "ja": "{source}から言語モデルが翻訳。名称と数値は照合済み。",
    "zh": "由语言模型译自{source}，名称与数字已核对。",
}
_NOTE_TITLE: Mapping[Language, str] = {
    "en": "How this was written",
    "ja": "この文章について",
    "zh": "关于本文",
}
_NOTE: Mapping[Language, str] = {
    "en": "Worded by the language model {model} from stored facts; names, dates and figures checked against "
    "them.",
    "ja": "言語モデル{model}が、保存された事実をもとに執筆。名称・日付・数値はその事実と照合済みです。",
    "zh": "由语言模型{model}依据已保存的事实撰写，名称、日期与数字均已与之核对。",
}


def translated(language: Language, source: Language, subtitle: str = "") -> str:
    """The subtitle of a translation: its own, if any, and then who translated it from what."""
    label = _TRANSLATED[language].format(source=_FROM[language][source])
    between = " " if language == "en" else ""
    return f"{subtitle}{between}{label}" if subtitle else label


def insight_note(language: Language, model: str) -> tuple[str, str]:
    """Title and text of the last section of an insight in a model's words."""
    return _NOTE_TITLE[language], _NOTE[language].format(model=model)
