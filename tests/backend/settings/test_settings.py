from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.settings import Settings, SettingsError


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("CHAINPROOF_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_the_defaults_need_nothing_and_touch_no_network() -> None:
    settings = Settings()
    assert settings.mode == "sample"
    assert settings.host == "127.0.0.1"
    assert settings.app_database_url.startswith("sqlite:///")
    assert settings.api_url == "http://127.0.0.1:8000"


def test_the_environment_stands_over_the_file_and_the_file_over_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "chainproof.toml").write_text('port = 9000\nlog_level = "debug"\n')
    monkeypatch.setenv("CHAINPROOF_PORT", "9001")
    settings = Settings()
    assert (settings.port, settings.log_level) == (9001, "debug")


def test_the_file_of_the_data_folder_is_read_where_the_working_folder_has_none(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "chainproof.toml").write_text('mode = "live"\n')
    assert Settings().mode == "live"


def test_secrets_do_not_show_in_the_settings_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_MODE", "live")
    monkeypatch.setenv("CHAINPROOF_COINGECKO_API_KEY", "CG-hush-hush")
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", "postgresql://u:hunter2@h/db")
    assert "hush" not in repr(Settings())
    assert "hunter2" not in repr(Settings())


def test_sample_mode_refuses_to_start_beside_provider_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_COINGECKO_API_KEY", "CG-hush-hush")
    with pytest.raises(SettingsError, match="CHAINPROOF_MODE=live") as refused:
        Settings()
    assert "CG-hush-hush" not in str(refused.value)
    monkeypatch.setenv("CHAINPROOF_SAMPLE_WITH_KEYS", "true")
    assert Settings().mode == "sample"


def test_a_postgresql_address_uses_the_installed_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", "postgres://u@h/db")
    settings = Settings()
    assert settings.app_database_url == "postgresql+psycopg://u@h/db"
    assert settings.jobs_database_url == settings.app_database_url
    assert not settings.is_sqlite


def test_hosts_that_may_be_fetched_are_given_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_FETCH_ALLOW", "127.0.0.1:9900, images.internal:80")
    assert Settings().fetch_allow == ("127.0.0.1:9900", "images.internal:80")


def test_ticks_are_instants_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_TICK_SECONDS", "7")
    with pytest.raises(SettingsError, match="divides a minute"):
        Settings()


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("::", "127.0.0.1"),
        ("::1", "[::1]"),
        ("10.0.0.5", "10.0.0.5"),
        ("localhost", "localhost"),
    ],
)
def test_a_url_names_an_address_that_can_be_called(host: str, named: str) -> None:
    settings = Settings(host=host, dashboard_host=host, port=1, dashboard_port=2)
    assert (settings.api_url, settings.dashboard_url) == (f"http://{named}:1", f"http://{named}:2")


@pytest.mark.parametrize(
    ("host", "proxies", "told", "rate"),
    [
        ("127.0.0.1", "", None, None),
        ("::1", "", None, None),
        ("localhost", "", None, None),
        ("0.0.0.0", "", None, (600, 60)),
        ("::", "", None, (600, 60)),
        ("127.0.0.1", "10.0.0.0/8", None, (600, 60)),
        ("0.0.0.0", "", "off", None),
        ("127.0.0.1", "", "5/second", (5, 1)),
        ("127.0.0.1", "", "20 per 10 seconds", (20, 10)),
    ],
)
def test_a_rate_holds_by_default_where_others_can_reach_the_service(
    host: str, proxies: str, told: str | None, rate: tuple[int, int] | None
) -> None:
    settings = Settings(host=host, trusted_proxies=proxies, rate_limit=told)
    assert settings.rate == rate


@pytest.mark.parametrize("told", ["600", "many", "0/minute", "-5/minute", "5/minute;1/second", "5/fortnight"])
def test_what_is_no_rate_is_refused_in_words(told: str) -> None:
    with pytest.raises(SettingsError, match="such as 600/minute"):
        Settings(rate_limit=told)


def test_proxies_are_addresses_or_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_TRUSTED_PROXIES", "10.0.0.5, fd00::/8")
    assert Settings().trusted_proxies == ("10.0.0.5", "fd00::/8")
    monkeypatch.setenv("CHAINPROOF_TRUSTED_PROXIES", "proxy.internal")
    with pytest.raises(SettingsError, match=r"10\.0\.0\.0/8"):
        Settings()


