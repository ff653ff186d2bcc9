"""Tests defaults, sources, validation and derived values of the settings."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.settings import Settings, SettingsError


@pytest.fixture(autouse=True)
def _clear_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("CHAINPROOF_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_the_defaults_need_no_configuration_and_no_network() -> None:
    settings = Settings()
    assert settings.mode == "sample"
    assert settings.host == "127.0.0.1"
    assert settings.app_database_url.startswith("sqlite:///")
    assert settings.api_url == "http://127.0.0.1:8000"


def test_the_environment_overrides_the_file_and_the_file_overrides_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "chainproof.toml").write_text('port = 9000\nlog_level = "debug"\n')
    monkeypatch.setenv("CHAINPROOF_PORT", "9001")
    settings = Settings()
    assert (settings.port, settings.log_level) == (9001, "debug")


def test_the_file_in_the_data_folder_is_read_if_the_working_folder_has_none(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "chainproof.toml").write_text('mode = "live"\n')
    assert Settings().mode == "live"


def test_the_repr_of_settings_contains_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_MODE", "live")
    monkeypatch.setenv("CHAINPROOF_COINGECKO_API_KEY", "CG-hush-hush")
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", "postgresql://u:hunter2@h/db")
    assert "hush" not in repr(Settings())
    assert "hunter2" not in repr(Settings())


def test_sample_mode_with_provider_keys_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_allowed_hosts_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_FETCH_ALLOW", "127.0.0.1:9900, images.internal:80")
    assert Settings().fetch_allow == ("127.0.0.1:9900", "images.internal:80")


def test_a_tick_must_divide_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_TICK_SECONDS", "7")
    with pytest.raises(SettingsError, match="divides a minute"):
        Settings()


@pytest.mark.parametrize(
    ("host", "url_host"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("::", "127.0.0.1"),
        ("::1", "[::1]"),
        ("10.0.0.5", "10.0.0.5"),
        ("localhost", "localhost"),
    ],
)
def test_urls_name_a_reachable_address(host: str, url_host: str) -> None:
    settings = Settings(host=host, dashboard_host=host, port=1, dashboard_port=2)
    assert (settings.api_url, settings.dashboard_url) == (f"http://{url_host}:1", f"http://{url_host}:2")


@pytest.mark.parametrize(
    ("host", "proxies", "rate_limit", "rate"),
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
def test_a_rate_limit_is_the_default_if_other_machines_can_reach_the_service(
    host: str, proxies: str, rate_limit: str | None, rate: tuple[int, int] | None
) -> None:
    settings = Settings(host=host, trusted_proxies=proxies, rate_limit=rate_limit)
    assert settings.parsed_rate_limit == rate


@pytest.mark.parametrize(
    "rate_limit", ["600", "many", "0/minute", "-5/minute", "5/minute;1/second", "5/fortnight"]
)
def test_invalid_rates_are_refused_with_an_example(rate_limit: str) -> None:
    with pytest.raises(SettingsError, match="such as 600/minute"):
        Settings(rate_limit=rate_limit)


def test_proxies_are_addresses_or_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_TRUSTED_PROXIES", "10.0.0.5, fd00::/8")
    assert Settings().trusted_proxies == ("10.0.0.5", "fd00::/8")
    monkeypatch.setenv("CHAINPROOF_TRUSTED_PROXIES", "proxy.internal")
    with pytest.raises(SettingsError, match=r"10\.0\.0\.0/8"):
        Settings()


@pytest.mark.parametrize("address", ["redis://:hush@h:1/0", "rediss://u:hush@h", "unix:///run/redis.sock"])
def test_the_repr_of_settings_does_not_contain_the_redis_url(address: str) -> None:
    settings = Settings(redis_url=SecretStr(address))
    assert settings.redis_url is not None
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    "address",
    ["http://:hush@h", "redis://:hush@h:many", "redis://", "unix://", "redis://:hush@h?a=1", "redis://h:0x1"],
)
def test_invalid_redis_urls_are_refused_without_showing_the_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_REDIS_URL", address)
    with pytest.raises(SettingsError, match="redis://127") as refused:
        Settings()
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("issuer", "expected"),
    [
        (None, "http://127.0.0.1:1"),
        ("https://chainproof.example/", "https://chainproof.example"),
        ("https://chainproof.example/prefix", "https://chainproof.example/prefix"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_the_issuer_is_the_configured_url_or_the_url_of_the_service(
    issuer: str | None, expected: str
) -> None:
    assert Settings(issuer=issuer, port=1).issuer_url == expected


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
def test_invalid_issuers_are_refused(issuer: str) -> None:
    with pytest.raises(SettingsError):
        Settings(issuer=issuer)


@pytest.mark.parametrize(
    ("environment", "signs_in"),
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
def test_people_sign_in_if_other_machines_can_reach_the_dashboard(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], signs_in: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"CHAINPROOF_{name}", value)
    assert Settings().dashboard_requires_sign_in is signs_in


def test_a_dashboard_open_to_all_needs_its_own_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_SIGN_IN", "never")
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_HOST", "0.0.0.0")
    with pytest.raises(SettingsError, match="CHAINPROOF_DASHBOARD_OPEN_TO_ALL"):
        Settings()


@pytest.mark.parametrize(
    ("public_url", "origin"),
    [
        (None, "http://127.0.0.1:8501"),
        ("https://Chainproof.example/", "https://chainproof.example"),
        ("https://chainproof.example:443", "https://chainproof.example"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
    ],
)
def test_the_dashboard_url_is_normalized_to_an_origin(
    monkeypatch: pytest.MonkeyPatch, public_url: str | None, origin: str
) -> None:
    if public_url:
        monkeypatch.setenv("CHAINPROOF_DASHBOARD_PUBLIC_URL", public_url)
    assert Settings().dashboard_redirect_uri == f"{origin}/sign-in/callback"


@pytest.mark.parametrize(
    "public_url",
    ["chainproof.example", "ftp://a", "https://", "https://a/b", "https://a?b", "https://u@a", "http://["],
)
def test_invalid_dashboard_urls_are_refused(monkeypatch: pytest.MonkeyPatch, public_url: str) -> None:
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_PUBLIC_URL", public_url)
    with pytest.raises(SettingsError, match=r"chainproof\.example|https://"):
        Settings()


def test_cross_origins_are_a_list_as_browsers_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().cors_origins == ()
    monkeypatch.setenv("CHAINPROOF_CORS_ORIGINS", "https://Desk.example:443/, http://127.0.0.1:3000")
    assert Settings().cors_origins == ("https://desk.example", "http://127.0.0.1:3000")


@pytest.mark.parametrize(
    "origins", ["*", "null", "desk.example", "https://a.example, https://a.example/path"]
)
def test_invalid_cross_origins_are_refused(monkeypatch: pytest.MonkeyPatch, origins: str) -> None:
    monkeypatch.setenv("CHAINPROOF_CORS_ORIGINS", origins)
    with pytest.raises(SettingsError, match="must be origins joined by commas"):
        Settings()


def test_a_secret_file_overrides_the_defaults_and_the_environment_overrides_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "chainproof_database_url").write_text("postgresql://me:hunter2@db/x\n")
    monkeypatch.setenv("CHAINPROOF_SECRETS_DIR", str(tmp_path))
    settings = Settings()
    assert settings.app_database_url == "postgresql+psycopg://me:hunter2@db/x"
    assert "hunter2" not in repr(settings)
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", "postgresql://elsewhere/x")
    assert Settings().app_database_url == "postgresql+psycopg://elsewhere/x"
