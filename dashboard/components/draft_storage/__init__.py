"""Keeps what is typed into a form, but not yet submitted, in the browser's tab for a day.

Streamlit drops such text when the reader visits another page or loads the page again. When the form
appears again, its text is restored, and a notice lets the reader discard it.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.components.registration import join_scripts
from dashboard.frame.markup import tag, text
from dashboard.i18n import t
from dashboard.sign_in import service

MAX_CHARS = 400_000
"""Limit of a restored text; the browser stores no more either."""
_KEY = "_draft_storage"


@dataclass
class _Form:
    """``before`` holds the form's values before the restored ones; ``None`` if none were restored.

    The browser removes the draft of this session that it stored at another number of ``discarded``.
    """

    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    discarded: int = 0
    before: dict[str, Any] | None = None


def render_restored_notice(form: str) -> None:
    """Renders, above a form whose text was restored, the notice and a button to discard it."""
    if _load_form(form).before is None:
        return
    with st.container(key=f"draft-{form}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(tag("p", text(t("frame.draft_restored")), class_="cp-note", role="status"))
        st.button(t("frame.draft_discard"), key=f"draft-{form}-discard", on_click=_discard, args=(form,))


def list_restored(form: str) -> Set[str]:
    """Lists the keys of the widgets whose text was restored."""
    return (_load_form(form).before or {}).keys()


def store_draft(
    form: str, fields: Sequence[str], parsers: Mapping[str, Callable[[str], Any]] | None = None
) -> None:
    """Stores and restores the text of widgets, by their keys. Call it after the form.

    ``parsers`` convert a restored text to the widget's value; the result ``None`` leaves the widget as it is.
    """
    state, person = _load_form(form), service.find_session()
    _component()(
        key=f"draft_storage_{form}",
        data={
            "form": form,
            "owner": person.name if person else "",
            "fields": list(fields),
            "values": {name: str(st.session_state.get(name) or "") for name in fields},
            "session": state.session,
            "discarded": state.discarded,
        },
        height="content",
        on_restore_change=partial(_restore, form, tuple(fields), parsers or {}),
    )


def remove_submitted_draft(form: str) -> None:
    """Removes the text that was forgotten from the browser, while the form is not shown."""
    state, person = _load_form(form), service.find_session()
    _component()(
        key=f"draft_storage_{form}_removal",
        data={
            "form": form,
            "owner": person.name if person else "",
            "fields": [],
            "values": {},
            "session": state.session,
            "discarded": state.discarded,
        },
        height="content",
    )


def forget_draft(form: str) -> None:
    """Removes the stored text, after its submission or when the reader begins something else."""
    state = _load_form(form)
    state.discarded, state.before = state.discarded + 1, None


def _restore(form: str, fields: tuple[str, ...], parsers: Mapping[str, Callable[[str], Any]]) -> None:
    stored = st.session_state[f"draft_storage_{form}"].restore or {}
    texts = {
        name: parsers.get(name, str)(stored[name])
        for name in fields
        if isinstance(stored.get(name), str) and len(stored[name]) <= MAX_CHARS
    }
    texts = {
        name: value
        for name, value in texts.items()
        if value is not None and value != st.session_state.get(name)
    }
    if texts:
        _load_form(form).before = {name: st.session_state.get(name) for name in texts}
        st.session_state.update(texts)


def _discard(form: str) -> None:
    st.session_state.update(_load_form(form).before or {})
    forget_draft(form)


def _load_form(form: str) -> _Form:
    forms: dict[str, _Form] = st.session_state.setdefault(_KEY, {})
    return forms.setdefault(form, _Form())


@cache
def _component() -> Any:
    script = join_scripts(Path(__file__).parent, "draft_storage")
    return st.components.v2.component("chainproof.draft_storage", js=script, isolate_styles=False)
