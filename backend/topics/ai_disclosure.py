"""Builds the notes that tell readers which texts a language model wrote, in their language."""

from collections.abc import Mapping

from backend.entities.model import Language

_LANGUAGE_NAMES: Mapping[Language, Mapping[Language, str]] = {
    "en": {"ja": "Japanese", "zh": "Chinese", "en": "English"},
    "ja": {"en": "英語", "zh": "中国語", "ja": "日本語"},
    "zh": {"en": "英文", "ja": "日文", "zh": "中文"},
}
_TRANSLATION_LABEL: Mapping[Language, str] = {
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


def add_translation_label(language: Language, source: Language, subtitle: str = "") -> str:
    """Build the subtitle of a translation: its own subtitle, if any, followed by the source language and a
    note on the translator."""
    label = _TRANSLATION_LABEL[language].format(source=_LANGUAGE_NAMES[language][source])
    separator = " " if language == "en" else ""
    return f"{subtitle}{separator}{label}" if subtitle else label


def build_insight_note(language: Language, model: str) -> tuple[str, str]:
    """Build the title and text of the last section of an insight that a model wrote."""
    return _NOTE_TITLE[language], _NOTE[language].format(model=model)
