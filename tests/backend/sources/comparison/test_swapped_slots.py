"""Dates and amounts that belong to another act of the same event."""

from backend.sources.comparison.swapped_slots import find_difference
from tests.backend.sources.evidence import claim

SETTLED = claim("It returned 1.2 billion dollars to investors and was fined 18.5 million dollars.")
STOLEN = claim("Thieves stole 119,754 BTC. In 2022 the police seized 94,000 BTC.")
RENAMED = claim("The project was renamed in December 2020. It shut down in January 2022.")


def test_two_amounts_with_each_other_s_act_differ() -> None:
    swapped = claim("It returned 18.5 million dollars to investors, and was fined 1.2 billion dollars.")
    difference = find_difference(swapped, SETTLED)
    assert difference is not None
    assert (difference.slot, difference.claimed, difference.found) == (
        "figure",
        "18.5 million dollars",
        "1.2 billion dollars",
    )


def test_the_amount_of_an_act_that_the_claim_does_not_tell_differs() -> None:
    difference = find_difference(claim("Thieves stole 94,000 BTC."), STOLEN)
    assert difference is not None
    assert (difference.claimed, difference.found) == ("94,000 BTC", "119,754 BTC")


def test_two_dates_with_each_other_s_act_differ() -> None:
    swapped = claim("The project was renamed in January 2022. It shut down in December 2020.")
    difference = find_difference(swapped, RENAMED)
    assert difference is not None
    assert (difference.slot, difference.claimed) == ("date", "January 2022")


def test_slots_with_their_own_acts_do_not_differ() -> None:
    for passage in (SETTLED, STOLEN, RENAMED):
        assert find_difference(passage, passage) is None
    assert find_difference(claim("It was fined 18.5 million dollars."), SETTLED) is None


def test_an_amount_that_the_passage_does_not_have_is_not_swapped() -> None:
    assert find_difference(claim("Thieves stole 5,000 BTC."), STOLEN) is None


def test_the_amounts_of_two_parties_belong_to_each() -> None:
    passage = claim("The firm pays 24 million dollars to the SEC and 29 million dollars to the CFTC.")
    assert find_difference(claim("The firm pays the SEC 29 million dollars."), passage) is not None
    assert find_difference(claim("The firm pays the CFTC 29 million dollars."), passage) is None


def test_the_votes_of_two_chambers_belong_to_each() -> None:
    passage = claim("It had passed the Senate by 68 to 30 votes and the House by 308 to 122 votes.")
    assert find_difference(claim("The House passed it by 68 to 30 votes."), passage) is not None
    assert find_difference(claim("The Senate passed it by 68 to 30 votes."), passage) is None
