"""Loads the texts of the screens in English, Japanese and Chinese.

Each JSON file is one namespace: ``{"key": {"en", "ja", "zh"}}``. The texts of a page are in the
``words.json`` of its folder; texts that pages share are in the files beside this module. A key is
``<namespace>.<name>``, where the namespace is the folder of the page or the name of the file.

Placeholders are ``{named}``. ``{n:row|rows}`` gives the noun for a number: ``row`` for 1, else ``rows``.
A missing key is a programming error and raises. A test compares the catalogue with the sources.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from string import Formatter
from typing import Any, cast

import streamlit as st

from dashboard.i18n.languages import HTML_LANG, LANGUAGE_NAMES, LANGUAGES, Language

__all__ = [
    "HTML_LANG",
    "LANGUAGES",
    "LANGUAGE_NAMES",
    "SESSION_KEY",
    "Language",
    "catalogue",
    "fill",
    "language",
    "list_word_files",
    "match_locale",
    "t",
]

SESSION_KEY = "language"


class _PluralFormatter(Formatter):
    """Formats like ``str.format``, and ``{n:row|rows}`` as the noun for ``n``."""

    def format_field(self, value: Any, format_spec: str) -> str:
        singular, separator, plural = format_spec.partition("|")
        if separator:
            return singular if str(value) == "1" else plural
        return str(super().format_field(value, format_spec))


_FORMATTER = _PluralFormatter()


def language() -> Language:
    """Returns the language of the session; English outside of a session."""
    code = st.session_state.get(SESSION_KEY)
    return cast(Language, code) if code in LANGUAGES else "en"


def t(key: str, /, *, lang: Language | None = None, **values: object) -> str:
    """Returns the text of ``key``, filled with ``values``; ``lang`` defaults to the session's language."""
    text = catalogue()[key][lang or language()]
    return fill(text, values) if values else text


def fill(text: str, values: Mapping[str, object]) -> str:
    """Fills the placeholders of a text."""
    return _FORMATTER.vformat(text, (), values)


def match_locale(locale: str | None) -> Language:
    """Returns the language for a BCP 47 locale: ``ja-JP`` is ``ja``, any Chinese ``zh``, others ``en``."""
    primary = (locale or "").replace("_", "-").split("-")[0].lower()
    return primary if primary in LANGUAGES else "en"


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """Loads all texts: language to text, by key."""
    texts: dict[str, Mapping[str, str]] = {}
    for namespace, file in sorted(list_word_files().items()):
        for name, versions in json.loads(file.read_text(encoding="utf-8")).items():
            key = name if name.startswith(f"{namespace}.") else f"{namespace}.{name}"
            texts[key] = versions
    return texts


def list_word_files() -> dict[str, Traversable]:
    """Lists the files of texts by namespace."""
    shared_files = (file for file in resources.files(__name__).iterdir() if file.name.endswith(".json"))
    shared = {file.name.removesuffix(".json"): file for file in shared_files}
    folders = [folder for folder in resources.files("dashboard.app_pages").iterdir() if folder.is_dir()]
    pages = {folder.name: folder / "words.json" for folder in folders}
    return shared | {name: file for name, file in pages.items() if file.is_file()}
