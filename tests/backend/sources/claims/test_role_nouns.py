"""Nouns that state roles, such as *the sender*."""

import pytest

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.claim_parser import parse_claim
from backend.sources.claims.role_nouns import find_noun_roles
from backend.sources.claims.role_relations import are_swapped
from backend.sources.claims.roles import Roles, find_roles


def read(text: str, language: Language) -> list[Roles]:
    names = {"Aldo": "a", "アルド": "a", "阿尔多": "a", "Bexa": "b", "ベクサ": "b", "贝克萨": "b"}
    mentions = [
        Mention(entity, text.index(name), text.index(name) + len(name), name)
        for name, entity in names.items()
        if name in text
    ]
    return find_roles(parse_claim(text, language, mentions))


@pytest.mark.parametrize(
    ("text", "record", "language"),
    [
        (
            "Aldo was the sender of 7 coins, with Bexa at the receiving end.",
            "Bexa sent 7 coins to Aldo.",
            "en",
        ),
        ("アルドが送り手、ベクサが受け手だった。", "ベクサがアルドに送金した。", "ja"),
        ("阿尔多是付款方，贝克萨是收款方。", "贝克萨向阿尔多转账。", "zh"),
    ],
)
def test_nouns_tell_the_parts_of_an_act(text: str, record: str, language: Language) -> None:
    def is_swapped(one: str, other: str) -> bool:
        pairs = [(act, told) for act in read(one, language) for told in read(other, language)]
        return any(are_swapped(act, told) for act, told in pairs)

    assert is_swapped(text, record)
    assert not is_swapped(text, text)


def test_a_letter_that_is_longer_in_lower_case_moves_no_name() -> None:
    (roles,) = read("In İİİİİzmir Aldo was the sender of 7 coins.", "en")
    assert roles.agents == {"a"}


def test_an_apposition_between_a_name_and_its_role_is_skipped() -> None:
    text = "Bexa, together with two of its officials, the defendant, appealed."
    mention = Mention("b", 0, 4, "Bexa")
    assert list(find_noun_roles(text, "en", [mention])) == [("sue", "patient", mention)]
