"""A place to choose or drop a file, in the reader's language; its bytes come as they are."""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboard.components.registration import load_component

__all__ = ["file_drop", "taken"]

_ROOM = Path(__file__).parent


def file_drop(
    *,
    key: str,
    label: str,
    hint: str,
    too_large: str,
    kinds: Sequence[str],
    most: int,
    on_file: Callable[[], None],
) -> None:
    """Draw it. ``kinds`` are endings without a dot, ``most`` a file's bytes; :func:`taken` reads the file."""
    data = {
        "label": label,
        "hint": hint,
        "too_large": too_large,
        "accept": ",".join(f".{kind}" for kind in kinds),
        "most": most,
    }
    load_component(_ROOM, "file_drop")(key=key, data=data, on_file_change=on_file)


def taken(key: str) -> tuple[str, bytes] | None:
    """Name and bytes of the file that was just chosen; null when none came."""
    sent = st.session_state[key].file or {}
    try:
        return str(sent["name"]), b64decode(sent["data"], validate=True)
    except (KeyError, TypeError, NotBase64):
        return None
