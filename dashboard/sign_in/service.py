"""The desk at which people sign in: who is signed in, and what this dashboard is called at the service."""

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
from dashboard.sign_in.oauth_client import SCOPES, Authority, Tokens
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_store import Sessions


class NotRegistered(Exception):
    """The dashboard does not know what it is called at the service, or is called so at another address."""


@dataclass(frozen=True, slots=True)
class Cookies:
    """Names of cookies. On https they are bound to this very host by their prefix; on http, where cookies do
    not tell ports apart, they carry the port. ``signed_out`` is there from a sign-out to the next sign-in."""

    session: str
    attempt: str
    signed_out: str
    secure: bool

    @classmethod
    def of(cls, origin: str) -> "Cookies":
        parts = urlsplit(origin)
        if parts.scheme == "https":
            before, after, secure = "__Host-chainproof", "", True
        else:
            before, after, secure = "chainproof", f"-{parts.port or 80}", False
        return cls(f"{before}-session{after}", f"{before}-sign-in{after}-", f"{before}-out{after}", secure)


class Desk:
    def __init__(self, settings: Settings, *, transport: httpx.BaseTransport | None = None) -> None:
        self.origin = settings.dashboard_origin
        self.named_origin = settings.dashboard_public_url is not None
        self.redirect_uri = settings.dashboard_redirect_uri
        self.cookies = Cookies.of(self.origin)
        self.authority = Authority(settings.api_url, transport=transport)
        self.sessions = Sessions(self._revoke, self._sign_out)
        self._named = settings.dashboard_client_id
        self._file = settings.dashboard_client_file

    def client_id(self) -> str:
        """Raises :class:`NotRegistered`."""
        if self._named:
            return self._named
        try:
            told = json.loads(self._file.read_text(encoding="utf-8"))
            client_id, redirect_uri = str(told["client_id"]), told["redirect_uri"]
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise NotRegistered("The service has not registered this dashboard.") from fault
        if redirect_uri != self.redirect_uri:
            raise NotRegistered(f"The service registered this dashboard at {redirect_uri}.")
        return client_id

    def admit(self, name: str, tokens: Tokens) -> str:
        """Begin a session; what is returned goes into the browser's cookie."""
        return self.sessions.open(Session(name, tokens, self._renew, self.sessions.discard))

    def session_of(self, cookies: Mapping[str, str]) -> Session | None:
        return self.sessions.find(cookies.get(self.cookies.session))

    def close(self) -> None:
        """Ask the service no more."""
        self.authority.close()

    def _renew(self, tokens: Tokens) -> Tokens:
        return self.authority.renew(tokens, client_id=self._known_id())

    def _revoke(self, tokens: Tokens) -> None:
        self.authority.revoke(tokens, client_id=self._known_id())

    def _sign_out(self, tokens: Tokens) -> None:
        self.authority.revoke(tokens, client_id=self._known_id(), end_session=True)

    def _known_id(self) -> str:
        """The one that the tokens were issued to; should it be known no more, the service says so."""
        try:
            return self.client_id()
        except NotRegistered:
            return ""


_lock = threading.Lock()
_made: list[Desk | None] = []


def desk() -> Desk | None:
    """This process's desk, made at the first call; null where nobody signs in.

    Raises :class:`~backend.settings.SettingsError` for settings that cannot be read.
    """
    with _lock:
        if not _made:
            settings = Settings()
            _made.append(Desk(settings) if _is_needed(settings) else None)
        return _made[0]


def close() -> None:
    """Close the desk, as the process ends."""
    with _lock:
        for made in _made:
            if made is not None:
                made.close()
        _made.clear()


def open_desk() -> Desk | None:
    """The same, and null for settings that cannot be read: no page asks the service then, but tells why."""
    try:
        return desk()
    except SettingsError:
        return None


def person() -> Session | None:
    """Who looks at the page that is being drawn; null where nobody signs in, and for nobody."""
    there = desk()
    if there is None or get_script_run_ctx(suppress_warning=True) is None:
        return None
    return there.session_of(st.context.cookies)


def caller() -> Caller:
    """The same as who asks the service."""
    return person() or ANONYMOUS


def scopes() -> tuple[str, ...]:
    """What the page may do; where nobody signs in, all that pages can."""
    return SCOPES if desk() is None else getattr(person(), "scopes", ())


def _is_needed(settings: Settings) -> bool:
    """The settings say where the dashboard ought to listen. Where it listens elsewhere, started without the
    ``chainproof`` command, nobody is let in unasked either."""
    if settings.dashboard_signs_in or settings.dashboard_open_to_all or not runtime.exists():
        return settings.dashboard_signs_in
    return not is_loopback(config.get_option("server.address") or "0.0.0.0")  # noqa: S104 - what is refused
