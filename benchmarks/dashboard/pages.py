"""Measures the dashboard's pages as readers experience them, compared with a bare Streamlit page.

    python -m benchmarks.dashboard.pages [--runs 5] [--sessions 50] [--hold 30]
        [--only visits|clicks|sessions]

Starts the service in sample mode with an empty data folder and the dashboard, and prints:

- visits in Chromium: the time until a page is idle and shows its content, with an empty cache (cold) and
  again (warm), layout shift, long tasks, transferred bytes, requests to other hosts;
- clicks on Rankings: from pointer down to the last change of the page before it is idle;
- many simultaneous sessions without a browser: a full run every five seconds each, and fragments as often as
  the server asks, which is more than browsers do, since a full run resets their timers;
- each compared with Streamlit and one ``st.write``, which shows how slow the machine is.

Aims: Rankings ready within 2 s cold, a rerun after a click within 150 ms with all assets, 50 sessions with a
median under 150 ms, no exception, no request to another host. The exit code is 1 if one is missed.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from playwright.sync_api import Page

from benchmarks.dashboard.browser import Click, Load, Visitor, open_visitor
from benchmarks.dashboard.sessions import Level, quantile, run_level
from benchmarks.servers import (
    bare_streamlit,
    dashboard_environment,
    free_port,
    process,
    service_environment,
    wait_for_prices,
)

CONTENT = {"/": ".cp-live .cp-panel", "/rankings": ".rk tbody tr"}
"""What shows that a page has its own content."""
BARE_CONTENT = "[data-testid=stMarkdownContainer] p"
LEVELS = (1, 10, 25, 50)
POLL_SECONDS = 5.0
READY_AIM, RERUN_AIM, SESSIONS_AIM = 2000.0, 150.0, 150.0
VIEW = 'label:has-text("{}"), [role=radio]:has-text("{}")'


@dataclass
class Aims:
    """What was aimed at, and whether it was reached, in the order of measuring."""

    lines: list[str] = field(default_factory=list)
    missed: int = 0

    def report(self, name: str, value: float, maximum: float, unit: str = " ms") -> None:
        reached = value <= maximum
        self.missed += not reached
        words = "reached" if reached else "NOT reached"
        self.lines.append(f"{words:<12} {name}: {value:.0f}{unit}, aim {maximum:.0f}{unit}")


@dataclass(frozen=True)
class Stage:
    """What runs: the dashboard and the bare page, and the ids of their processes."""

    dashboard: str
    dashboard_id: int
    bare: str
    bare_id: int
    assets: int


def median(items: Sequence[Load] | Sequence[Click], of: str) -> float:
    values = [value for item in items if (value := getattr(item, of)) is not None]
    return statistics.median(values) if values else float("nan")


def visits(stage: Stage, runs: int, aims: Aims) -> None:
    print("\nVisits, ms until ready (the dashboard's first of all, then medians of both caches)")
    print(f"{'':<20}{'first':>7}{'cold':>7}{'warm':>7}  {'× bare':>7}{'shift':>8}{'long tasks':>12}"
          f"{'blocking':>10}{'cold KB':>9}{'warm KB':>9}{'socket KB':>11}")  # fmt: skip
    with open_visitor(stage.bare) as bare:
        floor = _visits(bare, "/", BARE_CONTENT, runs)
        _print_visits("bare Streamlit", floor, floor)
    with open_visitor(stage.dashboard) as reader:
        for path, content in CONTENT.items():
            visits = _visits(reader, path, content, runs)
            _print_visits(path, visits, floor)
            if path == "/rankings":
                aims.report("Rankings ready, cold", median(visits[1], "ready"), READY_AIM)
        _judge_behaviour(reader, aims)


Visits = tuple[Load, Sequence[Load], Sequence[Load]]


def _visits(reader: Visitor, path: str, content: str, runs: int) -> Visits:
    """The very first visit, then those with an empty cache and those right after them."""
    cold: list[Load] = []
    warm: list[Load] = []
    for _ in range(runs + 1):
        with reader.context() as context:
            for loads in (cold, warm):
                page, load = reader.load(context, path, content)
                page.close()
                loads.append(load)
    return cold[0], cold[1:], warm[1:]


def _print_visits(name: str, visits: Visits, floor: Visits) -> None:
    first, cold, warm = visits
    ready = median(cold, "ready")
    kilobytes = median(cold, "http_kb"), median(warm, "http_kb"), median(cold, "socket_kb")
    print(f"{name:<20}{first.ready:>7.0f}{ready:>7.0f}{median(warm, 'ready'):>7.0f}"
          f"  {ready / median(floor[1], 'ready'):>7.2f}{max(load.shift for load in cold):>8.4f}"
          f"{median(cold, 'long_tasks'):>12.0f}{median(cold, 'blocking'):>10.0f}"
          f"{kilobytes[0]:>9.0f}{kilobytes[1]:>9.0f}{kilobytes[2]:>11.0f}", flush=True)  # fmt: skip


def _judge_behaviour(reader: Visitor, aims: Aims) -> None:
    for host in sorted(reader.foreign):
        print(f"  asked for another host: {host}")
    for fault in sorted(reader.faults):
        print(f"  fault in the browser: {fault}")
    aims.report("other hosts asked", len(reader.foreign), 0, "")
    aims.report("faults in the browser", len(reader.faults), 0, "")


def clicks(stage: Stage, runs: int, aims: Aims) -> None:
    print(f"\nClicks on Rankings with {stage.assets} assets, medians in ms: to the first change, to the last")
    print(f"{'':<36}{'first':>7}{'last':>7}  {'× bare':>7}{'run ended':>11}{'of it served':>14}{'KB':>6}")
    with open_visitor(stage.bare) as bare:
        floor = _bare_clicks(bare, runs)
        _print_clicks("bare Streamlit", floor, floor)
    with open_visitor(stage.dashboard) as reader:
        clicks_by_name = _rankings_clicks(reader, runs)
        for name, items in clicks_by_name.items():
            _print_clicks(name, items, floor)
            if not name.startswith("first"):
                aims.report(f"rerun: {name}", median(items, "last"), RERUN_AIM)
        _judge_behaviour(reader, aims)


def _bare_clicks(reader: Visitor, runs: int) -> list[Click]:
    items = []
    with reader.context() as context:
        page, _ = reader.load(context, "/", BARE_CONTENT)
        for word in ("two", "one") * (runs + 1):
            items.append(reader.click(page, VIEW.format(word, word)))
    return items[2:]


def _rankings_clicks(reader: Visitor, runs: int) -> dict[str, list[Click]]:
    """Each visit does the same; what is drawn for the first time in it stands apart."""
    clicks_by_name: dict[str, list[Click]] = {}
    for _ in range(runs):
        with reader.context() as context:
            page, _ = reader.load(context, "/rankings", CONTENT["/rankings"])

            def click(name: str, target: str, page: Page = page) -> None:
                clicks_by_name.setdefault(name, []).append(reader.click(page, target))

            for _ in range(2):
                click("24h → 7d", '.rk [data-span="7d"]')
                click("7d → 24h", '.rk [data-span="24h"]')
            click("first: a row", ".rk tbody tr:nth-child(3) .c-price")
            for row in (4, 5):
                click("another row", f".rk tbody tr:nth-child({row}) .c-price")
            click(
                "candles 24h → 7d",
                ".st-key-chart label:has-text('7d'), .st-key-chart [role=radio]:has-text('7d')",
            )
            page.keyboard.press("Escape")
            page.wait_for_function("() => !new URLSearchParams(location.search).has('coin')")
            click("first: Table → Treemap", VIEW.format("Treemap", "Treemap"))
            click("Treemap → Table", VIEW.format("Table", "Table"))
            click("Table → Treemap", VIEW.format("Treemap", "Treemap"))
            click("first: Treemap → Compare", VIEW.format("Compare", "Compare"))
            click("first: three to compare", ".st-key-empty-compare-action button")
            click("Compare → Treemap", VIEW.format("Treemap", "Treemap"))
            click("Treemap → Compare", VIEW.format("Compare", "Compare"))
            click("Compare → Table", VIEW.format("Table", "Table"))
    return clicks_by_name


def _print_clicks(name: str, items: Sequence[Click], floor: Sequence[Click]) -> None:
    last = median(items, "last")
    print(f"{name:<36}{median(items, 'first'):>7.0f}{last:>7.0f}  {last / median(floor, 'last'):>7.2f}"
          f"{median(items, 'script_end'):>11.0f}{median(items, 'on_server'):>14.0f}"
          f"{median(items, 'socket_kb'):>6.0f}", flush=True)  # fmt: skip


def sessions(stage: Stage, max_sessions: int, hold: float, aims: Aims) -> None:
    print(
        f"\nSessions on Rankings, each a whole run every {POLL_SECONDS:.0f} s and its fragments; "
        "p50/p95/max in ms"
    )
    print(f"{'':>8}{'whole run':>20}{'fragments':>20}{'bare':>18}{'× bare':>8}{'first p50':>11}"
          f"{'KB a run':>10}{'CPU %':>7}{'MB':>6}{'MB each':>9}{'lost':>6}{'faults':>8}")  # fmt: skip
    levels = [*(count for count in LEVELS if count < max_sessions), max_sessions]
    for count in levels:
        floor = run_level(stage.bare, "", count, max(8.0, hold / 3), POLL_SECONDS, stage.bare_id)
        level = run_level(stage.dashboard, "rankings", count, hold, POLL_SECONDS, stage.dashboard_id)
        _print_level(level, floor)
        tally = level.tally
        if count == max_sessions:
            aims.report(
                f"{count} sessions, median of a whole run",
                quantile(tally.full_run_latencies, 0.5),
                SESSIONS_AIM,
            )
        aims.report(f"{count} sessions, exceptions", len(tally.exceptions), 0, "")
        aims.report(f"{count} sessions, lost runs", tally.lost, 0, "")


def _print_level(level: Level, floor: Level) -> None:
    tally = level.tally
    runs = len(tally.opened) + len(tally.full_run_latencies) + len(tally.fragments)
    three = _format_quantiles(tally.full_run_latencies)
    ratio = quantile(tally.full_run_latencies, 0.5) / quantile(floor.tally.full_run_latencies, 0.5)
    print(f"{level.sessions:>8}{three:>20}{_format_quantiles(tally.fragments):>20}{_format_quantiles(floor.tally.full_run_latencies):>18}{ratio:>8.1f}"
          f"{quantile(tally.opened, 0.5):>11.0f}{tally.received / 1024 / max(runs, 1):>10.1f}"
          f"{level.cpu_percent:>7.0f}{level.megabytes:>6.0f}{level.megabytes_each:>9.2f}{tally.lost:>6}"
          f"{len(tally.exceptions):>8}", flush=True)  # fmt: skip
    for fault in sorted(set(tally.exceptions))[:3]:
        print(f"{'':>8}{fault}")


def _format_quantiles(latencies: Sequence[float]) -> str:
    return "/".join(f"{quantile(latencies, share):.0f}" for share in (0.5, 0.95, 1.0))


def measure(folder: Path, options: argparse.Namespace) -> int:
    home, port, dashboard_port = folder / "home", free_port(), free_port()
    service, dashboard = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{dashboard_port}"
    aims = Aims()
    with ExitStack() as stack:
        serve = ["-m", "backend.cli", "serve"]
        log = folder / "service.log"
        stack.enter_context(process(serve, service_environment(home, port), f"{service}/readyz", log))
        key = (home / "local.key").read_text().strip()
        wait_for_prices(service, key)
        answer = httpx.get(f"{service}/rankings", headers={"CP-X-API-KEY": key}, timeout=10)
        environment = dashboard_environment(home, port, dashboard_port)
        health, log = f"{dashboard}/_stcore/health", folder / "dashboard.log"
        child = stack.enter_context(process(["-m", "backend.cli", "dashboard"], environment, health, log))
        bare, bare_child = stack.enter_context(bare_streamlit(folder))
        stage = Stage(dashboard, child.pid, bare, bare_child.pid, len(answer.json()))
        parts: dict[str, Callable[[], None]] = {
            "visits": lambda: visits(stage, options.runs, aims),
            "clicks": lambda: clicks(stage, options.runs, aims),
            "sessions": lambda: sessions(stage, options.sessions, options.hold, aims),
        }
        for name, part in parts.items():
            if options.only in (None, name):
                part()
        print_log_errors(log)
    print("\n" + "\n".join(aims.lines))
    print("all aims reached" if not aims.missed else f"NOT reached: {aims.missed} of {len(aims.lines)} aims")
    return 1 if aims.missed else 0


def print_log_errors(log: Path) -> None:
    """What the dashboard's process said that speaks of a fault."""
    lines = (line.strip() for line in log.read_text(errors="replace").splitlines())
    error_lines = dict.fromkeys(line for line in lines if "Error" in line or "Exception" in line)
    for line in list(error_lines)[:5]:
        print(f"  the dashboard's log: {line[:160]}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, help="visits of each kind")
    parser.add_argument("--sessions", type=int, default=50, help="sessions at the highest level")
    parser.add_argument("--hold", type=float, default=30, help="seconds of each level")
    parser.add_argument("--only", choices=("visits", "clicks", "sessions"), help="measure this part alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return measure(Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
