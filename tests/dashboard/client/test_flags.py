"""The background round over the assets' flags."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dashboard.client.fetched import Fetched, Problem
from dashboard.client.flags import EVERY_SECONDS, FlagWatch

IDS = ("bitcoin", "ether", "tether")


def answer(flags: Sequence[str] = (), error: Problem | None = None) -> Fetched[Any]:
    data = None if error else {"flags": list(flags)}
    return Fetched(data, datetime.now(UTC), False, error, "sample")


class Service:
    def __init__(self) -> None:
        self.answers: dict[str, Fetched[Any]] = {asset: answer() for asset in IDS}
        self.asked: list[str] = []
        self.rounds = threading.Semaphore(0)

    def __call__(self, asset_id: str) -> Fetched[Any]:
        self.asked.append(asset_id)
        if asset_id == IDS[-1]:
            self.rounds.release()
        return self.answers[asset_id]


def watch(service: Service, now: list[float]) -> FlagWatch:
    return FlagWatch(service, clock=lambda: now[0], pause=lambda _: None)


def test_a_round_finds_the_assets_with_flags() -> None:
    service = Service()
    service.answers["ether"] = answer(["divergent"])
    flags = watch(service, [0.0])
    flags.walk(IDS)
    assert flags.current(()) == {"ether": ("divergent",)}


def test_the_mapping_keeps_its_identity_until_a_flag_changes() -> None:
    service = Service()
    service.answers["ether"] = answer(["divergent"])
    flags = watch(service, [0.0])
    flags.walk(IDS)
    first = flags.current(())
    flags.walk(IDS)
    assert flags.current(()) is first
    service.answers["ether"] = answer()
    flags.walk(IDS)
    assert flags.current(()) == {}


def test_a_refusal_ends_the_round_and_the_last_flags_stand() -> None:
    service = Service()
    service.answers["bitcoin"] = answer(["conflict"])
    flags = watch(service, [0.0])
    flags.walk(IDS)
    service.answers["ether"] = answer(error=Problem("unreachable", "gone"))
    service.asked.clear()
    flags.walk(IDS)
    assert service.asked == ["bitcoin", "ether"]
    assert flags.current(()) == {"bitcoin": ("conflict",)}


def test_an_asset_that_is_gone_does_not_end_the_round() -> None:
    service = Service()
    service.answers["bitcoin"] = answer(error=Problem("not_found", "gone", status=404))
    service.answers["tether"] = answer(["depeg"])
    flags = watch(service, [0.0])
    flags.walk(IDS)
    assert flags.current(()) == {"tether": ("depeg",)}


def test_asking_starts_a_round_in_the_background_and_no_second_one_before_it_is_due() -> None:
    service, now = Service(), [0.0]
    flags = watch(service, now)
    assert flags.current(IDS) == {}
    assert service.rounds.acquire(timeout=10)
    flags.current(IDS)
    assert service.asked == list(IDS)
    for thread in threading.enumerate():
        if thread.name == "flags":
            thread.join(10)
    now[0] = EVERY_SECONDS
    flags.current(IDS)
    assert service.rounds.acquire(timeout=10)
    assert service.asked == list(IDS) * 2
