"""Writes the sentence of the market: how many assets fall or rise, and which one leads."""

from typing import Any

from dashboard.app_pages.overview.market_figures import Breadth, Coin
from dashboard.client.market_schemas import Span
from dashboard.frame.formats import integer, percent
from dashboard.i18n import t


def build_market_sentence(
    breadth: Breadth, span: Span, top_gainer: Coin | None, top_loser: Coin | None
) -> str:
    """Builds the sentence of the larger side; ``top_gainer`` and ``top_loser`` are those of the page's lists.

    Assets without a current change are no part of the total and have a sentence of their own.
    """
    known = breadth.up + breadth.down + breadth.flat
    if not known:
        return t("overview.no_changes")
    values: dict[str, Any] = {"total": integer(known), "span": t(f"overview.span_{span}")}
    if breadth.up == breadth.down:
        sentence = t(
            "overview.sentence_even" if breadth.up else "overview.sentence_flat",
            up=integer(breadth.up),
            down=integer(breadth.down),
            **values,
        )
    else:
        is_falling = breadth.down > breadth.up
        side, count, leader = (
            ("fall", breadth.down, top_loser) if is_falling else ("rise", breadth.up, top_gainer)
        )
        if leader is not None:
            values |= {"symbol": leader.symbol, "change": percent(leader.change)}
        sentence = t(f"overview.sentence_{side}{'_led' if leader else ''}", n=integer(count), **values)
    if breadth.unknown:
        sentence += t("overview.sentence_unknown", n=integer(breadth.unknown))
    return sentence
