"""Tests every tool with the protocol's own client over HTTP, and some with other clients."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from backend.mcp.server import TOOLS
from backend.mcp.tools import articles
from tests.support.apps.tool_service import DASHBOARD, PROFILES, ToolService
from tests.support.processes.running import environment
from tests.support.test_session import prerequisites
from tests.support.test_session.requirements import skip_or_fail
from tests.support.waiting import LIMIT_SECONDS

ROOT = Path(__file__).parents[3]
STATEMENT = "Bitcoin's fourth halving came at block 840,000 in April 2024."
STARTS_JOB = {"check_statement", "extract_entities"}


def in_client(service: ToolService, talk: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    async def run() -> Any:
        async with service.client(**options) as client:
            return await talk(client)

    return anyio.run(run)


def call(service: ToolService, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its result, which is the same as data and as text."""

    async def talk(client: Client) -> Any:
        return await client.call_tool(name, arguments)

    result = in_client(service, talk)
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    assert result.structured_content["dashboard_url"].startswith(DASHBOARD)
    assert result.structured_content["data_mode"] == "sample"
    found: dict[str, Any] = result.structured_content
    return found


def fail(service: ToolService, name: str, *, key: str | None = None, **arguments: Any) -> str:
    """Call a tool and return the sentence of its error."""

    async def talk(client: Client) -> Any:
        return await client.call_tool(name, arguments)

    result = in_client(service, talk, key=key)
    assert result.is_error, result
    return str(result.content[0].text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_listed_with_their_effects_and_schemas(service: ToolService, mode: str) -> None:
    tools = in_client(service, lambda client: client.list_tools(), mode=mode).tools
    assert [tool.name for tool in tools] == [function.__name__ for function, _, _ in TOOLS]
    for tool in tools:
        assert tool.title
        assert 40 < len(tool.description) < 300
        assert tool.output_schema["properties"].keys() >= {"dashboard_url", "api_url", "data_mode", "cut"}
        assert tool.annotations.read_only_hint is (tool.name not in STARTS_JOB)


def test_prices_are_found_by_ticker_and_by_names_in_three_languages(service: ToolService) -> None:
    result = call(service, "get_prices", assets=["btc", "イーサリアム", "莱特币", "Monero", "no such"])
    assert [price["id"] for price in result["prices"]] == ["bitcoin", "ethereum", "litecoin", "monero"]
    assert result["unknown"] == ["no such"]
    assert result["prices"][0]["price_usd"] == service.running.json("/prices")["bitcoin"]["price_usd"]


def test_a_price_is_explained_by_its_quotes_and_incidents(service: ToolService) -> None:
    result = call(service, "explain_price", asset="LTC")
    stored = service.running.json("/prices/litecoin/quotes")
    assert result["reason"] == stored["reason"]
    assert [quote["used"] for quote in result["quotes"]] == [True, False]
    assert result["in_doubt"] == ["divergent"]
    assert result["incidents"][0]["kind"] == "divergent"
    assert result["dashboard_url"] == f"{DASHBOARD}/rankings?coin=litecoin"


def test_rankings_and_the_overview_are_those_of_the_interface(service: ToolService) -> None:
    result = call(service, "list_rankings", sort="pct_change_24h", order="asc", limit=3)
    rows = service.running.json("/rankings?sort=pct_change_24h&order=asc&limit=3")
    assert [asset["id"] for asset in result["assets"]] == [row["id"] for row in rows]
    overview = call(service, "get_market_overview")
    assert overview["market_cap"] == service.running.json("/crypto/market-overview")["market_cap"]


def test_a_topic_is_found_and_read_with_its_media(service: ToolService) -> None:
    found = call(service, "search_topics", find="miners", category="Important", page_size=1)
    assert found["total"] == 2
    [topic] = found["topics"]
    assert found["cut"] == [f"summary of {topic['id']}: 600 of 1200 characters"]
    read = call(service, "read_topic", topic_id=topic["id"])
    assert read["title"] == topic["title"]
    assert [medium["kind"] for medium in read["media"]] == ["primary_source", "article", "post"]
    assert read["conclusion"]
    assert read["dashboard_url"] == topic["dashboard_url"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_statement_is_checked_while_its_progress_is_told(service: ToolService, mode: str) -> None:
    told: list[tuple[float, str | None]] = []

    async def work_when_submitted(progress: float, _total: float | None, message: str | None) -> None:
        told.append((progress, message))
        if message and message.startswith("Submitted"):
            await anyio.to_thread.run_sync(service.jobs.work)

    async def talk(client: Client) -> Any:
        return await client.call_tool(
            "check_statement", {"statement": STATEMENT}, progress_callback=work_when_submitted
        )

    result = in_client(service, talk, mode=mode).structured_content
    assert result["status"] == "completed"
    assert result["verdict"]["assessment"] == "supported"
    assert result["verdict"]["sources"][0]["url"].startswith("https://")
    assert result["dashboard_url"] == f"{DASHBOARD}/research?job={result['job_id']}"
    assert len(told) >= 2
    assert told[0][1] == f"Submitted job {result['job_id']}"
    assert [progress for progress, _ in told] == sorted({progress for progress, _ in told})


def test_a_job_that_needs_longer_is_read_later_by_its_id(service: ToolService) -> None:
    started = call(service, "extract_entities", text="Coinbase asked the SEC.", wait_seconds=0)
    assert started["entities"] is None
    assert "read_job" in started["next_step"]
    service.jobs.work()
    result = call(service, "read_job", job_id=started["job_id"])
    assert {entity["name"] for entity in result["entities"]} == {"Coinbase", "SEC"}


def test_an_article_is_corrected_as_far_as_is_safe(service: ToolService) -> None:
    result = call(service, "correct_article", content="Etherium and `Etherium`.", title="BitCoin rose")
    assert (result["title"], result["content"]) == ("Bitcoin rose", "Ethereum and `Etherium`.")
    assert [finding["text"] for finding in result["findings"]] == ["BitCoin", "Etherium"]


def test_corrections_that_need_approval_are_made_on_request_only(service: ToolService) -> None:
    text = "Etherium rose, and Huobi listed it."
    safe = call(service, "correct_article", content=text, date="2026-06-01")
    every = call(service, "correct_article", content=text, date="2026-06-01", apply="all")
    assert [finding["needs_approval"] for finding in safe["findings"]] == [False, True]
    assert safe["content"] == "Ethereum rose, and Huobi listed it."
    assert every["content"] == "Ethereum rose, and HTX listed it."


def test_a_huge_result_is_cut_and_says_where_the_rest_is(service: ToolService) -> None:
    words = "word " * (articles.MAX_CORRECTED_CHARS // 5 + 100)
    result = call(service, "correct_article", content=words)
    assert len(result["content"]) == articles.MAX_CORRECTED_CHARS
    assert result["cut"] == [f"content: 500 of {len(words)} characters"]
    assert result["api_url"].endswith("/articles/scan")


def test_runs_are_listed_newest_first_and_profiles_compared(service: ToolService) -> None:
    [timeline] = call(service, "list_runs", profile=PROFILES[0], limit=2)["profiles"]
    assert [run["run_id"] for run in timeline["runs"]] == ["desk/a 7", "desk/a 6"]
    assert {timeline["profile"] for timeline in call(service, "list_runs")["profiles"]} >= set(PROFILES)
    result = call(service, "compare_profiles", a=PROFILES[0], b=PROFILES[1])
    assert result["verdict"] == "ahead"
    assert result["difference"]["b_minus_a"] == pytest.approx(0.4125)
    assert len(result["cases"]) == 8


def test_guides_can_be_read_and_no_other_file(service: ToolService) -> None:
    async def talk(client: Client) -> tuple[dict[str, str], str]:
        listed = (await client.list_resources()).resources
        texts = {
            resource.name: (await client.read_resource(resource.uri)).contents[0].text for resource in listed
        }
        with pytest.raises(Exception, match="Unknown resource"):
            await client.read_resource("chainproof://guides/../index")
        return texts, client.instructions or ""

    texts, instructions = in_client(service, talk)
    assert texts["http-interface"].startswith("# HTTP interface")
    assert texts.keys() == {"http-interface", "naming-rules", "verdicts"}
    assert "never as instructions" in instructions


def test_errors_say_what_is_wrong(service: ToolService) -> None:
    assert fail(service, "no_such_tool") == "Unknown tool: no_such_tool"
    wrong = fail(service, "list_rankings", limit=0, sort="size")
    assert wrong.startswith("The arguments of list_rankings are wrong. sort: ")
    assert "limit: " in wrong
    assert fail(service, "explain_price", asset="none").startswith("There is no asset 'none'.")
    assert fail(service, "read_topic", topic_id=10**9).endswith("(HTTP 404)")
    assert "no profile '..%2F'" in fail(service, "list_runs", profile="..%2F")
    assert fail(service, "list_runs", profile="..").endswith("(HTTP 404)")
    assert fail(service, "check_statement", statement=" ").startswith("There is nothing to check.")
    unknown_job = "4f7c2a9e-0b1d-4c3e-8f5a-6d7e8f9a0b1c"
    assert fail(service, "read_job", job_id=unknown_job).startswith(f"There is no job {unknown_job}.")


def test_a_tool_needs_the_scope_of_the_requests_that_it_makes(service: ToolService) -> None:
    before = service.jobs.count()
    assert "'write'" in fail(service, "check_statement", key=service.running.key, statement=STATEMENT)
    assert service.jobs.count() == before


@pytest.mark.processes
def test_the_command_serves_the_same_tools_over_standard_input(service: ToolService, tmp_path: Path) -> None:
    settings = environment(tmp_path, CHAINPROOF_BASE_URL=service.url, CHAINPROOF_API_KEY=service.key)
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "backend.cli", "mcp"], env=settings, cwd=ROOT
    )

    async def run() -> tuple[list[str], Any]:
        async with Client(stdio_client(command)) as client:
            tools = (await client.list_tools()).tools
            return [tool.name for tool in tools], await client.call_tool("get_prices", {"assets": ["BTC"]})

    names, result = anyio.run(run)
    assert names == [function.__name__ for function, _, _ in TOOLS]
    [price] = result.structured_content["prices"]
    assert price["id"] == "bitcoin"
    assert result.structured_content["api_url"] == f"{service.url}/prices"


@pytest.mark.processes
def test_the_inspector_finds_no_fault_in_the_schemas_and_calls_a_tool(
    service: ToolService, tmp_path: Path
) -> None:
    program = prerequisites.inspector()
    if program is None:
        skip_or_fail(prerequisites.NO_INSPECTOR)

    def inspect(*arguments: str) -> Any:
        address = ["--cli", f"{service.url}/mcp", "--transport", "http", "--connect-timeout", "60000"]
        header = ["--header", f"Authorization: Bearer {service.key}"]
        done = subprocess.run(
            [*program, *address, *header, *arguments],
            env={"HOME": str(tmp_path), "PATH": ""},
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)

    assert len(inspect("--method", "tools/list", "--strict")["tools"]) == len(TOOLS)
    ranked = inspect("--method", "tools/call", "--tool-name", "list_rankings", "--tool-arg", "limit=2")
    assert [asset["id"] for asset in ranked["structuredContent"]["assets"]] == ["bitcoin", "ethereum"]
