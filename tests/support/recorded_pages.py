"""Pages out of a folder of recorded payloads, so that the service can be tried on real ones.

The folder holds ``coingecko/coins_markets_*.json`` (arrays of rows), ``coingecko/global*.json``,
``coingecko/coins_id_ohlc*.json``, ``coinmarketcap/listings_latest_*.json`` and
``coinmarketcap/*global_metrics*.json``, ``coinmarketcap/*fear_and_greed_latest*.json``,
``alternative_me/fng_limit_*.json``. Of several files for one thing the one with the most rows counts;
pages that are not there come from the made-up market.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.support.provider_pages import Pages, Query, stamp


@dataclass
class RecordedPages(Pages):
    """``restamp`` puts the payloads' times at the present: recorded ones are old and would be stale."""

    folder: Path = Path()
    restamp: bool = False
    _markets: dict[str, dict[str, Any]] = field(init=False)
    _listings: dict[int, dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self._markets = {row["id"]: row for row in self._most("coingecko/coins_markets_*.json")}
        self._listings = {row["id"]: row for row in self._most("coinmarketcap/listings_latest_*.json")}
        if not self._markets and not self._listings:
            raise SystemExit(f"{self.folder} holds no recorded payloads.")

    def answer(self, path: str, query: Query) -> tuple[int, object]:
        match path.strip("/").split("/"):
            case ["api", "v3", "coins", "markets"] if self._markets:
                ids = query.get("ids", "").split(",") if query.get("ids") else list(self._markets)
                known = [self._markets[name] for name in ids if name in self._markets]
                return 200, [self._fresh(self._with_image(row)) for row in known]
            case ["api", "v3", "coins", name, "ohlc"] if name not in self._markets:
                return 404, {"error": "coin not found"}
            case ["api", "v3", "global"]:
                return self._first("coingecko/global*.json", path, query)
            case ["v1", "cryptocurrency", "map"] if self._listings:
                keys = ("id", "name", "symbol", "slug")
                rows = [{key: row[key] for key in keys} | {"is_active": 1} for row in self._listings.values()]
                return 200, self.enveloped(rows, credits=0)
            case ["v2" | "v3", "cryptocurrency", "quotes", "latest"] if self._listings:
                wanted = {int(number) for number in query.get("id", "").split(",") if number.isdigit()}
                return 200, self.enveloped([self._fresh(r) for n, r in self._listings.items() if n in wanted])
            case ["v1", "global-metrics", "quotes", "latest"]:
                return self._first("coinmarketcap/*global_metrics*.json", path, query)
            case ["v3", "fear-and-greed", "latest"]:
                return self._first("coinmarketcap/*fear_and_greed_latest*.json", path, query)
            case ["fng"]:
                return self._first("alternative_me/fng_limit_*.json", path, query)
        return super().answer(path, query)

    def _most(self, pattern: str) -> list[dict[str, Any]]:
        """The rows of the largest file; of equally large ones the last by name, which holds the date."""
        files = sorted(self.folder.glob(pattern), reverse=True)
        return max((list(self._rows(json.loads(file.read_text()))) for file in files), key=len, default=[])

    def _rows(self, payload: Any) -> Iterator[dict[str, Any]]:
        rows = payload.get("data", []) if isinstance(payload, dict) else payload
        return (row for row in rows if isinstance(row, dict) and "id" in row)

    def _with_image(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with an image of this server's: nothing leaves the host while trying things."""
        return {**row, "image": f"{self.base_url}/images/{row['id']}.png"}

    def _first(self, pattern: str, path: str, query: Query) -> tuple[int, object]:
        for file in sorted(self.folder.glob(pattern)):
            return 200, self._fresh(json.loads(file.read_text()))
        return super().answer(path, query)

    def _fresh(self, value: Any) -> Any:
        """``value`` with its times put at the present, if that is wanted."""
        if not self.restamp:
            return value
        now = self.moment() - timedelta(seconds=5)
        if isinstance(value, list):
            return [self._fresh(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self._time(key, item, now) for key, item in value.items()}
        return value

    def _time(self, key: str, value: Any, now: datetime) -> Any:
        if key in ("last_updated", "update_time"):
            return stamp(now)
        if key == "updated_at":
            return int(now.timestamp())
        if key == "timestamp" and isinstance(value, str) and value.isdigit():
            return str(int(now.astimezone(UTC).replace(hour=0, minute=0, second=0).timestamp()))
        return self._fresh(value)
