"""Checks the final state after all faults: acknowledged writes, jobs and files."""

from collections import Counter

import sqlalchemy as sa

from backend.extraction.tables import entity_sightings
from backend.jobs.tables import jobs
from backend.store.database import Database
from backend.timelines.tables import timeline_runs, timeline_versions
from benchmarks.aim_report import AimReport
from benchmarks.faults.ledger import Count
from benchmarks.faults.oauth_verdict import report_tokens
from benchmarks.faults.site import Site, measure_wait
from benchmarks.faults.writing import Writers

DRAIN_SECONDS = 240.0
UNFINISHED = ("pending", "running")


def count_unfinished(database: Database) -> int:
    query = sa.select(sa.func.count()).where(jobs.c.status.in_(UNFINISHED))
    with database.read() as connection:
        return connection.execute(query).scalar_one()


def check_final_state(report: AimReport, site: Site, writers: Writers, *, may_fail: bool = False) -> None:
    """Check a running site after its writers have stopped and all jobs have ended.

    With ``may_fail`` a job may have failed with an error sentence, such as a timeout after a clock jump.
    """
    database = site.store.database()
    try:
        drain_seconds = measure_wait(lambda: count_unfinished(database) == 0, DRAIN_SECONDS)
        report.record(
            "last job ended after",
            DRAIN_SECONDS if drain_seconds is None else drain_seconds,
            "s",
            DRAIN_SECONDS - 1,
        )
        report_tokens(report, site, writers.tokens)
        report_counts(report, writers, database)
        with database.read() as connection:
            failed = connection.execute(sa.select(jobs.c.error).where(jobs.c.status != "completed")).scalars()
            sentences = Counter(str(error) for error in failed)
            seen = sa.select(entity_sightings.c.job_id).distinct().subquery()
            strays = sa.select(sa.func.count()).where(
                seen.c.job_id.not_in(sa.select(jobs.c.id).where(jobs.c.status == "completed"))
            )
            report.record(
                "jobs published without being completed", connection.execute(strays).scalar_one(), "", 0
            )
            counted = connection.execute(sa.select(sa.func.sum(timeline_versions.c.runs))).scalar_one() or 0
            stored = connection.execute(sa.select(sa.func.count()).select_from(timeline_runs)).scalar_one()
        report.record(
            "jobs that failed, each with a sentence", sentences.total(), "", None if may_fail else 0
        )
        for sentence, n in sentences.most_common(5):
            print(f"    {n} times: {sentence}")
        report.record("runs counted beside those there", abs(counted - stored), "", 0)
        report.record("the writers' key is refused", site.nodes[0].status("/prices", site.key) != 200, "", 0)
    finally:
        database.dispose()
    report_refusals(report, writers)


def report_counts(report: AimReport, writers: Writers, database: Database) -> None:
    """Print a table of acknowledged and stored writes."""
    counts = writers.compare(database)
    total = sum(counts.values(), Count())
    printed_counts = {"in all": total} if report.quiet else {**counts, "in all": total}
    print(f"  {'':<12}{'acknowledged':>14}{'cut off':>10}{'lost':>6}{'doubled':>9}{'in part':>9}")
    for name, count in printed_counts.items():
        print(
            f"  {name:<12}{count.acknowledged:>14,}{count.unknown:>10,}"
            f"{count.lost:>6}{count.doubled:>9}{count.halved:>9}",
            flush=True,
        )
    report.record("acknowledged", total.acknowledged, "")
    report.record("lost", total.lost, "", 0)
    report.record("doubled", total.doubled, "", 0)
    report.record("stored in part", total.halved, "", 0)
    nothing = [name for name, count in counts.items() if not count.acknowledged]
    if not report.quiet:
        report.record("kinds of which nothing was acknowledged", len(nothing), "", 0)


def report_refusals(report: AimReport, writers: Writers) -> None:
    report.record("answers 503", writers.refusals.unavailable, "")
    report.record("answers other than 2xx and 503", len(writers.refusals.unexpected), "", 0)
    for text in writers.refusals.unexpected[:5]:
        print("   ", text)


def report_damage(report: AimReport, found: list[str]) -> None:
    report.record("damage that the store's own check finds", len(found), "", 0)
    for text in found[:5]:
        print("   ", text)
