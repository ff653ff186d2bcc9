"""Profiles from files, settings and commands: precedence, and errors in them."""

import json
import os
from pathlib import Path

import pytest

from backend.settings import Settings
from backend.timelines.model import Profile
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.profiles.doctor_checks import check_profiles
from backend.timelines.profiles.profile_files import InvalidProfilesError, read_json, read_toml
from tests.support.runs.timeline_app import TimelinesApp
from tests.support.store.data_folders import set_up_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = set_up_home(tmp_path, monkeypatch)
    monkeypatch.setenv("CHAINPROOF_PROFILES", str(tmp_path / "profiles.json"))
    return found


def write(path: Path, text: str) -> None:
    """So that it differs from what was there, however quickly the two follow each other."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1_000_000))


def test_a_json_file_names_profiles_and_their_fields(tmp_path: Path) -> None:
    file = tmp_path / "profiles.json"
    write(file, json.dumps({"a/b 漢": {"model": "m", "provider": None, "model_vendor": ""}, "bare": {}}))
    assert read_json(file) == {"a/b 漢": Profile(model="m"), "bare": Profile()}


JSON_ERRORS: list[tuple[str, list[tuple[int, str]]]] = [
    ("{", [(1, "must be valid JSON")]),
    ("[]", [(1, "must be an object of profiles")]),
    ('{"a":\n{"modle": "x"}}', [(2, "did you mean 'model'?")]),
    ('{"a":\n{"model":\n 7}}', [(2, "model must be text or null")]),
    ('{\n"a": {},\n"b": 7}', [(3, "must hold the fields provider, model")]),
    ('{"": {},\n"b\\u0000": {}}', [(1, "1 to 500 characters"), (2, "U+0000")]),
    ('{"a": {},\n"a": {}}', [(2, "'a' is given twice")]),
    ('{"a": {"model": "\\ud800"}}', [(1, "lone surrogate")]),
    ("[" * 100_000, [(0, "nested too deeply")]),
]


@pytest.mark.parametrize(("text", "found"), JSON_ERRORS)
def test_an_error_in_a_json_file_is_reported_with_its_line(
    tmp_path: Path, text: str, found: list[tuple[int, str]]
) -> None:
    file = tmp_path / "profiles.json"
    write(file, text)
    with pytest.raises(InvalidProfilesError) as refused:
        read_json(file)
    assert [error.line for error in refused.value.errors] == [line for line, _ in found]
    for error, (_, reason) in zip(refused.value.errors, found, strict=True):
        assert reason in error.reason
        assert str(error).startswith(str(file))


def test_settings_tables_define_profiles_too(tmp_path: Path) -> None:
    file = tmp_path / "chainproof.toml"
    write(file, 'mode = "live"\n[profiles."a/b"]\nmodel = "m"\n[profiles.bare]\n[other]\nmodel = 7\n')
    assert read_toml(file) == {"a/b": Profile(model="m"), "bare": Profile()}
    write(file, 'port = 1\n[profiles."a/b"]\nmodel = "m"\nvendor = "x"\n')
    with pytest.raises(
        InvalidProfilesError, match=r"chainproof.toml:4: profile 'a/b': 'vendor' is not a field"
    ):
        read_toml(file)
    write(file, "port = 1\n[profiles\n")
    with pytest.raises(InvalidProfilesError, match=r"chainproof.toml:2: must be valid TOML"):
        read_toml(file)
    write(file, "profiles = 7\n")
    with pytest.raises(InvalidProfilesError, match="must be tables"):
        read_toml(file)


def test_the_file_overrides_the_settings_and_these_override_commands(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "profiles.json", '{"a": {"model": "file"}}')
    write(tmp_path / "chainproof.toml", '[profiles.a]\nmodel = "toml"\n[profiles.b]\nmodel = "toml"\n')
    profiles = Profiles(Settings())
    added = {name: Profile(model="command") for name in "abc"}
    found = {name: profile.model for name, profile in profiles.shown(added).profiles.items()}
    assert found == {"a": "file", "b": "toml", "c": "command"}
    assert profiles.origins(added)["a"] == ["file", "settings", "command"]
    assert profiles.file_of("file") == tmp_path / "profiles.json"


def test_a_changed_file_is_reloaded_and_an_error_keeps_the_previous_profiles(
    home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "profiles.json"
    write(file, '{"a": {}}')
    profiles = Profiles(Settings())
    before = profiles.generation
    profiles.refresh()
    assert profiles.generation == before
    write(file, '{"a": {}, "b": {}}')
    profiles.refresh()
    assert (list(profiles.own({})), profiles.generation) == (["a", "b"], before + 1)
    write(file, '{"a": {"x": 1}}')
    profiles.refresh()
    assert (list(profiles.own({})), profiles.generation) == (["a", "b"], before + 1)
    assert [error.line for error in profiles.errors] == [1]
    file.unlink()
    profiles.refresh()
    assert list(profiles.own({})) == ["a", "b"]
    assert "cannot be read" in str(profiles.errors[0])
    write(file, '{"c": {}}')
    profiles.refresh()
    assert (list(profiles.own({})), profiles.errors) == (["c"], [])


def test_the_first_configured_profile_hides_the_sample(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "profiles.json", "{}")

    def sample() -> dict[str, Profile]:
        return {"sample x": Profile()}

    profiles = Profiles(Settings(), sample)
    assert profiles.shown({}) == ("sample", {"sample x": Profile()})
    assert profiles.shown({"own": Profile()}) == ("own", {"own": Profile()})
    assert Profiles(Settings(mode="live"), sample).shown({}) == ("own", {})


def test_the_operator_is_told_what_is_wrong_and_what_is_double(
    home: Path, tmp_path: Path, sqlite_service: TimelinesApp
) -> None:
    write(tmp_path / "profiles.json", '{"one": {}}')
    write(tmp_path / "chainproof.toml", "profiles = 7")
    result = list(check_profiles(Settings(), sqlite_service.database))
    assert [(check.state, check.subject) for check in result] == [
        ("fault", "Profiles"),
        ("ok", "Profiles"),
        ("note", "Profiles"),
    ]
    assert "chainproof.toml" in result[0].sentence
    assert result[1].sentence.startswith(
        "2 configured: 1 from the file that CHAINPROOF_PROFILES names; 1 from"
    )
    assert "'one' is taken from the file" in result[2].sentence
