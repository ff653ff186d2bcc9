"""Tests that a setting whose library is missing is refused with the name of the extra to install."""

from pathlib import Path
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from backend.cli.commands import app
from backend.http.doctor_checks import check_rate_limit
from backend.settings import Settings, optional_dependencies

REDIS = "redis://127.0.0.1:6379/0"
EXPECTED_ERROR = (
    "CHAINPROOF_REDIS_URL needs the extra 'redis'. Install it with: pip install 'chainproof[redis]'"
)


def test_installed_and_unneeded_libraries_are_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        optional_dependencies.find_missing(Settings(redis_url=REDIS, model_base_url="http://127.0.0.1:1/v1"))
        is None
    )
    monkeypatch.setattr(optional_dependencies, "find_spec", Mock(return_value=None))
    assert optional_dependencies.find_missing(Settings()) is None
    assert "'chainproof[model]'" in str(
        optional_dependencies.find_missing(Settings(model_base_url="http://127.0.0.1:1/v1"))
    )


@pytest.mark.parametrize("command", ["up", "serve", "worker"])
def test_programs_do_not_start_without_the_library_of_a_setting(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(optional_dependencies, "find_spec", Mock(return_value=None))
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CHAINPROOF_REDIS_URL", REDIS)
    refused = CliRunner().invoke(app, [command])
    assert (refused.exit_code, refused.stderr) == (2, f"chainproof: {EXPECTED_ERROR}\n")
    assert not (tmp_path / "home").exists()


def test_the_doctor_also_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional_dependencies, "find_spec", Mock(return_value=None))
    assert check_rate_limit(Settings(redis_url=REDIS, rate_limit="600/minute")) == (
        "Limits",
        "fault",
        EXPECTED_ERROR,
    )
