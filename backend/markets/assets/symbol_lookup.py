"""Finds the asset that a symbol means when several assets share it.

Market capitalisations are in USD by asset id. An asset without a finite capitalisation sorts after all
others.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from backend.markets.assets.model import Asset

MarketCaps = Mapping[str, Decimal | None]


def normalize_symbol(symbol: str) -> str:
    """Normalize a symbol for comparison: ``USDe`` and ``usde`` are equal."""
    return symbol.upper()


def sort_largest_first(assets: Iterable[Asset], market_caps: MarketCaps) -> list[Asset]:
    """Sort ``assets`` by market capitalisation, largest first and unknown last.

    Ties keep the given order, but enabled assets precede disabled ones.
    """

    def rank(asset: Asset) -> tuple[bool, Decimal, bool]:
        cap = market_caps.get(asset.id)
        has_cap = cap is not None and cap.is_finite()
        return not has_cap, -cap if cap is not None and has_cap else Decimal(0), not asset.enabled

    return sorted(assets, key=rank)


def assign_legacy_keys(assets: Iterable[Asset], market_caps: MarketCaps) -> dict[str, Asset]:
    """Assign the keys of ``GET /prices/all``: upper-case symbol to asset, in the given order.

    If several assets share a symbol, the largest gets it and the others get their ids. An id contains a
    lower-case letter and a symbol key does not, so keys are unique.
    """
    ordered_assets = list(assets)
    holders: dict[str, Asset] = {}
    for asset in sort_largest_first(ordered_assets, market_caps):
        holders.setdefault(normalize_symbol(asset.symbol), asset)
    return {
        normalize_symbol(asset.symbol)
        if holders[normalize_symbol(asset.symbol)] is asset
        else asset.id: asset
        for asset in ordered_assets
    }
