"""After a restart of the dashboard, people are signed in again without a password."""

from collections.abc import Callable, Iterator

import pytest

from backend.auth.oauth import accounts
from backend.auth.oauth.sign_in_sessions import IDLE_SESSION_LIFETIME
from dashboard.sign_in import oauth_client
from dashboard.sign_in import service as service_module
from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import SignInService
from tests.support.apps.market_app import Running
from tests.support.dashboard import sign_in
from tests.support.dashboard.sign_in import DASHBOARD, SERVICE, Browser, RecordingTransport

DEEP = "/topics?topic=5&lang=ja&find=%E3%83%93+x"
Restart = Callable[[], SignInService]


@pytest.fixture
def restart(
    sign_in_service: SignInService,
    service: Running,
    transport: RecordingTransport,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Restart]:
    """Starts another dashboard at the same URL."""
    started: list[SignInService] = []

    def start_service() -> SignInService:
        own = sign_in.build_sign_in_service(service, transport)
        started.append(own)
        monkeypatch.setattr(service_module, "get_service", lambda: own)
        return own

    yield start_service
    for dashboard in started:
        dashboard.close()


def list_session_ids(service: Running, name: str = "ada") -> list[str]:
    return [session.id for session in accounts.list_sessions(service.database, service.clock(), name)]


@pytest.fixture(autouse=True)
def _nobody_was_signed_in_before(service: Running) -> None:
    for name in ("ada", "ben"):
        accounts.end_all_sessions(service.database, name, service.clock())


def is_password_requested(result: tuple[str, object]) -> bool:
    return result[0].startswith(f"{SERVICE}/oauth/authorize")


def test_after_a_restart_the_page_opens_without_a_password(
    browser: Browser, sign_in_service: SignInService, restart: Restart, transport: RecordingTransport
) -> None:
    browser.sign_in(DEEP)
    former = browser.session(sign_in_service)
    later = restart()
    assert browser.get(f"{DASHBOARD}/sign-in/session", {}).status == 401, "what an open page asks"
    address, page = browser.open(DEEP)
    assert (address, page.text) == (DASHBOARD + DEEP, b"<p>ada</p>")
    assert browser.session(later).id != former.id
    assert browser.session(later).scopes == ("read", "write")
    assert "POST /oauth/revoke" not in transport.requests


def test_a_sign_out_stays_valid_after_a_restart(
    browser: Browser, sign_in_service: SignInService, restart: Restart
) -> None:
    browser.sign_in()
    cookies = dict(browser.cookies)
    browser.post(f"{DASHBOARD}/sign-out", {"csrf": browser.session(sign_in_service).csrf})
    restart()
    for cookies_to_send in (dict(browser.cookies), cookies):  # and for whoever has put old cookies by
        browser.cookies = cookies_to_send
        assert is_password_requested(browser.open("/topics"))


def test_a_sign_out_without_the_service_still_requires_the_password(
    browser: Browser,
    sign_in_service: SignInService,
    restart: Restart,
    transport: RecordingTransport,
    service: Running,
) -> None:
    browser.sign_in()
    transport.is_cut = True
    browser.post(f"{DASHBOARD}/sign-out", {"csrf": browser.session(sign_in_service).csrf})
    restart()  # which has forgotten what was to be revoked
    transport.is_cut = False
    assert len(list_session_ids(service)) == 1
    assert is_password_requested(browser.open("/topics"))
    assert list_session_ids(service) == []
    assert browser.sign_in("/topics")[0] == f"{DASHBOARD}/topics"
    restart()
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics", "which counts for that one sign-out"


def test_a_page_that_is_open_during_a_restart_can_sign_out(
    browser: Browser, sign_in_service: SignInService, restart: Restart, service: Running
) -> None:
    browser.sign_in()
    csrf = browser.session(sign_in_service).csrf
    restart()
    foreign = {"origin": "https://evil.test"}
    browser.post(f"{DASHBOARD}/sign-out", {}, foreign)
    assert len(list_session_ids(service)) == 1, "no other site can"
    assert sign_in_service.cookies.signed_out not in browser.cookies
    assert is_password_requested(browser.follow(browser.post(f"{DASHBOARD}/sign-out", {"csrf": csrf})))
    assert list_session_ids(service) == []


def test_tabs_that_return_at_once_share_one_session(
    browser: Browser,
    sign_in_service: SignInService,
    restart: Restart,
    service: Running,
    transport: RecordingTransport,
) -> None:
    browser.sign_in()
    later = restart()
    redirects = [browser.get(f"{DASHBOARD}/sign-in?next={to}") for to in ("/topics", "/research", "/")]
    answers = [browser.get(redirect.headers["location"]) for redirect in redirects]
    ends = [browser.get(answer.headers["location"]) for answer in answers]
    assert [end.headers["location"] for end in ends] == ["/topics", "/research", "/"]
    assert len(later.sessions.list_all()) == 1
    transport.requests.clear()
    later.sessions.cleanup()
    assert transport.requests == ["POST /oauth/revoke"] * 4, "what the others got"
    assert browser.session(later).credential()
    assert len(list_session_ids(service)) == 1


def test_two_dashboards_sign_in_the_same_browser_independently(
    browser: Browser, sign_in_service: SignInService, restart: Restart, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.sign_in("/topics")
    other_dashboard = restart()
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics"
    monkeypatch.setattr(service_module, "get_service", lambda: sign_in_service)
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics"
    assert len(sign_in_service.sessions.list_all()) == 2
    assert len(other_dashboard.sessions.list_all()) == 1


def test_pages_return_when_the_service_starts_after_the_dashboard(
    browser: Browser,
    sign_in_service: SignInService,
    restart: Restart,
    transport: RecordingTransport,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(oauth_client, "METADATA_ERROR_CACHE_SECONDS", 0.0)
    browser.sign_in(DEEP)
    restart()
    transport.is_cut = True
    address, page = browser.open(DEEP)
    assert page.status == 503
    seconds, _, retry_path = page.headers["refresh"].partition("; url=")
    assert int(seconds) > 0
    assert DASHBOARD + retry_path == address
    transport.is_cut = False
    assert browser.open(retry_path)[0] == DASHBOARD + DEEP


def test_refreshed_tokens_keep_the_browser_signed_in_and_idle_time_ends_that(
    browser: Browser, sign_in_service: SignInService, restart: Restart, service: Running
) -> None:
    browser.sign_in()
    session = browser.session(sign_in_service)
    for _ in range(3):
        service.clock.move(hours=10)
        session._expires_at = session._refresh_at = 0.0
        session._expires_at_wall_time = 0.0
        assert session.credential()
    later = restart()
    assert browser.open("/topics")[0] == f"{DASHBOARD}/topics"
    service.clock.move(seconds=IDLE_SESSION_LIFETIME.total_seconds())
    tokens = browser.session(later)._tokens
    assert isinstance(tokens, Tokens)
    restart()
    assert is_password_requested(browser.open("/topics"))


def test_a_session_that_the_operator_ends_requires_the_password(
    browser: Browser, sign_in_service: SignInService, service: Running
) -> None:
    browser.sign_in()
    (session_id,) = list_session_ids(service)
    accounts.end_session(service.database, session_id, service.clock())
    service.poll_changes()
    session = browser.session(sign_in_service)
    assert not session.handle_rejection(session.credential())
    assert is_password_requested(browser.open("/topics"))
