"""Tests which asset a symbol means, and the keys of the deprecated price listing."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from backend.markets.assets.model import Asset
from backend.markets.assets.registry import AssetRegistry
from backend.markets.assets.symbol_lookup import MarketCaps, assign_legacy_keys, sort_largest_first

A = Asset(id="one", name="One", symbol="XYZ", datasrc2_id="gecko-one", datasrc1_slug="slug-one")
B = Asset(id="two", name="Two", symbol="xyz", datasrc2_id="abc", datasrc1_slug="gecko-one")
C = Asset(id="xyz", name="Three", symbol="ABC")
D = Asset(id="four", name="Four", symbol="XYZ", enabled=False)

IDS = st.text("ab1", min_size=1, max_size=3).filter(lambda text: text.strip("1") != "")
SYMBOLS = st.text("aAbB1", min_size=1, max_size=2)
CAPS = st.none() | st.decimals(0, 5, places=0) | st.sampled_from([Decimal("NaN"), Decimal("Infinity")])


@st.composite
def draw_books(draw: st.DrawFn) -> tuple[AssetRegistry, dict[str, Decimal | None]]:
    ids = draw(st.lists(IDS, unique=True, max_size=6))
    words = draw(st.lists(st.none() | IDS, min_size=2 * len(ids), max_size=2 * len(ids)))
    gecko, slugs = _keep_first(words[: len(ids)]), _keep_first(words[len(ids) :])
    assets = [
        Asset(id=id_, name="n", symbol=draw(SYMBOLS), datasrc2_id=gecko[i], datasrc1_slug=slugs[i])
        for i, id_ in enumerate(ids)
    ]
    ids_with_cap = draw(st.lists(st.sampled_from(ids), unique=True)) if ids else []
    return AssetRegistry(assets), {id_: draw(CAPS) for id_ in ids_with_cap}


def _keep_first(words: list[str | None]) -> list[str | None]:
    return [word if word not in words[:i] else None for i, word in enumerate(words)]


def get_known_cap(asset: Asset, caps: MarketCaps) -> Decimal:
    cap = caps.get(asset.id)
    return cap if cap is not None and cap.is_finite() else Decimal(-1)


def test_the_canonical_id_comes_before_a_symbol() -> None:
    assert AssetRegistry([A, B, C]).resolve("xyz", {"one": Decimal(9)}) is C


def test_the_largest_market_cap_has_the_symbol_in_any_case() -> None:
    registry = AssetRegistry([A, B])
    assert registry.resolve("xYz", {"one": Decimal(1), "two": Decimal(2)}) is B
    assert registry.resolve("XYZ", {"one": Decimal(2), "two": Decimal(1)}) is A


def test_an_unknown_market_cap_is_last_and_ties_keep_the_order_of_assets() -> None:
    registry = AssetRegistry([A, B])
    assert registry.resolve("XYZ", {"one": None, "two": Decimal(0)}) is B
    assert registry.resolve("XYZ", {"one": Decimal("NaN"), "two": Decimal(0)}) is B
    assert registry.resolve("XYZ", {}) is A
    assert registry.resolve("XYZ", {"one": Decimal("7.0"), "two": Decimal(7)}) is A


def test_an_enabled_asset_goes_before_a_disabled_one_of_the_same_size() -> None:
    assert AssetRegistry([D, A]).resolve("XYZ", {}) is A
    assert AssetRegistry([D, A]).resolve("XYZ", {"four": Decimal(1)}) is D


def test_a_symbol_comes_before_coingeckos_id_and_that_before_coinmarketcaps_slug() -> None:
    registry = AssetRegistry([A, B, C])
    assert registry.resolve("abc", {}) is C
    assert registry.resolve("gecko-one", {}) is A
    assert registry.resolve("slug-one", {}) is A
    assert registry.resolve("SLUG-ONE", {}) is None
    assert registry.resolve("", {}) is None


@given(draw_books(), IDS | SYMBOLS)
def test_resolve_follows_its_order_of_lookup(
    book_and_caps: tuple[AssetRegistry, dict[str, Decimal | None]], term: str
) -> None:
    registry, caps = book_and_caps
    found = registry.resolve(term, caps)
    sharers = [asset for asset in registry if asset.symbol.upper() == term.upper()]
    if term in registry.by_id:
        assert found is registry.by_id[term]
    elif sharers:
        assert found in sharers
        assert all(get_known_cap(found, caps) >= get_known_cap(sharer, caps) for sharer in sharers)
        equals = [sharer for sharer in sharers if get_known_cap(sharer, caps) == get_known_cap(found, caps)]
        assert found is equals[0]
    else:
        gecko = [asset for asset in registry if asset.datasrc2_id == term]
        slugs = [asset for asset in registry if asset.datasrc1_slug == term]
        assert found is next(iter(gecko + slugs), None)


@given(draw_books())
def test_every_asset_is_found_by_its_id(
    book_and_caps: tuple[AssetRegistry, dict[str, Decimal | None]],
) -> None:
    registry, caps = book_and_caps
    assert all(registry.resolve(asset.id, caps) is asset for asset in registry)


@given(draw_books())
def test_legacy_keys_are_unique_and_complete(
    book_and_caps: tuple[AssetRegistry, dict[str, Decimal | None]],
) -> None:
    registry, caps = book_and_caps
    keys = assign_legacy_keys(registry, caps)
    assert list(keys.values()) == list(registry)
    for key, asset in keys.items():
        assert key in (asset.symbol.upper(), asset.id)


@given(draw_books())
def test_each_symbol_is_the_legacy_key_of_its_largest_asset(
    book_and_caps: tuple[AssetRegistry, dict[str, Decimal | None]],
) -> None:
    registry, caps = book_and_caps
    keys = assign_legacy_keys(registry, caps)
    for symbol in {asset.symbol.upper() for asset in registry}:
        sharers = [asset for asset in registry if asset.symbol.upper() == symbol]
        assert keys[symbol] is sort_largest_first(sharers, caps)[0]
        assert all(get_known_cap(keys[symbol], caps) >= get_known_cap(sharer, caps) for sharer in sharers)


@given(draw_books())
def test_sorting_largest_first_keeps_every_asset_and_descends(
    book_and_caps: tuple[AssetRegistry, dict[str, Decimal | None]],
) -> None:
    registry, caps = book_and_caps
    ordered = sort_largest_first(registry, caps)
    assert sorted(asset.id for asset in ordered) == sorted(asset.id for asset in registry)
    sizes = [get_known_cap(asset, caps) for asset in ordered]
    assert sizes == sorted(sizes, reverse=True)
