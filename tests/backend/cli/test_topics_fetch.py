"""``chainproof topics fetch``."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from backend.cli import topics_fetch
from tests.support.feeds import item, rss
from tests.support.provider_server import Behaviour, ProviderServer

program = typer.Typer()
program.command()(topics_fetch.app)
runner = CliRunner()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        mine = f"{{id: mine, name: Mine, url: '{running.url}/mine', language: en, kind: blog}}"
        (tmp_path / "feeds.yaml").write_text(f"disable: all\nfeeds: [{mine}]\n")
        running.always("/mine", Behaviour(body=rss([item(1)]), content_type="text/xml"))
        monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
        monkeypatch.setenv("CHAINPROOF_MODE", "live")
        monkeypatch.setenv("CHAINPROOF_FETCH_ALLOW", f"127.0.0.1:{running.port}")
        yield running


def test_articles_are_fetched_and_counted(server: ProviderServer) -> None:
    done = runner.invoke(program, [])
    assert done.exit_code == 0, done.output
    told = "Feeds: 1 answered, 0 had nothing new, 0 failed. Articles: 1 added, 0 changed."
    assert told in " ".join(done.output.split())


def test_json_names_each_feed(server: ProviderServer) -> None:
    told = json.loads(runner.invoke(program, ["--json"]).stdout)
    assert (told["added"], told["feeds"][0]["id"], told["feeds"][0]["problem"]) == (1, "mine", None)


def test_only_those_that_are_due_are_asked_if_so_wished(server: ProviderServer) -> None:
    runner.invoke(program, [])
    runner.invoke(program, ["--due"])
    assert len(server.seen("/mine")) == 1
    runner.invoke(program, [])
    assert len(server.seen("/mine")) == 2


def test_when_no_feed_answers_a_dependency_failed(server: ProviderServer) -> None:
    server.always("/mine", Behaviour(503, b"", "text/plain"))
    done = runner.invoke(program, [])
    assert done.exit_code == 3
    assert "status 503" in done.output


def test_sample_mode_says_how_to_leave_it(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_MODE", "sample")
    done = runner.invoke(program, [])
    assert (done.exit_code, "CHAINPROOF_MODE=live" in done.output) == (2, True)
    assert server.requests == []


def test_a_list_with_a_mistake_is_wrong_use(server: ProviderServer, tmp_path: Path) -> None:
    (tmp_path / "feeds.yaml").write_text("feeds:\n  - id: coindesk\n    url: x\n")
    done = runner.invoke(program, [])
    assert (done.exit_code, ":3: url: must be" in done.output.replace("\n", "")) == (2, True)
