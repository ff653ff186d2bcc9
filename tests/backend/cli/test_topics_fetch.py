"""Tests ``chainproof topics fetch``."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from backend.cli import topics_fetch
from tests.support.providers.feeds import item, rss
from tests.support.providers.provider_server import Behaviour, ProviderServer

program = typer.Typer()
program.command()(topics_fetch.app)
runner = CliRunner()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        feed_yaml = f"{{id: mine, name: Mine, url: '{running.url}/mine', language: en, kind: blog}}"
        (tmp_path / "feeds.yaml").write_text(f"disable: all\nfeeds: [{feed_yaml}]\n")
        running.always("/mine", Behaviour(body=rss([item(1)]), content_type="text/xml"))
        monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
        monkeypatch.setenv("CHAINPROOF_MODE", "live")
        monkeypatch.setenv("CHAINPROOF_FETCH_ALLOW", f"127.0.0.1:{running.port}")
        yield running


def test_articles_are_fetched_and_counted(server: ProviderServer) -> None:
    result = runner.invoke(program, [])
    assert result.exit_code == 0, result.output
    summary = "Feeds: 1 answered, 0 had nothing new, 0 failed. Articles: 1 added, 0 changed."
    assert summary in " ".join(result.output.split())


def test_the_new_articles_are_grouped_into_topics(server: ProviderServer) -> None:
    output = " ".join(runner.invoke(program, []).output.split())
    assert "Topics: 1 new, 0 changed, 0 merged. The last 72 hours have 1 topic from 1 article." in output
    again = json.loads(runner.invoke(program, ["--json"]).stdout)["grouping"]
    assert again == {"items": 1, "topics": 1, "added": 0, "changed": 0, "merged": 0, "set_aside": 0}


def test_json_names_each_feed(server: ProviderServer) -> None:
    report = json.loads(runner.invoke(program, ["--json"]).stdout)
    assert (report["added"], report["feeds"][0]["id"], report["feeds"][0]["problem"]) == (1, "mine", None)


def test_the_due_option_fetches_only_due_feeds(server: ProviderServer) -> None:
    runner.invoke(program, [])
    runner.invoke(program, ["--due"])
    assert len(server.seen("/mine")) == 1
    runner.invoke(program, [])
    assert len(server.seen("/mine")) == 2


def test_it_is_exit_code_3_if_no_feed_answers(server: ProviderServer) -> None:
    server.always("/mine", Behaviour(503, b"", "text/plain"))
    result = runner.invoke(program, [])
    assert result.exit_code == 3
    assert "status 503" in result.output


def test_sample_mode_is_an_error_that_names_the_setting(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_MODE", "sample")
    result = runner.invoke(program, [])
    assert (result.exit_code, "CHAINPROOF_MODE=live" in result.output) == (2, True)
    assert server.requests == []


def test_an_error_in_the_feed_list_is_wrong_usage(server: ProviderServer, tmp_path: Path) -> None:
    (tmp_path / "feeds.yaml").write_text("feeds:\n  - id: coindesk\n    url: x\n")
    result = runner.invoke(program, [])
    assert (result.exit_code, ":3: url: must be" in result.output.replace("\n", "")) == (2, True)
