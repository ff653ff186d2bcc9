"""Detects which of the three languages a text is in, by its letters alone."""

import re
from collections.abc import Iterable

from backend.entities.model import Language

SAMPLE = 4_000
"""Characters looked at of each field: more tells nothing new."""
HIRAGANA_SHARE, KANA_SHARE = 0.03, 0.3
"""Shares among kana and Han from which a text is Japanese. No sentence is without hiragana for long; a
Chinese text may hold a name in katakana."""
LETTERS_PER_HAN, LETTERS_PER_HIRAGANA, LETTERS_PER_MARK = 3, 30, 40
"""How many Latin letters weigh as much as one character of kana or Han, one of hiragana (which binds a
Japanese sentence however many Latin names it holds), and one full-width comma or stop."""

_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_MARK = re.compile("[、。，；！？]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Forms that came about in Japan and are written neither in Simplified nor in Traditional Chinese.
_JAPANESE_HAN = re.compile(
    "[価仮円暦毎気済沢渋様検権桜楽発対売読変辺込働払広拡収図団囲圧塩増実県帰従徴恵戦戻択拠挙摂撃歩浄渇焼"
    "竜経総続縁聴臓蔵薬処訳説譲賛転軽郷酔釈鉄銭錬険隠雑霊頼顕駆騒験髪黙齢畑峠枠匂]"
)


def detect(texts: Iterable[str]) -> Language:
    """The language of an article's ``texts``; English where they hold no letters of any."""
    sample = "\n".join(text[:SAMPLE] for text in texts if text)
    if sample.isascii():
        return "en"
    hiragana, kana, han, latin, marks = (
        sum(1 for _ in letters.finditer(sample)) for letters in (_HIRAGANA, _KANA, _HAN, _LATIN, _MARK)
    )
    both = kana + han
    weight = both * LETTERS_PER_HAN, hiragana * LETTERS_PER_HIRAGANA, marks * LETTERS_PER_MARK
    if not both or max(weight) < latin:
        return "en"
    shows = hiragana > HIRAGANA_SHARE * both or kana > KANA_SHARE * both or _JAPANESE_HAN.search(sample)
    return "ja" if shows else "zh"
