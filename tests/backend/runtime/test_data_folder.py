"""Where scans find a user's rules and keep what they compiled."""

from pathlib import Path

import platformdirs
import pytest

from backend.runtime.data_folder import ScanFolders, default_home, find_scan_folders
from tests.support.homes import set_up_home


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return set_up_home(tmp_path, monkeypatch)


def test_a_data_folder_that_is_named_holds_rules_and_what_was_compiled(home: Path) -> None:
    assert find_scan_folders() == ScanFolders(home / "rules", rules_must_exist=False, cache=home)


def test_without_one_the_platform_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHAINPROOF_HOME")
    found = find_scan_folders()
    assert found.rules == default_home() / "rules"
    assert found.cache == Path(platformdirs.user_cache_dir("chainproof", appauthor=False))


def test_a_repository_names_its_rules_in_a_file_and_the_environment_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("chainproof.toml").write_text('rules_dir = "names"\nport = "not looked at"\n')
    found = find_scan_folders()
    assert (found.rules, found.rules_must_exist) == (Path("names"), True)
    monkeypatch.setenv("CHAINPROOF_RULES_DIR", "others")
    assert find_scan_folders().rules == Path("others")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"rules_dir = [\n", "Invalid value"),
        (b"rules_dir = 5", "rules_dir must be the path of a folder"),
        (b"\xff", "can't decode"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(text: bytes, told: str) -> None:
    Path("chainproof.toml").write_bytes(text)
    with pytest.raises(ValueError, match=f"chainproof.toml: .*{told}"):
        find_scan_folders()


@pytest.mark.parametrize("answer", [RuntimeError("no home"), "~/.local/share/chainproof"])
def test_a_user_without_a_home_folder_is_asked_to_name_one(
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
