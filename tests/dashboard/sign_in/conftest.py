"""The service with three accounts, a dashboard with sign-in, and a browser."""

from collections.abc import Iterator

import pytest

from backend.auth.oauth import passwords
from dashboard.client.http import ApiClient
from dashboard.sign_in import service as service_module
from dashboard.sign_in.service import SignInService
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.apps.oauth_app import FAST_PASSWORD_HASHER, create_person
from tests.support.dashboard import sign_in
from tests.support.dashboard.sign_in import Browser, RecordingTransport


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """``ada`` may read and write, ``ben`` may read, ``cat`` may neither."""
    home = tmp_path_factory.mktemp("sign-in")
    enable_only(home, ("bitcoin",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "hasher", FAST_PASSWORD_HASHER)
        running = run_app(settings_in(home), Clock())
        for name, scopes in (("ada", ("read", "write")), ("ben", ("read",)), ("cat", ("write",))):
            create_person(running, name, scopes=scopes)
        yield running
        running.close()


@pytest.fixture
def transport(service: Running) -> RecordingTransport:
    return RecordingTransport(service)


@pytest.fixture
def sign_in_service(
    service: Running, transport: RecordingTransport, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SignInService]:
    """The sign-in service of this test; two minutes after the last test, because logins are throttled."""
    service.clock.move(minutes=2)
    own = sign_in.build_sign_in_service(service, transport)
    monkeypatch.setattr(service_module, "get_service", lambda: own)
    yield own
    own.close()


@pytest.fixture
def browser(sign_in_service: SignInService, service: Running) -> Browser:
    return Browser(sign_in.dashboard(), service)


@pytest.fixture
def client(sign_in_service: SignInService, transport: RecordingTransport) -> ApiClient:
    """The caller of its requests is set by each test."""
    return ApiClient(
        sign_in.SERVICE, lambda: "never-sent", find_caller=service_module.find_caller, transport=transport
    )
