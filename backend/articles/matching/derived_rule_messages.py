"""Why the rules that follow from an entity's facts find something, in every language."""

from collections.abc import Mapping

from backend.entities.model import Entity, Language

WRONG_CASE: Mapping[Language, str] = {
    "en": "The name is written with other capitals.",
    "ja": "名称の大文字・小文字が決まった形と違います。",
    "zh": "该名称的大小写与固定写法不同。",
}
HALF_WIDTH: Mapping[Language, str] = {
    "en": "Katakana of half width is for old terminals; in text it is full width.",
    "ja": "半角片仮名は古い端末のための文字です。文章では全角で書きます。",
    "zh": "半角片假名用于旧式终端，正文中应使用全角。",
}
_FORMER: Mapping[Language, tuple[str, str, str]] = {
    "en": ("{} until {}", ", ", "Former names: {}. They stay where the text speaks of that time."),
    "ja": ("{}（{}まで）", "、", "旧称：{}。当時の出来事を述べるところでは、そのまま使います。"),
    "zh": ("{}（至 {}）", "、", "旧称：{}。叙述当时的事件时请保留。"),
}
"""One name with its last day, what parts them, and the sentence about them all."""


def format_former_names(entity: Entity) -> Mapping[Language, str]:
    """With the former names of ``entity`` and until when they were right, where that is known."""
    return {
        language: sentence.format(
            separator.join(
                dated_name.format(former_name.name, former_name.until)
                if former_name.until
                else former_name.name
                for former_name in entity.former
            )
        )
        for language, (dated_name, separator, sentence) in _FORMER.items()
    }
