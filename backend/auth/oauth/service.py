"""What the endpoints ask: one object that holds the store, the issuer and the clock."""

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.oauth import accounts, apps, grants, sign_in_sessions
from backend.auth.oauth.accounts import Account, Throttled
from backend.auth.oauth.authorization_request import AuthorizationRequest, answer_address
from backend.auth.oauth.cookies import Cookie
from backend.auth.oauth.tables import sign_in_sessions as sessions
from backend.auth.principal import SCOPES
from backend.formats.timestamps import Clock
from backend.store.database import Database


@dataclass(frozen=True, slots=True)
class Approved:
    """Where the browser goes with a code; ``session`` is the secret that keeps it signed in, if anything."""

    address: str = field(repr=False)
    session: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class OAuth:
    """``issuer`` is the service's address as clients know it, without a slash at its end."""

    database: Database
    issuer: str
    now: Clock

    @property
    def cookie(self) -> Cookie:
        return Cookie.of(self.issuer)

    @property
    def session_cookie(self) -> Cookie:
        return Cookie.of_session(self.issuer)

    def app(self, client_id: str | None) -> apps.App | None:
        return None if client_id is None else apps.find(self.database, client_id)

    def approve(
        self,
        asked: AuthorizationRequest,
        username: str,
        password: str,
        *,
        address: str,
        session: str | None = None,
        user_agent: str = "",
    ) -> Approved | Throttled | None:
        """Where the browser goes with a code, or that there were too many attempts; null for a wrong name or
        password.

        At a first-party application the browser stays signed in; ``session`` is the secret by which it is
        already, which ends. Of the scopes asked for those are granted that the account may grant (RFC 6749
        section 3.3). Raises :class:`~backend.auth.oauth.authorization_request.Answered` where there is none.
        """
        who = accounts.sign_in(self.database, username, password, address=address, now=self.now())
        if who is None or isinstance(who, Throttled):
            return who
        with self.database.write() as connection:
            account = accounts.confirmed(connection, who, self.now())
            if account is None:
                return None
            _lock_app(connection, asked)
            if not asked.app.first_party:
                return Approved(self._address(connection, asked, account, None), None)
            session_id, secret = self._signed_in(connection, account, session, user_agent)
            return Approved(self._address(connection, asked, account, session_id), secret)

    def resume(self, asked: AuthorizationRequest, session: str | None) -> str | None:
        """Where a browser that stays signed in goes with a code; null where the page has to be shown.

        Raises as :meth:`approve` does.
        """
        if asked.wants_password:
            return None
        found = self._find(asked, session)
        if found is None:
            return None
        with self.database.write() as connection:
            account = accounts.active(connection, found.account_id)
            if account is None:
                return None
            _lock_app(connection, asked)
            alive = sign_in_sessions.lock(connection, found.id, self.now())
            if alive is None or alive.digest != found.digest:
                return None
            sign_in_sessions.touch(connection, alive, self.now())
            return self._address(connection, asked, account, alive.id)

    def sign_out(self, asked: AuthorizationRequest, session: str | None) -> None:
        """End the session of this browser, which signed out where the service could not be told."""
        found = self._find(asked, session)
        if found is not None:
            with self.database.write() as connection:
                grants.end_sessions(connection, sessions.c.id == found.id, self.now())

    def _find(self, asked: AuthorizationRequest, session: str | None) -> sa.Row[Any] | None:
        """Read alone, so that a made-up cookie takes no lock for writing. Null for third parties."""
        if session is None or not asked.app.first_party:
            return None
        with self.database.read() as connection:
            return sign_in_sessions.find(connection, session, self.now())

    def _signed_in(
        self, connection: Connection, account: Account, former: str | None, user_agent: str
    ) -> tuple[str, str]:
        """The id and the new secret of this browser's session: its own of before, or another person's is
        ended and a new one started. A secret that was there before the password is never kept."""
        now = self.now()
        found = None if former is None else sign_in_sessions.find(connection, former, now)
        if found is not None and found.account_id == account.id:
            return found.id, sign_in_sessions.renew(connection, found.id, now)
        if found is not None:
            grants.end_sessions(connection, sessions.c.id == found.id, now)
        return sign_in_sessions.start(connection, account.id, user_agent=user_agent, now=now)

    def _address(
        self, connection: Connection, asked: AuthorizationRequest, account: Account, session_id: str | None
    ) -> str:
        scopes = tuple(scope for scope in asked.scopes if scope in account.scopes)
        if not scopes:
            raise asked.refused("access_denied", "The account may grant none of the scopes asked for.")
        consent = grants.Consent(
            asked.app.client_id, account.id, scopes, asked.redirect_uri, asked.code_challenge, session_id
        )
        code = grants.issue_code(connection, consent, self.now())
        return answer_address(asked.redirect_uri, asked.state, self.issuer, {"code": code})

    def metadata(self) -> dict[str, Any]:
        """The document of RFC 8414."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/oauth/authorize",
            "token_endpoint": f"{self.issuer}/oauth/token",
            "revocation_endpoint": f"{self.issuer}/oauth/revoke",
            "introspection_endpoint": f"{self.issuer}/oauth/introspect",
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "introspection_endpoint_auth_methods_supported": ["Bearer"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "ui_locales_supported": ["en", "ja", "zh-Hans"],
            "service_documentation": f"{self.issuer}/docs",
        }


def _lock_app(connection: Connection, asked: AuthorizationRequest) -> None:
    if apps.active(connection, asked.app.client_id, locked=True) is None:
        raise asked.refused("unauthorized_client", "The application was withdrawn.")
