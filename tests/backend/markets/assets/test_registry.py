"""Tests that the shipped asset registry is complete and free of errors."""

import re
from collections import Counter
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pydantic import ValidationError

from backend.markets.assets.model import EVM_PLATFORMS, PEGS, Asset, Links
from backend.markets.assets.registry import SHIPPED_FILE, AssetRegistry, load_assets, load_configured_assets
from backend.settings import Settings

COINGECKO_BATCH = 250
COINMARKETCAP_CREDIT = 200


@pytest.fixture(scope="module")
def registry() -> AssetRegistry:
    return load_assets()


def test_the_shipped_file_is_large_and_has_a_few_disabled_assets(registry: AssetRegistry) -> None:
    assert len(registry) == len(registry.all) == len(list(registry)) >= 170
    assert len(registry) - len(registry.enabled) in range(3, 11)
    assert {"matic", "terrausd", "ftx-token"} <= {asset.id for asset in registry if not asset.enabled}


def test_all_enabled_assets_fit_one_request_to_each_provider(registry: AssetRegistry) -> None:
    assert sum(1 for asset in registry.enabled if asset.datasrc2_id) <= COINGECKO_BATCH
    assert sum(1 for asset in registry.enabled if asset.datasrc1_slug) <= COINMARKETCAP_CREDIT


def test_every_asset_has_a_provider_id_and_is_found_by_it(registry: AssetRegistry) -> None:
    for asset in registry:
        assert asset.datasrc2_id is not None
        assert registry.by_id[asset.id] is asset
        assert [own for own in registry if own.datasrc2_id == asset.datasrc2_id] == [asset]
        if asset.datasrc1_slug is not None:
            assert [own for own in registry if own.datasrc1_slug == asset.datasrc1_slug] == [asset]
        assert asset.cmc_id is None or asset.datasrc1_slug is not None


def test_every_asset_has_a_description_of_one_sentence_and_a_category(registry: AssetRegistry) -> None:
    for asset in registry:
        assert asset.description, asset.id
        assert asset.description.endswith("."), asset.id
        assert len(asset.description) <= 120, asset.id
        assert asset.categories, asset.id
        assert all(path and all(path) for path in asset.categories), asset.id


def test_every_link_list_is_present_and_links_are_distinct_https_urls(registry: AssetRegistry) -> None:
    assert len(Links.model_fields) == 8
    for asset in registry:
        for name in Links.model_fields:
            links = getattr(asset.urls, name)
            assert isinstance(links, tuple)
            assert len(set(links)) == len(links), (asset.id, name)
            for link in links:
                parts = urlsplit(link)
                assert parts.scheme == "https", (asset.id, link)
                assert "." in str(parts.hostname), (asset.id, link)
                assert not link.endswith("/"), (asset.id, link)


def test_each_kind_of_link_points_to_the_expected_sites(registry: AssetRegistry) -> None:
    for asset in registry:
        assert all(re.fullmatch(r"https://x\.com/\w{1,15}", link) for link in asset.urls.twitter), asset.id
        assert all(re.fullmatch(r"https://www\.reddit\.com/r/\w+", link) for link in asset.urls.reddit), (
            asset.id
        )


def test_contracts_have_the_form_of_their_platform(registry: AssetRegistry) -> None:
    seen = 0
    for asset in registry:
        for platform, contract in asset.platforms.items():
            if platform in EVM_PLATFORMS:
                assert len(contract) == 42, asset.id
                assert contract.startswith("0x"), asset.id
            elif platform == "solana":
                assert re.fullmatch(r"[1-9A-HJ-NP-Za-km-z]{32,44}", contract), asset.id
            elif platform == "tron":
                assert re.fullmatch(r"T[1-9A-HJ-NP-Za-km-z]{33}", contract), asset.id
            else:
                pytest.fail(f"{asset.id}: no form is known for the platform '{platform}'")
            seen += 1
    assert seen > 100


