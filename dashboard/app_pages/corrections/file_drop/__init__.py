"""Lets the reader choose or drop a file, and returns its unchanged bytes."""

from base64 import b64decode
from binascii import Error as InvalidBase64
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboard.components.registration import load_component

__all__ = ["file_drop", "read_file"]

_FOLDER = Path(__file__).parent


def file_drop(
    *,
    key: str,
    label: str,
    hint: str,
    too_large: str,
    kinds: Sequence[str],
    max_bytes: int,
    on_file: Callable[[], None],
) -> None:
    """Draw the component. ``kinds`` are file extensions without a dot. :func:`read_file` returns the file."""
    data = {
        "label": label,
        "hint": hint,
        "too_large": too_large,
        "accept": ",".join(f".{kind}" for kind in kinds),
        "max_bytes": max_bytes,
    }
    load_component(_FOLDER, "file_drop")(key=key, data=data, on_file_change=on_file)


def read_file(key: str) -> tuple[str, bytes] | None:
    """Return name and bytes of the chosen file; null if none arrived."""
    message = st.session_state[key].file or {}
    try:
        return str(message["name"]), b64decode(message["data"], validate=True)
    except (KeyError, TypeError, InvalidBase64):
        return None
