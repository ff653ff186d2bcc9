"""Builds the texts of the review component and of errors, and renders shared inputs."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args

import streamlit as st

from backend.articles.model import ViolationType
from dashboard.app_pages.corrections import article_files
from dashboard.app_pages.corrections.article_dates import ArticleDate, Origin
from dashboard.app_pages.corrections.article_files import InvalidFileError
from dashboard.app_pages.corrections.file_drop import file_drop
from dashboard.client import Problem
from dashboard.frame import account, states
from dashboard.i18n import LANGUAGE_NAMES, Language, fill, t

ORIGINS: tuple[Origin, ...] = get_args(Origin)
VIOLATION_TYPES: tuple[ViolationType, ...] = get_args(ViolationType)
_TEXT_KEYS = (
    "error", "warning", "info", "errors", "warnings", "infos", "approve", "ignore", "approved",
    "ignored", "approve_alike", "ignore_alike", "apply_safe", "apply_approved", "undo", "redo",
    "undone", "redone", "view", "view_text", "view_rendered", "view_compare", "copy", "copy_field", "copied",
    "copied_without", "copied_field", "copy_failed", "edit", "keys", "keys_allow", "not_stored",
    "filter_severity", "filter_rule", "any_rule", "panel", "card", "list", "place", "previous", "next",
    "becomes", "kind_safe", "kind_approval", "kind_none", "choose", "choose_first", "no_suggestion",
    "none_shown", "none_approved", "none_safe", "clean", "clean_why", "left", "all_decided", "former",
    "rule", "source", "tags", "before", "after", "no_change", "same_lines", "accept", "accept_help",
    "accepted_names", "accept_remove", "places", "times", "position", "previous_place", "next_place",
    "next_of_form", "place_of_form", "no_places", "date_from", "date_missing", "apply", "applied",
    "applied_none", "revert", "revert_help", "image",
)  # fmt: skip
_KEY_HELP_KEYS = (
    "key_next", "key_previous", "key_apply", "key_approve", "key_ignore", "key_choose", "key_accept",
    "key_place", "key_safe", "key_approved", "key_undo", "key_applied", "key_rendered", "key_compare",
    "key_copy", "key_edit", "key_help",
)  # fmt: skip
"""Texts of the keys that ``review/keyboard.js`` binds."""


@cache
def build_component_texts(lang: Language) -> Mapping[str, Any]:
    """Build the component's texts in one language."""

    def translate(key: str) -> str:
        return t(f"corrections.{key}", lang=lang)

    return {
        **{key: translate(key) for key in _TEXT_KEYS},
        "types": {kind: translate(f"type_{kind}") for kind in VIOLATION_TYPES},
        "reasons": {kind: translate(f"reason_{kind}") for kind in VIOLATION_TYPES},
        "origins": {origin: translate(f"origin_{origin}") for origin in ORIGINS},
        "languages": dict(LANGUAGE_NAMES),
        "comma": t("punctuation.comma", lang=lang),
        "with_label": t("punctuation.with_label", lang=lang),
        "with_note": t("punctuation.with_note", lang=lang),
        "key_help": {key: translate(key) for key in _KEY_HELP_KEYS},
    }


@cache
def build_field_labels(lang: Language) -> Mapping[str, str]:
    names = {name: t(f"corrections.field_{name}", lang=lang) for name in ("title", "summary", "content")}
    return {**names, "tag": t("corrections.field_tag", lang=lang)}


def describe_date(found: ArticleDate) -> str:
    """Describe the date of an article and its origin in the reader's language."""
    origin = t(f"corrections.origin_{found.origin}")
    return (
        t("corrections.date_from", date=found.iso, origin=origin)
        if found.day
        else t("corrections.date_missing")
    )


def describe_problem(problem: Problem) -> str:
    """Describe a problem in the reader's language."""
    by_status = {400: "refused", 403: "forbidden", 413: "too_large"}
    suffix = by_status.get(problem.status or 0)
    return t(f"corrections.error_{suffix}") if suffix else states.format_error(problem)


def describe_invalid_file(error: InvalidFileError) -> str:
    values = {name: str(value) for name, value in error.values.items()}
    return fill(t(f"corrections.file_{error.code}"), values)


def render_store_toggle(key: str) -> None:
    """Render the switch for storing findings; disabled, with the reason, without the permission."""
    can_store = account.can_write()
    if not can_store:
        st.session_state[key] = False
    st.toggle(t("corrections.store"), key=key, help=t("corrections.store_help"), disabled=not can_store)
    if not can_store:
        account.render_missing_scope("store")


def render_check_button(
    label: str, key: str, on_click: Callable[[], None], *, width: Literal["content", "stretch"] = "content"
) -> None:
    """Render the button that submits the surrounding form."""
    icon = ":material/spellcheck:"
    st.form_submit_button(label, key=key, type="primary", icon=icon, on_click=on_click, width=width)


def render_problem(problem: Problem) -> None:
    states.render_action_error(describe_problem(problem), problem.detail, problem.request_id)


def render_file_drop(key: str, kinds: Sequence[str], *, on_file: Callable[[], None]) -> None:
    """Render a file drop for one file of these kinds; ``read_file(key)`` returns the file in ``on_file``."""
    limit_mb = article_files.MAX_FILE_BYTES // 1024 // 1024
    file_drop(
        key=key,
        label=t("corrections.open_label"),
        hint=" ".join(f".{kind}" for kind in kinds),
        too_large=t("corrections.file_large").replace("{most}", str(limit_mb)),
        kinds=kinds,
        max_bytes=article_files.MAX_FILE_BYTES,
        on_file=on_file,
    )
