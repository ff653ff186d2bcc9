"""Lists the evaluations of profiles with their scores, and what changed from one to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.entities.model import Language
from backend.formats.timestamps import write_instant
from backend.store.database import Database
from backend.timelines.analysis.evaluation_sentences import break_sentence, changes_sentence
from backend.timelines.analysis.evaluations import Evaluation, list_evaluations
from backend.timelines.columns.run_arrays import instant, select
from backend.timelines.evaluation_store import StoredEvaluation, load_evaluations
from backend.timelines.store_snapshot import Timeline
from backend.timelines.stored_columns import list_cut_notes, load_columns, share_runs

MAX_EVALUATIONS = 1024
"""Maximum number of evaluations in a response."""


@dataclass(frozen=True, slots=True)
class EvaluationFilter:
    """The newest ``limit`` evaluations of ``profiles`` that match every filter which is not null."""

    profiles: Sequence[str]
    suite: str | None = None
    revision: str | None = None
    limit: int = MAX_EVALUATIONS
    language: Language = "en"


def build_rows(
    database: Database, timelines: Mapping[str, Timeline], chosen: EvaluationFilter
) -> list[dict[str, Any]]:
    """Build a row for each evaluation, newest first. Raises :class:`~backend.errors.NotFound`.

    Infrastructure failures are left out of the scores. The neighbour of an evaluation is found before filters
    apply.
    """
    limits = share_runs(timelines, chosen.profiles)
    runs = select(load_columns(database, timelines, chosen.profiles, limits=limits))
    stored: dict[tuple[str, str], StoredEvaluation] = {}
    with database.read() as connection:
        for name in chosen.profiles:
            for row in load_evaluations(connection, timelines[name].realm, name):
                stored[name, row.evaluation_id] = row
    found = sorted(list_evaluations(runs), key=_get_order, reverse=True)
    rows = (
        _build_row(
            evaluation,
            runs.profiles[evaluation.profile],
            stored.get((runs.profiles[evaluation.profile], evaluation.id)),
            chosen.language,
        )
        for evaluation in found
    )
    return [row for row in rows if _matches(row, chosen)][: chosen.limit]


def list_notes(timelines: Mapping[str, Timeline], chosen: EvaluationFilter) -> list[str]:
    """List the sentences about runs that are too many to be read. All profiles must be known."""
    return list_cut_notes(timelines, share_runs(timelines, chosen.profiles), chosen.language)


def _get_order(evaluation: Evaluation) -> tuple[int, int, str]:
    return evaluation.started_us, evaluation.profile, evaluation.id


def _matches(row: dict[str, Any], chosen: EvaluationFilter) -> bool:
    filters = ((chosen.suite, row["suite"]), (chosen.revision, row["revision"]))
    return all(wanted is None or wanted == actual for wanted, actual in filters)


def _build_row(
    evaluation: Evaluation, profile: str, stored: StoredEvaluation | None, language: Language
) -> dict[str, Any]:
    started = evaluation.started_us if stored is None else min(stored.started_us, evaluation.started_us)
    finished = None if stored is None else stored.finished_us
    mean, values = evaluation.mean, evaluation.values
    text = changes_sentence(evaluation, language)
    if evaluation.breaks and evaluation.shared is not None:
        text = f"{text} {break_sentence(evaluation.shared, len(evaluation.cases), language)}"
    return {
        "profile": profile,
        "evaluation_id": evaluation.id,
        "suite": evaluation.suite,
        "revision": values["revision"] or None,
        "config_digest": values["config_digest"] or None,
        "model": values["model"] or None,
        "source": None if stored is None else stored.source,
        "started_at": write_instant(instant(started)),
        "finished_at": None if finished is None else write_instant(instant(finished)),
        "cases": len(evaluation.cases),
        "runs": evaluation.runs,
        "mean": mean.mean,
        "interval": None if mean.interval is None else [*mean.interval],
        "shared_cases": evaluation.shared,
        "line_breaks": evaluation.breaks,
        "changes": [
            {"field": change.field, "before": change.before, "after": change.after}
            for change in evaluation.changes
        ],
        "text": text,
    }
