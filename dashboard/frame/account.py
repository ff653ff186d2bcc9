"""Renders the account: the person signed in, their rights, and notes on missing scopes."""

from typing import Literal

import streamlit as st

from dashboard.frame.markup import tag, text
from dashboard.i18n import t
from dashboard.sign_in import return_url, service


def can_write() -> bool:
    """True if the reader may store findings and submit jobs."""
    return "write" in service.get_scopes()


def render_missing_scope(action: Literal["store", "submit", "cancel"]) -> None:
    """Renders a note beside a disabled control: the scope that it needs is missing."""
    st.html(tag("p", text(t(f"sign_in.needs_write_{action}")), class_="cp-note cp-may-not"))


def render_account() -> None:
    """Renders the person signed in, their rights and the sign-out button; nothing without sign-in."""
    person = service.find_session()
    if person is None:
        return
    name = t("sign_in.signed_in_as", name=person.name) if person.name else t("sign_in.signed_in")
    rights = t("sign_in.may_write") if "write" in person.scopes else t("sign_in.may_read")
    button = tag("button", text(t("sign_in.sign_out")), type="submit", class_="cp-sign-out")
    csrf = tag("input", type="hidden", name="csrf", value=person.csrf)
    st.html(
        tag(
            "div",
            tag("p", text(name), class_="cp-account-name"),
            tag("p", text(rights), class_="cp-note"),
            tag("form", csrf, button, method="post", action="/sign-out", target="_self"),
            class_="cp-account",
        )
    )


def require_sign_in() -> bool:
    """True if the page may be drawn.

    If the session has just ended, renders a link to the sign-in instead, for a browser that is not
    redirected automatically.
    """
    if service.get_service() is None or service.find_session() is not None:
        return True
    link = tag(
        "a",
        text(t("sign_in.sign_in")),
        href=return_url.build_sign_in_url(return_url.HOME, "ended"),
        target="_self",
    )
    st.html(tag("div", tag("p", text(t("sign_in.why_ended"))), link, class_="cp-awaiting", role="status"))
    return False
