"""Generates labelled sample runs that are equal everywhere on a given day.

Six profiles run 24 cases once a day. Everything depends on the seed, the profile and the day, not on the
requested span, so that a longer span contains the same runs and ids. Events repeat by the calendar: on any
day, the newest 42 passes (the 1,024 runs of a listing) contain a regression of one profile and its end, a
change of another's model, and a burst of infrastructure failures in a third. The whole passes of a fourth
wobble, as those of a loaded provider do.

Runs vary independently, as real ones do. Chance alone therefore raises an alert now and then, at the rate
that the alert states.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from backend.formats.timestamps import write_instant
from backend.timelines.model import Metrics, Profile, Run, ScoreAdjustment
from backend.timelines.sample.catalogue import CASES, GAINS, LOSSES, Loss
from backend.timelines.sample.random_numbers import RandomNumbers

MAX_SCORE = 100
MIN_PASS_POINTS = 60
"""Points from which a run succeeds."""
SUITE = "sample tasks"
_DEVIATION = 0.11
_CASES = [(kind, case, share) for kind, cases in CASES.items() for case, share in cases.items()]

FALL_PERIOD_DAYS, FALL_DAYS, FALL_SHARE = 30, 14, 0.09
"""Days between two regressions, days that one lasts, and the share of points that it costs."""
MODEL_PERIOD_DAYS = 28
BURST_PERIOD_DAYS, BURST_DAYS, BURST_SHARE = 21, 2, 0.6
WOBBLE = 0.025
"""Standard deviation of a whole pass of the profile that wobbles."""


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
    wobbles: bool = False


def _build_profile(
    model: str, vendor: str, agent: str = "sample agent", cloud: str = "sample cloud"
) -> Profile:
    return Profile(agent, f"sample-{model}", f"sample vendor {vendor}", cloud)


_AGENTS = {
    "sample Harbor Large": _Agent(_build_profile("harbor-large-2", "A"), 0.12, 1, 0.94, 14),
    "sample Harbor Small": _Agent(_build_profile("harbor-small-2", "A"), 0.04, 2, 0.21, 11, falls=True),
    "sample Lantern": _Agent(_build_profile("lantern-1", "B"), 0.06, 3, 0.48, 9, changes_model=True),
    "sample Quarry": _Agent(
        _build_profile("quarry-70b", "C", cloud="sample machines"), -0.06, 4, 0.08, 7, bursts=True
    ),
    "sample Meadow": _Agent(_build_profile("meadow-3", "D"), -0.02, 5, 0.13, 8, wobbles=True),
    "sample Meadow Reader": _Agent(
        _build_profile("meadow-3", "D", agent="sample reader"), -0.016, 6, 0.17, 16
    ),
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
    return [
        run
        for day in days
        for started_at, run in _generate_pass(profile, agent, seed, day)
        if since <= started_at < until
    ]


def is_in_fall(day: date) -> bool:
    """True if ``day`` is in a regression of its profile."""
    return day.toordinal() % FALL_PERIOD_DAYS < FALL_DAYS


def _generate_pass(name: str, agent: _Agent, seed: int, day: date) -> Iterator[tuple[datetime, Run]]:
    rng = RandomNumbers(f"{seed}:{name}:{day.isoformat()}")
    order = rng.shuffled(_CASES)
    wobble = rng.normal(WOBBLE) if agent.wobbles else 0.0
    started_at = datetime.combine(day, time(agent.hour), UTC) + timedelta(seconds=rng.whole(900))
    for kind, case, share in order:
        deviation = wobble + rng.normal(_DEVIATION)
        duration = timedelta(seconds=round(rng.between(60, 420)))
        run_fields: dict[str, Any] = {
            "run_id": _build_run_id(name, day, case),
            "timestamp": write_instant(started_at),
            "finished_at": write_instant(started_at + duration),
            "case_id": case,
            "profile": name,
            "max_score": MAX_SCORE,
            "raw_score": MAX_SCORE,
            "agent": agent.profile.provider,
            "model": _choose_model(agent, day),
            "evaluation_id": _build_run_id(name, day, "pass"),
            "suite": SUITE,
            "revision": _choose_revision(agent, day),
        }
        if _is_broken(agent, day, rng):
            yield started_at, Run(**run_fields, **_build_infrastructure_failure(rng))
        else:
            aimed = share + agent.level + deviation + _compute_shift(agent, case, day)
            yield started_at, Run(**run_fields, **_build_score(agent, kind, aimed, rng))
        started_at += duration + timedelta(seconds=5)


def _build_run_id(name: str, day: date, case: str) -> str:
    """Build a run id such as ``sample-harbor-small-20260314-wallet-sweep-dust``."""
    slug = name.lower().replace(" ", "-")
    return f"{slug}-{day:%Y%m%d}-{case.replace('/', '-')}"


def _choose_model(agent: _Agent, day: date) -> str | None:
    """Return the run's own model if it is not the profile's."""
    if not agent.changes_model:
        return None
    return f"sample-lantern-{day.toordinal() // MODEL_PERIOD_DAYS % 90 + 10}"


def _choose_revision(agent: _Agent, day: date) -> str:
    """Return the revision of the agent, which changes where a regression begins and ends."""
    turn = 2 * (day.toordinal() // FALL_PERIOD_DAYS) + (0 if is_in_fall(day) else 1) if agent.falls else 0
    return f"sample-{turn % 900 + 100}"


def _compute_shift(agent: _Agent, case: str, day: date) -> float:
    """Return the shift of a case on a day: a regression, or another model that is better at some cases."""
    if agent.falls and is_in_fall(day):
        return -FALL_SHARE
    if agent.changes_model:
        case_index = [case_name for _, case_name, _ in _CASES].index(case)
        turn = day.toordinal() // MODEL_PERIOD_DAYS
        return 0.08 if (case_index + turn) % 2 else -0.08
    return 0.0


def _is_broken(agent: _Agent, day: date, rng: RandomNumbers) -> bool:
    return agent.bursts and day.toordinal() % BURST_PERIOD_DAYS < BURST_DAYS and rng.fraction() < BURST_SHARE


def _build_infrastructure_failure(rng: RandomNumbers) -> dict[str, Any]:
    error = rng.one_of(
        (
            "The sandbox could not be started: no space left on device.",
            "The provider answered 503 to each of 5 attempts.",
        )
    )
    deduction = ScoreAdjustment("environment_failed", float(MAX_SCORE), error)
    return {
        "success": False,
        "total_score": 0.0,
        "normalized_score": 0.0,
        "deductions": (deduction,),
        "error": error,
        "infrastructure_failure": True,
    }


def _build_score(agent: _Agent, kind: str, aimed: float, rng: RandomNumbers) -> dict[str, Any]:
    total = round(MAX_SCORE * min(max(aimed, 0.0), 1.0))
    bonuses = _draw_bonuses(total, rng)
    lost_points = MAX_SCORE - total + sum(int(bonus.points) for bonus in bonuses)
    read_count = max(1, round(agent.reads * rng.between(0.6, 1.5)))
    write_count = max(1, round(read_count * rng.between(0.25, 0.8)))
    coverage = min(1.0, max(0.0, 0.25 + agent.reads / 40 + 0.5 * (aimed - 0.6) + rng.normal(0.12)))
    return {
        "success": total >= MIN_PASS_POINTS,
        "total_score": float(total),
        "normalized_score": total / MAX_SCORE,
        "metrics": Metrics(
            read_count, write_count, rng.whole(6), round(read_count / write_count, 3), round(coverage, 3)
        ),
        "deductions": tuple(_draw_deductions(LOSSES[kind], lost_points, rng)),
        "bonuses": bonuses,
        "cost_usd": round(agent.cost * rng.between(0.6, 1.6), 4),
        "infrastructure_failure": False,
    }


def _draw_bonuses(total: int, rng: RandomNumbers) -> tuple[ScoreAdjustment, ...]:
    """Add an occasional bonus to a good run."""
    if total < 70 or rng.fraction() > 0.3:
        return ()
    gain = rng.one_of(GAINS)
    return (ScoreAdjustment(gain.name, float(gain.points), gain.description),)


def _draw_deductions(
    losses: tuple[Loss, ...], lost_points: int, rng: RandomNumbers
) -> Iterator[ScoreAdjustment]:
    """Split ``lost_points`` whole points over up to three reasons, the first with the largest part."""
    remaining_losses = list(losses)
    for turn in range(3):
        if lost_points <= 0:
            return
        loss = rng.one_of(remaining_losses, [remaining_loss.weight for remaining_loss in remaining_losses])
        remaining_losses.remove(loss)
        points = lost_points if turn == 2 or lost_points < 8 else round(lost_points * rng.between(0.5, 0.9))
        yield ScoreAdjustment(loss.name, float(points), loss.description)
        lost_points -= points
