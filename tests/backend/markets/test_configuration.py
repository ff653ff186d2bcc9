"""Tests what the settings determine: assets, providers, and polling intervals."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from backend.markets import configuration
from backend.markets.assets.asset_file import AssetFileError
from backend.markets.providers.coinmarketcap import SlugIds
from backend.store.database import Database
from tests.support.apps.market_app import (
    CALM,
    Clock,
    build_worker,
    enable_only,
    live_settings,
    run_app,
    settings_in,
)

URL = "http://127.0.0.1:9"


@pytest.fixture
def database(sqlite_database: Database) -> Database:
    return sqlite_database


def test_a_users_file_adds_changes_and_disables_assets_in_every_answer(tmp_path: Path) -> None:
    own = """\
assets:
  - {id: my-token, name: My Token, symbol: MINE}
  - {id: bitcoin, name: The first one}
"""
    enable_only(tmp_path, ("bitcoin", "ethereum"), more=own)
    running = run_app(settings_in(tmp_path), Clock())
    build_worker(running).tick()
    running.poll_changes()
    assert set(running.json("/prices")) == {"bitcoin", "ethereum", "my-token"}
    assert running.json("/prices")["my-token"]["source"] == "sample"
    assert running.json("/assets/bitcoin")["name"] == "The first one"
    assert running.json("/assets/dogecoin")["enabled"] is False
    assert {token["id"] for token in running.json("/rankings")} == {"bitcoin", "ethereum", "my-token"}
    assert running.get("/assets/my-token/icon").status == 200
    assert running.json("/markets/status")["assets"] == 3
    running.close()


def test_an_asset_disabled_later_disappears_from_listings(tmp_path: Path) -> None:
    enable_only(tmp_path, ("bitcoin", "ethereum"))
    clock = Clock()
    running = run_app(settings_in(tmp_path), clock)
    build_worker(running).tick()
    running.close()
    enable_only(tmp_path, ("bitcoin",))
    running = run_app(settings_in(tmp_path), clock)
    assert set(running.json("/prices")) == {"bitcoin"}
    assert running.json("/assets/ethereum")["enabled"] is False
    build_worker(running).tick(seconds=15)
    running.poll_changes()
    assert set(running.json("/prices")) == {"bitcoin"}
    assert running.json("/markets/status")["stale"] == 0
    running.close()


def test_an_invalid_asset_file_stops_the_start_with_a_message(tmp_path: Path, database: Database) -> None:
    (tmp_path / "assets.yaml").write_text("disable: [bitcoinn]\n")
    with pytest.raises(AssetFileError, match="did you mean 'bitcoin'"):
        configuration.build_market(settings_in(tmp_path), database)


def test_a_configured_asset_file_must_exist(tmp_path: Path, database: Database) -> None:
    with pytest.raises(AssetFileError, match=r"other\.yaml: cannot be read"):
        configuration.build_market(settings_in(tmp_path, assets_file=tmp_path / "other.yaml"), database)


def test_sample_live_and_differently_seeded_rows_are_separate(tmp_path: Path, database: Database) -> None:
    realms = [
        configuration.build_market(settings, database).sources.realm
        for settings in (
            settings_in(tmp_path),
            settings_in(tmp_path, sample_seed=7),
            live_settings(tmp_path, URL),
        )
    ]
    assert len(set(realms)) == 3
    assert all(len(realm) <= 32 for realm in realms)


def test_the_primary_provider_is_configurable_and_blends_have_a_fixed_order(
    tmp_path: Path, database: Database
) -> None:
    market = configuration.build_market(
        live_settings(tmp_path, URL, primary_provider="coinmarketcap"), database
    )
    assert market.policy.primary == "coinmarketcap"
    assert market.policy.order == ("coingecko", "coinmarketcap")
    assert [source.name for source in market.sources.overview] == ["coinmarketcap", "coingecko"]
    market.close()


def test_the_quota_decides_how_often_a_provider_is_polled(tmp_path: Path, database: Database) -> None:
    def build_interval(name: str, **settings: Any) -> int:
        market = configuration.build_market(live_settings(tmp_path, URL, **settings), database)
        market.close()
        return market.policy.poll_seconds[name]

    assert build_interval("coingecko") == 300
    assert build_interval("coingecko", coingecko_plan="pro", coingecko_api_key=SecretStr("k")) == 60
    demo: dict[str, Any] = {"coingecko_plan": "demo", "coingecko_api_key": SecretStr("k")}
    assert build_interval("coingecko", **demo) == 300
    assert build_interval("coingecko", **demo, coingecko_monthly_quota=1000) > 1800
    assert build_interval("coinmarketcap", coinmarketcap_monthly_quota=100_000) < build_interval(
        "coinmarketcap"
    )


def test_a_key_without_a_plan_counts_as_the_demo_plan(tmp_path: Path, database: Database) -> None:
    """The provider's adapter takes a key without a plan for a demo key; so must its quota be."""
    settings = live_settings(tmp_path, URL, coingecko_api_key=SecretStr("k"))
    market = configuration.build_market(settings, database)
    assert market.polling_plan.schedules["coingecko"].per_month == 10_000
    market.close()


def test_a_changed_key_or_url_changes_the_fingerprint(tmp_path: Path, database: Database) -> None:
    def build_fingerprints(*, url: str = URL, **settings: Any) -> dict[str, str]:
        market = configuration.build_market(live_settings(tmp_path, url, **settings), database)
        market.close()
        return dict(market.fingerprints)

    first = build_fingerprints()
    assert build_fingerprints() == first
    assert (
        build_fingerprints(coinmarketcap_api_key=SecretStr("other"))["coinmarketcap"]
        != first["coinmarketcap"]
    )
    assert build_fingerprints(coingecko_api_key=SecretStr("mine"))["coingecko"] != first["coingecko"]
    assert build_fingerprints(url="http://127.0.0.1:8")["coingecko"] != first["coingecko"]
    assert all("a-key-of-the-test" not in digest for digest in first.values())


def test_resolved_ids_are_stored_and_replaced_by_new_ones(database: Database) -> None:
    assert configuration.load_slug_ids(database) == SlugIds()
    configuration.save_slug_ids(database, SlugIds(CALM, {"pepe": 24478, "steth": 8085}))
    assert configuration.load_slug_ids(database) == SlugIds(CALM, {"pepe": 24478, "steth": 8085})
    configuration.save_slug_ids(database, SlugIds(CALM, {"pepe": 5}))
    assert configuration.load_slug_ids(database) == SlugIds(CALM, {"pepe": 5})
    configuration.save_slug_ids(database, SlugIds(CALM, {}))
    assert configuration.load_slug_ids(database) == SlugIds()
