"""Moves the focus to an element as soon as the page has it; draws nothing."""

from functools import cache
from typing import Any

import streamlit as st

_JS = """
const TIMEOUT_MS = 3000;

export default function ({ data, parentElement }) {
  if (data.turn <= (parentElement.turn ?? 0)) return;
  parentElement.turn = data.turn;
  const end = performance.now() + TIMEOUT_MS;
  const tryFocus = () => {
    const target = document.getElementById(data.id);
    if (target) {
      target.focus({ preventScroll: true });
      const { top } = target.getBoundingClientRect();
      const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (top < 0 || top > innerHeight * 0.65) {
        target.scrollIntoView({ block: "start", behavior: reducedMotion ? "auto" : "smooth" });
      }
    } else if (performance.now() < end) requestAnimationFrame(tryFocus);
  };
  tryFocus();
}
"""


def focus(element_id: str, count: int, *, key: str) -> None:
    """Focus the element with this id after each increase of ``count``, as soon as the page has it."""
    _component()(key=key, data={"id": element_id, "turn": count}, height="content")


@cache
def _component() -> Any:
    return st.components.v2.component("chainproof.focus", js=_JS, isolate_styles=False)
