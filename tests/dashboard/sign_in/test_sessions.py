"""Who is signed in, for how long, and that what they held is taken back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.sign_in import sessions as all_sessions
from dashboard.sign_in.authority import Refused, Tokens, Unavailable
from dashboard.sign_in.folder import Folder, Held
from dashboard.sign_in.session import NOTED_SECONDS, Session
from dashboard.sign_in.sessions import (
    AHEAD_SECONDS,
    IDLE_SECONDS,
    LONGEST_SECONDS,
    REVOKE_EVERY_SECONDS,
    Sessions,
    Shelf,
)
from tests.support.sign_in import session_files


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Service:
    def __init__(self) -> None:
        self.revoked: list[str] = []
        self.fault: Exception | None = None

    def revoke(self, tokens: Tokens) -> None:
        if self.fault is not None:
            raise self.fault
        self.revoked.append(tokens.access)

    def renew(self, tokens: Tokens) -> Tokens:
        return tokens


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def sessions(service: Service, clock: Clock) -> Sessions:
    return Sessions(service.revoke, clock=clock)


def someone(sessions: Sessions, service: Service, clock: Clock, token: str = "a") -> Session:
    tokens = Tokens(token, "r", 10 * LONGEST_SECONDS, ("read",))
    return Session("ann", tokens, service.renew, sessions.discard, clock=clock)


def test_a_session_is_found_by_the_secret_of_its_browser_alone(
    sessions: Sessions, service: Service, clock: Clock
) -> None:
    session = someone(sessions, service, clock)
    secret = sessions.open(session)
    assert sessions.find(secret) is session
    for other in (None, "", session.id, session.csrf, secret + "a", "\ud800"):
        assert sessions.find(other) is None


def test_two_sign_ins_have_two_secrets(sessions: Sessions, service: Service, clock: Clock) -> None:
    one, other = someone(sessions, service, clock), someone(sessions, service, clock)
    assert sessions.open(one) != sessions.open(other)
    assert one.id != other.id


def test_signing_out_revokes_and_forgets(sessions: Sessions, service: Service, clock: Clock) -> None:
    session = someone(sessions, service, clock)
    secret = sessions.open(session)
    assert sessions.end(session)
    assert service.revoked == ["a"]
    assert sessions.find(secret) is None
    assert sessions.end(session)
    assert service.revoked == ["a"]


def test_what_could_not_be_revoked_is_tried_again(sessions: Sessions, service: Service, clock: Clock) -> None:
    session = someone(sessions, service, clock)
    secret = sessions.open(session)
    service.fault = Unavailable("down")
    assert not sessions.end(session)
    assert sessions.find(secret) is None, "here it is over at once"
    sessions.tidy()
    service.fault = None
    sessions.tidy()
    assert service.revoked == [], "not every second"
    clock.now += REVOKE_EVERY_SECONDS
    sessions.tidy()
    sessions.tidy()
    assert service.revoked == ["a"]


def test_a_refusal_to_revoke_is_the_end_of_it(sessions: Sessions, service: Service, clock: Clock) -> None:
    service.fault = Refused("invalid_client")
    session = someone(sessions, service, clock)
    sessions.open(session)
    assert sessions.end(session)
    assert sessions._left == type(sessions._left)()


def test_who_stays_away_is_signed_out_and_whose_page_is_open_is_not(
    sessions: Sessions, service: Service, clock: Clock
) -> None:
    away, here = someone(sessions, service, clock, "away"), someone(sessions, service, clock, "here")
    secrets = sessions.open(away), sessions.open(here)
    here.when_ended(lambda: None)
    clock.now = IDLE_SECONDS + 1
    sessions.tidy()
    assert [sessions.find(secret) for secret in secrets] == [None, here]
    assert service.revoked == ["away"]
    clock.now = LONGEST_SECONDS + 1
    sessions.tidy()
    assert here.ended


class Process:
    """What a dashboard's process holds, which ends without a word."""

    def __init__(self, root: Path, service: Service, clock: Clock, wall: Clock) -> None:
        self.folder = Folder(root, clock=clock, wall=wall)
        self.clock, self.wall, self.service = clock, wall, service
        shelf = Shelf(self.folder, "http://127.0.0.1:8000", service.renew)
        self.sessions = Sessions(service.revoke, shelf=shelf, clock=clock, wall=wall)

    def sign_in(self, token: str = "a") -> str:
        tokens = Tokens(token, "r", 10 * LONGEST_SECONDS, ("read",))
        session = Session(
            "ann", tokens, self.service.renew, self.sessions.discard, clock=self.clock, wall=self.wall
        )
        return self.sessions.open(session)

    def end(self) -> None:
        self.folder.close()


@pytest.fixture
def wall() -> Clock:
    wall = Clock()
    wall.now = 1e9
    return wall


@pytest.fixture
def start(tmp_path: Path, service: Service, wall: Clock) -> Iterator[Callable[[], Process]]:
    started: list[Process] = []

    def one() -> Process:
        clock = Clock()
        clock.now = 1000.0 * len(started)  # that of each process counts from another time
        started.append(Process(tmp_path, service, clock, wall))
        return started[-1]

    yield one
    for process in started:
        process.end()


Start = Callable[[], Process]


def test_a_cookie_is_known_after_a_restart_in_one_process_alone(start: Start, service: Service) -> None:
    former = start()
    secret = former.sign_in()
    before = former.sessions.find(secret)
    assert before is not None
    former.end()
    one, other = start(), start()
    session = one.sessions.find(secret)
    assert session is not None
    assert one.sessions.find(secret) is session
    assert (session.name, session.credential(), session.certain) == ("ann", before.credential(), False)
    assert session.id != before.id, "what was answered to the former is not theirs"
    with pytest.raises(Held):
        other.sessions.find(secret)
    one.end()
    again = other.sessions.find(secret)
    assert again is not None
    assert service.revoked == [], "nothing is taken back when a process stops"


