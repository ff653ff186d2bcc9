"""Contrast and distinctness of colours."""

import itertools
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest

from dashboard.app_pages.overview.charts import TILE_INK, compute_tile_colours
from dashboard.frame.palette import (
    DARK_BACKGROUNDS,
    FULL_COLOUR_PERCENT,
    LIGHT_BACKGROUNDS,
    SCHEMES,
    Scheme,
    contrast,
    css_variables,
    mix,
    shades,
)

CONFIG = Path(__file__).parents[3] / ".streamlit" / "config.toml"


def test_contrast_follows_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("dark", [False, True])
def test_every_text_colour_is_readable_on_the_theme(scheme: Scheme, dark: bool) -> None:
    colours = shades(scheme, dark=dark)
    for colour in (colours.up, colours.down, colours.flat):
        for background in DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS:
            assert contrast(colour, background) >= 4.5, (colour, background)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rise_and_fall_have_different_colours(scheme: Scheme) -> None:
    for dark in (False, True):
        colours = shades(scheme, dark=dark)
        assert len({colours.up, colours.down, colours.flat}) == 3


def test_the_backgrounds_match_the_streamlit_theme() -> None:
    theme = tomllib.loads(CONFIG.read_text())["theme"]
    for mode, backgrounds in (("light", LIGHT_BACKGROUNDS), ("dark", DARK_BACKGROUNDS)):
        assert (theme[mode]["backgroundColor"], theme[mode]["secondaryBackgroundColor"]) == backgrounds
        assert contrast(theme[mode]["textColor"], backgrounds[1]) >= 7


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_on_every_tile_of_the_map_is_readable(scheme: Scheme) -> None:
    shares = [None, 0, 0.01, 0.25, 0.5, 0.75, 1, 5]
    for span, share, sign in itertools.product(FULL_COLOUR_PERCENT, shares, (1, -1)):
        change = None if share is None else FULL_COLOUR_PERCENT[span] * sign * Decimal(str(share))
        for ink, background in zip(
            TILE_INK, compute_tile_colours(change, Decimal(FULL_COLOUR_PERCENT[span]), scheme), strict=True
        ):
            assert contrast(ink, background) >= 4.5, (scheme, change, background)


def test_mixing_no_or_all_of_a_colour_returns_one_of_the_two() -> None:
    assert mix("#102030", "#ffffff", 1) == "#102030"
    assert mix("#102030", "#ffffff", 0) == "#ffffff"


def test_css_variables_hold_both_modes_of_a_scheme() -> None:
    assert css_variables("red").startswith("--up:light-dark(#b3261e,#ff8a80);")
