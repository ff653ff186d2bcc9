"""Checks sign-in and access to the dashboard for ``chainproof doctor``."""

from urllib.parse import urlsplit

from backend.auth.oauth import accounts, apps, redirect_uris
from backend.errors import BadRequest
from backend.runtime.check_result import CheckResult
from backend.settings import Settings, is_loopback
from backend.store.database import Database


def check_sign_in(settings: Settings, database: Database) -> CheckResult:
    """Report whether people can sign in, and whether their passwords travel encrypted."""
    clients = sum(app.state == "active" for app in apps.list_all(database))
    people = sum(account.state == "active" for account in accounts.list_all(database))
    if not clients:
        return CheckResult("Sign-in", "ok", "not in use: no application is registered.")
    summary = f"applications: {clients}, accounts: {people}; the issuer is {settings.issuer_url}"
    if not people:
        return CheckResult(
            "Sign-in", "note", f"{summary}. Nobody can sign in: 'chainproof users create' creates an account."
        )
    parts = urlsplit(settings.issuer_url)
    if parts.scheme != "https" and parts.hostname not in redirect_uris.LOOPBACK:
        return CheckResult(
            "Sign-in",
            "note",
            f"{summary}, so passwords travel unencrypted: set CHAINPROOF_ISSUER to an https address.",
        )
    return CheckResult("Sign-in", "ok", f"{summary}.")


def check_dashboard(settings: Settings) -> CheckResult:
    """Report who can open the dashboard."""
    host, origin = settings.dashboard_host, settings.dashboard_public_origin
    if not settings.dashboard_requires_sign_in:
        if is_loopback(host):
            return CheckResult("Dashboard", "ok", f"is for this machine alone ({host}); nobody signs in.")
        return CheckResult(
            "Dashboard",
            "note",
            f"is open to all who reach {host}: they act with the local key.",
        )
    try:
        redirect_uris.validate(settings.dashboard_redirect_uri)
    except BadRequest as refusal:
        return CheckResult(
            "Dashboard",
            "fault",
            f"nobody can sign in at {origin}: {refusal.detail} Set CHAINPROOF_DASHBOARD_PUBLIC_URL to the "
            "https address at which people open it.",
        )
    if not is_loopback(host) and settings.dashboard_public_url is None:
        return CheckResult(
            "Dashboard",
            "note",
            f"people can sign in at {origin} alone. Set CHAINPROOF_DASHBOARD_PUBLIC_URL to the https address "
            "at which others open it.",
        )
    return CheckResult("Dashboard", "ok", f"people sign in at {origin}.")
