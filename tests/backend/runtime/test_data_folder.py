"""Tests where scans find a user's rules and store compiled ones."""

from pathlib import Path

import platformdirs
import pytest

from backend.runtime.data_folder import ScanFolders, default_home, find_scan_folders
from tests.support.store.data_folders import set_up_home


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return set_up_home(tmp_path, monkeypatch)


def test_configured_data_folder_contains_rules_and_compiled_cache(home: Path) -> None:
    assert find_scan_folders() == ScanFolders(home / "rules", rules_must_exist=False, cache=home)


def test_platform_default_folders_are_used_without_a_configured_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHAINPROOF_HOME")
    found = find_scan_folders()
    assert found.rules == default_home() / "rules"
    assert found.cache == Path(platformdirs.user_cache_dir("chainproof", appauthor=False))


def test_rules_folder_is_read_from_chainproof_toml_and_overridden_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("chainproof.toml").write_text('rules_dir = "names"\nport = "not looked at"\n')
    found = find_scan_folders()
    assert (found.rules, found.rules_must_exist) == (Path("names"), True)
    monkeypatch.setenv("CHAINPROOF_RULES_DIR", "others")
    assert find_scan_folders().rules == Path("others")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"rules_dir = [\n", "Invalid value"),
        (b"rules_dir = 5", "rules_dir must be the path of a folder"),
        (b"\xff", "can't decode"),
    ],
)
def test_unreadable_config_file_error_names_the_file_and_reason(text: bytes, reason: str) -> None:
    Path("chainproof.toml").write_bytes(text)
    with pytest.raises(ValueError, match=f"chainproof.toml: .*{reason}"):
        find_scan_folders()


@pytest.mark.parametrize("answer", [RuntimeError("no home"), "~/.local/share/chainproof"])
def test_missing_home_folder_error_asks_for_a_data_folder(
    monkeypatch: pytest.MonkeyPatch, answer: str | RuntimeError
) -> None:
    def user_data_dir(*_: object, **__: object) -> str:
        if isinstance(answer, RuntimeError):
            raise answer
        return answer

    monkeypatch.setattr(platformdirs, "user_data_dir", user_data_dir)
    monkeypatch.delenv("CHAINPROOF_HOME")
    with pytest.raises(ValueError, match="Set CHAINPROOF_HOME"):
        find_scan_folders()
