"""Approves, resumes and ends sign-ins for the authorization endpoint, and builds the server metadata."""

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.oauth import accounts, apps, grants, sign_in_sessions
from backend.auth.oauth.accounts import Account, Throttled
from backend.auth.oauth.authorization_request import AuthorizationRequest, build_redirect_url
from backend.auth.oauth.cookies import Cookie
from backend.auth.oauth.tables import sign_in_sessions as sessions
from backend.auth.principal import SCOPES
from backend.formats.timestamps import Clock
from backend.store.database import Database


@dataclass(frozen=True, slots=True)
class Approval:
    """The URL to redirect to with a code, and the secret of the sign-in session, None for third parties."""

    redirect_url: str = field(repr=False)
    session: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class OAuth:
    """OAuth operations. ``issuer`` is the service's URL as clients know it, without a trailing slash."""

    database: Database
    issuer: str
    now: Clock

    @property
    def csrf_cookie(self) -> Cookie:
        return Cookie.for_csrf(self.issuer)

    @property
    def session_cookie(self) -> Cookie:
        return Cookie.for_session(self.issuer)

    def find_app(self, client_id: str | None) -> apps.App | None:
        return None if client_id is None else apps.find(self.database, client_id)

    def approve(
        self,
        authorization: AuthorizationRequest,
        username: str,
        password: str,
        *,
        client_ip: str,
        session: str | None = None,
        user_agent: str = "",
    ) -> Approval | Throttled | None:
        """Verify the password and issue a code; None for a wrong name or password.

        A first-party application gets a sign-in session, which replaces the secret ``session`` of the
        browser. Grants those requested scopes that the account may grant (RFC 6749 section 3.3). Raises
        :class:`~backend.auth.oauth.authorization_request.RedirectedError` if there are none.
        """
        signed_in = accounts.sign_in(self.database, username, password, client_ip=client_ip, now=self.now())
        if signed_in is None or isinstance(signed_in, Throttled):
            return signed_in
        with self.database.write() as connection:
            account = accounts.confirm_sign_in(connection, signed_in, self.now())
            if account is None:
                return None
            _lock_app(connection, authorization)
            if not authorization.app.first_party:
                return Approval(self._redirect_with_code(connection, authorization, account, None), None)
            session_id, secret = self._open_session(connection, account, session, user_agent)
            return Approval(self._redirect_with_code(connection, authorization, account, session_id), secret)

    def resume(self, authorization: AuthorizationRequest, session: str | None) -> str | None:
        """Return the redirect URL with a code for a signed-in browser; None if the page must be shown.

        Raises as :meth:`approve` does.
        """
        if authorization.requires_password:
            return None
        stored_session = self._find_session(authorization, session)
        if stored_session is None:
            return None
        with self.database.write() as connection:
            account = accounts.find_active(connection, stored_session.account_id)
            if account is None:
                return None
            _lock_app(connection, authorization)
            alive = sign_in_sessions.lock(connection, stored_session.id, self.now())
            if alive is None or alive.digest != stored_session.digest:
                return None
            sign_in_sessions.touch(connection, alive, self.now())
            return self._redirect_with_code(connection, authorization, account, alive.id)

    def sign_out(self, authorization: AuthorizationRequest, session: str | None) -> None:
        """End the session of this browser, whose sign-out at the application did not reach the service."""
        stored_session = self._find_session(authorization, session)
        if stored_session is not None:
            with self.database.write() as connection:
                grants.end_sessions(connection, sessions.c.id == stored_session.id, self.now())

    def _find_session(self, authorization: AuthorizationRequest, session: str | None) -> sa.Row[Any] | None:
        """Find the session without a write lock, so that invented cookies block no writers.

        None for third parties.
        """
        if session is None or not authorization.app.first_party:
            return None
        with self.database.read() as connection:
            return sign_in_sessions.find(connection, session, self.now())

    def _open_session(
        self, connection: Connection, account: Account, former: str | None, user_agent: str
    ) -> tuple[str, str]:
        """Renew the session of this browser or start a new one; returns its id and new secret.

        Ends the session of another account in this browser. The secret always changes after the password
        was entered, to prevent session fixation.
        """
        now = self.now()
        existing = None if former is None else sign_in_sessions.find(connection, former, now)
        if existing is not None and existing.account_id == account.id:
            return existing.id, sign_in_sessions.renew(connection, existing.id, now)
        if existing is not None:
            grants.end_sessions(connection, sessions.c.id == existing.id, now)
        return sign_in_sessions.start(connection, account.id, user_agent=user_agent, now=now)

    def _redirect_with_code(
        self,
        connection: Connection,
        authorization: AuthorizationRequest,
        account: Account,
        session_id: str | None,
    ) -> str:
        scopes = tuple(scope for scope in authorization.scopes if scope in account.scopes)
        if not scopes:
            raise authorization.build_error(
                "access_denied", "The account may grant none of the scopes asked for."
            )
        consent = grants.Consent(
            authorization.app.client_id,
            account.id,
            scopes,
            authorization.redirect_uri,
            authorization.code_challenge,
            session_id,
        )
        code = grants.issue_code(connection, consent, self.now())
        return build_redirect_url(
            authorization.redirect_uri, authorization.state, self.issuer, {"code": code}
        )

    def metadata(self) -> dict[str, Any]:
        """Build the metadata document of RFC 8414."""
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


def _lock_app(connection: Connection, authorization: AuthorizationRequest) -> None:
    if apps.find_active(connection, authorization.app.client_id, locked=True) is None:
        raise authorization.build_error("unauthorized_client", "The application was withdrawn.")
