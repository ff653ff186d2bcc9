"""Has a model write the due texts, a few each minute, and stores the ones that pass the check.

A tick can be repeated and killed at any time: a response is cached before it is processed, and a text is
stored in one transaction with its record. A failing model ends the tick; templates serve meanwhile.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog

from backend.articles.rules.active_rules import ActiveRules
from backend.formats.timestamps import Clock, utc_now
from backend.language_model.client import LanguageModel
from backend.language_model.errors import AnswerUnusable, ModelFailed
from backend.language_model.spending_limits import Allowance
from backend.runtime import metrics
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.generated_texts import generated_text_store, insight_text, prompts, translation
from backend.topics.generated_texts.due_texts import DueText, list_due_texts
from backend.topics.insights.facts import find_stage_end
from backend.topics.insights.sections import build_parts
from backend.topics.insights.service import InsightService
from backend.topics.model import Realm, Topic, TopicText
from backend.topics.store import generation_records, topic_store
from backend.topics.store.generation_records import Outcome, Record

log = structlog.get_logger(__name__)

MAX_CALLS, MAX_TOKENS = 10, 60_000
"""Limits of one tick."""
MAX_EXAMINED = 60
"""Texts examined in one tick; most of them are unchanged."""
MAX_TICK_TIME = timedelta(seconds=40)
MAX_REASON_CHARS = 500


class _Result(NamedTuple):
    """The result for one text. ``text`` is a translation to store."""

    outcome: Outcome
    inputs: str
    reason: str = ""
    body: Mapping[str, str] = {}
    text: TopicText | None = None


class Writer:
    """Writes texts for one process."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        rules: ActiveRules,
        model: LanguageModel,
        realms: tuple[Realm, ...],
        *,
        now: Clock = utc_now,
    ) -> None:
        self._settings = settings
        self._database = database
        self._rules = rules
        self._model = model
        self._realms = realms
        self._now = now
        self._insights = InsightService(settings, database, rules, realms, now=now)
        self._asked_by = prompts.asked_by(model.name)

    def write(self, now: datetime) -> Counter[str]:
        """Run one tick; returns the number of texts by outcome."""
        due_texts = self._list_due(now)
        counts_by_outcome: Counter[str] = Counter()
        allowance = Allowance(MAX_CALLS, MAX_TOKENS)
        for due in due_texts[:MAX_EXAMINED]:
            if self._now() - now > MAX_TICK_TIME:
                break
            try:
                outcome = self._write_text(due, allowance, now)
            except ModelFailed as failure:
                log.info(
                    "model_texts_postponed",
                    reason=failure.message,
                    due=len(due_texts) - counts_by_outcome.total(),
                )
                break
            counts_by_outcome[outcome] += 1
        if counts_by_outcome:
            log.info("model_texts_written", **counts_by_outcome)
        return counts_by_outcome

    def _list_due(self, now: datetime) -> Sequence[DueText]:
        with self._database.read() as connection:
            return list_due_texts(
                connection,
                realms=self._realms,
                own_address=self._settings.api_url,
                kinds=self._settings.model_topics,
                asked_by=self._asked_by,
                now=now,
            )

    def _write_text(self, due: DueText, allowance: Allowance, now: datetime) -> str:
        """Write one text and store it. Raises :class:`ModelFailed` if the model is unavailable for any
        text."""
        topic = topic_store.load_topic(self._database, due.topic_id)
        if topic is None or topic.id != due.topic_id:
            return "gone"
        try:
            result = (
                self._translate(due, topic, allowance)
                if due.kind == "translation"
                else self._write_insight(due, topic, allowance, now)
            )
        except AnswerUnusable as failure:
            result = _Result("unusable", "", failure.message)
        if result is None:
            return "gone"
        record = self._build_record(due, topic, result, now)
        if result.outcome == "same" and due.record is not None:
            with self._database.write() as connection:
                generation_records.confirm_record(connection, due.record, due.updated_at)
            return "same"
        if not generated_text_store.store_text(self._database, record, result.text):
            return "overtaken"
        metrics.MODEL_TEXTS.labels(due.kind, result.outcome).inc()
        if result.reason:
            log.info(
                "model_text_refused",
                topic=topic.id,
                language=due.language,
                kind=due.kind,
                reason=record.reason,
            )
        return result.outcome

    def _translate(self, due: DueText, topic: Topic, allowance: Allowance) -> _Result | None:
        from_language = translation.find_source_language(topic, due.language)
        if from_language is None:
            return None
        source = topic.texts[from_language]
        inputs = generation_records.hash_text(source)
        is_settled = due.exists or (due.record is not None and due.record.outcome in ("dropped", "nothing"))
        if is_settled and self._is_same(due, inputs):
            return _Result("same", inputs)
        problem = translation.find_exclusion_reason(source)
        if problem:
            return _Result("nothing", inputs, problem)
        result = translation.translate(
            source,
            from_language,
            due.language,
            self._rules.current,
            lambda model_inputs: prompts.request_translation(
                self._model, model_inputs, from_language, due.language, allowance
            ),
        )
        outcome: Outcome = "dropped" if result.text is None else "partly" if result.faults else "written"
        return _Result(outcome, inputs, "; ".join(result.faults), text=result.text)

    def _write_insight(
        self, due: DueText, topic: Topic, allowance: Allowance, now: datetime
    ) -> _Result | None:
        if due.language not in topic.texts:
            return None
        facts = self._insights.facts(topic, due.language, find_stage_end(topic.published_at, now))
        parts = build_parts(facts, due.language, self._settings.api_url)
        inputs = insight_text.hash_inputs(facts, parts)
        if self._is_same(due, inputs):
            return _Result("same", inputs)
        if not insight_text.is_worth_writing(facts):
            return _Result("nothing", inputs, "")
        if insight_text.has_instructions(facts, parts):
            return _Result("nothing", inputs, "the text contains a possible prompt injection")
        result = insight_text.write_parts(
            facts,
            parts,
            due.language,
            self._rules.current,
            lambda model_inputs: prompts.request_insight(self._model, model_inputs, due.language, allowance),
        )
        outcome: Outcome = "dropped" if not result.by_basis else "partly" if result.faults else "written"
        return _Result(outcome, inputs, "; ".join(result.faults), result.by_basis)

    def _is_same(self, due: DueText, inputs: str) -> bool:
        record = due.record
        usable = record is not None and record.outcome != "unusable" and record.stage == due.stage
        return bool(usable and record and record.asked_by == self._asked_by and record.inputs == inputs)

    def _build_record(self, due: DueText, topic: Topic, result: _Result, now: datetime) -> Record:
        from_language = (
            translation.find_source_language(topic, due.language) if result.text is not None else None
        )
        return Record(
            topic_id=due.topic_id,
            language=due.language,
            kind=due.kind,
            outcome=result.outcome,
            reason=result.reason[:MAX_REASON_CHARS],
            model=self._model.name,
            asked_by=self._asked_by,
            inputs=result.inputs,
            stage=due.stage,
            from_language=from_language,
            as_of=due.updated_at,
            made_at=now,
            body=result.body,
        )
