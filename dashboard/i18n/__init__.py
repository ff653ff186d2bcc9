"""Texts in English, Japanese and Chinese: one JSON file a namespace, ``{"key": {"en", "ja", "zh"}}``.

A page's texts stand in the ``words.json`` of its folder, those that pages share in the files beside this.
A key is ``<namespace>.<name>``, where the namespace is the page's folder or the file's name; placeholders
are ``{named}``. A missing key is a programming error and raises; a test holds the catalogues and the
sources together.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Literal, cast, get_args

import streamlit as st

Language = Literal["en", "ja", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
# By text, not by Language: what the service or a URL names may be none of them.
LANGUAGE_NAMES: Mapping[str, str] = {"en": "English", "ja": "日本語", "zh": "简体中文"}
HTML_LANG: Mapping[str, str] = {"en": "en", "ja": "ja", "zh": "zh-Hans"}
SESSION_KEY = "language"


def language() -> Language:
    """The session's language; English outside of a session."""
    code = st.session_state.get(SESSION_KEY)
    return cast(Language, code) if code in LANGUAGES else "en"


def t(key: str, /, *, lang: Language | None = None, **values: object) -> str:
    """The text of ``key`` in the session's language (or ``lang``) with ``values`` filled in."""
    text = catalogue()[key][lang or language()]
    return text.format(**values) if values else text


def match_locale(locale: str | None) -> Language:
    """The language for a browser's locale (BCP 47): ``ja-JP`` is ``ja``, any Chinese ``zh``, else English."""
    primary = (locale or "").replace("_", "-").split("-")[0].lower()
    return primary if primary in LANGUAGES else "en"


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    texts: dict[str, Mapping[str, str]] = {}
    for namespace, file in sorted(word_files().items()):
        for name, versions in json.loads(file.read_text(encoding="utf-8")).items():
            key = name if name.startswith(f"{namespace}.") else f"{namespace}.{name}"
            texts[key] = versions
    return texts


def word_files() -> dict[str, Traversable]:
    """The files of texts by their namespace."""
    shared = (file for file in resources.files(__name__).iterdir() if file.name.endswith(".json"))
    pages = resources.files("dashboard.app_pages")
    words = {folder.name: folder / "words.json" for folder in pages.iterdir() if folder.is_dir()}
    found = {namespace: file for namespace, file in words.items() if file.is_file()}
    return {file.name.removesuffix(".json"): file for file in shared} | found
