"""Tests which key admits which caller, and until when."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from backend.auth import service as auth_service
from backend.auth.tables import api_keys
from tests.backend.app.paths import COLD, HOT
from tests.support.apps.market_app import Running
from tests.support.http.asgi import send
from tests.support.http.problems import assert_problem


@pytest.mark.parametrize("path", [*HOT, *COLD])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"CP-X-API-KEY": ""},
        {"CP-X-API-KEY": "nonsense"},
        {"CP-X-API-KEY": "cp_livev1" + "0" * 32 + "_000000"},
        {"CP-X-API-KEY": "ключ".encode().decode("latin-1")},
        {"Authorization": "Basic Zm9vOmJhcg=="},
        {"Authorization": "Bearer"},
        {"X-CP-TERMINAL-API-KEY": "cpt_livev1" + "0" * 32 + "_000000"},
    ],
)
def test_requests_without_a_valid_key_are_rejected(
    running: Running, path: str, headers: dict[str, str]
) -> None:
    answer = send(running.app, path, headers=headers)
    assert_problem(answer, 401, "unauthorized")
    assert "ApiKey" in answer.headers["www-authenticate"]
    assert "Bearer" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("path", [*HOT, *COLD])
def test_a_key_without_read_is_forbidden(running: Running, path: str) -> None:
    created = auth_service.create_key(
        running.database, name="writer", scopes=("write",), now=datetime.now(UTC)
    )
    running.poll_changes()
    problem = assert_problem(running.get(path, key=created.key), 403, "insufficient_scope")
    assert "'read'" in problem["detail"]


@pytest.mark.parametrize("path", ["/prices", "/markets/status"])
def test_key_is_accepted_as_bearer_token_and_conflicting_credentials_are_rejected(
    running: Running, path: str
) -> None:
    bearer = {"Authorization": f"Bearer {running.key}"}
    assert send(running.app, path, headers=bearer).status == 200
    both = {**bearer, "CP-X-API-KEY": running.key}
    assert send(running.app, path, headers=both).status == 200
    other_key = auth_service.create_key(
        running.database, name="other", scopes=("read",), now=datetime.now(UTC)
    )
    running.poll_changes()
    assert_problem(
        send(running.app, path, headers={**bearer, "CP-X-API-KEY": other_key.key}), 401, "unauthorized"
    )


@pytest.mark.parametrize("path", ["/prices", "/markets/status"])
def test_revoked_key_is_rejected_after_the_next_change_poll(running: Running, path: str) -> None:
    created = auth_service.create_key(running.database, name="brief", scopes=("read",), now=datetime.now(UTC))
    running.poll_changes()
    assert running.get(path, key=created.key).status == 200
    auth_service.revoke_key(running.database, created.key, datetime.now(UTC))
    running.inner.state.credentials.reload()
    assert_problem(running.get(path, key=created.key), 401, "unauthorized")


@pytest.mark.parametrize("path", ["/prices", "/markets/status"])
def test_an_expired_key_is_refused(running: Running, path: str) -> None:
    created_at = datetime.now(UTC) - timedelta(days=2)
    created = auth_service.create_key(
        running.database, name="old", scopes=("read",), expires_in=timedelta(days=1), now=created_at
    )
    running.poll_changes()
    assert "expired" in assert_problem(running.get(path, key=created.key), 401, "unauthorized")["detail"]


def test_local_key_can_read_data(running: Running) -> None:
    local = running.inner.state.settings.local_key_file.read_text().strip()
    assert running.get("/prices", key=local).status == 200


def test_prepared_response_records_the_last_use_of_the_key(running: Running) -> None:
    created = auth_service.create_key(running.database, name="used", scopes=("read",), now=datetime.now(UTC))
    running.poll_changes()
    assert running.get("/prices", key=created.key).status == 200
    running.inner.state.credentials.flush_last_used()
    with running.database.read() as connection:
        query = sa.select(api_keys.c.last_used_at).where(api_keys.c.name == "used")
        assert connection.execute(query).scalar_one() is not None


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/docs", "/openapi.json", "/assets/bitcoin/icon", "/metrics"]
)
def test_open_paths_need_no_key(running: Running, path: str) -> None:
    answer = send(running.app, path)
    assert answer.status == 200
    assert answer.headers["x-request-id"]
