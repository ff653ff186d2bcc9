"""The configured feeds and the user's own file."""

from pathlib import Path

import pytest

from backend.entities.model import LANGUAGES
from backend.settings import Settings
from backend.topics.feeds.feed_list import InvalidFeedListError, load_configured, load_feeds

MINE = "feeds: [{id: mine, name: Mine, url: 'https://mine.example/feed', language: ja, kind: blog}]\n"


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    return tmp_path / "feeds.yaml"


def load_errors(user_file: Path, text: str) -> list[str]:
    user_file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFeedListError) as caught:
        load_feeds(user_file)
    return [line.removeprefix(f"{user_file}:") for line in str(caught.value).split("\n")]


def test_the_shipped_list_has_official_sources_and_press_in_each_language() -> None:
    listed = load_feeds().enabled
    for language in LANGUAGES:
        language_feeds = [feed for feed in listed if feed.language == language]
        assert any(feed.is_official for feed in language_feeds)
        assert len({feed.publisher for feed in language_feeds if not feed.is_official}) >= 5


def test_shipped_feeds_use_https_and_general_feeds_are_filtered() -> None:
    for feed in load_feeds():
        assert feed.url.startswith("https://")
        assert feed.kind != "regulator" or feed.about == "general"


def test_official_feeds_are_polled_less_often_than_the_press() -> None:
    by_id = load_feeds().by_id
    assert by_id["sec-press"].interval_minutes > by_id["coindesk"].interval_minutes


def test_a_users_feed_comes_after_the_shipped_feeds(user_file: Path) -> None:
    user_file.write_text(MINE)
    assert [feed.id for feed in load_feeds(user_file)] == [*load_feeds().by_id, "mine"]


def test_an_entry_with_a_known_id_changes_the_given_fields(user_file: Path) -> None:
    user_file.write_text("feeds: [{id: decrypt, every_minutes: 3}]")
    before, after = load_feeds().by_id["decrypt"], load_feeds(user_file).by_id["decrypt"]
    assert after == before.model_copy(update={"every_minutes": 3})


def test_a_feed_is_disabled_by_its_id_or_by_its_own_entry(user_file: Path) -> None:
    user_file.write_text("disable: [coindesk]\nfeeds: [{id: decrypt, enabled: false}]")
    enabled = {feed.id for feed in load_feeds(user_file).enabled}
    assert enabled == {feed.id for feed in load_feeds().enabled} - {"coindesk", "decrypt"}


def test_disable_all_keeps_shipped_feeds_that_have_an_entry(user_file: Path) -> None:
    user_file.write_text("disable: all\nfeeds:\n  - id: decrypt\n    every_minutes: 5\n")
    assert [feed.id for feed in load_feeds(user_file).enabled] == ["decrypt"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("feeds:\n  - id: x\n    url: 'https://x.example/'\n", "2: name is missing: every feed needs it"),
        (
            "feeds:\n  - id: coindesk\n    url: ftp://x\n",
            "3: url: must be a URL that begins with https://",
        ),
        (
            "feeds:\n  - id: coindesk\n    languge: en\n",
            "3: languge: is not a field (did you mean 'language'?)",
        ),
        ("feeds:\n  - id: coindesk\n    language: de\n", "3: language: must be one of 'en', 'ja' or 'zh'"),
        ("feeds:\n  - id: coindesk\n    every_minutes: 0\n", "3: every_minutes: "),
        ("feeds:\n  - id: coindesk\n    url: https://decrypt.co/feed\n", "that of"),
        ("feeds:\n  - name: X\n", "2: must begin with 'id:'"),
        ("feeds:\n  - id: decrypt\n  - id: decrypt\n", "3: 'decrypt' is given twice"),
        ("disable:\n  - decript\n", "2: there is no feed 'decript' (did you mean 'decrypt'?)"),
        ("disable: decrypt\n", "1: must be a list of feed ids"),
        ("disable: [decrypt]\nfeeds: [{id: decrypt}]\n", "'decrypt' has an entry here"),
        ("feed: []\n", "1: 'feed' is not known here"),
        ("feeds: {}\n", "1: must be a list of entries"),
        ("- a\n", "must hold a list under 'feeds:'"),
        ("feeds: [\n", "must be valid YAML"),
    ],
)
def test_an_error_is_reported_with_its_file_and_line(user_file: Path, text: str, message: str) -> None:
    assert any(message in line for line in load_errors(user_file, text))


def test_all_errors_are_reported_at_once(user_file: Path) -> None:
    assert len(load_errors(user_file, "feeds:\n  - id: coindesk\n    a: 1\n    b: 2\ndisable: [x]\n")) == 3


def test_the_default_file_is_optional_and_a_configured_file_must_exist(
    tmp_path: Path, user_file: Path
) -> None:
    assert "mine" not in load_configured(Settings(home=tmp_path)).by_id
    user_file.write_text(MINE)
    assert "mine" in load_configured(Settings(home=tmp_path)).by_id
    with pytest.raises(InvalidFeedListError, match="cannot be read"):
        load_configured(Settings(home=tmp_path, feeds_file=tmp_path / "none.yaml"))
