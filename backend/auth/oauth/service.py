"""What the endpoints ask: one object that holds the store, the issuer and the clock."""

from dataclasses import dataclass
from typing import Any

from backend.auth.oauth import accounts, apps, grants
from backend.auth.oauth.accounts import Throttled
from backend.auth.oauth.authorization import AuthorizationRequest, answer_address
from backend.auth.oauth.session import Cookie
from backend.auth.principal import SCOPES
from backend.db import Database
from backend.instants import Clock


@dataclass(frozen=True, slots=True)
class OAuth:
    """``issuer`` is the service's address as clients know it, without a slash at its end."""

    database: Database
    issuer: str
    now: Clock

    @property
    def cookie(self) -> Cookie:
        return Cookie.of(self.issuer)

    def app(self, client_id: str | None) -> apps.App | None:
        return None if client_id is None else apps.find(self.database, client_id)

    def approve(
        self, asked: AuthorizationRequest, username: str, password: str, *, address: str
    ) -> str | Throttled | None:
        """Where the browser goes with a code, or that there were too many attempts; null for a wrong name or
        password.

        Of the scopes asked for those are granted that the account may grant (RFC 6749 section 3.3). Raises
        :class:`~backend.auth.oauth.authorization.Answered` where there is none.
        """
        who = accounts.sign_in(self.database, username, password, address=address, now=self.now())
        if who is None or isinstance(who, Throttled):
            return who
        now = self.now()
        with self.database.write() as connection:
            account = accounts.confirmed(connection, who, now)
            if account is None:
                return None
            if apps.active(connection, asked.app.client_id, locked=True) is None:
                raise asked.refused("unauthorized_client", "The application was withdrawn.")
            scopes = tuple(scope for scope in asked.scopes if scope in account.scopes)
            if not scopes:
                raise asked.refused("access_denied", "The account may grant none of the scopes asked for.")
            consent = grants.Consent(
                asked.app.client_id, account.id, scopes, asked.redirect_uri, asked.code_challenge
            )
            code = grants.issue_code(connection, consent, now)
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
