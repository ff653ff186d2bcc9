from backend.markets.aggregation.ranks import assign_ranks, collect_ranks
from tests.support.providers.quotes import NOW, POLICY, cmc, gecko, published, quote


def figures(**ranks):
    return {name: published(asset_id=name, market_cap_rank=rank) for name, rank in ranks.items()}


def test_all_ranks_come_from_the_provider_that_ranks_most_assets():
    ranks = {"coingecko": {"a": 1, "b": None, "c": 3}, "coinmarketcap": {"a": 2, "b": 4, "c": 5}}
    result = assign_ranks(figures(a=1, b=4, c=3), ranks, POLICY.order)
    assert {name: figure.market_cap_rank for name, figure in result.items()} == {"a": 2, "b": 4, "c": 5}


def test_among_providers_that_rank_equally_many_assets_the_order_decides():
    ranks = {"coinmarketcap": {"a": 2, "b": 3}, "coingecko": {"a": 1, "c": 5}}
    result = assign_ranks(figures(a=9, b=9, c=9), ranks, POLICY.order)
    assert {name: figure.market_cap_rank for name, figure in result.items()} == {"a": 1, "b": None, "c": 5}


def test_without_current_ranks_the_figures_keep_theirs():
    before = figures(a=1, b=None)
    assert assign_ranks(before, {"coingecko": {"a": None}}, POLICY.order) == before
    assert assign_ranks(before, {}, POLICY.order) == before


def test_an_asset_without_a_price_has_no_rank():
    unpriced = {"a": published(None, asset_id="a", market_cap_rank=4)}
    assert assign_ranks(unpriced, {"coingecko": {"a": 4}}, POLICY.order)["a"].market_cap_rank is None


def test_ranks_come_only_from_valid_quotes_that_are_not_stale():
    quotes = [
        gecko("1", market_cap_rank=5),
        cmc("1", market_cap_rank=6, age=901),
        quote("third", "0", market_cap_rank=7),
        quote("fourth", "1"),
    ]
    assert collect_ranks(quotes, now=NOW, policy=POLICY) == {"coingecko": {"coin": 5}}
