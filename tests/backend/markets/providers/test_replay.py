"""Tests replay mode: recorded responses and faults are processed like live ones, without a network."""

import socket
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from backend.markets.assets.model import Asset
from backend.markets.assets.registry import load_assets
from backend.markets.model import ErrorKind, ProviderError
from backend.markets.provider_names import COINGECKO
from backend.markets.providers.registry import build_replay
from backend.markets.providers.replay.recordings import Recordings
from backend.markets.providers.replay.transport import ReplayTransport
from backend.markets.sources_by_mode import build_realm
from backend.settings import Settings, SettingsError
from backend.upstream import FailureKind, UpstreamClient, UpstreamFailure
from tests.support.apps.market_app import Clock, build_worker, enable_only, run_app, settings_in

FOLDER = Path(__file__).parents[4] / "docs" / "examples" / "replay"
RECORDED = datetime(2026, 5, 18, 12, tzinfo=UTC)
IDS = ("bitcoin", "ethereum", "solana")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise AssertionError("Replay mode used the network.")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="module")
def assets() -> list[Asset]:
    return [asset for asset in load_assets().all if asset.id in IDS]


def replay(folder: Path = FOLDER, **settings: Any) -> Settings:
    return Settings(mode="replay", replay_dir=folder, **settings)


def test_recorded_quotes_are_parsed_like_live_ones_with_every_digit(assets: list[Asset]) -> None:
    coingecko, coinmarketcap = build_replay(replay()).quotes
    poll = coingecko.quotes(assets, RECORDED)
    assert poll.quotes["bitcoin"].price == Decimal("81234.56789012345")
    assert poll.quotes["bitcoin"].as_of == RECORDED
    assert set(poll.quotes) == set(coinmarketcap.quotes(assets, RECORDED).quotes) == set(IDS)


def test_a_recording_of_many_assets_serves_the_requested_ones(assets: list[Asset]) -> None:
    for provider in build_replay(replay()).quotes:
        poll = provider.quotes([asset for asset in assets if asset.id == "solana"], RECORDED)
        assert list(poll.quotes) == ["solana"], provider.name


def test_totals_fear_and_greed_and_candles_are_replayed(assets: list[Asset]) -> None:
    providers = build_replay(replay())
    assert [source.market_totals(RECORDED).market_cap for source in providers.overview] == [
        Decimal("3.1e12"),
        Decimal("3.12e12"),
    ]
    assert providers.overview[0].market_totals(RECORDED).rates["EUR"] == Decimal("0.9")
    assert providers.fear_greed[0].fear_greed(RECORDED).value == 61
    bitcoin = next(asset for asset in assets if asset.id == "bitcoin")
    assert len(providers.ohlc.ohlc(bitcoin, "24h", RECORDED)) >= 47


def test_an_unrecorded_response_is_not_found(assets: list[Asset]) -> None:
    with pytest.raises(ProviderError) as refused:
        build_replay(replay()).ohlc.ohlc(assets[-1], "7d", RECORDED)
    assert refused.value.kind is ErrorKind.NOT_FOUND


def test_coinmarketcap_is_left_out_without_recordings(tmp_path: Path) -> None:
    names = [provider.name for provider in build_replay(replay(tmp_path)).quotes]
    assert names == ["coingecko"]


def test_a_file_that_is_not_json_is_sent_unchanged(tmp_path: Path, assets: list[Asset]) -> None:
    (tmp_path / "coingecko").mkdir()
    (tmp_path / "coingecko" / "coins_markets_1.json").write_text("<html>Access denied</html>")
    with pytest.raises(ProviderError) as refused:
        build_replay(replay(tmp_path)).quotes[0].quotes(assets, RECORDED)
    assert refused.value.kind is ErrorKind.MALFORMED


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("429", ErrorKind.THROTTLED),
        ("503", ErrorKind.UNAVAILABLE),
        ("html", ErrorKind.MALFORMED),
        ("cut", ErrorKind.UNAVAILABLE),
    ],
)
def test_a_fault_replaces_the_responses_of_its_provider_only(
    name: str, fault: ErrorKind, assets: list[Asset]
) -> None:
    coingecko, coinmarketcap = build_replay(replay(replay_faults=f"coingecko={name}")).quotes
    with pytest.raises(ProviderError) as refused:
        coingecko.quotes(assets, RECORDED)
    assert refused.value.kind is fault
    assert coinmarketcap.quotes(assets, RECORDED).quotes


