"""Small pieces that the parts of the Timelines page share."""

import math

import streamlit as st

from dashboard.frame.formats import UNKNOWN
from dashboard.frame.markup import tag, text


def head(title: str, why: str = "") -> None:
    """A part's ``h2``, and a sentence that tells how its figures are made."""
    note = tag("p", text(why), class_="cp-note") if why else ""
    st.html(tag("div", tag("h2", text(title), class_="tl-head"), note))


def percent(score: float) -> str:
    """A score as a share of the points there are: ``85.0 %``; a dash where it is not known."""
    return UNKNOWN if math.isnan(score) else f"{score * 100:.1f} %"
