"""What a page shows of who is signed in, and why something is not theirs to do."""

from typing import Literal

import streamlit as st

from dashboard.frame.markup import tag, text
from dashboard.i18n import t
from dashboard.sign_in import return_url, service


def may_write() -> bool:
    """Whether whoever looks at the page may store findings and submit jobs."""
    return "write" in service.scopes()


def why_not(what: Literal["store", "submit", "cancel"]) -> None:
    """Says beside what they may not do why it cannot be done."""
    st.html(tag("p", text(t(f"sign_in.needs_write_{what}")), class_="cp-note cp-may-not"))


def account() -> None:
    """Who is signed in, what they may do here, and the way out; nothing where nobody signs in."""
    who = service.person()
    if who is None:
        return
    name = t("sign_in.signed_in_as", name=who.name) if who.name else t("sign_in.signed_in")
    may = t("sign_in.may_write") if "write" in who.scopes else t("sign_in.may_read")
    button = tag("button", text(t("sign_in.sign_out")), type="submit", class_="cp-sign-out")
    word = tag("input", type="hidden", name="csrf", value=who.csrf)
    st.html(
        tag(
            "div",
            tag("p", text(name), class_="cp-account-name"),
            tag("p", text(may), class_="cp-note"),
            tag("form", word, button, method="post", action="/sign-out", target="_self"),
            class_="cp-account",
        )
    )


def is_let_in() -> bool:
    """Whether the page may be drawn. Where it may not, because the session ended a moment ago, the way back
    stands in its place, for a browser that is not led there by itself."""
    if service.desk() is None or service.person() is not None:
        return True
    link = tag(
        "a", text(t("sign_in.sign_in")), href=return_url.sign_in(return_url.HOME, "ended"), target="_self"
    )
    st.html(tag("div", tag("p", text(t("sign_in.why_ended"))), link, class_="cp-awaiting", role="status"))
    return False
