import colorsys
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from backend.markets.icons.monogram import (
    MIN_CONTRAST_RATIO,
    choose_disc_colour,
    contrast_with_white,
    render_monogram,
)


@given(st.floats(min_value=0, max_value=1, exclude_max=True))
def test_white_letters_are_legible_on_every_hue(hue: float) -> None:
    assert contrast_with_white(choose_disc_colour(hue)) >= MIN_CONTRAST_RATIO


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_id_and_symbol_give_well_formed_svg_without_script(asset_id: str, symbol: str) -> None:
    image = render_monogram(asset_id, symbol)
    root = ET.fromstring(image)
    assert root.tag.endswith("svg")
    assert b"<script" not in image.lower()


def test_the_same_asset_has_the_same_icon_and_another_has_another() -> None:
    assert render_monogram("bitcoin", "BTC") == render_monogram("bitcoin", "BTC")
    assert render_monogram("bitcoin", "BTC") != render_monogram("bitcoin-cash", "BTC")


def test_contrast_is_the_wcag_ratio() -> None:
    assert contrast_with_white((1, 1, 1)) == 1
    assert round(contrast_with_white((0, 0, 0)), 6) == 21
    assert round(contrast_with_white(colorsys.hls_to_rgb(0, 0.4648, 0)), 1) == 4.5  # about #777
