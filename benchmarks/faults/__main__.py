"""``python -m benchmarks.faults [--only NAME] [--store sqlite|postgresql] [--rounds N]``

Puts faults under a service at work over a store of its own, while all kinds of things are written to it,
and compares at the end what was acknowledged with what is there. Ends with exit code 1 when something was
lost or doubled, or an aim was missed.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from benchmarks.faults import clock, disk, kills, postgres_gone, power, providers, redis_gone
from benchmarks.faults.stores import StoreName
from benchmarks.judge import Judge

Fault = Callable[[Judge, StoreName, Path, argparse.Namespace], None]


def _kills(judge: Judge, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    rounds = options.rounds or 5
    kills.run(judge, store, folder, seeds=rounds, kills=options.kills, workers=options.workers)


def _power(judge: Judge, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    power.run(judge, store, folder, rounds=options.rounds or 20)


def _disk(judge: Judge, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    disk.run(judge, store, folder, rounds=options.rounds or 2)


def _clock(judge: Judge, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    for number in range(options.rounds or 1):
        place = folder / str(number)
        place.mkdir()
        clock.run(judge, store, place)


def _providers(judge: Judge, store: StoreName, folder: Path, _: argparse.Namespace) -> None:
    providers.run(judge, store, folder)


def _gone(judge: Judge, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    if store == "postgresql":
        postgres_gone.run(judge, folder, rounds=options.rounds or 2)


def _redis(judge: Judge, store: StoreName, folder: Path, options: argparse.Namespace) -> None:
    redis_gone.run(judge, store, folder, rounds=options.rounds or 2)


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
    judge = Judge()
    for name in options.only or FAULTS:
        for store in options.store or get_args(StoreName):
            print(f"\n== {name}, {store}", flush=True)
            with tempfile.TemporaryDirectory(prefix="chainproof-faults-") as folder:
                FAULTS[name](judge, store, Path(folder), options)
    print("\n" + ("missed: " + "; ".join(judge.missed) if judge.missed else "all aims reached"))
    sys.exit(1 if judge.missed else 0)


if __name__ == "__main__":
    main()
