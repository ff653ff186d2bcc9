"""Defines the colours of rise and fall, for charts and for CSS.

Texts also show ▲ ▼ and a signed number, never colour alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from dashboard.client.market_schemas import Span

Scheme = Literal["blue", "green", "red"]
"""Named by the colour of a rise. Cookies and links contain these codes, so they never change."""
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
DEFAULT_SCHEME: Scheme = "blue"

LIGHT_BACKGROUNDS = ("#ffffff", "#f4f6fa")
DARK_BACKGROUNDS = ("#0b1220", "#141d2f")
"""Backgrounds of page and panels, as in ``.streamlit/config.toml``."""
FULL_COLOUR_PERCENT: Mapping[Span, int] = {"24h": 6, "7d": 15}
"""The change in percent from which a tile of a price map has its full colour."""


@dataclass(frozen=True, slots=True)
class Shades:
    """Text colours, at least 4.5:1 on both backgrounds of their mode."""

    up: str
    down: str
    flat: str


@dataclass(frozen=True, slots=True)
class ModeShades:
    light: Shades
    dark: Shades

    def of(self, *, dark: bool) -> Shades:
        return self.dark if dark else self.light


PALETTES: Mapping[Scheme, ModeShades] = {
    "blue": ModeShades(Shades("#0b5cad", "#b24700", "#566175"), Shades("#6cb6ff", "#ffa657", "#9aa7bd")),
    "green": ModeShades(Shades("#00695c", "#b3261e", "#566175"), Shades("#4fd1a5", "#ff8a80", "#9aa7bd")),
    "red": ModeShades(Shades("#b3261e", "#0b5cad", "#566175"), Shades("#ff8a80", "#6cb6ff", "#9aa7bd")),
}


def shades(scheme: Scheme, *, dark: bool) -> Shades:
    return PALETTES[scheme].of(dark=dark)


def css_variables(scheme: Scheme) -> str:
    """Builds the declarations of ``--up``, ``--down`` and ``--flat`` for both modes."""
    pair = PALETTES[scheme]
    return "".join(
        f"--{name}:light-dark({getattr(pair.light, name)},{getattr(pair.dark, name)});"
        for name in ("up", "down", "flat")
    )


def contrast(first_colour: str, second_colour: str) -> float:
    """Computes the contrast ratio of two ``#rrggbb`` colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    lighter, darker = sorted((_luminance(first_colour), _luminance(second_colour)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def mix(colour: str, background: str, amount: float) -> str:
    """Mixes ``amount`` (0 to 1) of ``colour`` into ``background``, in sRGB."""
    parts = (
        round(a * amount + b * (1 - amount)) for a, b in zip(_rgb(colour), _rgb(background), strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


def _luminance(colour: str) -> float:
    def linear(part: int) -> float:
        share = part / 255
        return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(part) for part in _rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _rgb(colour: str) -> tuple[int, int, int]:
    digits = colour.removeprefix("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
