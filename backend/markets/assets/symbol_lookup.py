"""Which asset a word means when several assets share a symbol.

Market capitalisations are in USD by asset id; an asset that is absent, ``None`` or not finite is
of unknown size and comes after every known one.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from backend.markets.assets.model import Asset

MarketCaps = Mapping[str, Decimal | None]


def symbol_key(symbol: str) -> str:
    """The form in which symbols are compared: ``USDe`` and ``usde`` are one."""
    return symbol.upper()


def largest_first(assets: Iterable[Asset], market_caps: MarketCaps) -> list[Asset]:
    """``assets`` by market capitalisation, largest first and unknown last.

    Ties keep the given order, but for an enabled asset going before a disabled one.
    """

    def rank(asset: Asset) -> tuple[bool, Decimal, bool]:
        cap = market_caps.get(asset.id)
        known = cap is not None and cap.is_finite()
        return not known, -cap if cap is not None and known else Decimal(0), not asset.enabled

    return sorted(assets, key=rank)


def legacy_keys(assets: Iterable[Asset], market_caps: MarketCaps) -> dict[str, Asset]:
    """The keys of ``GET /prices/all``: symbol in upper case to asset, in the given order.

    Of several assets with one symbol the largest has it, and the others go by their ids. An id
    holds a lower-case letter and a key made from a symbol does not, so no key is ever taken twice.
    """
    given = list(assets)
    holders: dict[str, Asset] = {}
    for asset in largest_first(given, market_caps):
        holders.setdefault(symbol_key(asset.symbol), asset)
    return {
        symbol_key(asset.symbol) if holders[symbol_key(asset.symbol)] is asset else asset.id: asset
        for asset in given
    }