@pytest.mark.parametrize("address", ["redis://:hush@h:1/0", "rediss://u:hush@h", "unix:///run/redis.sock"])
def test_the_address_of_redis_does_not_show(address: str) -> None:
    settings = Settings(redis_url=SecretStr(address))
    assert settings.redis_url is not None
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    "address",
    ["http://:hush@h", "redis://:hush@h:many", "redis://", "unix://", "redis://:hush@h?a=1", "redis://h:0x1"],
)
def test_what_is_no_address_of_redis_is_refused_without_its_secret(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_REDIS_URL", address)
    with pytest.raises(SettingsError, match="redis://127") as refused:
        Settings()
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("issuer", "told"),
    [
        (None, "http://127.0.0.1:1"),
        ("https://chainproof.example/", "https://chainproof.example"),
        ("https://chainproof.example/prefix", "https://chainproof.example/prefix"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_the_issuer_is_the_configured_address_or_else_where_the_service_is_reached(
    issuer: str | None, told: str
) -> None:
    assert Settings(issuer=issuer, port=1).issuer_url == told


@pytest.mark.parametrize(
    "issuer",
    [
        "chainproof.example",
        "ftp://a.example",
        "https://",
        "https://a/?b",
        "https://a/#",
        "https://u@a",
        "https://a b",
        "https://é",
        "https://[::1",
    ],
)
def test_what_can_be_no_issuer_is_refused(issuer: str) -> None:
    with pytest.raises(SettingsError):
        Settings(issuer=issuer)


@pytest.mark.parametrize(
    ("given", "signs_in"),
    [
        ({}, False),
        ({"DASHBOARD_HOST": "localhost"}, False),
        ({"DASHBOARD_HOST": "::1"}, False),
        ({"DASHBOARD_HOST": "0.0.0.0"}, True),
        ({"DASHBOARD_HOST": "::"}, True),
        ({"DASHBOARD_HOST": "192.168.1.5"}, True),
        ({"DASHBOARD_HOST": "dash.internal"}, True),
        ({"DASHBOARD_SIGN_IN": "always"}, True),
        ({"DASHBOARD_SIGN_IN": "never"}, False),
        ({"DASHBOARD_SIGN_IN": "never", "DASHBOARD_HOST": "::", "DASHBOARD_OPEN_TO_ALL": "true"}, False),
        ({"DASHBOARD_OPEN_TO_ALL": "true", "DASHBOARD_HOST": "::"}, True),
    ],
)
def test_people_sign_in_where_the_dashboard_is_reached_from_beyond_this_machine(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], signs_in: bool
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"CHAINPROOF_{name}", value)
    assert Settings().dashboard_signs_in is signs_in


def test_a_dashboard_open_to_all_has_to_be_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_SIGN_IN", "never")
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_HOST", "0.0.0.0")
    with pytest.raises(SettingsError, match="CHAINPROOF_DASHBOARD_OPEN_TO_ALL"):
        Settings()


@pytest.mark.parametrize(
    ("named", "origin"),
    [
        (None, "http://127.0.0.1:8501"),
        ("https://Chainproof.example/", "https://chainproof.example"),
        ("https://chainproof.example:443", "https://chainproof.example"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
    ],
)
def test_where_people_open_the_dashboard_is_written_as_browsers_write_it(
    monkeypatch: pytest.MonkeyPatch, named: str | None, origin: str
) -> None:
    if named:
        monkeypatch.setenv("CHAINPROOF_DASHBOARD_PUBLIC_URL", named)
    assert Settings().dashboard_redirect_uri == f"{origin}/sign-in/callback"


@pytest.mark.parametrize(
    "named",
    ["chainproof.example", "ftp://a", "https://", "https://a/b", "https://a?b", "https://u@a", "http://["],
)
def test_an_address_that_people_cannot_open_is_refused(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_PUBLIC_URL", named)
    with pytest.raises(SettingsError, match=r"chainproof\.example|https://"):
        Settings()


def test_a_file_of_secrets_stands_below_the_environment_and_above_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "chainproof_database_url").write_text("postgresql://me:hunter2@db/x\n")
    monkeypatch.setenv("CHAINPROOF_SECRETS_DIR", str(tmp_path))
    settings = Settings()
    assert settings.app_database_url == "postgresql+psycopg://me:hunter2@db/x"
    assert "hunter2" not in repr(settings)
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", "postgresql://elsewhere/x")
    assert Settings().app_database_url == "postgresql+psycopg://elsewhere/x"
