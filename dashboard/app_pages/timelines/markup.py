"""Renders headings and percentages that the sections of the Timelines page share."""

import math

import streamlit as st

from dashboard.frame.formats import UNKNOWN
from dashboard.frame.markup import tag, text


def head(title: str, why: str = "") -> None:
    """Render a section's ``h2`` and a sentence on how its figures are computed."""
    note = tag("p", text(why), class_="cp-note") if why else ""
    st.html(tag("div", tag("h2", text(title), class_="tl-head"), note))


def percent(score: float) -> str:
    """Format a score as a percentage of the maximum: ``85.0 %``; a dash if it is unknown."""
    return UNKNOWN if math.isnan(score) else f"{score * 100:.1f} %"
