"""Checks for ``doctor`` whether people can sign in, and safely."""

from typing import Literal
from urllib.parse import urlsplit

from backend.auth.oauth import accounts, apps, redirect_uris
from backend.settings import Settings
from backend.store.database import Database


def checkup(settings: Settings, database: Database) -> tuple[Literal["ok", "note"], str]:
    """Return a state and a sentence."""
    clients = sum(app.state == "active" for app in apps.list_all(database))
    people = sum(account.state == "active" for account in accounts.list_all(database))
    if not clients:
        return "ok", "not in use: no application is registered."
    summary = f"applications: {clients}, accounts: {people}; the issuer is {settings.issuer_url}"
    if not people:
        return "note", f"{summary}. Nobody can sign in: 'chainproof users create' makes an account."
    parts = urlsplit(settings.issuer_url)
    if parts.scheme != "https" and parts.hostname not in redirect_uris.LOOPBACK:
        return (
            "note",
            f"{summary}, so passwords travel unencrypted: set CHAINPROOF_ISSUER to an https address.",
        )
    return "ok", f"{summary}."
