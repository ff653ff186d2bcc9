"""A generated icon for an asset without an image of its own: a disc with its symbol; pure.

The hue comes from the asset's id, so that it is the same everywhere and for ever. The disc's colour
is darkened until white letters on it reach the contrast that WCAG 2.2 asks of text (4.5:1).
"""

import colorsys
import hashlib
from xml.sax.saxutils import escape

SIZE = 64
MINIMUM_CONTRAST = 4.5
Rgb = tuple[float, float, float]


def monogram(asset_id: str, symbol: str) -> bytes:
    """An SVG image of 64 by 64 units; up to four characters of ``symbol``, sized to fit."""
    letters = "".join(character for character in symbol.upper() if character.isalnum())[:4] or "?"
    hue, tilt = _hash(asset_id)
    dark = disc_colour(hue)
    light = disc_colour((hue + 0.06) % 1.0)
    size = {1: 34, 2: 27, 3: 20, 4: 16}[len(letters)]
    fonts = "Inter,system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif"
    shown = escape(letters)
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" role="img" ',
            f'aria-label="{shown}"><defs><linearGradient id="g" gradientTransform="rotate({tilt} .5 .5)">',
            f'<stop offset="0" stop-color="{_hex(light)}"/><stop offset="1" stop-color="{_hex(dark)}"/>',
            '</linearGradient></defs><circle cx="32" cy="32" r="32" fill="url(#g)"/>',
            '<circle cx="32" cy="32" r="29.5" fill="none" stroke="#fff" stroke-opacity=".22" ',
            'stroke-width="1.5"/><text x="32" y="32" dy=".36em" text-anchor="middle" fill="#fff" ',
            f'font-size="{size}" font-weight="700" letter-spacing="-.3" font-family="{fonts}">{shown}</text>',
            "</svg>",
        )
    ).encode()


def disc_colour(hue: float) -> Rgb:
    """The lightest saturated colour of ``hue`` (0 to 1) on which white text is legible."""
    lightness = 0.55
    while True:
        colour = colorsys.hls_to_rgb(hue, lightness, 0.62)
        if contrast_with_white(colour) >= MINIMUM_CONTRAST:
            return colour
        lightness -= 0.01


def contrast_with_white(colour: Rgb) -> float:
    """Contrast ratio as WCAG 2.2 defines it, 1 to 21."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _hash(asset_id: str) -> tuple[float, int]:
    digest = hashlib.sha256(asset_id.encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32, digest[4] % 8 * 45


def _hex(colour: Rgb) -> str:
    return "#" + "".join(f"{int(channel * 255):02x}" for channel in colour)
