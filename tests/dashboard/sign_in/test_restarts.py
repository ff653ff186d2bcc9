"""A dashboard that starts anew knows nobody, and yet nobody types a password again."""

from collections.abc import Callable, Iterator

import pytest

from backend.auth.oauth import accounts
from backend.auth.oauth.sign_in_sessions import IDLE_SESSION_LIFETIME
from dashboard.sign_in import oauth_client
from dashboard.sign_in import service as desks
from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import Desk
from tests.support import sign_in
from tests.support.market_app import Running
from tests.support.sign_in import DASHBOARD, SERVICE, Browser, Line

DEEP = "/topics?topic=5&lang=ja&find=%E3%83%93+x"
Restart = Callable[[], Desk]


@pytest.fixture
def restart(desk: Desk, service: Running, line: Line, monkeypatch: pytest.MonkeyPatch) -> Iterator[Restart]:
    """Starts another dashboard of the same name, which browsers reach from then on."""
    started: list[Desk] = []

    def one() -> Desk:
        own = sign_in.desk_of(service, line)
        started.append(own)
        monkeypatch.setattr(desks, "desk", lambda: own)
        return own

    yield one
    for each in started:
        each.close()


def sessions(service: Running, name: str = "ada") -> list[str]:
    return [each.id for each in accounts.list_sessions(service.database, service.clock(), name)]


@pytest.fixture(autouse=True)
def _nobody_was_signed_in_before(service: Running) -> None:
    for name in ("ada", "ben"):
        accounts.end_all_sessions(service.database, name, service.clock())


def asks_for_password(told: tuple[str, object]) -> bool:
    return told[0].startswith(f"{SERVICE}/oauth/authorize")


def test_a_restart_leads_back_to_the_same_page_and_asks_nothing(
    browser: Browser, desk: Desk, restart: Restart, line: Line
) -> None:
    browser.sign_in(DEEP)
    former = browser.session(desk)
    later = restart()
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 401, "what an open page asks"
    address, page = browser.open(DEEP)
    assert (address, page.text) == (DASHBOARD + DEEP, b"<p>ada</p>")
    assert browser.session(later).id != former.id
    assert browser.session(later).scopes == ("read", "write")
    assert "POST /oauth/revoke" not in line.asked


def test_signing_out_holds_over_a_restart(browser: Browser, desk: Desk, restart: Restart) -> None:
    browser.sign_in()
    cookies = dict(browser.cookies)
    browser.post(f"{DASHBOARD}/sign-out", {"csrf": browser.session(desk).csrf})
    restart()
    for kept in (dict(browser.cookies), cookies):  # and for whoever has put old cookies by
        browser.cookies = kept
        assert asks_for_password(browser.open("/topics"))


def test_signing_out_while_the_service_is_down_asks_for_the_password_all_the_same(
    browser: Browser, desk: Desk, restart: Restart, line: Line, service: Running
) -> None:
    browser.sign_in()
    line.cut = True
    browser.post(f"{DASHBOARD}/sign-out", {"csrf": browser.session(desk).csrf})
    restart()  # which has forgotten what was to be revoked
    line.cut = False
    assert len(sessions(service)) == 1
    assert asks_for_password(browser.open("/topics"))
    assert sessions(service) == []
    assert browser.sign_in("/topics")[0] == f"{DASHBOARD}/topics"
    restart()
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics", "which counts for that one sign-out"


def test_a_page_that_was_open_over_a_restart_can_sign_out(
    browser: Browser, desk: Desk, restart: Restart, service: Running
) -> None:
    browser.sign_in()
    csrf = browser.session(desk).csrf
    restart()
    foreign = {"origin": "https://evil.test"}
    browser.post(f"{DASHBOARD}/sign-out", {}, foreign)
    assert len(sessions(service)) == 1, "no other site can"
    assert desk.cookies.signed_out not in browser.cookies
    assert asks_for_password(browser.follow(browser.post(f"{DASHBOARD}/sign-out", {"csrf": csrf})))
    assert sessions(service) == []


def test_tabs_that_come_back_at_once_share_one_session(
    browser: Browser, desk: Desk, restart: Restart, service: Running, line: Line
) -> None:
    browser.sign_in()
    later = restart()
    begun = [browser.get(f"{DASHBOARD}/sign-in?next={to}") for to in ("/topics", "/research", "/")]
    answers = [browser.get(each.headers["location"]) for each in begun]
    ends = [browser.get(each.headers["location"]) for each in answers]
    assert [each.headers["location"] for each in ends] == ["/topics", "/research", "/"]
    assert len(later.sessions.all()) == 1
    line.asked.clear()
    later.sessions.tidy()
    assert line.asked == ["POST /oauth/revoke"] * 4, "what the others got"
    assert browser.session(later).credential()
    assert len(sessions(service)) == 1


def test_of_two_dashboards_each_signs_in_whoever_is_led_to_it(
    browser: Browser, desk: Desk, restart: Restart, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.sign_in("/topics")
    other = restart()
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics"
    monkeypatch.setattr(desks, "desk", lambda: desk)
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics"
    assert len(desk.sessions.all()) == 2
    assert len(other.sessions.all()) == 1


def test_pages_come_back_by_themselves_when_the_service_starts_after_the_dashboard(
    browser: Browser, desk: Desk, restart: Restart, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth_client, "FAILED_SECONDS", 0.0)
    browser.sign_in(DEEP)
    restart()
    line.cut = True
    address, page = browser.open(DEEP)
    assert page.status == 503
    seconds, _, again = page.headers["refresh"].partition("; url=")
    assert int(seconds) > 0
    assert DASHBOARD + again == address
    line.cut = False
    assert browser.open(again)[0] == DASHBOARD + DEEP


def test_a_refreshed_token_keeps_the_browser_signed_in_and_disuse_ends_it(
    browser: Browser, desk: Desk, restart: Restart, service: Running
) -> None:
    browser.sign_in()
    session = browser.session(desk)
    for _ in range(3):
        service.clock.move(hours=10)
        session._expires_at = session._renew_at = 0.0
        session._expires_on_wall = 0.0
        assert session.credential()
    later = restart()
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics"
    service.clock.move(seconds=IDLE_SESSION_LIFETIME.total_seconds())
    held = browser.session(later)._tokens
    assert isinstance(held, Tokens)
    restart()
    assert asks_for_password(browser.open("/topics"))


def test_a_session_that_the_operator_ends_is_asked_for_the_password(
    browser: Browser, desk: Desk, service: Running
) -> None:
    browser.sign_in()
    (session_id,) = sessions(service)
    accounts.end_session(service.database, session_id, service.clock())
    service.poll_changes()
    held = browser.session(desk)
    assert not held.handle_rejection(held.credential())
    assert asks_for_password(browser.open("/topics"))
