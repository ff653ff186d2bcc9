"""Measures the Timelines page as readers experience it, with many profiles and full listings.

    python -m benchmarks.dashboard.timelines_page [--profiles 100] [--visits 5] [--clicks 5]

It fills a store with 1,024 runs per profile over 40 cases; every third profile declines. The service and the
dashboard run in separate processes. Chromium visits the page until the chart of scores is drawn and no script
runs, with an empty cache (cold) and again (warm). Then it measures changes of tabs and other clicks, from
pointer down to the last change before the page is idle. A bare Streamlit page shows how slow the machine is.
The exit code is 1 if an aim is missed.
"""

import argparse
import random
import statistics
import sys
import tempfile
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import orjson
from playwright.sync_api import Page

from backend import migrations
from backend.auth.service import create_key
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.model import Profile, Run
from backend.timelines.validation.run_preparation import prepare_runs
from benchmarks.aim_report import AimReport
from benchmarks.dashboard.browser import Click, Visitor, open_visitor
from benchmarks.servers import bare_streamlit, free_port, process, service_environment
from benchmarks.timelines.listings import build_profiles, make_run

RUNS, CASES = 1_024, 40
PATH, DRAWN = "/timelines", ".st-key-tl_scores_chart .tl-lines-drawn"
BARE_DRAWN = "[data-testid=stMarkdownContainer] p"
TABS = ("Compare", "Cases", "Runs", "Trend")
CLICKS: Mapping[str, tuple[str, str]] = {
    "a line hidden": ("trend", ".st-key-tl_legend button >> nth=0"),
    "the cases of an alert": ("trend", ".st-key-tl_cases_of_0 button"),
    "cases evened out": ("trend", ".st-key-tl_centred label"),
    "A and B swapped": ("compare", ".st-key-tl_swap button"),
    "a case's runs": ("compare", ".tlp-dots a >> nth=2"),
    "a run": ("runs", ".st-key-tlp_runs button.open >> nth=0"),
    "the run before it": ("runs", ".tlp-turn >> nth=0"),
}
"""The tab to click in, and what to click."""
READY_AIM, TAB_AIM, CLICK_AIM, CHART_AIM = 1_500.0, 200.0, 300.0, 1_000.0


def runs_of(rng: random.Random, profile: str, *, falls: bool) -> list[Run]:
    """In passes over the same cases; one that falls loses 0.15 in the last third."""
    found = []
    for number in range(RUNS):
        run = make_run(rng, profile, number)
        lost = 0.15 if falls and number > RUNS * 2 // 3 else 0.0
        total = round(run.total_score - lost, 6)
        found.append(
            msgspec.structs.replace(
                run,
                case_id=f"case-{number % CASES:03}",
                raw_score=run.raw_score - lost,
                total_score=total,
                normalized_score=total,
                machinery_failure=number % 97 == 0,
            )
        )
    return found


def fill(home: Path, profiles: Mapping[str, Profile]) -> str:
    url = f"sqlite:///{home / 'chainproof.db'}"
    migrations.upgrade(url)
    database = Database(url)
    rng = random.Random(7)
    for number, name in enumerate(profiles):
        right = prepare_runs(runs_of(rng, name, falls=number % 3 == 0), profile=name, shape_is_valid=True)
        store.add(database, "own", right.runs, profiles)
    key = create_key(database, name="benchmark", scopes=("read",), now=datetime.now(UTC)).key
    database.dispose()
    return key


def visits(reader: Visitor, beside: str, options: Namespace, report: AimReport) -> None:
    cold, warm, bare = [], [], []
    for _ in range(options.visits):
        bare_visitor = replace(reader, base=beside)
        with bare_visitor.context() as context:
            bare.append(bare_visitor.load(context, "/", BARE_DRAWN)[1].ready)
        with reader.context() as context:
            page, load = reader.load(context, PATH, DRAWN)
            cold.append(load)
            page.close()
            page, load = reader.load(context, PATH, DRAWN)
            warm.append(load)
            page.close()
    report.record("a bare Streamlit page, nothing cached", statistics.median(bare), "ms")
    report.record("ready, nothing cached", statistics.median(visit.ready for visit in cold), "ms")
    report.record("ready, warm", statistics.median(visit.ready for visit in warm), "ms", READY_AIM)
    report.record("  of which long tasks", statistics.median(visit.long_tasks for visit in warm), "ms")
    report.record("  layout shift", max(visit.shift for visit in (*cold, *warm)), "", 0.1)
    report.record("  over the socket", statistics.median(visit.socket_kb for visit in warm), "KiB")


def clicks(reader: Visitor, options: Namespace, report: AimReport) -> None:
    with reader.context() as context:
        page, _ = reader.load(context, PATH, DRAWN)
        report.record("largest message", largest(page) / 1000, "kB", CHART_AIM)
        for tab in TABS:
            reader.click(page, tab_of(tab))  # the first time, charts load their library
        opened = [reader.click(page, tab_of(tab)) for tab in TABS * options.clicks]
        for number, tab in enumerate(TABS):
            _record(report, f"the tab {tab}", opened[number :: len(TABS)], TAB_AIM)
        for name, (tab, target) in CLICKS.items():
            found = []
            for _ in range(options.clicks):
                if page.locator(target).count() == 0:
                    reader.click(page, tab_of(tab.title()))
                found.append(reader.click(page, target))
            _record(report, name, found, CLICK_AIM)
    for fault in sorted(reader.faults | reader.foreign):
        report.missed.append(fault)
        print(f"fault: {fault}")


def tab_of(name: str) -> str:
    return f'[role=tab]:has-text("{name}")'


def _record(report: AimReport, name: str, found: Sequence[Click], aim: float) -> None:
    report.record(name, statistics.median(click.last for click in found), "ms", aim)
    ends = [click.on_server for click in found if click.on_server is not None]
    report.record("  of which on the server", statistics.median(ends) if ends else float("nan"), "ms")


def largest(page: Page) -> float:
    size: float = page.evaluate("() => Math.max(...__seen.got.map((note) => note.size))")
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--profiles", type=int, default=100)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--clicks", type=int, default=5)
    options = parser.parse_args()
    report = AimReport()
    with tempfile.TemporaryDirectory(prefix="chainproof-timelines-page-") as folder:
        home = Path(folder)
        profiles = build_profiles(options.profiles)
        file = home / "profiles.json"
        file.write_bytes(orjson.dumps({name: store.fields(profile) for name, profile in profiles.items()}))
        key = fill(home, profiles)
        port, place = free_port(), free_port()
        environment = service_environment(
            home,
            port,
            CHAINPROOF_PROFILES=str(file),
            CHAINPROOF_API_KEY=key,
            CHAINPROOF_DASHBOARD_PORT=str(place),
        )
        serve = ["-m", "backend.cli", "serve", "--no-worker"]
        base = f"http://127.0.0.1:{place}"
        with (
            process(serve, environment, f"http://127.0.0.1:{port}/readyz"),
            process(["-m", "backend.cli", "dashboard"], environment, f"{base}/_stcore/health"),
            bare_streamlit(home) as (bare, _),
            open_visitor(base) as reader,
        ):
            visits(reader, bare, options, report)
            clicks(reader, options, report)
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
