"""Renders the search palette, which finds coins, topics, entities, profiles, pages and actions by name.

Ctrl+K (⌘K) or the button in a page's head opens it. What the reader chooses is opened without a reload.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard import i18n
from dashboard.frame import preferences, url_state
from dashboard.frame.preferences import THEME_KEY, THEMES
from dashboard.frame.search_palette.index import PATH, Item
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, Language, language, t

KEY = "search_palette"
GROUPS = ("coins", "topics", "entities", "profiles", "pages", "actions")
Pages = Mapping[str, StreamlitPage]
"""The pages by the name of their folder."""
_FOLDER = Path(__file__).parent


def render_palette(pages: Pages) -> None:
    """Render the palette. It opens pages in the browser, and sends other choices to the session."""
    data = {
        "texts": _build_texts(language()),
        "index": f"{PATH}?lang={language()}",
        "pages": [_build_page(name, page) for name, page in pages.items()],
        "actions": list(_build_actions()),
    }
    _component()(key=KEY, data=data, height="content", on_action_change=_apply_action)


def _apply_action() -> None:
    action, _, value = str(st.session_state[KEY].action).partition(":")
    if action == "theme" and value in THEMES:
        preferences.choose(THEME_KEY, value)
    elif action == "language" and value in LANGUAGES:
        preferences.choose(i18n.SESSION_KEY, value)


@cache
def _build_texts(lang: Language) -> dict[str, str]:
    return {
        "title": t("frame.search", lang=lang),
        "field": t("frame.search_field", lang=lang),
        "results": t("frame.search_results", lang=lang),
        "close": t("frame.search_close", lang=lang),
        "keys": t("frame.search_keys", lang=lang),
        "none": t("frame.search_none", lang=lang),
        "loading": t("frame.search_loading", lang=lang),
        "failed": t("frame.search_failed", lang=lang),
        "find_topics": t("frame.search_find_topics", lang=lang),
        "copied": t("frame.copied", lang=lang),
        "copy_failed": t("frame.copy_failed", lang=lang),
        **{kind: t(f"frame.search_group_{kind}", lang=lang) for kind in GROUPS},
    }


def _build_page(name: str, page: StreamlitPage) -> Item:
    names = (t(f"{name}.title", lang=lang) for lang in LANGUAGES)
    return page.title, "", url_state.build_last_view_link(page), "\n".join(names)


def _build_actions() -> Iterator[Item]:
    """Build the actions; each is found by its label in any language."""

    def build(action: str, *labels: str) -> Item:
        return labels[LANGUAGES.index(language())], "", action, "\n".join(labels)

    yield build("copy_link", *(t("frame.copy_link", lang=lang) for lang in LANGUAGES))
    yield build("clear", *(t("frame.search_clear", lang=lang) for lang in LANGUAGES))
    yield build("settings", *(t("frame.search_settings", lang=lang) for lang in LANGUAGES))
    for theme in THEMES:
        yield build(
            f"theme:{theme}",
            *(
                t(
                    "punctuation.with_label",
                    lang=lang,
                    label=t("frame.settings_theme", lang=lang),
                    value=t(f"frame.theme_{theme}", lang=lang),
                )
                for lang in LANGUAGES
            ),
        )
    for code in LANGUAGES:
        yield build(
            f"language:{code}",
            *(
                t(
                    "punctuation.with_label",
                    lang=lang,
                    label=t("frame.settings_language", lang=lang),
                    value=LANGUAGE_NAMES[code],
                )
                for lang in LANGUAGES
            ),
        )


@cache
def _component() -> Any:
    scripts = ((_FOLDER / f"{part}.js").read_text("utf-8") for part in ("matching", "palette"))
    return st.components.v2.component(
        "chainproof.search_palette", js="\n".join(scripts), isolate_styles=False
    )
