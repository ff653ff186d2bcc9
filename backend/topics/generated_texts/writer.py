"""Has a model word what is due, a little each minute, and stores what passes the check.

Safe to repeat and to kill at any moment: an answer is kept before anything is made of it, and a text is
stored in one transaction with the record of it. A model that fails ends the tick; templates serve meanwhile.
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
from backend.topics.generated_texts.due_texts import Due, due
from backend.topics.insights.facts import staged
from backend.topics.insights.sections import parts
from backend.topics.insights.service import InsightService
from backend.topics.model import Realm, Topic, TopicText
from backend.topics.store import generation_records, topic_store
from backend.topics.store.generation_records import Outcome, Record

log = structlog.get_logger(__name__)

MOST_CALLS, MOST_TOKENS = 10, 60_000
"""What one tick may ask for."""
MOST_LOOKS = 60
"""Texts looked at in one tick, most of which turn out to be as they were."""
LONGEST_TICK = timedelta(seconds=40)
LONGEST_REASON = 500


class _Made(NamedTuple):
    """What came of one text. ``text`` is a translation to place."""

    outcome: Outcome
    inputs: str
    reason: str = ""
    body: Mapping[str, str] = {}
    text: TopicText | None = None


class Writer:
    """Words texts for one process."""

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
        """One tick; gives how many texts came to which outcome."""
        wanted = self._due(now)
        done: Counter[str] = Counter()
        allowance = Allowance(MOST_CALLS, MOST_TOKENS)
        for one in wanted[:MOST_LOOKS]:
            if self._now() - now > LONGEST_TICK:
                break
            try:
                outcome = self._work(one, allowance, now)
            except ModelFailed as failure:
                log.info("model_texts_postponed", reason=failure.message, due=len(wanted) - done.total())
                break
            done[outcome] += 1
        if done:
            log.info("model_texts_written", **done)
        return done

    def _due(self, now: datetime) -> Sequence[Due]:
        with self._database.read() as connection:
            return due(
                connection,
                realms=self._realms,
                own_address=self._settings.api_url,
                words=self._settings.model_topics,
                asked_by=self._asked_by,
                now=now,
            )

    def _work(self, wanted: Due, allowance: Allowance, now: datetime) -> str:
        """Raises :class:`ModelFailed` where the model gives nothing now, for this text or any other."""
        topic = topic_store.load_topic(self._database, wanted.topic_id)
        if topic is None or topic.id != wanted.topic_id:
            return "gone"
        try:
            made = (
                self._translation(wanted, topic, allowance)
                if wanted.kind == "translation"
                else self._insight(wanted, topic, allowance, now)
            )
        except AnswerUnusable as failure:
            made = _Made("unusable", "", failure.message)
        if made is None:
            return "gone"
        record = self._record(wanted, topic, made, now)
        if made.outcome == "same" and wanted.known is not None:
            with self._database.write() as connection:
                generation_records.confirm_record(connection, wanted.known, wanted.updated_at)
            return "same"
        if not generated_text_store.place(self._database, record, made.text):
            return "overtaken"
        metrics.MODEL_TEXTS.labels(wanted.kind, made.outcome).inc()
        if made.reason:
            log.info(
                "model_text_refused",
                topic=topic.id,
                language=wanted.language,
                kind=wanted.kind,
                reason=record.reason,
            )
        return made.outcome

    def _translation(self, wanted: Due, topic: Topic, allowance: Allowance) -> _Made | None:
        from_language = translation.source_of(topic, wanted.language)
        if from_language is None:
            return None
        source = topic.texts[from_language]
        inputs = generation_records.hash_text(source)
        settled = wanted.is_there or (
            wanted.known is not None and wanted.known.outcome in ("dropped", "nothing")
        )
        if settled and self._is_same(wanted, inputs):
            return _Made("same", inputs)
        problem = translation.problem_of(source)
        if problem:
            return _Made("nothing", inputs, problem)
        made = translation.translated(
            source,
            from_language,
            wanted.language,
            self._rules.current,
            lambda shown: prompts.translation(self._model, shown, from_language, wanted.language, allowance),
        )
        outcome: Outcome = "dropped" if made.text is None else "partly" if made.faults else "written"
        return _Made(outcome, inputs, "; ".join(made.faults), text=made.text)

    def _insight(self, wanted: Due, topic: Topic, allowance: Allowance, now: datetime) -> _Made | None:
        if wanted.language not in topic.texts:
            return None
        facts = self._insights.facts(topic, wanted.language, staged(topic.published_at, now))
        found = parts(facts, wanted.language, self._settings.api_url)
        inputs = insight_text.digest_of(facts, found)
        if self._is_same(wanted, inputs):
            return _Made("same", inputs)
        if not insight_text.is_worth_wording(facts):
            return _Made("nothing", inputs, "")
        if insight_text.has_instructions(facts, found):
            return _Made("nothing", inputs, "the text gives instructions to whoever reads it")
        made = insight_text.worded(
            facts,
            found,
            wanted.language,
            self._rules.current,
            lambda shown: prompts.insight(self._model, shown, wanted.language, allowance),
        )
        outcome: Outcome = "dropped" if not made.by_basis else "partly" if made.faults else "written"
        return _Made(outcome, inputs, "; ".join(made.faults), made.by_basis)

    def _is_same(self, wanted: Due, inputs: str) -> bool:
        known = wanted.known
        usable = known is not None and known.outcome != "unusable" and known.stage == wanted.stage
        return bool(usable and known and known.asked_by == self._asked_by and known.inputs == inputs)

    def _record(self, wanted: Due, topic: Topic, made: _Made, now: datetime) -> Record:
        from_language = translation.source_of(topic, wanted.language) if made.text is not None else None
        return Record(
            topic_id=wanted.topic_id,
            language=wanted.language,
            kind=wanted.kind,
            outcome=made.outcome,
            reason=made.reason[:LONGEST_REASON],
            model=self._model.name,
            asked_by=self._asked_by,
            inputs=made.inputs,
            stage=wanted.stage,
            from_language=from_language,
            as_of=wanted.updated_at,
            made_at=now,
            body=made.body,
        )
