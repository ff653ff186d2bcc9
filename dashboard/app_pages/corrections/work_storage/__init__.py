"""Keeps records of the editor's work in the browser's tab, and reports those of an earlier session.

The browser warns before it leaves a page with typed text that was not checked, or with work that was neither
copied nor downloaded.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from dashboard.components.registration import join_scripts

__all__ = ["RESTORING_KEY", "read_restored", "render_record"]

Kind = Literal["article", "batch"]
RESTORING_KEY = "cr_work_article"


def render_record(
    kind: Kind,
    text: str,
    *,
    session: str,
    owner: str,
    unsaved: Mapping[Kind, str],
    sent: Mapping[str, str],
    on_restore: Callable[[], None] | None = None,
) -> None:
    """Store ``text``; an empty text removes what this session stored before.

    ``unsaved`` names, by kind, the state of the work that a copy or download would save; empty for none.
    ``sent`` holds what was last checked, by the keys of text boxes. With ``on_restore``, records of an
    earlier session are offered; :func:`read_restored` returns them.
    """
    data = {
        "kind": kind,
        "text": text,
        "session": session,
        "owner": owner,
        "unsaved": dict(unsaved),
        "sent": dict(sent),
        "restores": on_restore is not None,
    }
    options = {"on_restore_change": on_restore} if on_restore else {}
    _component()(key=f"cr_work_{kind}", data=data, height="content", **options)


def read_restored() -> Mapping[str, Any]:
    """Return the records of the earlier session by kind, and what was decided last."""
    restored: Mapping[str, Any] = st.session_state[RESTORING_KEY].restore or {}
    return restored


@cache
def _component() -> Any:
    script = join_scripts(Path(__file__).parent, "work_storage")
    return st.components.v2.component("chainproof.work_storage", js=script, isolate_styles=False)
