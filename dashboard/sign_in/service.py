"""Manages sign-in: sessions, tokens, and the dashboard's registration at the service."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import streamlit as st
from streamlit import config, runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from backend.settings import Settings, SettingsError, is_loopback
from dashboard.client.callers import ANONYMOUS, Caller
from dashboard.sign_in.oauth_client import SCOPES, OAuthClient, Tokens
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_store import SessionStore


class NotRegisteredError(Exception):
    """The dashboard is not registered at the service, or is registered with another URL."""


@dataclass(frozen=True, slots=True)
class CookieNames:
    """Names of cookies. On https, the prefix binds them to the host. On http, they contain the port, because
    cookies do not distinguish ports. ``signed_out`` is set from a sign-out to the next sign-in."""

    session: str
    attempt_prefix: str
    signed_out: str
    secure: bool

    @classmethod
    def for_origin(cls, origin: str) -> "CookieNames":
        parts = urlsplit(origin)
        if parts.scheme == "https":
            prefix, suffix, secure = "__Host-chainproof", "", True
        else:
            prefix, suffix, secure = "chainproof", f"-{parts.port or 80}", False
        return cls(f"{prefix}-session{suffix}", f"{prefix}-sign-in{suffix}-", f"{prefix}-out{suffix}", secure)


class SignInService:
    """Holds the sessions of the dashboard, and refreshes and revokes their tokens at the service."""

    def __init__(self, settings: Settings, *, transport: httpx.BaseTransport | None = None) -> None:
        self.origin = settings.dashboard_public_origin
        self.has_public_url = settings.dashboard_public_url is not None
        self.redirect_uri = settings.dashboard_redirect_uri
        self.cookies = CookieNames.for_origin(self.origin)
        self.oauth_client = OAuthClient(settings.api_url, transport=transport)
        self.sessions = SessionStore(self._revoke, self._sign_out)
        self._configured_client_id = settings.dashboard_client_id
        self._registration_file = settings.dashboard_oauth_client_file

    def load_client_id(self) -> str:
        """Load the dashboard's client id. Raises :class:`NotRegisteredError`."""
        if self._configured_client_id:
            return self._configured_client_id
        try:
            data = json.loads(self._registration_file.read_text(encoding="utf-8"))
            client_id, redirect_uri = str(data["client_id"]), data["redirect_uri"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotRegisteredError("The service has not registered this dashboard.") from error
        if redirect_uri != self.redirect_uri:
            raise NotRegisteredError(f"The service registered this dashboard at {redirect_uri}.")
        return client_id

    def start_session(self, name: str, tokens: Tokens) -> str:
        """Start a session; returns the secret for the browser's cookie."""
        return self.sessions.add(Session(name, tokens, self._refresh_tokens, self.sessions.queue_revocation))

    def find_session(self, cookies: Mapping[str, str]) -> Session | None:
        return self.sessions.find(cookies.get(self.cookies.session))

    def close(self) -> None:
        """Close the connections to the service."""
        self.oauth_client.close()

    def _refresh_tokens(self, tokens: Tokens) -> Tokens:
        return self.oauth_client.refresh_tokens(tokens, client_id=self._load_client_id_or_empty())

    def _revoke(self, tokens: Tokens) -> None:
        self.oauth_client.revoke(tokens, client_id=self._load_client_id_or_empty())

    def _sign_out(self, tokens: Tokens) -> None:
        self.oauth_client.revoke(tokens, client_id=self._load_client_id_or_empty(), end_session=True)

    def _load_client_id_or_empty(self) -> str:
        """Load the client id of the tokens; empty if it is no longer known."""
        try:
            return self.load_client_id()
        except NotRegisteredError:
            return ""


_services_lock = threading.Lock()
_services: list[SignInService | None] = []


def get_service() -> SignInService | None:
    """Return the process's sign-in service, created at the first call; None if sign-in is disabled.

    Raises :class:`~backend.settings.SettingsError` for invalid settings.
    """
    with _services_lock:
        if not _services:
            settings = Settings()
            _services.append(SignInService(settings) if _is_sign_in_needed(settings) else None)
        return _services[0]


def close_service() -> None:
    """Close the sign-in service at the end of the process."""
    with _services_lock:
        for service in _services:
            if service is not None:
                service.close()
        _services.clear()


def find_service() -> SignInService | None:
    """Return the sign-in service; None also for invalid settings, which the pages then report."""
    try:
        return get_service()
    except SettingsError:
        return None


def find_session() -> Session | None:
    """Find the session of the page that is drawn; None without sign-in, session or page."""
    service = get_service()
    if service is None or get_script_run_ctx(suppress_warning=True) is None:
        return None
    return service.find_session(st.context.cookies)


def find_caller() -> Caller:
    """Find the caller of requests to the service: the session of the page, or nobody."""
    return find_session() or ANONYMOUS


def get_scopes() -> tuple[str, ...]:
    """Return the scopes of the page's session; all scopes if sign-in is disabled."""
    return SCOPES if get_service() is None else getattr(find_session(), "scopes", ())


def _is_sign_in_needed(settings: Settings) -> bool:
    """Whether sign-in is needed, by the settings.

    If Streamlit was started without the ``chainproof`` command, the address on which it listens decides, too.
    """
    if settings.dashboard_requires_sign_in or settings.dashboard_open_to_all or not runtime.exists():
        return settings.dashboard_requires_sign_in
    return not is_loopback(config.get_option("server.address") or "0.0.0.0")  # noqa: S104 - what is refused
