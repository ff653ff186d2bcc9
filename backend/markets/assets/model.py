"""Defines one configured asset and validates its fields with error messages for the file's author."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StrictBool,
    model_validator,
)

Peg = Literal["usd", "eur", "jpy", "xau", "btc", "eth", "sol", "bnb"]
"""What one unit of the asset is pegged to; ``xau`` is a troy ounce of gold."""
PEGS: tuple[str, ...] = get_args(Peg)

EVM_PLATFORMS = frozenset(
    (
        *("ethereum", "binance-smart-chain", "polygon-pos", "arbitrum-one", "optimistic-ethereum", "base"),
        *("avalanche", "xdai", "fantom", "celo", "linea", "scroll", "blast", "mantle", "cronos", "moonbeam"),
    )
)
"""CoinGecko ids of platforms whose contract addresses are 20 bytes in hexadecimal digits."""


def _validate_text(value: Any) -> str:
    if isinstance(value, bool):
        read_as = f"the truth value {str(value).lower()}"
    elif isinstance(value, int | float):
        read_as = "a number"
    elif isinstance(value, str):
        if not value.strip() or value != value.strip():
            raise ValueError("must not be empty, nor begin or end with a space")
        if not value.isprintable():
            raise ValueError("holds a line break or an invisible character: remove it")
        return value
    else:
        raise ValueError("must be text: put it in quotes")
    raise ValueError(f"is read by YAML as {read_as}, not as text: put it in quotes")


def _validate_id(value: str) -> str:
    # A letter is required, so that no id equals the upper-case key of a symbol.
    if not re.fullmatch(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*", value) or len(value) > 100:
        raise ValueError(
            "must be lower-case letters, digits and single hyphens between them, with at least one letter"
        )
    return value


def _validate_external_id(value: str) -> str:
    # External ids are joined with commas and inserted into URLs.
    if re.search(r"[\s,/?#&%]", value):
        raise ValueError("must be the provider's id without spaces, commas or slashes")
    return value


def _validate_symbol(value: str) -> str:
    if re.search(r"\s", value) or len(value) > 32:
        raise ValueError("must be at most 32 characters without a space")
    return value


def _parse_day(value: Any) -> date:
    if isinstance(value, date):
        return value
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError("must be a calendar day, such as 2020-12-31") from None
    raise ValueError("must be a day written as 2020-12-31")


def _parse_supply(value: Any) -> Decimal:
    if isinstance(value, Decimal):
        return value
    if not re.fullmatch(r"\d+(\.\d+)?", digits := _validate_text(value)) or not Decimal(digits):
        raise ValueError('must be a number above zero in quotes, such as "21000000"')
    return Decimal(digits)


def _validate_link(value: str) -> str:
    try:
        parts = urlsplit(value)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or re.search(r"[\s<>\"]", value):
        raise ValueError("must be a whole https address, such as https://example.org/page")
    return value


def _validate_contracts(value: Mapping[str, str]) -> Mapping[str, str]:
    for platform, contract in value.items():
        if platform in EVM_PLATFORMS and not re.fullmatch(r"0x[0-9a-fA-F]{40}", contract):
            raise ValueError(f"the contract on '{platform}' must be 0x and 40 hexadecimal digits")
    return MappingProxyType(dict(value))


Text = Annotated[str, BeforeValidator(_validate_text)]
AssetId = Annotated[Text, AfterValidator(_validate_id)]
ExternalId = Annotated[Text, AfterValidator(_validate_external_id)]
Day = Annotated[date, BeforeValidator(_parse_day)]
Link = Annotated[Text, AfterValidator(_validate_link)]
LinkList = tuple[Link, ...]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Links(_Frozen):
    """Eight lists of https addresses, each possibly empty."""

    website: LinkList = ()
    technical_doc: LinkList = ()
    twitter: LinkList = ()
    reddit: LinkList = ()
    message_board: LinkList = ()
    announcement: LinkList = ()
    explorer: LinkList = ()
    source_code: LinkList = ()


class Asset(_Frozen):
    """One configured asset; unknown fields are ``None`` or empty.

    ``datasrc1_slug`` and ``cmc_id`` are its ids at CoinMarketCap, ``datasrc2_id`` at CoinGecko. ``entity`` is
    its id in the catalogue if that differs from ``id``. ``platforms`` maps CoinGecko platform ids to
    contracts, the main one first.
    """

    id: AssetId
    name: Text
    symbol: Annotated[Text, AfterValidator(_validate_symbol)]
    datasrc1_slug: ExternalId | None = None
    cmc_id: Annotated[int, Field(strict=True, gt=0)] | None = None
    datasrc2_id: ExternalId | None = None
    enabled: StrictBool = True
    entity: AssetId | None = None
    pegged_to: Peg | None = None
    description: Text | None = None
    date_launched: Day | None = None
    genesis_date: Day | None = None
    address: Text | None = None
    categories: tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...] = ()
    platforms: Annotated[Mapping[Text, Text], AfterValidator(_validate_contracts), PlainSerializer(dict)] = (
        Field(default_factory=lambda: MappingProxyType({}))
    )
    infinite_supply: StrictBool | None = None
    max_supply: Annotated[Decimal, BeforeValidator(_parse_supply)] | None = None
    urls: Links = Links()

    @model_validator(mode="before")
    @classmethod
    def _default_address(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("address") is None:
            platforms = data.get("platforms")
            first = next(iter(platforms.values()), None) if isinstance(platforms, Mapping) else None
            if isinstance(first, str):
                return {**data, "address": first}
        return data

    @model_validator(mode="after")
    def _check_supply(self) -> "Asset":
        if self.infinite_supply and self.max_supply is not None:
            raise ValueError("infinite_supply and max_supply contradict each other: remove one of them")
        return self

    def __hash__(self) -> int:
        return hash(self.id)
