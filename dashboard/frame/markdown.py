"""Escapes text for Markdown files. No I/O."""

import re

_SPECIAL_CHARS = re.compile(r"([\\`*_\[\]<>#|])")


def escape_markdown(text: str) -> str:
    """Joins the lines of a text and escapes Markdown syntax."""
    return _SPECIAL_CHARS.sub(r"\\\1", " ".join(text.split()))
