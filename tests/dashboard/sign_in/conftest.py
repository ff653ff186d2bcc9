"""The service with two accounts, a dashboard at which people sign in, and a browser."""

from collections.abc import Iterator

import pytest

from backend.auth.oauth import passwords
from dashboard.client.http import ApiClient
from dashboard.sign_in import service as desks
from dashboard.sign_in.service import Desk
from tests.support import sign_in
from tests.support.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.oauth_app import CHEAP, person
from tests.support.sign_in import Browser, Line


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """``ada`` may read and write, ``ben`` may read, ``cat`` may neither."""
    home = tmp_path_factory.mktemp("sign-in")
    enable_only(home, ("bitcoin",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "hasher", CHEAP)
        running = run_app(settings_in(home), Clock())
        for name, scopes in (("ada", ("read", "write")), ("ben", ("read",)), ("cat", ("write",))):
            person(running, name, scopes=scopes)
        yield running
        running.close()


@pytest.fixture
def line(service: Running) -> Line:
    return Line(service)


@pytest.fixture
def desk(service: Running, line: Line, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The desk of this test alone; two minutes after the last one, since guesses are counted."""
    service.clock.move(minutes=2)
    own = sign_in.desk_of(service, line)
    monkeypatch.setattr(desks, "desk", lambda: own)
    yield own
    own.close()


@pytest.fixture
def browser(desk: Desk, service: Running) -> Browser:
    return Browser(sign_in.dashboard(), service)


@pytest.fixture
def client(desk: Desk, line: Line) -> ApiClient:
    """As whom it asks is said by each call of a test."""
    return ApiClient(sign_in.SERVICE, lambda: "never-sent", find_caller=desks.caller, transport=line)
