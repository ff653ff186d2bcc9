"""The coins of the small simulated market: fictitious figures, real ids and symbols."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Coin:
    """A coin at both providers: CoinGecko id, CoinMarketCap slug and id, symbol, name, price, cap."""

    gecko: str
    slug: str
    cmc: int
    symbol: str
    name: str
    price: float
    cap: float | None
    ranked: bool = True


COINS: tuple[Coin, ...] = (
    Coin("bitcoin", "bitcoin", 1, "btc", "Bitcoin", 77671, 1.55e12),
    Coin("ethereum", "ethereum", 1027, "eth", "Ethereum", 2140.25, 2.58e11),
    Coin("tether", "tether", 825, "usdt", "Tether", 0.9998, 1.4e11),
    Coin("ripple", "xrp", 52, "xrp", "XRP", 2.1031, 1.2e11),
    Coin("binancecoin", "bnb", 1839, "bnb", "BNB", 612.4, 8.6e10),
    Coin("solana", "solana", 5426, "sol", "Solana", 141.77, 7.4e10),
    Coin("usd-coin", "usd-coin", 3408, "usdc", "USDC", 1.0001, 6.1e10),
    Coin("dogecoin", "dogecoin", 74, "doge", "Dogecoin", 0.16811, 2.5e10),
    Coin("cardano", "cardano", 2010, "ada", "Cardano", 0.6421, 2.2e10),
    Coin("tron", "tron", 1958, "trx", "TRON", 0.2388, 2.2e10),
    Coin("wrapped-bitcoin", "wrapped-bitcoin", 3717, "wbtc", "Wrapped Bitcoin", 77610, 1e10, ranked=False),
    Coin("staked-ether", "steth", 8085, "steth", "Lido Staked Ether", 2138.5, 2e10, ranked=False),
    Coin("avalanche-2", "avalanche", 5805, "avax", "Avalanche", 19.03, 7.9e9),
    Coin("chainlink", "chainlink", 1975, "link", "Chainlink", 12.88, 8.4e9),
    Coin("stellar", "stellar", 512, "xlm", "Stellar", 0.2452, 7.5e9),
    Coin("shiba-inu", "shiba-inu", 5994, "shib", "Shiba Inu", 1.224e-05, 7.2e9),
    Coin("polkadot-new", "polkadot-new", 6636, "dot", "Polkadot", 3.71, 5.6e9),
    Coin("litecoin", "litecoin", 2, "ltc", "Litecoin", 81, 6.1e9),
    Coin("bitcoin-cash", "bitcoin-cash", 1831, "bch", "Bitcoin Cash", 298.6, 5.9e9),
    Coin("uniswap", "uniswap", 7083, "uni", "Uniswap", 5.62, 3.3e9),
    Coin("near", "near-protocol", 6535, "near", "NEAR Protocol", 2.34, 2.8e9),
    Coin("monero", "monero", 328, "xmr", "Monero", 211.9, 3.9e9),
    Coin("ethereum-classic", "ethereum-classic", 1321, "etc", "Ethereum Classic", 15.4, 2.3e9),
    Coin("pepe", "pepe", 24478, "pepe", "Pepe", 6.913e-06, 2.9e9),
    Coin("cosmos", "cosmos", 3794, "atom", "Cosmos Hub", 4.02, 1.6e9),
    Coin("algorand", "algorand", 4030, "algo", "Algorand", 0.1823, 1.5e9),
    Coin("filecoin", "filecoin", 2280, "fil", "Filecoin", 2.51, 1.6e9),
    Coin("vechain", "vechain", 3077, "vet", "VeChain", 0.0213, 1.8e9),
    Coin("aave", "aave", 7278, "aave", "Aave", 138.2, 2.1e9),
    Coin("dai", "multi-collateral-dai", 4943, "dai", "Dai", 0.99991, 5.3e9),
    Coin("example-grain", "example-grain", 990001, "grain", "Example Grain", 1.223e-09, 4.1e6),
    Coin("example-other-pepe", "example-other-pepe", 990002, "pepe", "Example Other Pepe", 3.1e-11, None),
    Coin("example-other-sol", "example-other-sol", 990003, "sol", "Example Other Sol", 0.0442, 0),
    Coin("example-whole", "example-whole", 990004, "whole", "Example Whole", 250, 9.9e5),
)
"""Exponents, whole numbers, unknown caps (null and 0), null ranks, and symbols with two owners."""


def noise(*parts: object) -> float:
    """Return a number from 0 to 1 that depends only on ``parts``."""
    digest = hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def build_fictitious_coin(gecko: str, slug: str, cmc: int | None = None, symbol: str | None = None) -> Coin:
    """Build a fictitious coin for a real id, the same in every run."""
    price = float(f"{10 ** (6 * noise('price', gecko) - 3):.6g}")
    number = cmc or 1_000_000 + int(8_000_000 * noise("id", gecko))
    return Coin(gecko, slug, number, (symbol or gecko[:4]).lower(), gecko.title(), price, price * 2e8)
