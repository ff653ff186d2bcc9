"""Builds responses in the formats of the market data providers, from a small simulated market.

The figures are fictitious; ids and symbols are the real ones, so that a normally configured service finds its
assets. Everything depends only on the seed and the time.
"""

import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from tests.support.providers.simulated_coins import COINS, Coin, build_fictitious_coin, noise

DataForm = Literal["array", "keyed", "keyed_arrays"]
Nulls = Literal["none", "all but price", "all"]
QuoteForm = Literal["array", "keyed", "keyed_by_id", "unmarked_array"]
Query = Mapping[str, str]


@dataclass
class Pages:
    """Responses of every endpoint that the service calls. Change the fields to change the market.

    ``gone`` are CoinGecko ids that no provider knows. ``invent`` also answers for ids outside the table.
    ``provider_gap`` is the ratio by which CoinMarketCap's prices are higher. ``nulls`` says which values are
    null; ``empty_prices`` are ids with ``{}`` as price.
    """

    seed: int = 1
    coins: tuple[Coin, ...] = COINS
    now: datetime | None = None
    """A fixed time; by default the clock's."""
    gone: set[str] = field(default_factory=set)
    invent: bool = False
    nulls: Nulls = "none"
    empty_prices: set[str] = field(default_factory=set)
    provider_gap: float = 0.0004
    data_form: DataForm = "array"
    quote_form: QuoteForm = "array"
    has_v3_quotes: bool = True
    base_url: str = "http://127.0.0.1"
    used: int = 0

    def answer(self, path: str, query: Query) -> tuple[int, object]:
        """Return status and JSON value of the page at ``path``."""
        if path.startswith("/api/v3/"):
            return self._gecko(path.removeprefix("/api/v3"), query)
        if path.startswith("/fng"):
            return 200, self.fear_greed_alternative()
        return self._cmc(path, query)

    def moment(self) -> datetime:
        return (self.now or datetime.now(UTC)).replace(microsecond=0)

    def price(self, coin: Coin, at: datetime) -> float:
        """Return the price at a time: two waves and some noise by the second."""
        if coin.symbol in ("usdt", "usdc", "dai"):
            return round(
                coin.price * (1 + 0.0004 * (noise(self.seed, coin.gecko, int(at.timestamp())) - 0.5)), 6
            )
        seconds, phase = at.timestamp(), 6.283 * noise(self.seed, coin.gecko)
        wave = 0.03 * math.sin(seconds / 90_000 + phase) + 0.006 * math.sin(seconds / 2_400 + 3 * phase)
        grain = 0.0008 * (noise(self.seed, coin.gecko, int(seconds)) - 0.5)
        return float(f"{coin.price * (1 + wave + grain):.8g}")

    # CoinGecko ----------------------------------------------------------------------------------------

    def _gecko(self, path: str, query: Query) -> tuple[int, object]:
        self.used += 1
        match path.strip("/").split("/"):
            case ["coins", "markets"]:
                ids = [coin_id for coin_id in query.get("ids", "").split(",") if coin_id]
                return 200, [self.gecko_row(coin, query) for coin in self._coins(ids)]
            case ["coins", "list"]:
                return 200, [{"id": c.gecko, "symbol": c.symbol, "name": c.name} for c in self._coins([])]
            case ["coins", name, "ohlc"]:
                found = self._coins([name])
                return (200, self.ohlc(found[0], query)) if found else (404, {"error": "coin not found"})
            case ["coins", name, "market_chart"]:
                found = self._coins([name])
                if int(query["days"]) > MAX_FREE_DAYS:
                    message = "Your request exceeds the allowed time range."
                    return 401, {"error": {"status": {"error_code": 10012, "error_message": message}}}
                chart = {"prices": self.past_prices(found[0], int(query["days"]))} if found else {}
                return (200, chart) if found else (404, {"error": "coin not found"})
            case ["global"]:
                return 200, self.gecko_global()
            case ["key"]:
                return 200, {
                    "plan": "Example",
                    "rate_limit_request_per_minute": 100,
                    "monthly_call_credit": 10_000,
                    "current_total_monthly_calls": self.used,
                    "current_remaining_monthly_calls": 10_000 - self.used,
                }
            case ["ping"]:
                return 200, {"gecko_says": "(V3) To the Moon!"}
        return 404, {"error": "Incorrect path. Please check the documentation."}

    def _coins(self, ids: Sequence[str]) -> list[Coin]:
        table = {coin.gecko: coin for coin in self.coins}
        if not ids:
            return [coin for coin in self.coins if coin.gecko not in self.gone]
        found = [
            table.get(coin_id) or (build_fictitious_coin(coin_id, coin_id) if self.invent else None)
            for coin_id in ids
        ]
        return [coin for coin in found if coin is not None and coin.gecko not in self.gone]

    def gecko_row(self, coin: Coin, query: Query) -> dict[str, Any]:
        now, price = self.moment(), self.price(coin, self.moment())
        row: dict[str, Any] = {
            "id": coin.gecko,
            "symbol": coin.symbol,
            "name": coin.name,
            "image": f"{self.base_url}/images/{coin.gecko}.png",
            "current_price": price,
            "market_cap": coin.cap,
            "market_cap_rank": self._rank(coin),
            "fully_diluted_valuation": None,
            "total_volume": None if coin.cap is None else round(coin.cap / 30),
            "high_24h": price * 1.02,
            "low_24h": price * 0.98,
            "price_change_percentage_24h": self._change(coin, timedelta(days=1)),
            "circulating_supply": 0.0,
            "total_supply": None,
            "max_supply": None,
            "ath": float(f"{coin.price * 1.8:.6g}"),
            "ath_change_percentage": -44.4,
            "ath_date": "2025-10-06T18:57:42.558Z",
            "roi": None,
            "last_updated": format_timestamp(now - timedelta(seconds=int(40 * noise("age", coin.gecko)))),
            "market_cap_rank_with_rehypothecated": self._rank(coin, include_unranked=True),
        }
        for name, span in SPANS.items():
            if name in query.get("price_change_percentage", "").split(","):
                row[f"price_change_percentage_{name}_in_currency"] = self._change(coin, span)
        if query.get("sparkline") == "true":
            hours = 167 + int(3 * noise("points", coin.gecko))
            closes = [self.price(coin, now - timedelta(hours=hours - 1 - hour)) for hour in range(hours)]
            row["sparkline_in_7d"] = {"price": closes}
        if coin.gecko in self.empty_prices:
            row["current_price"] = {}
        return self._nulled(row)

    def _nulled(self, row: dict[str, Any]) -> dict[str, Any]:
        kept_fields = {
            "all": set(),
            "all but price": {"price", "current_price", "last_updated"},
            "none": row.keys(),
        }
        names = kept_fields[self.nulls] | {"id", "symbol", "name", "slug", "is_active", "quote"}
        return {key: value if key in names else None for key, value in row.items()}

    def _rank(self, coin: Coin, *, include_unranked: bool = False) -> int | None:
        if coin.cap is None or not (coin.ranked or include_unranked) or coin.cap == 0:
            return None
        return 1 + sum(
            (other_coin.cap or 0) > coin.cap
            for other_coin in self.coins
            if other_coin.ranked or include_unranked
        )

    def _change(self, coin: Coin, span: timedelta) -> float:
        now = self.moment()
        return round((self.price(coin, now) / self.price(coin, now - span) - 1) * 100, 5)

    def ohlc(self, coin: Coin, query: Query) -> list[list[float]]:
        """Build the closed candles and the current one, which has the time of the response."""
        step, count = {"1": (1800, 48), "7": (14_400, 42), "30": (14_400, 180)}[query["days"]]
        end = int(self.moment().timestamp())
        last = end // step * step
        closes = [last - step * back for back in range(count - 1, -1, -1)] + ([end] if end > last else [])
        return [self._candle(coin, close, step) for close in closes]

    def past_prices(self, coin: Coin, days: int) -> list[list[float]]:
        """Build hourly prices up to 90 days, daily ones beyond, and the price of now."""
        end, step = int(self.moment().timestamp()), 3600 if days <= 90 else 86_400
        last = end // step * step
        times = [last - step * back for back in range(days * 86_400 // step - 1, -1, -1)]
        return [[at * 1000, self.price(coin, datetime.fromtimestamp(at, UTC))] for at in (*times, end)]

    def _candle(self, coin: Coin, close: int, step: int) -> list[float]:
        opened = (close - 1) // step * step
        inside = [opened + (close - opened) * part / 6 for part in range(7)]
        prices = [self.price(coin, datetime.fromtimestamp(at, UTC)) for at in inside]
        return [close * 1000, prices[0], max(prices), min(prices), prices[-1]]

    def gecko_global(self) -> dict[str, Any]:
        cap = self._total()
        return {
            "data": {
                "active_cryptocurrencies": 17397,
                "markets": 1476,
                "total_market_cap": {"btc": cap / 77671, "usd": cap, "eur": cap * 0.85, "jpy": cap * 150},
                "total_volume": {"btc": cap / 25 / 77671, "usd": cap / 25},
                "market_cap_percentage": {"btc": 57.9539332566265, "eth": 9.58227145398409},
                "market_cap_change_percentage_24h_usd": -1.6081983639177684,
                "volume_change_percentage_24h_usd": 33.064521460740046,
                "updated_at": int(self.moment().timestamp()),
            }
        }

    def _total(self) -> float:
        return 2.62e12 * (1 + 0.01 * math.sin(self.moment().timestamp() / 5_000))

    # CoinMarketCap ------------------------------------------------------------------------------------

    def _cmc(self, path: str, query: Query) -> tuple[int, object]:
        match path.strip("/").split("/"):
            case ["v1", "cryptocurrency", "map"]:
                rows = [
                    {
                        "id": c.cmc,
                        "rank": 1,
                        "name": c.name,
                        "symbol": c.symbol.upper(),
                        "slug": c.slug,
                        "is_active": 1,
                    }
                    for c in self._coins([])
                ]
                return 200, self.enveloped(rows, credits=0)
            case ["v3" | "v2" as version, "cryptocurrency", "quotes", "latest"]:
                if version == "v3" and not self.has_v3_quotes:
                    return 404, {"statusCode": 404, "error": "Not Found", "message": "Not Found"}
                ids = {int(number) for number in query.get("id", "").split(",") if number.isdigit()}
                return 200, self.cmc_quotes(ids)
            case ["v1", "global-metrics", "quotes", "latest"]:
                return 200, self.cmc_global()
            case ["v3", "fear-and-greed", "latest"]:
                value = {
                    "value": 64,
                    "update_time": format_timestamp(self.moment()),
                    "value_classification": "Greed",
                }
                return 200, self.enveloped(value, code="0")
            case ["v1", "key", "info"]:
                plan = {"credit_limit_monthly": 10_000, "rate_limit_minute": 30}
                month = {"credits_used": self.used, "credits_left": 10_000 - self.used}
                return 200, self.enveloped({"plan": plan, "usage": {"current_month": month}}, credits=0)
        return 404, {"statusCode": 404, "error": "Not Found", "message": "Not Found"}

    def enveloped(self, data: object, *, credits: int = 1, code: int | str = 0) -> dict[str, Any]:
        self.used += credits
        status = {
            "timestamp": format_timestamp(self.moment()),
            "error_code": code,
            "error_message": None if code == 0 else "",
            "elapsed": 12,
            "credit_count": credits,
            "notice": None,
        }
        return {"status": status, "data": data}

    def cmc_quotes(self, ids: set[int]) -> dict[str, Any]:
        requested_coins = [coin for coin in self._coins([]) if coin.cmc in ids]
        rows = {str(coin.cmc): self.cmc_row(coin) for coin in requested_coins}
        if self.data_form == "array":
            return self.enveloped(list(rows.values()), code="0")
        return self.enveloped(
            rows if self.data_form == "keyed" else {key: [row] for key, row in rows.items()}
        )

    def cmc_row(self, coin: Coin) -> dict[str, Any]:
        when = format_timestamp(self.moment() - timedelta(seconds=int(50 * noise("cmc age", coin.slug))))
        usd = {
            "price": self.price(coin, self.moment()) * (1 + self.provider_gap),
            "volume_24h": None if coin.cap is None else coin.cap / 28,
            "percent_change_1h": self._change(coin, SPANS["1h"]),
            "percent_change_24h": self._change(coin, SPANS["24h"]),
            "percent_change_7d": self._change(coin, SPANS["7d"]),
            "percent_change_30d": self._change(coin, SPANS["30d"]),
            "market_cap": coin.cap,
            "last_updated": when,
        }
        row = {
            "id": coin.cmc,
            "name": coin.name,
            "symbol": coin.symbol.upper(),
            "slug": coin.slug,
            "is_active": 1,
            "cmc_rank": self._rank(coin),
            "last_updated": when,
            "quote": self.in_form(self._nulled(usd)),
        }
        return self._nulled(row)

    def in_form(self, usd: dict[str, Any]) -> object:
        match self.quote_form:
            case "array":
                return [{"id": 2781, "symbol": "USD", **usd}]
            case "unmarked_array":
                return [usd]
            case "keyed":
                return {"USD": usd}
            case "keyed_by_id":
                return {"2781": usd}

    def cmc_global(self) -> dict[str, Any]:
        usd = {
            "total_market_cap": self._total() * 1.02,
            "total_volume_24h": self._total() / 24,
            "total_market_cap_yesterday_percentage_change": -1.5,
            "total_volume_24h_yesterday_percentage_change": 30.1,
            "last_updated": format_timestamp(self.moment()),
        }
        key = "2781" if self.quote_form == "keyed_by_id" else "USD"
        return self.enveloped(
            {
                "btc_dominance": 57.7,
                "eth_dominance": 9.6,
                "quote": {key: usd},
                "last_updated": format_timestamp(self.moment()),
            }
        )

    # alternative.me -----------------------------------------------------------------------------------

    def fear_greed_alternative(self) -> dict[str, Any]:
        midnight = self.moment().replace(hour=0, minute=0, second=0)
        newest = {
            "value": "40",
            "value_classification": "Fear",
            "timestamp": str(int(midnight.timestamp())),
            "time_until_update": "68499",
        }
        return {"name": "Fear and Greed Index", "data": [newest], "metadata": {"error": None}}


MAX_FREE_DAYS = 365
"""CoinGecko refuses longer histories without a paid plan."""
SPANS = {
    "1h": timedelta(hours=1),
    "24h": timedelta(days=1),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}


def format_timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def png(size: int = 16, colour: tuple[int, int, int] = (247, 147, 26)) -> bytes:
    """Build a PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + bytes(colour) * size) * size)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
