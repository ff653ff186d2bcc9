"""Moves the focus to an element of the page when something has come that was waited for; draws nothing."""

from functools import cache
from typing import Any

import streamlit as st

_JS = """
const WITHIN = 3000;

export default function ({ data, parentElement }) {
  if (data.turn <= (parentElement.turn ?? 0)) return;
  parentElement.turn = data.turn;
  const end = performance.now() + WITHIN;
  const look = () => {
    const there = document.getElementById(data.id);
    if (there) {
      there.focus({ preventScroll: true });
      const { top } = there.getBoundingClientRect();
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (top < 0 || top > innerHeight * 0.65) {
        there.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
      }
    } else if (performance.now() < end) requestAnimationFrame(look);
  };
  look();
}
"""


def focus(element: str, turn: int, *, key: str) -> None:
    """The element of this id gets the focus when ``turn`` has risen, once it is on the page."""
    _component()(key=key, data={"id": element, "turn": turn}, height="content")


@cache
def _component() -> Any:
    return st.components.v2.component("chainproof.focus", js=_JS, isolate_styles=False)
