"""Tests that errors in settings name the place, the value and the accepted form, but never a secret."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from backend.settings import Settings, SettingsError
from backend.settings.inspection import find_unknown_names, load_with_defaults


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Use an empty working folder, with no setting except the data folder."""
    for name in list(os.environ):
        if name.upper().startswith("CHAINPROOF_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_errors() -> list[str]:
    with pytest.raises(SettingsError) as refused:
        Settings()
    return refused.value.sentences


@pytest.mark.parametrize(
    ("variable", "value", "form"),
    [
        ("PORT", "99999", "'99999' is not accepted. It must be a whole number from 0 to 65535."),
        ("MODE", "lve", "'lve' is not accepted. It must be sample, live or replay."),
        ("ACCESS_LOG_SAMPLE", "2", "'2' is not accepted. It must be a number from 0 to 1."),
        ("METRICS_PUBLIC", "maybe", "'maybe' is not accepted. It must be true or false."),
        ("MODEL_PRICE_INPUT", "-1", "'-1' is not accepted. It must be a number of at least 0."),
        ("MODEL_TOPICS", "x", "'x' is not accepted. It must be insights, translations, both joined"),
        ("FETCH_ALLOW", "a", "'a' is not accepted. It must be host:port pairs joined by commas."),
        (
            "BASE_URL",
            "localhost:8000",
            "'localhost:8000' is not accepted. It must be an address such as https",
        ),
        ("ISSUER", "https://u:hush@a/?", "the value is not accepted. It must be an address such as https"),
        ("DATABASE_URL", "mysql://u:hush@h/db", "the value is not accepted. It must be a PostgreSQL address"),
        ("DATABASE_URL", "postgresql://u:hush@h:x/db", "the value is not accepted. It must be a PostgreSQL"),
        ("REDIS_URL", "http://:hush@h", "the value is not accepted. It must be an address such as redis://"),
    ],
)
def test_an_error_names_the_variable_and_the_accepted_form(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, form: str
) -> None:
    monkeypatch.setenv(f"CHAINPROOF_{variable}", value)
    [sentence] = read_errors()
    assert sentence.startswith(f"CHAINPROOF_{variable}: {form}")
    assert "hush" not in sentence


def test_an_error_in_a_file_names_the_file_and_line(folder: Path) -> None:
    (folder / "chainproof.toml").write_text('# ours\nmode = "live"\n\n"port" = "abc"\n')
    assert read_errors() == [
        "port in chainproof.toml, line 4: 'abc' is not accepted. It must be a whole number from 0 to 65535."
    ]


@pytest.mark.parametrize("value", ["true", "18000.0"])
def test_a_value_of_another_type_is_not_converted(folder: Path, value: str) -> None:
    (folder / "chainproof.toml").write_text(f"port = {value}\n")
    [sentence] = read_errors()
    assert sentence.endswith("is not accepted. It must be a whole number from 0 to 65535.")


def test_a_folder_of_another_user_is_named_in_place_of_a_file_in_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    [sentence] = read_errors()
    assert sentence.startswith(". cannot be read by this user. Run chainproof as the user that owns it")


def test_an_error_in_a_secret_names_its_file_and_not_its_value(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "chainproof_redis_url").write_text("hush\n")
    monkeypatch.setenv("CHAINPROOF_SECRETS_DIR", str(folder))
    [sentence] = read_errors()
    assert sentence.startswith(f"{folder}/chainproof_redis_url: the value is not accepted. It must be")


def test_each_error_has_its_own_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "x")
    monkeypatch.setenv("CHAINPROOF_THREADS", "1")
    assert [sentence.partition(":")[0] for sentence in read_errors()] == [
        "CHAINPROOF_PORT",
        "CHAINPROOF_THREADS",
    ]


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (b"mode = live\n", "is not valid TOML: Invalid value, line 1"),
        (b"mode = 'l\xe9ve'\n", "is not UTF-8 text"),
    ],
)
def test_the_error_names_an_unreadable_file(folder: Path, toml: bytes, words: str) -> None:
    (folder / "chainproof.toml").write_bytes(toml)
    [sentence] = read_errors()
    assert sentence.startswith(f"chainproof.toml {words}")