def test_who_signed_out_before_a_restart_is_signed_out_after_it(start: Start, tmp_path: Path) -> None:
    former = start()
    secret, other = former.sign_in(), former.sign_in("b")
    session = former.sessions.find(secret)
    assert session is not None
    former.sessions.end(session)
    former.end()
    later = start()
    assert later.sessions.find(secret) is None
    assert later.sessions.find(other) is not None
    assert len(session_files(tmp_path)) == 1


def test_after_a_restart_the_times_go_on_by_the_clock_on_the_wall(
    start: Start, wall: Clock, service: Service, tmp_path: Path
) -> None:
    former = start()
    secrets = [former.sign_in(token) for token in ("early", "late", "away")]
    former.end()
    wall.now += IDLE_SECONDS - 1
    later = start()
    early = later.sessions.find(secrets[0])
    assert early is not None
    wall.now += 1.0
    assert later.sessions.find(secrets[1]) is not None
    wall.now += 1.0
    assert later.sessions.find(secrets[2]) is None
    assert len(session_files(tmp_path)) == 2
    later.sessions.tidy()
    assert service.revoked == ["away"], "the cookie has opened it, so that its tokens can be taken back"
    assert later.clock.now - early.begun_at == pytest.approx(IDLE_SECONDS - 1)
    later.clock.now += LONGEST_SECONDS - IDLE_SECONDS + 10
    early.used_at = later.clock.now
    later.sessions.tidy()
    assert early.ended, "thirty days since they signed in, in whichever process"
    assert session_files(tmp_path) == []


def test_the_longest_life_ends_a_session_that_was_used_all_the_time(start: Start, wall: Clock) -> None:
    process = start()
    secret = process.sign_in()
    for _ in range(int(LONGEST_SECONDS / IDLE_SECONDS)):
        wall.now += IDLE_SECONDS
        process.end()
        process = start()
        session = process.sessions.find(secret)
        assert session is not None
        process.sessions.tidy()  # which writes down that it was used
    wall.now += 1.0
    process.end()
    assert start().sessions.find(secret) is None


@pytest.mark.parametrize(("back", "is_known"), [(AHEAD_SECONDS, True), (AHEAD_SECONDS + 1, False)])
def test_a_clock_that_was_put_back_lengthens_no_life(
    start: Start, wall: Clock, back: float, is_known: bool
) -> None:
    former = start()
    secret = former.sign_in()
    wall.now += 3600
    former.clock.now += 3600
    former.sessions.find(secret)
    former.sessions.tidy()  # which writes down that it was used
    former.end()
    wall.now -= back  # to after it began
    assert (start().sessions.find(secret) is not None) is is_known


def test_a_file_that_is_not_what_it_was_is_none_and_goes(start: Start, tmp_path: Path) -> None:
    former = start()
    secrets = [former.sign_in() for _ in range(3)]
    former.end()
    torn, changed, other = session_files(tmp_path)
    torn.write_bytes(torn.read_bytes()[:40])
    changed.write_bytes(bytes(100))
    other.write_bytes(b"")
    later = start()
    assert [later.sessions.find(secret) for secret in secrets] == [None] * 3
    assert session_files(tmp_path) == []


def test_of_strangers_nothing_is_remembered_and_what_is_no_secret_is_not_looked_for(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    former = start()
    former.sign_in()
    former.end()
    later = start()
    for number in range(100):
        assert later.sessions.find(f"{number:043}") is None
    assert later.sessions.all() == []

    def seal(*_: str) -> None:
        raise AssertionError("nothing is derived from what is no secret")

    monkeypatch.setattr(all_sessions, "Seal", seal)
    for value in ("../" * 14 + "x", "x" * 42, "x" * 44, "\xff" * 43, "x" * 42 + "\n", "é" * 43):
        assert later.sessions.find(value) is None


def test_a_few_are_written_down_at_a_time(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    process = start()
    secrets = [process.sign_in() for _ in range(5)]
    monkeypatch.setattr(all_sessions, "NOTES_AT_ONCE", 2)
    process.clock.now += NOTED_SECONDS
    for secret in secrets:
        process.sessions.find(secret)

    def behind() -> int:
        return sum(session.used_at > session._noted_at for session in process.sessions.all())

    left = [behind()]
    for _ in range(3):
        process.sessions.tidy()
        left.append(behind())
    assert left == [5, 3, 1, 0]


def test_what_nobody_came_back_for_is_removed_in_time(
    start: Start, wall: Clock, service: Service, tmp_path: Path
) -> None:
    former = start()
    former.sign_in()
    (file,) = session_files(tmp_path)
    wall.now = file.stat().st_mtime
    former.end()
    later = start()
    wall.now += IDLE_SECONDS
    later.sessions.tidy()
    assert file.exists()
    wall.now += 1
    later.clock.now += all_sessions.SWEEP_SECONDS
    later.sessions.tidy()
    assert list(tmp_path.iterdir()) == []
    assert service.revoked == [], "nobody can open it"


def test_more_than_can_be_held_end_with_their_files(
    start: Start, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(all_sessions, "MOST", 1)
    former = start()
    secret = former.sign_in("one")
    former.end()
    later = start()
    later.sign_in("two")
    assert later.sessions.find(secret) is not None
    assert [session.credential() for session in later.sessions.all()] == [{"Authorization": "Bearer one"}]
    assert len(session_files(tmp_path)) == 1
    later.sessions.tidy()
    assert service.revoked == ["two"]
