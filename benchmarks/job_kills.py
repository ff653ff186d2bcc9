"""Kill who submits and who works at random moments, and count what becomes of the jobs.

``python -m benchmarks.job_kills [--kills 100] [--seed 1] [--workers 2] [--postgres]``

Some jobs are short and run several in one workflow, one in four has three steps. One process submits
them with idempotency keys, and sends the last one again when it comes up after a kill. At the end each
accepted job must have ended exactly once and well, and been published exactly once; the steps that
were done twice are those that a kill interrupted. Ends with exit code 1 otherwise.
"""

import argparse
import json
import random
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import sqlalchemy as sa

from backend.db import Database, change_counters
from backend.jobs.tables import job_steps, jobs
from backend.settings import Settings
from benchmarks.job_crew import DONE, child, children, store
from tests.support.running import wait_for

Process = subprocess.Popen[bytes]


def kill_at_random(settings: Settings, started: list[Process], options: argparse.Namespace) -> Counter[str]:
    """Kill one of the crew, start another in its place, and so on; gives how many of which role."""
    chance, killed = random.Random(options.seed), Counter[str]()
    roles = ["submit"] + ["work"] * options.workers
    crew = [child(settings, role) for role in roles]
    started.extend(crew)
    for number in range(options.kills):
        wait_for(lambda: is_up(settings, crew[:1]) and is_up(settings, crew[1:]), "enough of the crew", 60)
        time.sleep(chance.uniform(0.0, 1.5))
        victim = chance.randrange(len(crew))
        crew[victim].kill()
        crew[victim].wait()
        killed[roles[victim]] += 1
        crew[victim] = child(settings, roles[victim], "--seed", str(number))
        started.append(crew[victim])
    crew[0].kill()  # whoever submits; those who work come to the end of what there is
    crew[0].wait()
    return killed


def is_up(settings: Settings, some: Sequence[Process]) -> bool:
    """Whether one of them does what it is there for."""
    return any((settings.home / f"working-{each.pid}").exists() for each in some)


def unfinished(database: Database) -> int:
    asked = sa.select(sa.func.count()).where(jobs.c.status.in_(("pending", "running")))
    with database.read() as connection:
        return connection.execute(asked).scalar_one()


def faults(settings: Settings, database: Database) -> dict[str, int]:
    """What must not be; all of it is zero when nothing was lost or doubled."""
    accepted = set()
    for line in (settings.home / "accepted-submitter").read_text().splitlines():
        if line.endswith("}"):  # a kill may have cut the line
            accepted.add(json.loads(line[line.rindex("{") :])["id"])
    with database.read() as connection:
        rows = connection.execute(sa.select(jobs.c.id, jobs.c.kind, jobs.c.status)).all()
        counters = {row.topic: row.n for row in connection.execute(sa.select(change_counters))}
        told = connection.execute(
            sa.select(job_steps.c.job_id, sa.func.count())
            .where(job_steps.c.finished_at.is_not(None))
            .group_by(job_steps.c.job_id)
        )
        finished_steps = {job_id: n for job_id, n in told}  # noqa: C416 - rows are no pairs to mypy
    completed = {row.id for row in rows if row.status == "completed"}
    published = {topic.removeprefix(DONE): n for topic, n in counters.items() if topic.startswith(DONE)}
    return {
        "accepted and lost": len(accepted - {row.id for row in rows}),
        "accepted and not completed": len(accepted - completed),
        "submitted twice": len(rows) - len(accepted) if len(rows) > len(accepted) + 1 else 0,
        "published without being completed, or not": len(completed ^ published.keys()),
        "published twice": sum(n != 1 for n in published.values()),
        "with steps missing": sum(
            row.kind == "sources" and finished_steps.get(row.id) != 3 for row in rows if row.id in completed
        ),
    }


def repeated_steps(settings: Settings) -> tuple[int, int]:
    """How many steps were done, and how many of them more than once."""
    done = Counter(
        tuple(line.split()[:2]) for line in (Path(settings.home) / "steps").read_text().splitlines()
    )
    return len(done), sum(n > 1 for n in done.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with store(postgres=options.postgres) as settings, children() as started:
        database = Database(settings.app_database_url)
        killed = kill_at_random(settings, started, options)
        began = time.monotonic()
        wait_for(lambda: unfinished(database) == 0, "the end of all jobs", 180)
        took = time.monotonic() - began
        found = faults(settings, database)
        with database.read() as connection:
            rows = connection.execute(sa.select(jobs.c.created_at, jobs.c.completed_at)).all()
        waits = [(row.completed_at - row.created_at).total_seconds() for row in rows]
        steps, repeated = repeated_steps(settings)
        print(f"{killed.total()} kills ({dict(killed)}), {len(rows)} jobs; the last ended {took:.1f} s later")
        print(f"from submission to the end: p50 {statistics.median(waits):.2f}, longest {max(waits):.1f} s")
        print(f"{steps} steps, {repeated} of them done again")
        print(f"faults: {found}")
        database.dispose()
    if any(found.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
