"""Fuzzes the service over HTTP for a long time: ``python -m benchmarks.fuzzing [--minutes 30]``.

A served process with its own data folder and a worker gets requests that Schemathesis generates from the
service's document, with all checks (``tests/support/openapi/fuzzing.py`` lists complaints that contradict the
contract). Most have a key for all scopes; part of the time there is no key, and only public operations may
answer. Then follow raw requests (``benchmarks/fuzzing/raw_requests.py``). The exit code is 1 if a check
failed, a response was a 5xx, or the log contains a traceback.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import orjson

from benchmarks import servers
from benchmarks.fuzzing import raw_requests
from tests.support.openapi import fuzzing

KEYLESS_SHARE = 0.1
"""Share of the time that is spent without a key."""


def run_fuzzing(base: str, key: str | None, seconds: int, seed: int, workers: int) -> fuzzing.FuzzingResult:
    document = httpx.get(f"{base}/openapi.json", timeout=30).json()
    more: dict[str, Any] = {
        "base-url": base,
        "max-time": max(seconds, 1),
        "seed": seed,
        "workers": workers,
        "request-timeout": 30,
    }
    if key is not None:
        more |= load_known_names(base, key)
    config = fuzzing.build_config(key, more=more, **{"max-examples": 200})
    return fuzzing.run_all(fuzzing.load_schema(document, config))


def load_known_names(base: str, key: str) -> dict[str, Any]:
    """Names of what is there, which no other answer leads to, for most of the requests."""
    with httpx.Client(base_url=base, headers={"CP-X-API-KEY": key}, timeout=30) as client:
        profiles = client.get("/v1/timelines", params={"limit": 1}).json()["profiles"]
        assets = [asset["id"] for asset in client.get("/assets").json()]
    names = {
        "profile": list(profiles),
        "run_id": [entry["run_id"] for profile in profiles.values() for entry in profile["entries"]],
        "asset": assets,
    }
    names = {name: values for name, values in names.items() if values}
    return {
        "dictionaries": {name: {"values": values} for name, values in names.items()},
        "parameters": {f"path.{name}": {"dictionary": name, "probability": 0.7} for name in names},
    }


def print_result(title: str, result: fuzzing.FuzzingResult, seconds: float) -> bool:
    """Print the counts; whether all is well."""
    print(f"\n{title}: {result.requests} requests in {seconds:.0f} s, {result.server_errors} of them 5xx")
    print("  answers ", format_counts(result.answers))
    print("  phases  ", format_counts(result.phases))
    print("  checks  ", format_counts(result.checks))
    print(f"  failures {len(result.failures)}, errors {len(result.errors)}")
    for (operation, check, name), details in result.failures.items():
        print(f"\n  {operation}: {check}: {name}\n    " + details.replace("\n", "\n    "))
    for error in result.errors[:20]:
        print("  error:", error[:300])
    return not (result.failures or result.errors or result.server_errors)


def count_tracebacks(log: str) -> Counter[str]:
    """How often which event was logged with the trace of which error."""
    found: Counter[str] = Counter()
    for line in log.splitlines():
        if "Traceback" in line:
            try:
                event = orjson.loads(line)
            except orjson.JSONDecodeError:
                found["(outside the log's form)"] += 1
                continue
            found[f"{event['event']}: {str(event.get('exception')).splitlines()[-1]}"] += 1
    return found


def format_counts(counts: Counter[Any]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.most_common())


def list_open_operations(result: fuzzing.FuzzingResult, document: dict[str, Any]) -> list[str]:
    """Operations behind the gate that gave a stranger anything but 401, 404 and 405."""
    guarded = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if operation.get("security")
    }
    return [
        f"{label}: {format_counts(answers)}"
        for label, answers in result.by_operation.items()
        if label in guarded and set(answers) - {401, 404, 405}
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="requests at one time")
    options = parser.parse_args()
    seconds, well = options.minutes * 60, True
    with tempfile.TemporaryDirectory(prefix="chainproof-fuzzing-") as folder:
        home, port, log = Path(folder) / "home", servers.free_port(), Path(folder) / "log"
        base = f"http://127.0.0.1:{port}"
        environment = servers.service_environment(home, port, CHAINPROOF_LOG_FORMAT="json")
        with servers.process(["-m", "backend.cli", "serve"], environment, f"{base}/readyz", log):
            key = (home / "local.key").read_text().strip()
            servers.wait_for_prices(base, key)
            for title, credential, share in (
                ("With a key", key, 1 - KEYLESS_SHARE),
                ("Without a key", None, KEYLESS_SHARE),
            ):
                began = time.monotonic()
                result = run_fuzzing(base, credential, int(seconds * share), options.seed, options.workers)
                well &= print_result(title, result, time.monotonic() - began)
                if credential is None:
                    strangers = list_open_operations(
                        result, httpx.get(f"{base}/openapi.json", timeout=30).json()
                    )
                    print("  let in:", strangers or "nobody")
                    well &= not strangers
            well &= raw_requests.send_all(port, key)
        traces = count_tracebacks(log.read_text(errors="replace"))
        print(f"\nTracebacks in the log: {sum(traces.values())}")
        for body, count in traces.most_common(10):
            print(f"  {count} times {body}")
    sys.exit(0 if well and not traces else 1)


if __name__ == "__main__":
    main()
