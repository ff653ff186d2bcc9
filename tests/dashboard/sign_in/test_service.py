"""When a dashboard has a desk, and what it is called there."""

import json
from pathlib import Path

import pytest
from starlette.applications import Starlette
from streamlit import config, runtime

from backend.settings import Settings
from dashboard import asgi
from dashboard.client import callers, connection, markets
from dashboard.client.callers import ANONYMOUS, Caller
from dashboard.client.http import ApiClient
from dashboard.frame import asset_icons
from dashboard.sign_in import service as desks
from dashboard.sign_in.guard import Guard
from dashboard.sign_in.service import Cookies, Desk, NotRegistered
from tests.support.asgi import send
from tests.support.sign_in import DASHBOARD, Browser, Line


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("home")
def test_there_is_none_on_this_machine_alone_unless_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert desks.desk() is None
    assert desks.scopes() == ("read", "write")
    desks.close()
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_SIGN_IN", "always")
    there = desks.desk()
    assert there is not None
    assert desks.desk() is there
    assert desks.scopes() == (), "nobody looks at a page"
    assert desks.caller() is ANONYMOUS


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("address", "given", "needed"),
    [
        ("127.0.0.1", {}, False),
        ("0.0.0.0", {}, True),
        (None, {}, True),
        ("0.0.0.0", {"CHAINPROOF_DASHBOARD_SIGN_IN": "never"}, True),
        (
            "0.0.0.0",
            {"CHAINPROOF_DASHBOARD_SIGN_IN": "never", "CHAINPROOF_DASHBOARD_OPEN_TO_ALL": "1"},
            False,
        ),
    ],
)
def test_one_that_streamlit_opens_to_others_lets_nobody_in_unasked(
    monkeypatch: pytest.MonkeyPatch, address: str | None, given: dict[str, str], needed: bool
) -> None:
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(config, "get_option", lambda _: address)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert (desks.desk() is not None) is needed


def test_settings_that_cannot_be_read_are_told_by_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    assert desks.open_desk() is None


def test_cookies_are_bound_to_the_host_on_https_and_to_the_port_on_http() -> None:
    assert Cookies.of("https://chainproof.example") == Cookies(
        "__Host-chainproof-session", "__Host-chainproof-sign-in-", "__Host-chainproof-out", True
    )
    assert Cookies.of("http://127.0.0.1:8501").session == "chainproof-session-8501"
    assert not Cookies.of("http://127.0.0.1:8501").secure


def test_the_client_id_is_the_settings_one_or_the_one_that_the_service_wrote_down(home: Path) -> None:
    settings = Settings(dashboard_sign_in="always")
    file, there = home / "dashboard-client.json", Desk(settings)
    for text in (None, "", "[1]", "{}", '{"client_id": "c"}', "\u20ac"):
        if text is not None:
            file.write_text(text, encoding="utf-8")
        with pytest.raises(NotRegistered):
            there.client_id()
    file.write_text(json.dumps({"client_id": "c", "redirect_uri": "https://other.example/sign-in/callback"}))
    with pytest.raises(NotRegistered, match=r"other\.example"):
        there.client_id()
    file.write_text(json.dumps({"client_id": "c", "redirect_uri": f"{DASHBOARD}/sign-in/callback"}))
    assert there.client_id() == "c"
    assert Desk(Settings(dashboard_sign_in="always", dashboard_client_id="d")).client_id() == "d"


def test_one_that_is_not_registered_says_so_and_leads_nowhere(
    browser: Browser, desk: Desk, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Desk(Settings(dashboard_sign_in="always"))
    monkeypatch.setattr(desks, "desk", lambda: there)
    page = browser.get(f"{DASHBOARD}/sign-in?next=/topics")
    assert page.status == 503
    assert b"does not know this dashboard yet" in page.text
    assert b"has not registered" in page.text


def test_at_the_start_nothing_is_asked_in_nobodys_name(
    desk: Desk, client: ApiClient, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "get_client", lambda: client)
    asgi.warm_caches()
    client.close()
    assert line.asked == []


def test_an_icon_is_asked_for_in_the_name_of_whoever_looks(
    desk: Desk, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Caller | None] = []
    monkeypatch.setattr(markets, "fetch_icon", lambda _: asked.append(callers.current_caller()))
    browser.sign_in()
    session = browser.session(desk)
    cookie = f"{desk.cookies.session}={browser.cookies[desk.cookies.session]}"
    guarded = Guard(Starlette(routes=asset_icons.ROUTES))
    assert send(guarded, "/assets/unknown/icon", headers={"cookie": cookie}).status == 404
    assert asked == [session]
