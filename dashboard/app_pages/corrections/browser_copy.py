"""Keeps a copy of the session's work in the browser's tab, and restores it after a reload.

The work is the article with its decisions and undo history, and the list of a batch. The session holds it;
the copy never leaves the browser and is only read by a new session of the same tab.
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import streamlit as st

from dashboard.app_pages.corrections import batch, saved_work, session_state, work_storage
from dashboard.app_pages.corrections.article_edits import is_blank
from dashboard.app_pages.corrections.batch import BatchState
from dashboard.app_pages.corrections.edit_history import build_form_fields
from dashboard.app_pages.corrections.saved_work import ArticleWork, BatchWork, InvalidRecordError
from dashboard.app_pages.corrections.session_state import FORM, TEXT_FIELDS, EditorState
from dashboard.components import draft_storage
from dashboard.frame.markup import tag, text
from dashboard.i18n import t
from dashboard.sign_in import service

_KEY = "corrections_copy"


@dataclass
class _Copy:
    """``encoded`` are the last records by kind, each with the state that it was encoded from."""

    session: str = field(default_factory=lambda: uuid4().hex)
    restored: tuple[int, str] | None = None
    """The step and the batch of the restored work."""
    encoded: dict[str, tuple[Any, str]] = field(default_factory=dict)


def render_batch_copy(*, is_form_open: bool) -> None:
    """Store the list of the batch. Call it before the check, so that a reload does not lose the list."""
    state = batch.load_state()
    record = ""
    if state.file is not None:
        work = BatchWork(state.batch_id, state.file, state.store, state.reviewed)
        reviewed = tuple(sorted((n, repr(article)) for n, article in state.reviewed.items()))
        record = _encode_once("batch", (state.batch_id, reviewed), lambda: saved_work.encode_batch(work))
    _render_record(
        "batch", record, {"batch": _name_unsaved_batch()}, {batch.TEXT_KEY: ""} if is_form_open else {}
    )


def render_article_copy(*, is_form_open: bool) -> None:
    """Store the article, its decisions and its history.

    Call it after the check and before the review, so that a step is stored before it can be seen and decided.
    """
    editor = session_state.load_state()
    step = editor.history.step
    record = ""
    if step is not None or not is_blank(editor.draft):
        work = ArticleWork(editor.history, editor.draft, editor.source, editor.editing)
        numbers = tuple(each.number for each in editor.history.steps)
        decisions = tuple(step.decisions.items()) if step is not None else ()
        version = (numbers, editor.history.position, decisions, editor.editing, repr(editor.draft))
        batch_file = batch.load_state().file
        record = _encode_once("article", version, lambda: saved_work.encode_article(work, batch_file))
    unsaved: dict[work_storage.Kind, str] = {
        "article": _name_unsaved_article(),
        "batch": _name_unsaved_batch(),  # again, because the check has ended meanwhile
    }
    fields = build_form_fields(editor.draft)
    sent = {key: str(getattr(fields, key.removeprefix("cr_"))) for key in TEXT_FIELDS}
    _render_record("article", record, unsaved, sent if is_form_open else {}, restores=True)


def is_restored() -> bool:
    """Whether the work of an earlier session was restored and has not been continued since."""
    return _load().restored == _identify_work()


def render_restored_notice() -> None:
    """Render the notice of restored work, with a button to discard it."""
    if not is_restored():
        return
    with st.container(
        key="cr_restored", horizontal=True, vertical_alignment="center", gap="small", width="content"
    ):
        st.html(tag("p", text(t("corrections.restored")), class_="cp-note", role="status"))
        st.button(t("frame.draft_discard"), key="cr_discard", on_click=_discard)


def restore(records: Mapping[str, Any]) -> None:
    """Restore the work of an earlier session; records that cannot be read are ignored."""
    batch_state = batch.load_state()
    if isinstance(records.get("batch"), str) and batch_state.file is None:
        try:
            work = saved_work.decode_batch(records["batch"])
        except InvalidRecordError:
            pass
        else:
            batch_state = BatchState(
                work.file, work.batch_id, check_requested=True, reviewed=dict(work.reviewed), store=work.store
            )
            batch.replace_state(batch_state)
            _load().restored = _identify_work()
    editor = session_state.load_state()
    if isinstance(records.get("article"), str) and editor.history.step is None and is_blank(editor.draft):
        try:
            article_work = saved_work.decode_article(records["article"], batch_state.file)
        except InvalidRecordError:
            return
        _restore_article(editor, article_work)
        if isinstance(records.get("decided"), Mapping):
            session_state.store_decisions(records["decided"])
        _load().restored = _identify_work()


def _restore_article(before: EditorState, work: ArticleWork) -> None:
    """Restore the editor's state, which fills the form again."""
    if not work.editing:
        draft_storage.forget_draft(FORM)
    session_state.replace_state(
        EditorState(
            work.history,
            work.draft,
            work.source,
            work.editing,
            action_count=before.action_count + 1,
            form_version=before.form_version + 1,
            store=before.store,
        )
    )


def _discard() -> None:
    for form in (FORM, batch.FORM):
        draft_storage.forget_draft(form)
    form_version = session_state.load_state().form_version + 1
    session_state.replace_state(EditorState(form_version=form_version))
    batch.replace_state(BatchState())
    st.session_state[batch.TEXT_KEY] = ""
    _load().restored = None


def _on_restore() -> None:
    restore(work_storage.read_restored())


def _load() -> _Copy:
    copy: _Copy = st.session_state.setdefault(_KEY, _Copy())
    return copy


def _identify_work() -> tuple[int, str]:
    """Identify the work by the number of its steps and the batch; both change with the next action."""
    return session_state.load_state().history.number_count, batch.load_state().batch_id


def _encode_once(kind: str, version: object, encode: Callable[[], str]) -> str:
    """Encode a record, unless the last one was encoded from the same state."""
    encoded = _load().encoded
    if kind not in encoded or encoded[kind][0] != version:
        encoded[kind] = (version, encode())
    return encoded[kind][1]


def _render_record(
    kind: work_storage.Kind,
    record: str,
    unsaved: Mapping[work_storage.Kind, str],
    sent: Mapping[str, str],
    *,
    restores: bool = False,
) -> None:
    person = service.find_session()
    work_storage.render_record(
        kind,
        record,
        session=_load().session,
        owner=person.name if person else "",
        unsaved=unsaved,
        sent=sent,
        on_restore=_on_restore if restores else None,
    )


def _name_unsaved_batch() -> str:
    """Name the state of a batch that is being checked, or of which articles were reviewed."""
    state = batch.load_state()
    is_running = state.file is not None and state.checked is None
    return f"{state.batch_id}:{_hash(state.reviewed)}" if state.reviewed or is_running else ""


def _name_unsaved_article() -> str:
    """Name the state of an article that was changed or has decisions."""
    step = session_state.load_state().history.step
    if step is None or not (step.is_changed or step.decisions):
        return ""
    return _hash((step.article, step.decisions))


def _hash(state: object) -> str:
    return f"{zlib.crc32(repr(state).encode('utf-8', 'surrogatepass')):08x}"
