"""A model that is dead, limiting, garbled or too dear: templates serve, doctor tells it, and it heals."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from backend.language_model.doctor_checks import check_language_model
from backend.settings import Settings, SettingsError
from backend.store.database import Database
from backend.topics.generated_texts.doctor_checks import check_generated_texts
from backend.topics.tasks import MODEL_TEXTS, model_schedules
from tests.backend.topics.generated_texts.conftest import JA, ZH, House
from tests.support import chat
from tests.support.provider_server import Behaviour, says

FAILURES = {
    "limiting": says(429, {"error": {}}, retry_after="40"),
    "key": says(401, {"error": {"message": "bad key"}}),
    "down": says(500, {}),
    "web page": Behaviour(200, b"<html>", "text/html"),
    "cut off": Behaviour(200, b'{"id": "c-1", "choi', "application/json"),
    "empty": chat.completion(""),
    "truncated": chat.completion('{"title": "Bybit'),
    "wrong shape": chat.answer({"titel": "x"}),
    "dropped": Behaviour(drop=True),
}


def state(house: House) -> tuple[str, str]:
    noted = check_language_model(house.settings, house.database, now=house.clock())
    return noted.state, noted.sentence


@pytest.mark.parametrize("name", FAILURES)
def test_a_failing_model_ends_the_tick_is_told_by_doctor_and_heals(house: House, name: str) -> None:
    number = house.put()
    house.put(hours=2)
    house.server.always(chat.PATH, FAILURES[name])
    house.tick()
    assert set(house.read(number).texts) == {"en"}
    assert len(house.server.requests) <= 2, "one question, and at most a second try"
    assert state(house)[0] == "fault"
    house.tick()
    assert len(house.server.requests) <= 2, "it is left alone"
    house.server.always(chat.PATH, None)
    house.server.once(chat.PATH, *[chat.answer(one) for one in (JA, ZH) * 2])
    for _ in range(2):
        house.clock.move(hours=3)
        house.tick()
    assert set(house.read(number).texts) == {"en", "ja", "zh"}
    assert state(house)[0] == "ok"


def test_a_refusal_concerns_one_text_alone(house: House) -> None:
    number = house.put()
    house.server.once(chat.PATH, chat.completion(None, refusal="I cannot."), chat.answer(ZH))
    assert house.tick() == {"unusable": 1, "written": 1}
    assert set(house.read(number).texts) == {"en", "zh"}
    assert state(house)[0] == "ok"


def test_nothing_is_asked_beyond_the_days_ceiling_until_tomorrow(
    make_house: Callable[[Database], House], database: Database
) -> None:
    house = make_house(database)
    number = house.put()
    house.server.once(chat.PATH, chat.answer(JA, sent=45_000), chat.answer(ZH))
    little = {"model_daily_ceiling": Decimal("0.05")}  # the first answer cost 0.045, the next may cost 0.008
    assert house.tick(**little) == {"written": 1}
    house.clock.move(hours=2)
    assert house.tick(**little) == {}
    assert len(house.server.requests) == 1
    noted = check_language_model(house.settings.model_copy(update=little), database, now=house.clock())
    assert (noted.state, "until midnight UTC" in noted.sentence) == ("note", True)
    house.clock.move(hours=11)
    assert house.tick(**little) == {"written": 1}
    assert set(house.read(number).texts) == {"en", "ja", "zh"}


def test_doctor_tells_what_was_written_and_why_the_rest_was_not(house: House) -> None:
    house.put()
    house.server.once(chat.PATH, chat.answer({**JA, "title": "Bybitで9億ドル流出"}), chat.answer(ZH))
    house.tick()
    (noted,) = check_generated_texts(house.settings, house.database, now=house.clock())
    assert noted.sentence == (
        "1 written in 24 hours, 0 of them in part; 1 failed the check or the format, "
        "most often because a figure is not in the inputs."
    )


def test_the_schedule_is_there_only_where_a_model_is_configured_for_topics(house: House) -> None:
    def names(settings: Settings) -> list[str]:
        return [one.name for one in model_schedules(settings, house.database, house.rules)]

    assert names(house.settings) == [MODEL_TEXTS]
    assert names(house.settings.model_copy(update={"mode": "sample"})) == []
    assert names(house.settings.model_copy(update={"model_topics": ()})) == []
    assert names(house.settings.model_copy(update={"model_name": None})) == []


def test_what_a_model_words_is_chosen_by_words_and_none_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().model_topics == ("insights", "translations")
    monkeypatch.setenv("CHAINPROOF_MODEL_TOPICS", "insights")
    assert Settings().model_topics == ("insights",)
    monkeypatch.setenv("CHAINPROOF_MODEL_TOPICS", "none")
    assert Settings().model_topics == ()
    monkeypatch.setenv("CHAINPROOF_MODEL_TOPICS", "poems")
    with pytest.raises(SettingsError, match="insights"):
        Settings()
