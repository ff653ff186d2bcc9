"""The tray of assets chosen for comparison: what it proposes, and what its link opens."""

import pytest

from dashboard.app_pages.rankings import compare_tray
from dashboard.app_pages.rankings.columns import MAX_COMPARED_ASSETS
from dashboard.app_pages.rankings.rows import Row
from dashboard.app_pages.rankings.table_view import TableView
from dashboard.client.market_schemas import Span

BY_ID = {name: Row(name, name[:3].upper(), name) for name in ("bitcoin", "ethereum", "decred", "monero")}


@pytest.mark.parametrize(
    ("sort", "span", "expected"),
    [
        ((("cap", True),), "24h", "24h"),
        ((("cap", True),), "7d", "7d"),
        ((("7d", True), ("24h", True)), "24h", "7d"),
        ((("24h", True),), "7d", "24h"),
        ((("30d", True),), "7d", "7d"),
    ],
)
def test_the_span_is_that_of_the_order_or_of_the_table(
    sort: tuple[tuple[str, bool], ...], span: Span, expected: Span
) -> None:
    assert compare_tray.get_comparison_span(TableView(sort=sort, span=span)) == expected


def test_bitcoin_and_ether_are_proposed_unless_they_are_chosen_or_nothing_fits() -> None:
    assert compare_tray.list_suggestions(["decred"], BY_ID) == ["bitcoin", "ethereum"]
    assert compare_tray.list_suggestions(["bitcoin"], BY_ID) == ["ethereum"]
    assert compare_tray.list_suggestions(["decred"], {"decred": BY_ID["decred"]}) == []
    full = [f"coin-{n}" for n in range(MAX_COMPARED_ASSETS)]
    assert compare_tray.list_suggestions(full, BY_ID) == []


def test_a_single_asset_is_compared_with_the_first_proposal() -> None:
    params = compare_tray.build_comparison_params(["decred"], ["bitcoin", "ethereum"], "7d")
    assert params == {"view": "compare", "compare": "decred,bitcoin", "span": "7d"}


def test_several_assets_are_compared_as_chosen() -> None:
    params = compare_tray.build_comparison_params(["decred", "monero"], ["bitcoin"], "24h")
    assert params == {"view": "compare", "compare": "decred,monero", "span": ""}
