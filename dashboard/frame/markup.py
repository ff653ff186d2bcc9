"""Small pieces of safe markup: every text and attribute is escaped."""

from html import escape

VOID = frozenset({"img", "br", "input", "path", "rect"})


def tag(name: str, /, *content: str, **attributes: str | None) -> str:
    """``<name attributes>content</name>``; ``content`` is markup, attribute values are text.

    ``class_`` is written ``class``; other underscores become hyphens; a null attribute is left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>" if name in VOID else f"<{name}{written}>{''.join(content)}</{name}>"


def text(value: str) -> str:
    return escape(value, quote=False)
