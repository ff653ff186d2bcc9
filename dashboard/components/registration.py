"""Registers components with Streamlit from the files in their folders, without a build step."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


def join_scripts(folder: Path, *parts: str) -> str:
    """Join the files ``{part}.js`` of ``folder`` to one ES module, without comment and blank lines."""
    lines = "\n".join((folder / f"{part}.js").read_text("utf-8") for part in parts).splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("//"))


@cache
def load_component(folder: Path, file: str) -> Any:
    """Register ``{file}.js`` and ``{file}.css`` of ``folder`` as a component named after the folder."""
    css = (folder / f"{file}.css").read_text("utf-8")
    return st.components.v2.component(f"chainproof.{folder.name}", js=join_scripts(folder, file), css=css)


def ignore_trigger() -> None:
    """Do nothing: Streamlit sends a trigger only if it has a callback. The value is read from the result."""
