"""Reads recorded answers of the providers out of a folder, one JSON file for each thing that is asked.

``docs/replay.md`` describes the layout. Rows are picked by the ids that a request names, so that one large
recording serves any selection of assets. Numbers keep the digits that the file has.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from backend.formats.timestamps import Clock, utc_now
from backend.markets.providers.replay.timestamp_shift import restamped, restamped_candles

Provider = str
"""The name of a provider, which is also that of its folder."""
Query = Mapping[str, str]

COINGECKO: Final = "coingecko"
COINMARKETCAP: Final = "coinmarketcap"
ALTERNATIVE_ME: Final = "alternative.me"
FOLDERS: Final[Mapping[Provider, str]] = {
    COINGECKO: "coingecko",
    COINMARKETCAP: "coinmarketcap",
    ALTERNATIVE_ME: "alternative_me",
}
_LONGEST_INTEGER = 18
"""Digits that surely fit 64 bits; what is longer is passed on as it is written."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """``restamp`` puts recorded times at the present: else what is old counts as stale, as it should."""

    folder: Path
    restamp: bool = False
    now: Clock = utc_now

    def has(self, provider: Provider) -> bool:
        """Whether anything of ``provider`` is recorded."""
        return any((self.folder / FOLDERS[provider]).glob("*.json"))

    def answer(self, provider: Provider, path: str, query: Query) -> bytes | None:
        """The body that ``provider`` answers at ``path``; null where nothing is recorded for it.

        A file that is no JSON is answered as it is.
        """
        match provider, path.strip("/").removeprefix("api/v3/").split("/"):
            case "coingecko", ["coins", "markets"]:
                return self._coins(query)
            case "coingecko", ["coins", name, "ohlc"]:
                return self._candles(name, query.get("days", ""))
            case "coingecko", ["global"]:
                return self._first("coingecko/global*.json")
            case "coinmarketcap", ["v1", "cryptocurrency", "map"]:
                return self._ids()
            case "coinmarketcap", ["v2" | "v3", "cryptocurrency", "quotes", "latest"]:
                return self._quotes(query)
            case "coinmarketcap", ["v1", "global-metrics", "quotes", "latest"]:
                return self._first("coinmarketcap/*global_metrics*.json")
            case "coinmarketcap", ["v3", "fear-and-greed", "latest"]:
                return self._first("coinmarketcap/*fear_and_greed_latest*.json")
            case "alternative.me", ["fng"]:
                return self._first("alternative_me/fng*.json")
        return None

    def _coins(self, query: Query) -> bytes | None:
        found = self._rows("coingecko/coins_markets_*.json")
        if found is None or isinstance(found, bytes):
            return found
        wanted = [name for name in query.get("ids", "").split(",") if name]
        return self._dumped([row for row in found if not wanted or row["id"] in wanted])

    def _candles(self, name: str, days: str) -> bytes | None:
        # The id comes out of a request and goes into a pattern.
        if not all(character.isalnum() or character in "-_." for character in f"{name}{days}"):
            return None
        found = self._read_first(f"coingecko/ohlc_{name}_{days}d*.json")
        if self.restamp and isinstance(found, list):
            found = restamped_candles(found, self.now())
        return found if isinstance(found, bytes) or found is None else orjson.dumps(found)

    def _ids(self) -> bytes | None:
        found = self._rows(*_QUOTES)
        if found is None or isinstance(found, bytes):
            return found
        names = ("id", "name", "symbol", "slug")
        rows = [{name: row.get(name) for name in names} | {"is_active": 1} for row in found]
        return self._dumped(self._enveloped(rows))

    def _quotes(self, query: Query) -> bytes | None:
        found = self._rows(*_QUOTES)
        if found is None or isinstance(found, bytes):
            return found
        wanted = {int(number) for number in query.get("id", "").split(",") if number.isdecimal()}
        return self._dumped(self._enveloped([row for row in found if row["id"] in wanted]))

    def _enveloped(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """``rows`` as CoinMarketCap wraps them; what a replay costs is nothing."""
        status = {"error_code": 0, "error_message": None, "elapsed": 0, "credit_count": 0}
        return {"status": {"timestamp": _instant(self.now()), **status}, "data": rows}

    def _first(self, pattern: str) -> bytes | None:
        found = self._read_first(pattern)
        return found if isinstance(found, bytes) or found is None else self._dumped(found)

    def _read_first(self, pattern: str) -> Any:
        """The first file by name: its value, its bytes where it is no JSON, null where there is none."""
        return next((_read(file) for file in sorted(self.folder.glob(pattern))), None)

    def _rows(self, *patterns: str) -> list[dict[str, Any]] | bytes | None:
        """Rows of the file that has most; of files with as many, of the last by name, which has the date."""
        files = sorted({file for pattern in patterns for file in self.folder.glob(pattern)}, reverse=True)
        read = [_read(file) for file in files]
        if not any(not isinstance(value, bytes) for value in read):
            return next((value for value in read if isinstance(value, bytes)), None)
        return max(([*_rows_in(value)] for value in read), key=len)

    def _dumped(self, value: Any) -> bytes:
        return orjson.dumps(restamped(value, self.now()) if self.restamp else value)


_QUOTES = ("coinmarketcap/quotes_latest_*.json", "coinmarketcap/listings_latest_*.json")


def _read(file: Path) -> Any:
    content = file.read_bytes()
    try:
        return json.loads(content, parse_float=_as_written, parse_int=_integer)
    except (ValueError, RecursionError):
        return content


def _as_written(number: str) -> orjson.Fragment:
    return orjson.Fragment(number)


def _integer(number: str) -> int | orjson.Fragment:
    return int(number) if len(number) <= _LONGEST_INTEGER else orjson.Fragment(number)


def _rows_in(value: Any) -> Iterator[dict[str, Any]]:
    """The rows of an array, or of an answer of CoinMarketCap in any of the forms that its ``data`` has."""
    data = value.get("data", []) if isinstance(value, dict) else value
    items = list(data.values()) if isinstance(data, dict) else data if isinstance(data, list) else []
    for item in items:
        for row in item if isinstance(item, list) else [item]:
            if isinstance(row, dict) and "id" in row:
                yield row


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
