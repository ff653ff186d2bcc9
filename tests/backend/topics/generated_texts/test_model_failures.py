"""Failures of the model: templates serve, ``doctor`` reports the failure, and writing resumes afterwards."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from backend.language_model.doctor_checks import check_language_model
from backend.settings import Settings, SettingsError
from backend.store.database import Database
from backend.topics.generated_texts.doctor_checks import check_generated_texts
from backend.topics.tasks import MODEL_TEXTS, model_schedules
from tests.backend.topics.generated_texts.conftest import JA, ZH, WriterSetup
from tests.support.providers import chat_completions
from tests.support.providers.provider_server import Behaviour, says

FAILURES = {
    "limiting": says(429, {"error": {}}, retry_after="40"),
    "key": says(401, {"error": {"message": "bad key"}}),
    "down": says(500, {}),
    "web page": Behaviour(200, b"<html>", "text/html"),
    "cut off": Behaviour(200, b'{"id": "c-1", "choi', "application/json"),
    "empty": chat_completions.completion(""),
    "truncated": chat_completions.completion('{"title": "Bybit'),
    "wrong shape": chat_completions.answer({"titel": "x"}),
    "dropped": Behaviour(drop=True),
}


def state(setup: WriterSetup) -> tuple[str, str]:
    result = check_language_model(setup.settings, setup.database, now=setup.clock())
    return result.state, result.sentence


@pytest.mark.parametrize("name", FAILURES)
def test_a_failing_model_ends_the_tick_is_reported_and_writing_resumes(setup: WriterSetup, name: str) -> None:
    number = setup.put()
    setup.put(hours=2)
    setup.server.always(chat_completions.PATH, FAILURES[name])
    setup.tick()
    assert set(setup.read(number).texts) == {"en"}
    assert len(setup.server.requests) <= 2, "one question, and at most a second try"
    assert state(setup)[0] == "fault"
    setup.tick()
    assert len(setup.server.requests) <= 2, "it is left alone"
    setup.server.always(chat_completions.PATH, None)
    setup.server.once(chat_completions.PATH, *[chat_completions.answer(text) for text in (JA, ZH) * 2])
    for _ in range(2):
        setup.clock.move(hours=3)
        setup.tick()
    assert set(setup.read(number).texts) == {"en", "ja", "zh"}
    assert state(setup)[0] == "ok"


def test_a_refusal_affects_only_one_text(setup: WriterSetup) -> None:
    number = setup.put()
    setup.server.once(
        chat_completions.PATH,
        chat_completions.completion(None, refusal="I cannot."),
        chat_completions.answer(ZH),
    )
    assert setup.tick() == {"unusable": 1, "written": 1}
    assert set(setup.read(number).texts) == {"en", "zh"}
    assert state(setup)[0] == "ok"


def test_after_the_daily_limit_nothing_is_requested_until_the_next_day(
    make_setup: Callable[[Database], WriterSetup], database: Database
) -> None:
    setup = make_setup(database)
    number = setup.put()
    setup.server.once(
        chat_completions.PATH, chat_completions.answer(JA, sent=45_000), chat_completions.answer(ZH)
    )
    little = {"model_daily_ceiling": Decimal("0.05")}  # the first answer cost 0.045, the next may cost 0.008
    assert setup.tick(**little) == {"written": 1}
    setup.clock.move(hours=2)
    assert setup.tick(**little) == {}
    assert len(setup.server.requests) == 1
    result = check_language_model(setup.settings.model_copy(update=little), database, now=setup.clock())
    assert (result.state, "until midnight UTC" in result.sentence) == ("note", True)
    setup.clock.move(hours=11)
    assert setup.tick(**little) == {"written": 1}
    assert set(setup.read(number).texts) == {"en", "ja", "zh"}


def test_doctor_reports_written_texts_and_the_reasons_for_the_others(setup: WriterSetup) -> None:
    setup.put()
    setup.server.once(
        chat_completions.PATH,
        chat_completions.answer({**JA, "title": "Bybitで9億ドル流出"}),
        chat_completions.answer(ZH),
    )
    setup.tick()
    (result,) = check_generated_texts(setup.settings, setup.database, now=setup.clock())
    assert result.sentence == (
        "1 written in 24 hours, 0 of them in part; 1 failed the check or the format, "
        "most often because a figure is not in the inputs."
    )


def test_the_schedule_exists_only_with_a_model_configured_for_topics(setup: WriterSetup) -> None:
    def names(settings: Settings) -> list[str]:
        return [schedule.name for schedule in model_schedules(settings, setup.database, setup.rules)]

    assert names(setup.settings) == [MODEL_TEXTS]
    assert names(setup.settings.model_copy(update={"mode": "sample"})) == []
    assert names(setup.settings.model_copy(update={"model_topics": ()})) == []
    assert names(setup.settings.model_copy(update={"model_name": None})) == []


def test_the_setting_selects_the_kinds_of_model_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().model_topics == ("insights", "translations")
    monkeypatch.setenv("CHAINPROOF_MODEL_TOPICS", "insights")
    assert Settings().model_topics == ("insights",)
    monkeypatch.setenv("CHAINPROOF_MODEL_TOPICS", "none")
    assert Settings().model_topics == ()
    monkeypatch.setenv("CHAINPROOF_MODEL_TOPICS", "poems")
    with pytest.raises(SettingsError, match="insights"):
        Settings()
