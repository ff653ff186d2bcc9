"""The alert rules and the Grafana dashboard are valid, and every metric that they name exists."""

import re
import subprocess
from pathlib import Path

import orjson
import pytest
import yaml
from prometheus_client import parser

from backend.runtime import metrics
from tests.support.test_session import prerequisites, requirements

ROOT = Path(__file__).parents[2]
ALERTS = ROOT / "deploy" / "alerts.yaml"
DASHBOARD = ROOT / "deploy" / "grafana-dashboard.json"
PAGE = ROOT / "docs" / "monitoring.md"
NAME = re.compile(r"\bchainproof_[a-z0-9_]+")
SERIES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}


def list_series() -> set[str]:
    """Names of the series in ``/metrics``, also of those that have not counted yet."""
    families = parser.text_string_to_metric_families(metrics.exposition()[0].decode())
    return {f"{family.name}{end}" for family in families for end in SERIES.get(family.type, ())}


def run_promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    promtool = prerequisites.promtool()
    requirements.skip_unless(promtool is not None, prerequisites.NO_PROMTOOL)
    return subprocess.run([str(promtool), *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("file", [ALERTS, DASHBOARD], ids=lambda file: file.name)
def test_every_metric_that_is_named_exists(file: Path) -> None:
    named = set(NAME.findall(file.read_text("utf-8")))
    assert named
    assert named <= list_series(), named - list_series()


def test_the_page_lists_every_metric_and_every_alert() -> None:
    text = PAGE.read_text("utf-8")
    families = parser.text_string_to_metric_families(metrics.exposition()[0].decode())
    expected = {
        f"{family.name}{'_total' if family.type == 'counter' else ''}"
        for family in families
        if family.name.startswith("chainproof_")
    }
    assert {name for name in NAME.findall(text) if not name.endswith("_created")} == {
        name for name in expected if not name.endswith("_created")
    }
    [group] = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
    assert re.findall(r"^\| `(Chainproof\w+)`", text, re.MULTILINE) == [
        rule["alert"] for rule in group["rules"]
    ]


def test_the_panels_of_the_dashboard_do_not_overlap() -> None:
    panels = orjson.loads(DASHBOARD.read_bytes())["panels"]
    cells = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in panels
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_promtool_accepts_the_rules_and_the_queries(tmp_path: Path) -> None:
    """The queries of the dashboard are checked as rules, with its variables filled in."""
    targets = [
        target for panel in orjson.loads(DASHBOARD.read_bytes())["panels"] for target in panel["targets"]
    ]
    queries = [target["expr"].replace("$__rate_interval", "5m") for target in targets]
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries)]
    as_rules = tmp_path / "queries.yaml"
    as_rules.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    checked = run_promtool("check", "rules", str(ALERTS), str(as_rules))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_alerts_fire_on_what_they_name_and_are_silent_on_a_healthy_service() -> None:
    checked = run_promtool("test", "rules", "tests/deploy/alerts_test.yaml")
    assert checked.returncode == 0, checked.stdout + checked.stderr
