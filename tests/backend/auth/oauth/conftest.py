from collections.abc import Iterator

import pytest

from backend.auth.oauth import passwords
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.apps.oauth_app import FAST_PASSWORD_HASHER, Desk, create_desk, create_person


@pytest.fixture(scope="package", autouse=True)
def _passwords_are_cheap() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "hasher", FAST_PASSWORD_HASHER)
        yield


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory, _passwords_are_cheap: None) -> Iterator[Running]:
    """The application with the account ``ada``; tests share it, and its clock only goes forward."""
    home = tmp_path_factory.mktemp("oauth")
    enable_only(home, ("bitcoin",))
    running = run_app(settings_in(home), Clock())
    create_person(running, "ada")
    yield running
    running.close()


@pytest.fixture
def at_desk(service: Running) -> Desk:
    return create_desk(service)
