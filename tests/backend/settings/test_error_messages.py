"""What is told of a mistake in settings: its place, the value, the accepted form. Never a secret's value."""

from pathlib import Path
from typing import Any

import pytest

from backend.settings import Settings, SettingsError
from backend.settings.inspection import find_unknown, load_leniently


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working folder, with no setting but the data folder."""
    import os

    for name in list(os.environ):
        if name.upper().startswith("CHAINPROOF_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mistakes() -> list[str]:
    with pytest.raises(SettingsError) as refused:
        Settings()
    return refused.value.sentences


@pytest.mark.parametrize(
    ("variable", "value", "form"),
    [
        ("PORT", "99999", "'99999' is not accepted. It must be a whole number from 0 to 65535."),
        ("MODE", "lve", "'lve' is not accepted. It must be sample, live or replay."),
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
def test_a_value_that_is_not_accepted_is_told_with_its_variable_and_the_accepted_form(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, form: str
) -> None:
    monkeypatch.setenv(f"CHAINPROOF_{variable}", value)
    [sentence] = mistakes()
    assert sentence.startswith(f"CHAINPROOF_{variable}: {form}")
    assert "hush" not in sentence


def test_a_mistake_in_a_file_is_told_with_its_file_and_line(folder: Path) -> None:
    (folder / "chainproof.toml").write_text('# ours\nmode = "live"\n\n"port" = "abc"\n')
    assert mistakes() == [
        "port in chainproof.toml, line 4: 'abc' is not accepted. It must be a whole number from 0 to 65535."
    ]


def test_a_mistake_in_a_secret_is_told_with_its_file_and_without_its_value(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "chainproof_redis_url").write_text("hush\n")
    monkeypatch.setenv("CHAINPROOF_SECRETS_DIR", str(folder))
    [sentence] = mistakes()
    assert sentence.startswith(f"{folder}/chainproof_redis_url: the value is not accepted. It must be")


def test_each_mistake_has_a_sentence_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "x")
    monkeypatch.setenv("CHAINPROOF_THREADS", "1")
    assert [sentence.partition(":")[0] for sentence in mistakes()] == [
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
def test_a_file_that_cannot_be_read_is_named(folder: Path, toml: bytes, words: str) -> None:
    (folder / "chainproof.toml").write_bytes(toml)
    [sentence] = mistakes()
    assert sentence.startswith(f"chainproof.toml {words}")


@pytest.mark.parametrize("variable", ["CHAINPROOF_CONFIG", "CHAINPROOF_SECRETS_DIR"])
def test_a_named_file_or_folder_that_is_missing_is_refused(
    monkeypatch: pytest.MonkeyPatch, folder: Path, variable: str
) -> None:
    monkeypatch.setenv(variable, str(folder / "none"))
    [sentence] = mistakes()
    assert sentence.startswith(f"{variable} names {folder}/none, which is not a f")


def test_names_without_effect_are_told_with_the_one_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setenv("CHAINPROOF_PROT", "1")
    monkeypatch.setenv("CHAINPROOF_CONFG", "/x")
    monkeypatch.setenv("CHAINPROOF_API_KEY", "of the dashboard")
    monkeypatch.setenv("chainproof_threads", "2")
    monkeypatch.setenv("CHAINPROOF_SECRETS_DIR", str(folder))
    (folder / "chainproof_databse_url").write_text("x")
    (folder / "other_secret").write_text("x")
    (folder / "chainproof.toml").write_text('mod = "live"\nqqqq = 1\n[profiles.a]\nprovider = "p"\n')
    assert set(find_unknown()) == {
        "The environment variable CHAINPROOF_PROT is not known and has no effect. "
        "Did you mean CHAINPROOF_PORT?",
        "The environment variable CHAINPROOF_CONFG is not known and has no effect. "
        "Did you mean CHAINPROOF_CONFIG?",
        f"The file {folder}/chainproof_databse_url is not known and has no effect. "
        "Did you mean chainproof_database_url?",
        "The setting mod in chainproof.toml, line 1 is not known and has no effect. Did you mean mode?",
        "The setting qqqq in chainproof.toml, line 2 is not known and has no effect. "
        "See docs/settings.md for those that are.",
    }
    assert Settings().threads == 2


@pytest.mark.parametrize(
    "given",
    [
        {"CHAINPROOF_PORT": "x", "CHAINPROOF_MODE": "lve"},
        {"CHAINPROOF_CONFIG": "/none", "CHAINPROOF_PORT": "x"},
        {"CHAINPROOF_COINGECKO_API_KEY": "k"},
        {"CHAINPROOF_DASHBOARD_SIGN_IN": "never", "CHAINPROOF_DASHBOARD_HOST": "::", "CHAINPROOF_PORT": "x"},
    ],
)
def test_settings_with_mistakes_can_be_loaded_with_the_defaults_in_their_place(
    monkeypatch: pytest.MonkeyPatch, folder: Path, given: dict[str, Any]
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings, told = load_leniently()
    assert settings.port == 8000
    assert settings.home == folder / "home"
    assert len(told) == (1 if "CHAINPROOF_COINGECKO_API_KEY" in given else 2)