@pytest.mark.parametrize("variable", ["CHAINPROOF_CONFIG", "CHAINPROOF_SECRETS_DIR"])
def test_a_named_file_or_folder_that_is_missing_is_refused(
    monkeypatch: pytest.MonkeyPatch, folder: Path, variable: str
) -> None:
    monkeypatch.setenv(variable, str(folder / "none"))
    [sentence] = read_errors()
    assert sentence.startswith(f"{variable} names {folder}/none, which is not a f")


def test_unknown_names_are_reported_with_the_similar_known_name(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setenv("CHAINPROOF_PROT", "1")
    monkeypatch.setenv("CHAINPROOF_CONFG", "/x")
    monkeypatch.setenv("CHAINPROOF_API_KEY", "of the dashboard")
    monkeypatch.setenv("chainproof_threads", "2")
    monkeypatch.setenv("CHAINPROOF_SECRETS_DIR", str(folder))
    (folder / "chainproof_databse_url").write_text("x")
    (folder / "other_secret").write_text("x")
    lines = ('mod = "live"', "qqqq = 1", "CHAINPROOF_PORT = 9000", "[profiles.a]", 'provider = "p"')
    (folder / "chainproof.toml").write_text("\n".join(lines))
    assert set(find_unknown_names()) == {
        "The environment variable CHAINPROOF_PROT is not known and has no effect. "
        "Did you mean CHAINPROOF_PORT?",
        "The environment variable CHAINPROOF_CONFG is not known and has no effect. "
        "Did you mean CHAINPROOF_CONFIG?",
        f"The file {folder}/chainproof_databse_url is not known and has no effect. "
        "Did you mean chainproof_database_url?",
        "The setting mod in chainproof.toml, line 1 is not known and has no effect. Did you mean mode?",
        "The setting qqqq in chainproof.toml, line 2 is not known and has no effect. "
        "docs/settings.md lists all settings.",
        "The setting CHAINPROOF_PORT in chainproof.toml, line 3 is not known and has no effect. "
        "Did you mean port?",
    }
    assert Settings().threads == 2


@pytest.mark.parametrize(
    "environment",
    [
        {"CHAINPROOF_PORT": "x", "CHAINPROOF_MODE": "lve"},
        {"CHAINPROOF_CONFIG": "/none", "CHAINPROOF_PORT": "x"},
        {"CHAINPROOF_COINGECKO_API_KEY": "k"},
        {"CHAINPROOF_DASHBOARD_SIGN_IN": "never", "CHAINPROOF_DASHBOARD_HOST": "::", "CHAINPROOF_PORT": "x"},
    ],
)
def test_invalid_settings_load_with_defaults_and_all_errors(
    monkeypatch: pytest.MonkeyPatch, folder: Path, environment: dict[str, Any]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings, errors = load_with_defaults()
    assert settings.port == 8000
    assert settings.home == folder / "home"
    assert len(errors) == (1 if "CHAINPROOF_COINGECKO_API_KEY" in environment else 2)


def test_a_plan_without_its_key_is_refused_in_live_mode_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_COINGECKO_PLAN", "demo")
    Settings()
    monkeypatch.setenv("CHAINPROOF_MODE", "live")
    assert read_errors() == [
        "CHAINPROOF_COINGECKO_PLAN is 'demo', which needs a key. Set CHAINPROOF_COINGECKO_API_KEY, or set "
        "the plan to 'keyless'."
    ]


@pytest.mark.parametrize(
    "values",
    [
        {"MODE": "replay"},
        {"MODE": "live", "COINGECKO_PLAN": "pro"},
        {"COINGECKO_API_KEY": "k"},
        {"DASHBOARD_HOST": "0.0.0.0", "DASHBOARD_SIGN_IN": "never"},
    ],
    ids=lambda values: "-".join(values),
)
def test_settings_in_conflict_still_load_for_the_other_checks(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str]
) -> None:
    for name, value in {**values, "PORT": "8123"}.items():
        monkeypatch.setenv(f"CHAINPROOF_{name}", value)
    settings, mistakes = load_with_defaults()
    assert (settings.port, len(mistakes)) == (8123, 1)
