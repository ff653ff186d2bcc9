"""Declares the asset ids that a provider needs and the key usage that it reports."""

from dataclasses import dataclass
from typing import Protocol


class AssetIds(Protocol):
    """An asset's ids: ours, CoinMarketCap's slug and number, CoinGecko's id."""

    @property
    def id(self) -> str: ...
    @property
    def datasrc1_slug(self) -> str | None: ...
    @property
    def datasrc2_id(self) -> str | None: ...
    @property
    def cmc_id(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Usage:
    """A key's allowance: credits of the current month, requests a minute.

    A field is None if the provider does not report it.
    """

    provider: str
    plan: str | None
    per_minute: int | None
    quota: int | None
    used: int | None
