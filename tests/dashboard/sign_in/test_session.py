"""Tokens are refreshed in time, by one thread, once; and a session that is over stays over."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.sign_in.authority import Refused, Tokens, Unavailable
from dashboard.sign_in.seal import Kept
from dashboard.sign_in.session import AGAIN_SECONDS, NOTED_SECONDS, SURE_SECONDS, Session
from tests.support.waiting import LIMIT_SECONDS

HOUR = 3600.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Service:
    """Gives each refresh token once, as the service does, and counts what it was asked."""

    def __init__(self) -> None:
        self.used: list[str | None] = []
        self.discarded: list[Tokens] = []
        self.fault: Exception | None = None
        self.while_asked: Callable[[], object] = lambda: None

    def renew(self, tokens: Tokens) -> Tokens:
        self.used.append(tokens.refresh)
        self.while_asked()
        if self.fault is not None:
            raise self.fault
        number = len(self.used) + 1
        return Tokens(f"access-{number}", f"refresh-{number}", HOUR, tokens.scopes)


class Place:
    """What is kept of a session, and what was."""

    def __init__(self) -> None:
        self.kept: Kept | None = None
        self.saved: list[Kept] = []
        self.works = True
        self.while_saved: Callable[[], object] = lambda: None
        self.while_dropped: Callable[[], object] = lambda: None

    def save(self, kept: Kept) -> bool:
        self.while_saved()
        if self.works:
            self.kept = kept
            self.saved.append(kept)
        return self.works

    def drop(self) -> None:
        self.while_dropped()
        self.kept = None

    @property
    def refresh(self) -> str | None:
        return self.kept.tokens.refresh if self.kept is not None else None


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def session(service: Service, clock: Clock) -> Session:
    tokens = Tokens("access-1", "refresh-1", HOUR, ("read",))
    return Session(
        "ann", tokens, service.renew, service.discarded.append, clock=clock, wall=lambda: 1e9 + clock.now
    )


def bearer(number: int) -> dict[str, str]:
    return {"Authorization": f"Bearer access-{number}"}


def test_a_young_token_is_used_as_it_is(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR - 301
    assert session.credential() == bearer(1)
    assert service.used == []


def test_a_token_is_refreshed_ahead_of_its_end(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR - 299
    assert session.credential() == bearer(2)
    clock.now += HOUR - 299
    assert session.credential() == bearer(3)
    assert service.used == ["refresh-1", "refresh-2"]


def test_fifty_threads_at_the_end_refresh_once(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR + 1
    together = threading.Barrier(50)

    def ask(_: int) -> object:
        together.wait(LIMIT_SECONDS)
        return session.credential()

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(ask, range(50))) == [bearer(2)] * 50
    assert service.used == ["refresh-1"]


def test_while_the_old_token_is_good_nobody_waits_for_the_new_one(
    session: Session, service: Service, clock: Clock
) -> None:
    clock.now = HOUR - 100
    seen: list[object] = []

    def beside() -> None:
        thread = threading.Thread(target=lambda: seen.append(session.credential()))
        thread.start()
        thread.join(LIMIT_SECONDS)

    service.while_asked = beside
    assert session.credential() == bearer(2)
    assert seen == [bearer(1)]


def test_a_token_that_is_refused_before_its_time_ends_the_session(session: Session, service: Service) -> None:
    told: list[str] = []
    session.when_ended(lambda: told.append("ended"))
    assert not session.refused(session.credential())
    assert session.ended
    assert (session.credential(), session.certain, told) == ({}, False, ["ended"])
    assert [tokens.refresh for tokens in service.discarded] == ["refresh-1"], "nobody may refresh it any more"
    assert service.used == []


def test_a_token_that_was_replaced_meanwhile_is_tried_anew(
    session: Session, service: Service, clock: Clock
) -> None:
    sent = session.credential()
    clock.now = HOUR - 10
    session.credential()
    assert session.refused(sent)
    assert not session.ended


def test_a_token_that_is_over_for_the_service_is_refreshed(
    session: Session, service: Service, clock: Clock
) -> None:
    service.fault = Unavailable("down")
    clock.now = HOUR + 1
    sent = session.credential()
    service.fault = None
    clock.now += AGAIN_SECONDS
    assert session.refused(sent)
    assert session.credential() == bearer(3)


def test_after_the_machine_slept_a_refused_token_is_refreshed_and_nobody_signed_out(
    service: Service, clock: Clock
) -> None:
    wall = Clock()
    wall.now = 1e9
    tokens = Tokens("access-1", "refresh-1", HOUR, ("read",))
    session = Session("ann", tokens, service.renew, service.discarded.append, clock=clock, wall=wall)
    clock.now += 60
    wall.now += 2 * HOUR
    assert session.refused(session.credential())
    assert session.credential() == bearer(2)
    assert service.discarded == []
    assert not session.refused(session.credential()), "the new one is refused before its time by both"
    assert session.ended


def test_a_refused_refresh_ends_the_session(session: Session, service: Service, clock: Clock) -> None:
    told: list[str] = []
    session.when_ended(lambda: told.append("ended"))
    service.fault = Refused("invalid_grant")
    clock.now = HOUR - 10
    assert session.credential() == {}
    assert session.ended
    assert told == ["ended"]
    assert session.credential() == {}
    assert service.used == ["refresh-1"]


def test_a_service_that_is_down_ends_nothing_and_is_not_asked_at_once_again(
    session: Session, service: Service, clock: Clock
) -> None:
    service.fault = Unavailable("down")
    clock.now = HOUR - 100
    assert [session.credential() for _ in range(3)] == [bearer(1)] * 3
    assert service.used == ["refresh-1"]
    service.fault = None
    clock.now += AGAIN_SECONDS
    assert session.credential() == bearer(3)


def test_who_signs_out_during_a_refresh_leaves_no_token_behind(
    session: Session, service: Service, clock: Clock
) -> None:
    clock.now = HOUR - 10
    ended: list[Tokens | None] = []
    leaving = threading.Thread(target=lambda: ended.append(session.end()))
    service.while_asked = leaving.start
    session.credential()
    leaving.join(LIMIT_SECONDS)
    assert [tokens.refresh for tokens in ended if tokens] == ["refresh-2"]
    assert session.credential() == {}
    assert session.end() is None


def test_an_answer_counts_for_a_moment_from_when_it_was_asked_for(session: Session, clock: Clock) -> None:
    clock.now = 10.0
    assert not session.certain
    session.accepted(9.0)
    assert session.certain
    clock.now = 9.0 + SURE_SECONDS
    assert not session.certain


def test_nothing_of_a_session_tells_a_token(session: Session) -> None:
    assert "access-1" not in repr(session)
    assert "refresh-1" not in repr(Tokens("access-1", "refresh-1", HOUR, ()))


def test_who_listens_after_the_end_is_told_at_once_and_who_left_is_not(session: Session) -> None:
    told: list[str] = []
    session.when_ended(lambda: told.append("left"))()
    assert not session.watched
    session.end()
    session.when_ended(lambda: told.append("late"))
    assert told == ["late"]


@pytest.fixture
def place(session: Session) -> Place:
    place = Place()
    session.keep(place)
    return place


def test_new_tokens_are_kept_before_they_are_used(
    session: Session, service: Service, clock: Clock, place: Place
) -> None:
    held: list[object] = []
    place.while_saved = lambda: held.append(session._tokens)
    clock.now = HOUR - 10
    assert session.credential() == bearer(2)
    assert [tokens.refresh for tokens in held if isinstance(tokens, Tokens)] == ["refresh-1"]
    assert place.refresh == "refresh-2"


def test_tokens_that_are_used_up_are_not_left_where_new_ones_cannot_be_kept(
    session: Session, service: Service, clock: Clock, place: Place
) -> None:
    place.works = False
    clock.now = HOUR - 10
    assert session.credential() == bearer(2), "it goes on in memory"
    assert place.kept is None
    place.works = True
    assert session.note()
    assert place.refresh == "refresh-2", "and is kept as soon as that can be done"


@pytest.mark.parametrize("how", ["signed out", "token refused", "refresh refused"])
def test_a_session_that_ends_is_kept_no_longer(
    session: Session, service: Service, clock: Clock, place: Place, how: str
) -> None:
    if how == "signed out":
        session.end()
    elif how == "token refused":
        session.refused(session.credential())
    else:
        service.fault = Refused("invalid_grant")
        clock.now = HOUR - 10
        session.credential()
    assert session.ended
    assert place.kept is None
    place.saved.clear()
    session.used_at = clock.now = clock.now + 2 * NOTED_SECONDS
    session.note()
    session.keep(place)
    assert place.saved == []


def test_pages_are_closed_before_the_disk_has_answered(session: Session, place: Place) -> None:
    told: list[str] = []
    session.when_ended(lambda: told.append("ended"))
    place.while_dropped = lambda: told.append("dropped")
    session.refused(session.credential())
    assert told == ["ended", "dropped"]


def test_what_a_refresh_brings_while_somebody_signs_out_is_not_kept(
    session: Session, service: Service, clock: Clock, place: Place
) -> None:
    clock.now = HOUR - 10
    leaving = threading.Thread(target=session.end)
    service.while_asked = leaving.start
    session.credential()
    leaving.join(LIMIT_SECONDS)
    assert place.kept is None


def test_a_process_that_stops_keeps_what_a_refresh_under_way_brings_and_holds_nothing_after(
    session: Session, service: Service, clock: Clock, place: Place
) -> None:
    clock.now = HOUR - 10
    told: list[str] = []
    session.when_ended(lambda: told.append("ended"))
    leaving = threading.Thread(target=session.leave)
    service.while_asked = leaving.start
    session.credential()
    leaving.join(LIMIT_SECONDS)
    assert (session.credential(), session.end(), session.refused(bearer(2))) == ({}, None, False)
    assert place.refresh == "refresh-2"
    assert service.discarded == []


def test_a_service_that_is_down_costs_nothing_of_what_is_kept(
    session: Session, service: Service, clock: Clock, place: Place
) -> None:
    service.fault = Unavailable("down")
    clock.now = HOUR + 10
    session.credential()
    assert place.refresh == "refresh-1"


def test_when_it_was_used_is_kept_now_and_then(session: Session, clock: Clock, place: Place) -> None:
    for second in range(0, 1200, 10):
        session.used_at = clock.now = float(second)
        session.note()
    assert [kept.used_at - kept.begun_at for kept in place.saved] == [0.0, NOTED_SECONDS]


def revived(kept: Kept, service: Service, clock: Clock, place: Place, wall: float) -> Session:
    return Session.again(kept, service.renew, service.discarded.append, place, clock=clock, wall=lambda: wall)


KEPT = Kept("ann", "word", Tokens("access-1", "refresh-1", HOUR, ("read",)), 1e9, 1e9 + 60, 1e9 + HOUR)


def test_a_session_goes_on_in_another_process_and_is_not_believed_before_the_service_has(
    service: Service, clock: Clock
) -> None:
    clock.now = 5.0  # the machine has just been started
    session = revived(KEPT, service, clock, Place(), wall=1e9 + 600)
    assert (session.name, session.csrf, session.scopes) == ("ann", "word", ("read",))
    assert (clock.now - session.begun_at, clock.now - session.used_at) == (600, 540)
    assert (session.certain, session.doubtful) == (False, True)
    assert session.credential() == bearer(1)
    clock.now += HOUR - 600 - 299
    assert session.credential() == bearer(2), "its token is refreshed when it is time for that"
    assert not session.certain
    session.accepted(clock.now)
    assert session.certain


def test_a_token_that_is_over_by_the_restart_is_refreshed_before_anything_is_asked(
    service: Service, clock: Clock
) -> None:
    place = Place()
    session = revived(KEPT, service, clock, place, wall=1e9 + 2 * HOUR)
    assert session.credential() == bearer(2)
    assert service.used == ["refresh-1"]
    assert place.refresh == "refresh-2"


def test_a_clock_that_was_put_back_makes_no_token_live_longer(service: Service, clock: Clock) -> None:
    session = revived(KEPT, service, clock, Place(), wall=1e9 - 5 * HOUR)
    clock.now += HOUR - 299
    assert session.credential() == bearer(2)


def test_a_session_is_kept_by_the_clock_on_the_wall(clock: Clock, service: Service) -> None:
    place = Place()
    clock.now = 100.0
    tokens = Tokens("access-1", "refresh-1", HOUR, ("read",))
    session = Session(
        "ann", tokens, service.renew, service.discarded.append, clock=clock, wall=lambda: 1e9 + clock.now
    )
    clock.now = session.used_at = 160.0
    session.keep(place)
    assert place.kept is not None
    told = place.kept
    assert (told.begun_at, told.used_at, told.expires_at) == (1e9 + 100, 1e9 + 160, 1e9 + 100 + HOUR)


def test_a_machine_that_sleeps_makes_no_session_younger(clock: Clock, service: Service) -> None:
    wall, place = Clock(), Place()
    wall.now = 1e9
    tokens = Tokens("access-1", "refresh-1", HOUR, ("read",))
    session = Session("ann", tokens, service.renew, service.discarded.append, clock=clock, wall=wall)
    for _ in range(3):
        wall.now += 16 * HOUR
        clock.now += 8 * HOUR
        session.used_at = clock.now
        session.keep(place)
    kept = place.kept
    assert kept is not None
    assert (kept.begun_at, kept.used_at, kept.expires_at) == (1e9, wall.now, 1e9 + HOUR)
    wall.now += 60
    again = Session.again(kept, service.renew, service.discarded.append, place, clock=clock, wall=wall)
    wall.now += 16 * HOUR
    again.note()
    assert again.credential() == bearer(2)
    assert place.kept is not None
    assert place.kept.begun_at == 1e9
