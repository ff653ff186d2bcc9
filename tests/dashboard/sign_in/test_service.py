"""When sign-in is enabled, and the dashboard's registration at the service."""

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
from dashboard.sign_in import service as service_module
from dashboard.sign_in.guard import SignInGuard
from dashboard.sign_in.service import CookieNames, NotRegisteredError, SignInService
from tests.support.dashboard.sign_in import DASHBOARD, Browser, RecordingTransport
from tests.support.http.asgi import send


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("home")
def test_a_local_dashboard_has_sign_in_only_if_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert service_module.get_service() is None
    assert service_module.get_scopes() == ("read", "write")
    service_module.close_service()
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_SIGN_IN", "always")
    service = service_module.get_service()
    assert service is not None
    assert service_module.get_service() is service
    assert service_module.get_scopes() == (), "nobody looks at a page"
    assert service_module.find_caller() is ANONYMOUS


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("address", "variables", "needed"),
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
def test_a_dashboard_that_streamlit_opens_to_others_requires_sign_in(
    monkeypatch: pytest.MonkeyPatch, address: str | None, variables: dict[str, str], needed: bool
) -> None:
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(config, "get_option", lambda _: address)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (service_module.get_service() is not None) is needed


def test_invalid_settings_do_not_raise_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    assert service_module.find_service() is None


def test_cookies_are_bound_to_the_host_on_https_and_to_the_port_on_http() -> None:
    assert CookieNames.for_origin("https://chainproof.example") == CookieNames(
        "__Host-chainproof-session", "__Host-chainproof-sign-in-", "__Host-chainproof-out", True
    )
    assert CookieNames.for_origin("http://127.0.0.1:8501").session == "chainproof-session-8501"
    assert not CookieNames.for_origin("http://127.0.0.1:8501").secure


def test_the_client_id_is_from_the_settings_or_the_file_of_the_service(home: Path) -> None:
    settings = Settings(dashboard_sign_in="always")
    file, service = home / "dashboard-client.json", SignInService(settings)
    for text in (None, "", "[1]", "{}", '{"client_id": "c"}', "\u20ac"):
        if text is not None:
            file.write_text(text, encoding="utf-8")
        with pytest.raises(NotRegisteredError):
            service.load_client_id()
    file.write_text(json.dumps({"client_id": "c", "redirect_uri": "https://other.example/sign-in/callback"}))
    with pytest.raises(NotRegisteredError, match=r"other\.example"):
        service.load_client_id()
    file.write_text(json.dumps({"client_id": "c", "redirect_uri": f"{DASHBOARD}/sign-in/callback"}))
    assert service.load_client_id() == "c"
    assert (
        SignInService(Settings(dashboard_sign_in="always", dashboard_client_id="d")).load_client_id() == "d"
    )


def test_an_unregistered_dashboard_shows_an_error(
    browser: Browser, sign_in_service: SignInService, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = SignInService(Settings(dashboard_sign_in="always"))
    monkeypatch.setattr(service_module, "get_service", lambda: service)
    page = browser.get(f"{DASHBOARD}/sign-in?next=/topics")
    assert page.status == 503
    assert b"does not know this dashboard yet" in page.text
    assert b"has not registered" in page.text


def test_the_start_sends_no_requests_without_a_caller(
    sign_in_service: SignInService,
    client: ApiClient,
    transport: RecordingTransport,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "get_client", lambda: client)
    asgi.warm_caches()
    client.close()
    assert transport.requests == []


def test_an_icon_is_requested_with_the_session_of_the_viewer(
    sign_in_service: SignInService, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    requesting_callers: list[Caller | None] = []
    monkeypatch.setattr(markets, "fetch_icon", lambda _: requesting_callers.append(callers.current_caller()))
    browser.sign_in()
    session = browser.session(sign_in_service)
    cookie = f"{sign_in_service.cookies.session}={browser.cookies[sign_in_service.cookies.session]}"
    guarded = SignInGuard(Starlette(routes=asset_icons.ROUTES))
    assert send(guarded, "/assets/unknown/icon", headers={"cookie": cookie}).status == 404
    assert requesting_callers == [session]
