"""The part that a figure plays in its sentence."""

import pytest

from backend.entities.model import Language
from backend.sources.claims.figure_roles import Role, find_fact_role
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("text", "language", "roles"),
    [
        ("The reward fell from 6.25 to 3.125 BTC.", "en", ["from", "to"]),
        ("The halving cut the reward to 6.25 BTC.", "en", ["to"]),
        ("After the second halving miners earned 25 BTC.", "en", [None, "to"]),
        ("第2次减半之前，奖励是25枚BTC。", "zh", [None, "from"]),
        ("2回目の半減期の後、報酬は25BTCだった。", "ja", [None, "to"]),
        ("The loss amounted to 50 million dollars.", "en", [None]),
        ("Users withdrew 50 BTC from the exchange.", "en", [None]),
        ("It took 50 BTC from 20 users.", "en", [None, None]),
        (
            "A penalty of 125 million dollars, far below the roughly 2 billion dollars it had asked for.",
            "en",
            [None, "aside"],
        ),
        ("The SEC sought 2 billion dollars.", "en", ["aside"]),
        ("報酬が6.25BTCから3.125BTCに減った。", "ja", ["from", "to"]),
        ("制裁金は1億ドル。SECの求めた約20億ドルを下回る。", "ja", [None, "aside"]),
        ("奖励由6.25枚BTC减至3.125枚BTC。", "zh", ["from", "to"]),
        ("罚款1.25亿美元，低于SEC要求的约20亿美元。", "zh", [None, "aside"]),
    ],
)
def test_a_figure_gets_its_role(text: str, language: Language, roles: list[Role | None]) -> None:
    assert [quantity.role for quantity in claim(text, language).quantities] == roles


def test_the_fact_name_gives_the_role_of_a_record_figure() -> None:
    assert [find_fact_role(name) for name in ("reward_before_btc", "reward_after_btc", "usd")] == [
        "from",
        "to",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Thirty-one of them voted no.", "against"),
        ("Over 300 members voted for the bill.", "for"),
        ("31 members voted against it.", "against"),
    ],
)
def test_those_who_voted_are_votes(text: str, role: Role) -> None:
    (quantity,) = claim(text).quantities
    assert (quantity.unit, quantity.role) == ("vote", role)
