"""Reads recorded provider responses from a folder, one JSON file for each endpoint.

``docs/replay.md`` describes the layout. A response holds the rows of the requested ids, so one large
recording serves any selection of assets. Numbers keep the digits of the file.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from backend.formats.timestamps import Clock, utc_now
from backend.markets import provider_names
from backend.markets.provider_names import ALTERNATIVE_ME, COINGECKO, COINMARKETCAP
from backend.markets.providers.replay.timestamp_shift import restamp, restamp_candles

Provider = str
"""A provider's id."""
Query = Mapping[str, str]

FOLDERS: Final[Mapping[Provider, str]] = {
    COINGECKO: "coingecko",
    COINMARKETCAP: "coinmarketcap",
    ALTERNATIVE_ME: "alternative_me",
}
_MAX_INTEGER_DIGITS = 18
"""So many digits always fit in 64 bits. Longer integers are sent exactly as recorded."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """The recordings in ``folder``.

    ``restamp`` moves recorded times to the present; without it, old figures count as stale.
    """

    folder: Path
    restamp: bool = False
    now: Clock = utc_now

    def has_provider(self, provider: Provider) -> bool:
        """True if the folder has any recording of ``provider``."""
        return any((self.folder / FOLDERS[provider]).glob("*.json"))

    def find_body(self, provider: Provider, path: str, query: Query) -> bytes | None:
        """The response body of ``provider`` at ``path``; None without a recording.

        A file that is not JSON is returned unchanged.
        """
        match provider, path.strip("/").removeprefix("api/v3/").split("/"):
            case provider_names.COINGECKO, ["coins", "markets"]:
                return self._find_coins(query)
            case provider_names.COINGECKO, ["coins", coin_id, "ohlc"]:
                return self._find_candles(coin_id, query.get("days", ""))
            case provider_names.COINGECKO, ["global"]:
                return self._read_body("coingecko/global*.json")
            case provider_names.COINMARKETCAP, ["v1", "cryptocurrency", "map"]:
                return self._build_slug_map()
            case provider_names.COINMARKETCAP, ["v2" | "v3", "cryptocurrency", "quotes", "latest"]:
                return self._find_quotes(query)
            case provider_names.COINMARKETCAP, ["v1", "global-metrics", "quotes", "latest"]:
                return self._read_body("coinmarketcap/*global_metrics*.json")
            case provider_names.COINMARKETCAP, ["v3", "fear-and-greed", "latest"]:
                return self._read_body("coinmarketcap/*fear_and_greed_latest*.json")
            case provider_names.ALTERNATIVE_ME, ["fng"]:
                return self._read_body("alternative_me/fng*.json")
        return None

    def _find_coins(self, query: Query) -> bytes | None:
        rows = self._read_rows("coingecko/coins_markets_*.json")
        if rows is None or isinstance(rows, bytes):
            return rows
        requested_ids = [coin_id for coin_id in query.get("ids", "").split(",") if coin_id]
        return self._to_json([row for row in rows if not requested_ids or row["id"] in requested_ids])

    def _find_candles(self, coin_id: str, days: str) -> bytes | None:
        # The id comes from a request and goes into a glob pattern.
        if not all(character.isalnum() or character in "-_." for character in f"{coin_id}{days}"):
            return None
        candles = self._read_first(f"coingecko/ohlc_{coin_id}_{days}d*.json")
        if self.restamp and isinstance(candles, list):
            candles = restamp_candles(candles, self.now())
        return candles if isinstance(candles, bytes) or candles is None else orjson.dumps(candles)

    def _build_slug_map(self) -> bytes | None:
        quotes = self._read_rows(*_QUOTE_FILES)
        if quotes is None or isinstance(quotes, bytes):
            return quotes
        fields = ("id", "name", "symbol", "slug")
        rows = [{name: row.get(name) for name in fields} | {"is_active": 1} for row in quotes]
        return self._to_json(self._wrap(rows))

    def _find_quotes(self, query: Query) -> bytes | None:
        quotes = self._read_rows(*_QUOTE_FILES)
        if quotes is None or isinstance(quotes, bytes):
            return quotes
        requested_ids = {int(number) for number in query.get("id", "").split(",") if number.isdecimal()}
        return self._to_json(self._wrap([row for row in quotes if row["id"] in requested_ids]))

    def _wrap(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """``rows`` in CoinMarketCap's envelope. A replay costs no credits."""
        status = {"error_code": 0, "error_message": None, "elapsed": 0, "credit_count": 0}
        return {"status": {"timestamp": _format_timestamp(self.now()), **status}, "data": rows}

    def _read_body(self, pattern: str) -> bytes | None:
        value = self._read_first(pattern)
        return value if isinstance(value, bytes) or value is None else self._to_json(value)

    def _read_first(self, pattern: str) -> Any:
        """The first file by name: its JSON value, its bytes if it is not JSON, None without a file."""
        return next((_read(file) for file in sorted(self.folder.glob(pattern))), None)

    def _read_rows(self, *patterns: str) -> list[dict[str, Any]] | bytes | None:
        """Rows of the file with most rows; among equals, of the last file name, which ends with the date."""
        files = sorted({file for pattern in patterns for file in self.folder.glob(pattern)}, reverse=True)
        values = [_read(file) for file in files]
        if not any(not isinstance(value, bytes) for value in values):
            return next((value for value in values if isinstance(value, bytes)), None)
        return max(([*_find_rows(value)] for value in values), key=len)

    def _to_json(self, value: Any) -> bytes:
        return orjson.dumps(restamp(value, self.now()) if self.restamp else value)


_QUOTE_FILES = ("coinmarketcap/quotes_latest_*.json", "coinmarketcap/listings_latest_*.json")


def _read(file: Path) -> Any:
    content = file.read_bytes()
    try:
        return json.loads(content, parse_float=_keep_literal, parse_int=_parse_int)
    except (ValueError, RecursionError):
        return content


def _keep_literal(number: str) -> orjson.Fragment:
    return orjson.Fragment(number)


def _parse_int(number: str) -> int | orjson.Fragment:
    return int(number) if len(number) <= _MAX_INTEGER_DIGITS else orjson.Fragment(number)


def _find_rows(value: Any) -> Iterator[dict[str, Any]]:
    """The rows of an array, or of a CoinMarketCap response with any documented form of ``data``."""
    data = value.get("data", []) if isinstance(value, dict) else value
    items = list(data.values()) if isinstance(data, dict) else data if isinstance(data, list) else []
    for item in items:
        for row in item if isinstance(item, list) else [item]:
            if isinstance(row, dict) and "id" in row:
                yield row


def _format_timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
