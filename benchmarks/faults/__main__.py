"""``python -m benchmarks.faults [--only NAME] [--store sqlite|postgresql] [--rounds N]``

Injects faults into a running service over its own store while data of all kinds is written to it. At the end
it compares what was acknowledged with what is stored. The exit code is 1 if something was lost or duplicated,
or if an aim was missed.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from benchmarks.aim_report import AimReport
from benchmarks.faults import clock, disk, kills, postgres_gone, power, providers, redis_gone
from benchmarks.faults.stores import StoreName

Fault = Callable[[AimReport, StoreName, Path, argparse.Namespace], None]


def _kills(report: AimReport, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    rounds = options.rounds or 5
    kills.run(report, store, folder, seeds=rounds, kills=options.kills, workers=options.workers)


def _power(report: AimReport, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    power.run(report, store, folder, rounds=options.rounds or 20)


def _disk(report: AimReport, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    disk.run(report, store, folder, rounds=options.rounds or 2)


def _clock(report: AimReport, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    for number in range(options.rounds or 1):
        place = folder / str(number)
        place.mkdir()
        clock.run(report, store, place)


def _providers(report: AimReport, store: StoreName, folder: Path, _: argparse.Namespace) -> None:
    providers.run(report, store, folder)


def _gone(report: AimReport, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    if store == "postgresql":
        postgres_gone.run(report, folder, rounds=options.rounds or 2)


def _redis(report: AimReport, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    redis_gone.run(report, store, folder, rounds=options.rounds or 2)


FAULTS: dict[str, Fault] = {
    "kills": _kills,
    "power": _power,
    "disk": _disk,
    "clock": _clock,
    "providers": _providers,
    "postgresql-gone": _gone,
    "redis-gone": _redis,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=list(FAULTS), action="append", help="may be repeated")
    parser.add_argument("--store", choices=get_args(StoreName), action="append", help="may be repeated")
    parser.add_argument("--rounds", type=int, help="how often; each kind has its own default")
    parser.add_argument("--kills", type=int, default=20, help="of each round of kills")
    parser.add_argument("--workers", type=int, default=1, help="HTTP processes of each service")
    options = parser.parse_args()
    report = AimReport()
    for name in options.only or FAULTS:
        for store in options.store or get_args(StoreName):
            print(f"\n== {name}, {store}", flush=True)
            with tempfile.TemporaryDirectory(prefix="chainproof-faults-") as folder:
                FAULTS[name](report, store, Path(folder), options)
    print("\n" + ("missed: " + "; ".join(report.missed) if report.missed else "all aims reached"))
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
