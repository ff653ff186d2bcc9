from backend.auth.oauth import apps, retention
from backend.store.database import Database
from backend.worker import sign_in_schedule
from tests.backend.auth.oauth.issued_tokens import Family, refusal, require_tokens


def test_expired_tokens_and_grants_are_deleted_but_rotated_tokens_are_kept(database: Database) -> None:
    family = Family.of(database)
    unused, first = family.code(), family.issued()
    second = require_tokens(family.refresh(first.refresh_token))
    family.later(hours=3)
    assert retention.delete_expired(database, family.at) == {
        "tokens": 2,
        "grants": 1,
        "sessions": 0,
        "guesses": 0,
    }
    assert refusal(family.exchange(unused)) == "invalid_grant"
    assert refusal(family.refresh(first.refresh_token)) == "invalid_grant"
    assert refusal(family.refresh(second.refresh_token)) == "invalid_grant"  # the reuse was seen
    family.later(days=31)
    sign_in_schedule(database).run(family.at)
    assert retention.delete_expired(database, family.at) == {
        "tokens": 0,
        "grants": 0,
        "sessions": 0,
        "guesses": 0,
    }
    assert [app.client_id for app in apps.list_all(database)] == [family.client_id]


def test_a_grant_that_is_refreshed_stays(database: Database) -> None:
    family = Family.of(database)
    token = family.issued().refresh_token
    for _ in range(3):
        token = require_tokens(family.later(days=29).refresh(token)).refresh_token
        retention.delete_expired(database, family.at)
    assert require_tokens(family.refresh(token))
