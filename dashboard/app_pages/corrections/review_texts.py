"""Texts of the review component, and sentences for what the service refuses."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args

import streamlit as st

from backend.articles.model import ViolationType
from dashboard.app_pages.corrections import article_files
from dashboard.app_pages.corrections.article_files import FileRefused
from dashboard.app_pages.corrections.file_drop import file_drop
from dashboard.client import Problem
from dashboard.frame import account, states
from dashboard.i18n import LANGUAGE_NAMES, Language, fill, t

TYPES: tuple[ViolationType, ...] = get_args(ViolationType)
_WORDS = (
    "error", "warning", "info", "errors", "warnings", "infos", "approve", "ignore", "approved",
    "ignored", "approve_alike", "ignore_alike", "apply_safe", "apply_approved", "undo", "redo",
    "undone", "redone", "view", "view_text", "view_compare", "copy", "copy_field", "copied",
    "copied_without", "copied_field", "copy_failed", "edit", "keys", "keys_allow", "not_stored",
    "filter_severity", "filter_rule", "any_rule", "panel", "card", "list", "place", "previous", "next",
    "becomes", "kind_safe", "kind_approval", "kind_none", "choose", "choose_first", "no_suggestion",
    "none_shown", "none_approved", "none_safe", "clean", "clean_why", "left", "all_decided", "former",
    "rule", "source", "tags", "before", "after", "no_change", "same_lines",
)  # fmt: skip
_KEYS = (
    (("n", "j", "↓"), "key_next"),
    (("p", "k", "↑"), "key_previous"),
    (("a",), "key_approve"),
    (("i", "⇧i"), "key_ignore"),
    (("1", "…", "9"), "key_choose"),
    (("s",), "key_safe"),
    (("↵", "⇧a"), "key_approved"),
    (("z", "⇧z"), "key_undo"),
    (("d",), "key_compare"),
    (("c",), "key_copy"),
    (("e",), "key_edit"),
    (("?",), "key_help"),
)


@cache
def words(lang: Language) -> Mapping[str, Any]:
    """The component's texts in one language."""

    def say(key: str) -> str:
        return t(f"corrections.{key}", lang=lang)

    return {
        **{key: say(key) for key in _WORDS},
        "types": {kind: say(f"type_{kind}") for kind in TYPES},
        "reasons": {kind: say(f"reason_{kind}") for kind in TYPES},
        "languages": dict(LANGUAGE_NAMES),
        "key_help": [[list(keys), say(key)] for keys, key in _KEYS],
    }


@cache
def field_labels(lang: Language) -> Mapping[str, str]:
    names = {name: t(f"corrections.field_{name}", lang=lang) for name in ("title", "summary", "content")}
    return {**names, "tag": t("corrections.field_tag", lang=lang)}


def sentence(problem: Problem) -> str:
    """What went wrong, in the reader's language."""
    by_status = {400: "refused", 403: "forbidden", 413: "too_large"}
    word = by_status.get(problem.status or 0)
    return t(f"corrections.error_{word}") if word else states.error_text(problem)


def refused_file(refused: FileRefused) -> str:
    values = {name: str(value) for name, value in refused.values.items()}
    return fill(t(f"corrections.file_{refused.code}"), values)


def store_toggle(key: str) -> None:
    """Whether what a check finds is stored; off, with the reason, for who may not store."""
    may = account.can_write()
    if not may:
        st.session_state[key] = False
    st.toggle(t("corrections.store"), key=key, help=t("corrections.store_help"), disabled=not may)
    if not may:
        account.render_missing_scope("store")


def check_button(
    label: str, key: str, on_click: Callable[[], None], *, width: Literal["content", "stretch"] = "content"
) -> None:
    """Sends the form that it stands in to be checked."""
    icon = ":material/spellcheck:"
    st.form_submit_button(label, key=key, type="primary", icon=icon, on_click=on_click, width=width)


def problem_alert(problem: Problem) -> None:
    states.alert(sentence(problem), problem.detail, problem.request_id)


def choose_file(key: str, kinds: Sequence[str], *, on_file: Callable[[], None]) -> None:
    """A place for one file of these kinds; ``taken(key)`` of the component reads it in the callback."""
    most = article_files.MOST_BYTES // 1024 // 1024
    file_drop(
        key=key,
        label=t("corrections.open_label"),
        hint=" ".join(f".{kind}" for kind in kinds),
        too_large=t("corrections.file_large").replace("{most}", str(most)),
        kinds=kinds,
        most=article_files.MOST_BYTES,
        on_file=on_file,
    )
