"""Lists the languages of the screens. No I/O."""

from collections.abc import Mapping
from typing import Literal, get_args

Language = Literal["en", "ja", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
# Keyed by str, not by Language: the service or a URL may name another language.
LANGUAGE_NAMES: Mapping[str, str] = {"en": "English", "ja": "日本語", "zh": "简体中文"}
HTML_LANG: Mapping[str, str] = {"en": "en", "ja": "ja", "zh": "zh-Hans"}
