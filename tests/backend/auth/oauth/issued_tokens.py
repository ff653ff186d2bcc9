"""Creates an application, an account and their tokens directly in the store."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from backend.auth.oauth import accounts, apps, grants
from backend.auth.oauth.errors import OAuthError
from backend.auth.oauth.grants import Consent, IssuedTokens
from backend.store.database import Database
from tests.support.apps.oauth_app import CALLBACK, PASSWORD, VERIFIER, challenge

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


@dataclass
class Family:
    database: Database
    client_id: str
    account_id: str
    at: datetime = NOW

    @classmethod
    def of(cls, database: Database) -> "Family":
        app = apps.create(database, name="Desk", redirect_uris=[CALLBACK], now=NOW)
        account = accounts.create(database, username="ada", password=PASSWORD, now=NOW)
        return cls(database, app.client_id, account.id)

    def later(self, **duration: float) -> "Family":
        self.at += timedelta(**duration)
        return self

    def code(self, *scopes: str) -> str:
        consent = Consent(self.client_id, self.account_id, scopes or ("read", "write"), CALLBACK, challenge())
        with self.database.write() as connection:
            return grants.issue_code(connection, consent, self.at)

    def exchange(self, code: str, *, scope: str | None = None, **changes: str) -> IssuedTokens | OAuthError:
        right = {"client_id": self.client_id, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return grants.exchange_code(self.database, code=code, scope=scope, now=self.at, **(right | changes))

    def issued(self, *scopes: str) -> IssuedTokens:
        return require_tokens(self.exchange(self.code(*scopes)))

    def refresh(
        self, token: str, *, client_id: str | None = None, scope: str | None = None
    ) -> IssuedTokens | OAuthError:
        return grants.refresh(
            self.database, refresh_token=token, client_id=client_id, scope=scope, now=self.at
        )

    def is_active(self, token: str) -> bool:
        return bool(grants.introspect(self.database, token, self.at)["active"])


def require_tokens(outcome: IssuedTokens | OAuthError) -> IssuedTokens:
    assert isinstance(outcome, IssuedTokens), outcome
    return outcome


def refusal(outcome: IssuedTokens | OAuthError | None) -> str:
    assert isinstance(outcome, OAuthError), outcome
    return outcome.code
