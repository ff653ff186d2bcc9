"""Detects the language of a text (English, Japanese or Chinese) from its letters."""

import re
from collections.abc import Iterable

from backend.entities.model import Language

MAX_SAMPLE_CHARS = 4_000
"""Characters examined in each text; more do not improve the result."""
HIRAGANA_SHARE, KANA_SHARE = 0.03, 0.3
"""A text is Japanese if hiragana or all kana exceed these shares of its kana and Han. Japanese sentences need
hiragana; Chinese texts may contain names in katakana."""
LETTERS_PER_HAN, LETTERS_PER_HIRAGANA, LETTERS_PER_MARK = 3, 30, 40
"""Number of Latin letters that weigh as much as one kana or Han character, one hiragana character, and one
full-width comma or stop. Hiragana weighs more, because a Japanese sentence may contain many Latin names."""

_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_MARK = re.compile("[、。，；！？]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Forms created in Japan that neither Simplified nor Traditional Chinese uses.
_JAPANESE_HAN = re.compile(
    "[価仮円暦毎気済沢渋様検権桜楽発対売読変辺込働払広拡収図団囲圧塩増実県帰従徴恵戦戻択拠挙摂撃歩浄渇焼"
    "竜経総続縁聴臓蔵薬処訳説譲賛転軽郷酔釈鉄銭錬険隠雑霊頼顕駆騒験髪黙齢畑峠枠匂]"
)


def detect(texts: Iterable[str]) -> Language:
    """Detect the language of an article's ``texts``; English if they contain no letters of any language."""
    sample = "\n".join(text[:MAX_SAMPLE_CHARS] for text in texts if text)
    if sample.isascii():
        return "en"
    hiragana, kana, han, latin, marks = (
        len(letters.findall(sample)) for letters in (_HIRAGANA, _KANA, _HAN, _LATIN, _MARK)
    )
    kana_and_han = kana + han
    weight = kana_and_han * LETTERS_PER_HAN, hiragana * LETTERS_PER_HIRAGANA, marks * LETTERS_PER_MARK
    if not kana_and_han or max(weight) < latin:
        return "en"
    is_japanese = (
        hiragana > HIRAGANA_SHARE * kana_and_han
        or kana > KANA_SHARE * kana_and_han
        or _JAPANESE_HAN.search(sample)
    )
    return "ja" if is_japanese else "zh"
