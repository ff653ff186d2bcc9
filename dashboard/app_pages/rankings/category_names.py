"""Names an asset's category in the reader's language."""

from dashboard.app_pages.rankings.table_view import build_slug
from dashboard.i18n import Language, catalogue, t


def translate_category(name: str, lang: Language) -> str:
    """Returns the name in ``lang``; the name as it is, if no shipped asset has this category."""
    code = build_slug(name).replace("-", "_")
    is_translated = lang != "en" and f"rankings.asset_category_{code}" in catalogue()
    return t(f"rankings.asset_category_{code}", lang=lang) if is_translated else name
