"""Generates labelled sample runs that are equal everywhere on a given day.

Six profiles run 24 cases once a day. Everything depends on the seed, the profile and the day, not on the
requested span, so that a longer span contains the same runs and ids. Events repeat by the calendar: on any
day, the newest 42 passes (the 1,024 runs of a listing) contain a regression of one profile and its end, a
change of another's model, and a burst of infrastructure failures in a third.

Within a pass, random deviations are stratified over the cases, like dealing a deck of cards. Single runs vary
as real ones do, but whole passes hardly vary, so that chance alone never raises an alert.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from statistics import NormalDist
from typing import Any

from backend.formats.timestamps import write_instant
from backend.timelines.model import Metrics, Profile, Run, ScoreAdjustment
from backend.timelines.sample.catalogue import CASES, GAINS, LOSSES, Loss
from backend.timelines.sample.random_numbers import RandomNumbers

MAX_SCORE = 100
MIN_PASS_POINTS = 60
"""Points from which a run succeeds."""
_LUCK = NormalDist(0, 0.11)
_CASES = [(kind, case, share) for kind, cases in CASES.items() for case, share in cases.items()]

FALL_PERIOD_DAYS, FALL_DAYS, FALL_SHARE = 30, 14, 0.09
"""Days between two regressions, days that one lasts, and the share of points that it costs."""
MODEL_PERIOD_DAYS = 28
BURST_PERIOD_DAYS, BURST_DAYS, BURST_SHARE = 21, 2, 0.6


@dataclass(frozen=True, slots=True)
class _Agent:
    """An agent. ``level`` is added to the share of every case, ``hour`` is the start of a pass, ``cost`` the
    cost of a run in USD."""

    profile: Profile
    level: float
    hour: int
    cost: float
    reads: int
    falls: bool = False
    changes_model: bool = False
    bursts: bool = False


def _made_with(model: str, vendor: str, agent: str = "sample agent", cloud: str = "sample cloud") -> Profile:
    return Profile(agent, f"sample-{model}", f"sample vendor {vendor}", cloud)


_AGENTS = {
    "sample Harbor Large": _Agent(_made_with("harbor-large-2", "A"), 0.12, 1, 0.94, 14),
    "sample Harbor Small": _Agent(_made_with("harbor-small-2", "A"), 0.04, 2, 0.21, 11, falls=True),
    "sample Lantern": _Agent(_made_with("lantern-1", "B"), 0.06, 3, 0.48, 9, changes_model=True),
    "sample Quarry": _Agent(
        _made_with("quarry-70b", "C", cloud="sample machines"), -0.06, 4, 0.08, 7, bursts=True
    ),
    "sample Meadow": _Agent(_made_with("meadow-3", "D"), -0.02, 5, 0.13, 8),
    "sample Meadow Reader": _Agent(_made_with("meadow-3", "D", agent="sample reader"), -0.016, 6, 0.17, 16),
}


def sample_profiles() -> dict[str, Profile]:
    """Return the sample's profiles by name; every name begins with ``sample``."""
    return {name: agent.profile for name, agent in _AGENTS.items()}


def sample_runs(profile: str, seed: int, since: datetime, until: datetime) -> list[Run]:
    """Generate the runs of one of :func:`sample_profiles` that start in [``since``, ``until``), oldest first.

    The times must be timezone-aware. Raises :class:`KeyError` for another profile.
    """
    agent = _AGENTS[profile]
    first, last = since.astimezone(UTC).date(), until.astimezone(UTC).date()
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [run for day in days for begun, run in _pass(profile, agent, seed, day) if since <= begun < until]


def is_in_fall(day: date) -> bool:
    """True if ``day`` is in a regression of its profile."""
    return day.toordinal() % FALL_PERIOD_DAYS < FALL_DAYS


def _pass(name: str, agent: _Agent, seed: int, day: date) -> Iterator[tuple[datetime, Run]]:
    chance = RandomNumbers(f"{seed}:{name}:{day.isoformat()}")
    order = chance.shuffled(_CASES)
    # One card of each height for every case: the sum of luck is nearly the same in each pass.
    cards = chance.shuffled(range(len(order)))
    begun = datetime.combine(day, time(agent.hour), UTC) + timedelta(seconds=chance.whole(900))
    for (kind, case, share), card in zip(order, cards, strict=True):
        luck = _LUCK.inv_cdf((card + 0.25 + chance.fraction() / 2) / len(order))
        took = timedelta(seconds=round(chance.between(60, 420)))
        known: dict[str, Any] = {
            "run_id": _run_id(name, day, case),
            "timestamp": write_instant(begun),
            "finished_at": write_instant(begun + took),
            "case_id": case,
            "profile": name,
            "max_score": MAX_SCORE,
            "raw_score": MAX_SCORE,
            "agent": agent.profile.provider,
            "model": _model(agent, day),
        }
        if _broken(agent, day, chance):
            yield begun, Run(**known, **_machinery_failure(chance))
        else:
            aimed = share + agent.level + luck + _shift(agent, case, day)
            yield begun, Run(**known, **_scored(agent, kind, aimed, chance))
        begun += took + timedelta(seconds=5)


