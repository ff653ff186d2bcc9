"""Registers a component with Streamlit from the files in its folder. No build step: parts are joined."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


def joined(room: Path, *parts: str) -> str:
    """The files ``{part}.js`` of ``room`` as one ES module, without the comment and blank lines."""
    lines = "\n".join((room / f"{part}.js").read_text("utf-8") for part in parts).splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("//"))


@cache
def component(room: Path, file: str) -> Any:
    """The component that bears its room's name, out of ``{file}.js`` and ``{file}.css``."""
    css = (room / f"{file}.css").read_text("utf-8")
    return st.components.v2.component(f"chainproof.{room.name}", js=joined(room, file), css=css)
