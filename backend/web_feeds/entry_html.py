"""Builds the HTML content of an entry. All texts are escaped: nothing from a publisher is markup."""

from html import escape

from backend.web_feeds.model import Entry


def build_html(entry: Entry) -> str:
    """Build a paragraph with the summary and a list with the bullets; the title where there is neither."""
    paragraph = f"<p>{escape(entry.summary)}</p>" if entry.summary else ""
    items = "".join(f"<li>{escape(bullet)}</li>" for bullet in entry.bullets)
    return (paragraph + (f"<ul>{items}</ul>" if items else "")) or f"<p>{escape(entry.title)}</p>"
