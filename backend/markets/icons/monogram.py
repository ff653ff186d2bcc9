"""Renders a generated icon for an asset without an image: a disc with its symbol. No I/O.

The hue is derived from the asset's id, so that it never changes. The colour of the disc is darkened until
white letters reach the contrast that WCAG 2.2 requires for text (4.5:1).
"""

import colorsys
import hashlib
from xml.sax.saxutils import escape

SIZE_UNITS = 64
MIN_CONTRAST_RATIO = 4.5
Rgb = tuple[float, float, float]


def render_monogram(asset_id: str, symbol: str) -> bytes:
    """Render an SVG image of 64 by 64 units with up to four characters of ``symbol``, sized to fit."""
    letters = "".join(character for character in symbol.upper() if character.isalnum())[:4] or "?"
    hue, angle = _derive_hue_and_angle(asset_id)
    dark = choose_disc_colour(hue)
    light = choose_disc_colour((hue + 0.06) % 1.0)
    size = {1: 34, 2: 27, 3: 20, 4: 16}[len(letters)]
    fonts = "Inter,system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif"
    label = escape(letters)
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE_UNITS} {SIZE_UNITS}" role="img" ',
            f'aria-label="{label}"><defs><linearGradient id="g" gradientTransform="rotate({angle} .5 .5)">',
            f'<stop offset="0" stop-color="{_format_hex(light)}"/>'
            f'<stop offset="1" stop-color="{_format_hex(dark)}"/>',
            '</linearGradient></defs><circle cx="32" cy="32" r="32" fill="url(#g)"/>',
            '<circle cx="32" cy="32" r="29.5" fill="none" stroke="#fff" stroke-opacity=".22" ',
            'stroke-width="1.5"/><text x="32" y="32" dy=".36em" text-anchor="middle" fill="#fff" ',
            f'font-size="{size}" font-weight="700" letter-spacing="-.3" font-family="{fonts}">{label}</text>',
            "</svg>",
        )
    ).encode()


def choose_disc_colour(hue: float) -> Rgb:
    """Choose the lightest saturated colour of ``hue`` (0 to 1) on which white text is legible."""
    lightness = 0.55
    while True:
        colour = colorsys.hls_to_rgb(hue, lightness, 0.62)
        if contrast_with_white(colour) >= MIN_CONTRAST_RATIO:
            return colour
        lightness -= 0.01


def contrast_with_white(colour: Rgb) -> float:
    """Compute the contrast ratio to white as defined by WCAG 2.2, from 1 to 21."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _derive_hue_and_angle(asset_id: str) -> tuple[float, int]:
    digest = hashlib.sha256(asset_id.encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32, digest[4] % 8 * 45


def _format_hex(colour: Rgb) -> str:
    return "#" + "".join(f"{int(channel * 255):02x}" for channel in colour)
