"""Measures the Timelines page as readers experience it, with many profiles and full listings.

    python -m benchmarks.timelines_page [--profiles 100] [--visits 5] [--clicks 5]

It fills a store with 1,024 runs per profile over 40 cases; every tenth profile declines. The service and the
dashboard run in separate processes. Chromium visits the page until the chart of scores is drawn and no script
runs, with an empty cache (cold) and again (warm). Then it measures clicks, from pointer down to the last
change before the page is idle. A bare Streamlit page shows how slow the machine is. The exit code is 1 if an
aim is missed.
"""

import argparse
import random
import statistics
import sys
import tempfile
from argparse import Namespace
from collections.abc import Mapping
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
from backend.timelines.validation.run_validation import check
from benchmarks.aim_report import AimReport
from benchmarks.browser import Visitor, open_visitor
from benchmarks.servers import bare_streamlit, free_port, process, service_environment
from benchmarks.timelines import build_profiles, make_run

RUNS, CASES = 1_024, 40
PATH, DRAWN = "/timelines", ".st-key-tl_scores_chart .tl-lines-drawn"
BARE_DRAWN = "[data-testid=stMarkdownContainer] p"
CLICKS: Mapping[str, str] = {
    "a line hidden": ".st-key-tl_legend button >> nth=0",
    "the cases of an alert": ".st-key-tl_cases_of_0 button",
    "cases evened out": ".st-key-tl_centred label",
    "A and B swapped": ".st-key-tlp_swap button",
    "a case's runs": ".tlp-dots a >> nth=2",
    "a run": ".st-key-tlp_runs button.open >> nth=0",
    "the run before it": ".tlp-turn >> nth=0",
    "machinery failures kept (whole page)": ".st-key-tl_machinery label",
}
READY_AIM, CLICK_AIM, CHART_AIM = 1_500.0, 300.0, 1_000.0


def runs_of(chance: random.Random, profile: str, *, falls: bool) -> list[Run]:
    """In passes over the same cases; one that falls loses 0.15 in the last third."""
    found = []
    for number in range(RUNS):
        run = make_run(chance, profile, number)
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
    chance = random.Random(7)
    for number, name in enumerate(profiles):
        right = check(runs_of(chance, name, falls=number % 10 == 0), profile=name, decoded=True)
        store.add(database, "own", right.prepared, profiles)
    key = create_key(database, name="benchmark", scopes=("read",), now=datetime.now(UTC)).key
    database.dispose()
    return key


def visits(reader: Visitor, beside: str, options: Namespace, report: AimReport) -> None:
    cold, warm, bare = [], [], []
    for _ in range(options.visits):
        other = replace(reader, base=beside)
        with other.context() as context:
            bare.append(other.load(context, "/", BARE_DRAWN)[1].ready)
        with reader.context() as context:
            page, load = reader.load(context, PATH, DRAWN)
            cold.append(load)
            page.close()
            page, load = reader.load(context, PATH, DRAWN)
            warm.append(load)
            page.close()
    report.record("a bare Streamlit page, nothing cached", statistics.median(bare), "ms")
    report.record("ready, nothing cached", statistics.median(one.ready for one in cold), "ms")
    report.record("ready, warm", statistics.median(one.ready for one in warm), "ms", READY_AIM)
    report.record("  of which long tasks", statistics.median(one.long_tasks for one in warm), "ms")
    report.record("  layout shift", max(one.shift for one in (*cold, *warm)), "", 0.1)
    report.record("  over the socket", statistics.median(one.socket_kb for one in warm), "KiB")


def clicks(reader: Visitor, options: Namespace, report: AimReport) -> None:
    with reader.context() as context:
        page, _ = reader.load(context, PATH, DRAWN)
        report.record("largest message", largest(page) / 1000, "kB", CHART_AIM)
        for what, target in CLICKS.items():
            found = [reader.click(page, target) for _ in range(options.clicks)]
            report.record(what, statistics.median(one.last for one in found), "ms", CLICK_AIM)
            ends = [one.on_server for one in found if one.on_server is not None]
            report.record("  of which on the server", statistics.median(ends) if ends else float("nan"), "ms")
    for fault in sorted(reader.faults | reader.foreign):
        report.missed.append(fault)
        print(f"fault: {fault}")


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
        file.write_bytes(orjson.dumps({name: store.fields(each) for name, each in profiles.items()}))
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
