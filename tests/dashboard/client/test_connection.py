"""Creation of the API client from the settings, its key, and calls in other threads."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dashboard.client import connection, markets
from tests.dashboard.conftest import Backend


@pytest.mark.usefixtures("dashboard_backend")
def test_calls_started_in_other_threads_return_the_cached_data() -> None:
    futures = [
        connection.start_call(markets.fetch_prices),
        connection.start_call(lambda: markets.fetch_asset("bitcoin")),
    ]
    prices, asset = (future.result() for future in futures)
    assert prices.data is markets.fetch_prices().data
    assert asset.data is markets.fetch_asset("bitcoin").data


def test_the_local_key_file_is_used_without_a_key_in_the_environment(
    served_market: Backend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CHAINPROOF_API_KEY", raising=False)
    monkeypatch.setenv("CHAINPROOF_BASE_URL", served_market.url)
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    refused = markets.fetch_overview().error
    assert refused is not None
    assert refused.status == 401
    (tmp_path / "local.key").write_text(served_market.key + "\n")
    connection.retry_failed()
    assert markets.fetch_overview().error is None


def test_all_threads_share_one_client_until_it_is_closed() -> None:
    with ThreadPoolExecutor(8) as pool:
        clients = set(pool.map(lambda _: connection.get_client(), range(8)))
    assert len(clients) == 1
    connection.close_client()
    assert connection.get_client() not in clients


def test_an_invalid_setting_raises_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    with pytest.raises(connection.SettingsError, match="CHAINPROOF_PORT"):
        connection.get_client()
