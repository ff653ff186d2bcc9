"""Chooses a few assets out of hundreds, with the browser's own list of suggestions.

Streamlit's widget for it builds every option as an element of its own before anything is shown.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
import streamlit as st

from dashboard.components._declare import component

_ROOM = Path(__file__).parent


def asset_picker(
    options: Sequence[tuple[str, str]],
    chosen: Sequence[str],
    *,
    key: str,
    label: str,
    add: str,
    full: str,
    remove: str,
    most: int,
    on_pick: Callable[[object], None],
) -> None:
    """Show ``chosen`` (ids) and let the reader add and remove.

    ``options`` are pairs of id and text. ``add`` and ``full`` stand in the empty field, the second once
    there are ``most``; ``remove`` is a button's name, with ``{name}`` for the asset's. ``on_pick`` is
    given the list of ids after each change.
    """
    names = dict(options)
    data = {
        "options": options,
        "chosen": [[asset, names[asset]] for asset in chosen if asset in names],
        "words": {"label": label, "add": add, "full": full, "remove": remove},
        "most": most,
    }
    component(_ROOM, "picker")(
        key=key, data=orjson.dumps(data), on_pick_change=lambda: on_pick(st.session_state[key].pick)
    )
