"""What a provider needs to know of an asset, and what it can say of a key."""

from dataclasses import dataclass
from typing import Protocol


class Identified(Protocol):
    """An asset as far as a provider is concerned: our id and its ids there."""

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
    """A key's allowance: credits of the running month, requests a minute. Null where it is not told."""

    provider: str
    plan: str | None
    per_minute: int | None
    quota: int | None
    used: int | None