def _run_id(name: str, day: date, case: str) -> str:
    """Build a run id such as ``sample-harbor-small-20260314-wallet-sweep-dust``."""
    slug = name.lower().replace(" ", "-")
    return f"{slug}-{day:%Y%m%d}-{case.replace('/', '-')}"


def _model(agent: _Agent, day: date) -> str | None:
    """Return the run's own model if it is not the profile's."""
    if not agent.changes_model:
        return None
    return f"sample-lantern-{day.toordinal() // MODEL_PERIOD_DAYS % 90 + 10}"


def _shift(agent: _Agent, case: str, day: date) -> float:
    """Return the shift of a case on a day: a regression, or another model that is better at some cases."""
    if agent.falls and is_in_fall(day):
        return -FALL_SHARE
    if agent.changes_model:
        place = [each for _, each, _ in _CASES].index(case)
        turn = day.toordinal() // MODEL_PERIOD_DAYS
        return 0.08 if (place + turn) % 2 else -0.08
    return 0.0


def _broken(agent: _Agent, day: date, chance: RandomNumbers) -> bool:
    return (
        agent.bursts and day.toordinal() % BURST_PERIOD_DAYS < BURST_DAYS and chance.fraction() < BURST_SHARE
    )


def _machinery_failure(chance: RandomNumbers) -> dict[str, Any]:
    error = chance.one_of(
        (
            "The sandbox could not be started: no space left on device.",
            "The provider answered 503 to each of 5 attempts.",
        )
    )
    lost = ScoreAdjustment("environment_failed", float(MAX_SCORE), error)
    return {
        "success": False,
        "total_score": 0.0,
        "normalized_score": 0.0,
        "deductions": (lost,),
        "error": error,
        "machinery_failure": True,
    }


def _scored(agent: _Agent, kind: str, aimed: float, chance: RandomNumbers) -> dict[str, Any]:
    total = round(MAX_SCORE * min(max(aimed, 0.0), 1.0))
    bonuses = _bonuses(total, chance)
    lost = MAX_SCORE - total + sum(int(bonus.points) for bonus in bonuses)
    reads = max(1, round(agent.reads * chance.between(0.6, 1.5)))
    writes = max(1, round(reads * chance.between(0.25, 0.8)))
    coverage = min(1.0, max(0.0, 0.25 + agent.reads / 40 + 0.5 * (aimed - 0.6) + chance.normal(0.12)))
    return {
        "success": total >= MIN_PASS_POINTS,
        "total_score": float(total),
        "normalized_score": total / MAX_SCORE,
        "metrics": Metrics(reads, writes, chance.whole(6), round(reads / writes, 3), round(coverage, 3)),
        "deductions": tuple(_deductions(LOSSES[kind], lost, chance)),
        "bonuses": bonuses,
        "cost_usd": round(agent.cost * chance.between(0.6, 1.6), 4),
        "machinery_failure": False,
    }


def _bonuses(total: int, chance: RandomNumbers) -> tuple[ScoreAdjustment, ...]:
    """Add an occasional bonus to a good run."""
    if total < 70 or chance.fraction() > 0.3:
        return ()
    gain = chance.one_of(GAINS)
    return (ScoreAdjustment(gain.name, float(gain.points), gain.description),)


def _deductions(losses: tuple[Loss, ...], lost: int, chance: RandomNumbers) -> Iterator[ScoreAdjustment]:
    """Split ``lost`` whole points over up to three reasons, the first with the largest part."""
    left = list(losses)
    for turn in range(3):
        if lost <= 0:
            return
        loss = chance.one_of(left, [each.weight for each in left])
        left.remove(loss)
        points = lost if turn == 2 or lost < 8 else round(lost * chance.between(0.5, 0.9))
        yield ScoreAdjustment(loss.name, float(points), loss.description)
        lost -= points
