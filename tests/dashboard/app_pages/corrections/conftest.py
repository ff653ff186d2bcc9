"""The editor's state of the Corrections page."""

import pytest
import streamlit as st

from dashboard.app_pages.corrections.session_state import EditorState, load_state


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch) -> EditorState:
    """The editor's state without a page."""
    monkeypatch.setattr(st, "session_state", {})
    return load_state()