def test_a_fault_of_all_providers_affects_each(assets: list[Asset]) -> None:
    for provider in build_replay(replay(replay_faults="all=429")).quotes:
        with pytest.raises(ProviderError) as refused:
            provider.quotes(assets, RECORDED)
        assert refused.value.kind is ErrorKind.THROTTLED


def test_a_hanging_provider_times_out_within_the_clients_limits() -> None:
    waited: list[float] = []
    transport = ReplayTransport(Recordings(FOLDER), COINGECKO, "hang", sleep=waited.append)
    for deadline_seconds, limit in ((10.0, 8.0), (3.0, 3.0)):
        client = UpstreamClient("https://api.example", deadline_seconds=deadline_seconds, transport=transport)
        with pytest.raises(UpstreamFailure) as failure:
            client.get("/coins/markets")
        assert failure.value.kind is FailureKind.TIMEOUT
        assert limit - 0.5 < waited.pop() <= limit
    assert not waited


def test_restamped_figures_are_current_and_record_prices_keep_their_dates(assets: list[Asset]) -> None:
    now = datetime.now(UTC)
    providers = build_replay(replay(replay_restamp=True))
    for provider in providers.quotes:
        quote = provider.quotes(assets, now).quotes["bitcoin"]
        assert timedelta() <= now - quote.as_of < timedelta(minutes=1), provider.name
    assert providers.quotes[0].quotes(assets, now).quotes["bitcoin"].ath_date == datetime(
        2025, 10, 6, 18, 57, 42, 558_000, tzinfo=UTC
    )
    bitcoin = next(asset for asset in assets if asset.id == "bitcoin")
    newest = providers.ohlc.ohlc(bitcoin, "24h", now)[-1]
    assert now - newest.open_time < timedelta(hours=1, minutes=1)
    assert newest.open_time.timestamp() % 1800 == 0


def show_price(home: Path, at: datetime, *, restamp: bool = False) -> tuple[str | None, str]:
    """The source of bitcoin's price when the recordings are replayed at an instant, and the mode."""
    enable_only(home, IDS)
    options = {"mode": "replay", "replay_dir": FOLDER, "replay_restamp": restamp}
    running = run_app(settings_in(home, **options), Clock(at))
    build_worker(running).tick()
    running.poll_changes()
    answer = running.get("/prices")
    running.close()
    return answer.json()["bitcoin"]["source"], answer.headers["x-data-mode"]


def test_replayed_figures_name_their_providers_and_each_response_names_replay_mode(
    tmp_path: Path,
) -> None:
    assert show_price(tmp_path, datetime.now(UTC), restamp=True) == ("coingecko+coinmarketcap", "replay")


def test_figures_that_are_not_restamped_become_stale_by_their_own_times(tmp_path: Path) -> None:
    assert show_price(tmp_path / "1", RECORDED + timedelta(minutes=1)) == (
        "coingecko+coinmarketcap",
        "replay",
    )
    assert show_price(tmp_path / "2", RECORDED + timedelta(hours=1))[0] == "coingecko:stale"
    assert show_price(tmp_path / "3", RECORDED + timedelta(days=90))[0] is None


def test_replays_of_two_folders_and_live_and_sample_figures_are_stored_separately(tmp_path: Path) -> None:
    realms = {
        build_realm(settings)
        for settings in (
            replay(),
            replay(tmp_path),
            replay(replay_restamp=True),
            Settings(mode="live"),
            Settings(),
        )
    }
    assert len(realms) == 5


def test_replay_mode_without_a_folder_names_the_missing_setting(tmp_path: Path) -> None:
    for options in ({}, {"replay_dir": tmp_path / "nothing"}):
        with pytest.raises(SettingsError, match="CHAINPROOF_REPLAY_DIR"):
            Settings(mode="replay", **options)


@pytest.mark.parametrize("faults", ["coingecko", "coingecko=418", "binance=429", "coingecko=429,=hang"])
def test_an_unknown_fault_is_refused_with_the_list_of_known_ones(faults: str) -> None:
    with pytest.raises(SettingsError, match=r"coingecko=429.*hang"):
        replay(replay_faults=faults)