def test_no_two_assets_claim_the_same_contract(registry: AssetRegistry) -> None:
    claims = Counter(
        (platform, contract.lower()) for asset in registry for platform, contract in asset.platforms.items()
    )
    assert [claim for claim, count in claims.items() if count > 1] == []


def test_the_main_contract_is_the_first_of_the_platforms(registry: AssetRegistry) -> None:
    for asset in registry:
        if asset.platforms:
            assert asset.address == next(iter(asset.platforms.values()))
        else:
            assert asset.address is None
    assert registry.by_id["usdc"].address == "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"


def test_dates_are_between_bitcoins_first_block_and_the_date_of_the_file(registry: AssetRegistry) -> None:
    days = [day for asset in registry for day in (asset.date_launched, asset.genesis_date) if day]
    assert len(days) > 60
    assert min(days) == date(2009, 1, 3)
    assert max(days) < date(2027, 1, 1)


def test_supplies_are_exact_and_never_both_capped_and_infinite(registry: AssetRegistry) -> None:
    assert str(registry.by_id["bitcoin"].max_supply) == "21000000"
    assert registry.by_id["ethereum"].infinite_supply is True
    for asset in registry:
        if asset.max_supply is not None:
            assert asset.infinite_supply is False, asset.id
            assert "E" not in str(asset.max_supply)


def test_several_assets_share_a_symbol(registry: AssetRegistry) -> None:
    shared = {symbol for symbol, n in Counter(asset.symbol.upper() for asset in registry).items() if n > 1}
    assert {"NEIRO", "BEAM", "SOL"} <= shared


def test_symbols_that_look_like_numbers_stayed_text(registry: AssetRegistry) -> None:
    assert registry.by_id["1inch"].symbol == "1INCH"
    assert registry.by_id["zero-gravity"].symbol == "0G"
    assert all(isinstance(asset.symbol, str) for asset in registry)


def test_pegs_are_supported_by_the_aggregation(registry: AssetRegistry) -> None:
    pegs = {asset.pegged_to for asset in registry} - {None}
    assert {"usd", "eur", "btc", "eth"} <= pegs <= set(PEGS)
    assert registry.by_id["usdc"].pegged_to == "usd"
    assert registry.by_id["wrapped-steth"].pegged_to is None  # its worth grows by the rewards


def test_an_asset_and_its_maps_cannot_be_changed(registry: AssetRegistry) -> None:
    asset = registry.by_id["usdc"]
    with pytest.raises(ValidationError, match="frozen"):
        asset.name = "other"  # type: ignore[misc]  # what must not be is tried
    with pytest.raises(TypeError):
        asset.platforms["ethereum"] = "other"  # type: ignore[index]  # so here
    with pytest.raises(TypeError):
        registry.by_id["usdc"] = asset  # type: ignore[index]  # and here
    assert hash(asset) == hash(asset.model_copy())


def test_two_assets_with_one_id_raise_value_error() -> None:
    asset = Asset(id="a", name="A", symbol="A")
    with pytest.raises(ValueError, match="more than one asset with id 'a'"):
        AssetRegistry([asset, asset])


def test_the_file_states_that_trademarks_belong_to_their_owners() -> None:
    header = SHIPPED_FILE.read_text(encoding="utf-8").split("assets:\n")[0].replace("\n#", "")
    assert "marks of their owners" in header
    for name in (*Asset.model_fields, *Links.model_fields):
        assert name in header, f"the header does not explain '{name}'"


def test_a_configured_file_must_exist_but_the_default_one_need_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("CHAINPROOF_CONFIG", "CHAINPROOF_ASSETS_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    assert len(load_configured_assets(Settings())) == len(load_assets())
    (tmp_path / "assets.yaml").write_text("disable: [bitcoin]\n", encoding="utf-8")
    assert not load_configured_assets(Settings()).by_id["bitcoin"].enabled
    with pytest.raises(ValueError, match=r"nowhere\.yaml: cannot be read: No such file"):
        load_configured_assets(Settings(assets_file=tmp_path / "nowhere.yaml"))
