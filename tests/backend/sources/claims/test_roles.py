"""Tests who is read to have done an act, and to whom."""

import pytest

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.claim_parser import parse_claim
from backend.sources.claims.role_relations import are_converse, are_swapped, find_other_target, list_targets
from backend.sources.claims.roles import Roles, find_roles


def read(text: str, language: Language) -> list[Roles]:
    """Read the roles of a text in which ``Aldo`` and ``Bexa`` are the names, in any script."""
    names = {"Aldo": "a", "アルド": "a", "阿尔多": "a", "Bexa": "b", "ベクサ": "b", "贝克萨": "b"}
    mentions = [
        Mention(entity, at, at + len(name), name)
        for name, entity in names.items()
        for at in range(len(text))
        if text.startswith(name, at)
    ]
    return find_roles(parse_claim(text, language, mentions))


ALDO_ACTS: list[tuple[Language, str]] = [
    ("en", "Aldo sued Bexa in 2023."),
    ("en", "Bexa was sued by Aldo in 2023."),
    ("en", "Bexa, sued by Aldo, paid."),
    ("en", "In 2023 Aldo filed charges against Bexa."),
    ("en", "Aldo, which sued Bexa, won."),
    ("en", "Bexa faces an Aldo lawsuit."),
    ("en", "Bexa was hit with a complaint by Aldo."),
    ("ja", "アルドは2023年、ベクサを提訴した。"),
    ("ja", "ベクサは2023年、アルドに提訴された。"),
    ("ja", "アルド、ベクサを提訴"),
    ("ja", "アルドはベクサを相手取り提訴した。"),
    ("ja", "アルドから提訴されたベクサは争った。"),
    ("zh", "阿尔多2023年起诉贝克萨。"),
    ("zh", "贝克萨2023年被阿尔多起诉。"),
    ("zh", "阿尔多对贝克萨提起诉讼。"),
    ("zh", "贝克萨遭到阿尔多起诉。"),
]


@pytest.mark.parametrize(("language", "text"), ALDO_ACTS)
def test_agent_and_patient_are_parsed_in_every_wording(language: Language, text: str) -> None:
    roles = [one for one in read(text, language) if one.verb in ("sue", "charge")]
    assert (roles[0].agents, roles[0].patients) == ({"a"}, {"b"})


@pytest.mark.parametrize(("language", "text"), ALDO_ACTS)
def test_the_same_action_with_exchanged_parties_is_swapped(language: Language, text: str) -> None:
    claim = read(text, language)
    assert not any(are_swapped(one, other) for one in claim for other in read("Aldo sued Bexa.", "en"))
    assert any(are_swapped(one, other) for one in claim for other in read("Bexa sued Aldo.", "en"))


@pytest.mark.parametrize(
    ("text", "language"), [("Aldo was robbed.", "en"), ("ベクサが提訴。", "ja"), ("起诉案", "zh")]
)
def test_a_text_with_one_party_is_not_swapped(text: str, language: Language) -> None:
    for one in read(text, language):
        assert not any(are_swapped(one, other) for other in read("Bexa sued Aldo.", "en"))


CONVERSE_ACTS: list[tuple[Language, str]] = [
    ("en", "Aldo agreed to buy Bexa."),
    ("en", "Bexa was sold to Aldo."),
    ("en", "Bexa is being sold to Aldo for $2 million."),
    ("ja", "アルドがベクサを買収した。"),
    ("ja", "ベクサはアルドに身売りした。"),
    ("zh", "阿尔多收购贝克萨。"),
    ("zh", "贝克萨被阿尔多收购。"),
]


@pytest.mark.parametrize(("language", "text"), CONVERSE_ACTS)
def test_a_sale_and_a_purchase_are_compared_by_taker_and_thing(language: Language, text: str) -> None:
    claim = read(text, language)
    (bought,), (other_way,) = read("Aldo bought Bexa.", "en"), read("Bexa bought Aldo.", "en")
    assert not any(are_swapped(one, bought) for one in claim)
    assert any(are_swapped(one, other_way) for one in claim)
    assert all(are_converse(one, bought) for one in claim if one.verb != "buy")


@pytest.mark.parametrize(
    ("language", "text", "other"),
    [
        ("en", "Aldo sent ten coins to Bexa.", "Bexa sent ten coins to Aldo."),
        ("en", "Aldo split from Bexa.", "Bexa split from Aldo."),
        ("en", "Aldo put Bexa on notice of default.", "Bexa put Aldo on notice of default."),
        ("ja", "アルドがベクサから分岐した。", "ベクサがアルドから分岐した。"),
        ("ja", "アルドはベクサに改称した。", "ベクサはアルドに改称した。"),
        ("zh", "阿尔多从贝克萨分叉。", "贝克萨从阿尔多分叉。"),
        ("zh", "阿尔多更名为贝克萨。", "贝克萨更名为阿尔多。"),
        ("zh", "阿尔多按一比一被贝克萨取代。", "贝克萨按一比一被阿尔多取代。"),
    ],
)
def test_recipients_origins_and_names_can_be_swapped(language: Language, text: str, other: str) -> None:
    claim = read(text, language)
    assert not any(are_swapped(one, same) for one in claim for same in read(text, language))
    assert any(are_swapped(one, turned) for one in claim for turned in read(other, language))


def test_an_attribute_and_an_amount_have_no_role() -> None:
    assert not any(one.agents or one.patients for one in read("Regulators banned Aldo futures.", "en"))


def test_another_target_of_one_act_is_found() -> None:
    (told,) = read("Aldo sued Bexa.", "en")
    (other,) = read("Bexa sued Aldo.", "en")
    assert find_other_target(other, [told]) is told
    assert find_other_target(told, [told]) is None
    assert find_other_target(other, [told, other]) is None


def test_a_target_behind_a_mark_counts_as_one() -> None:
    (ordered,) = [one for one in read("アルドはベクサに停止を命じた。", "ja") if one.verb == "order"]
    assert list_targets(ordered) == {"b"}


def test_the_accuser_as_the_only_target_of_a_suit_is_swapped() -> None:
    (claim,) = read("In 2023 its founder took Aldo to court.", "en")
    (other,) = read("Aldo sued Bexa.", "en")
    assert are_swapped(claim, other)
    assert not are_swapped(claim, *read("Bexa sued Aldo.", "en"))


@pytest.mark.parametrize(
    "text", ["Aldo came off the blacklist in March.", "They let sanctioned users trade on Bexa."]
)
def test_words_that_only_qualify_have_no_agent_and_no_target(text: str) -> None:
    assert not any(one.agents or one.patients for one in read(text, "en"))


def test_a_verb_of_growing_apart_is_no_passive() -> None:
    (fork,) = read("アルドは2017年、ベクサから枝分かれして生まれた。", "ja")
    assert (fork.agents, fork.givers) == ({"a"}, {"b"})


def test_the_accuser_as_target_is_swapped_also_beside_an_unknown_agent() -> None:
    (other,) = read("Aldo fined Bexa.", "en")
    assert are_swapped(Roles("fine", frozenset({"c"}), frozenset({"a"}), ""), other)
    assert not are_swapped(Roles("fine", frozenset({"c"}), frozenset({"b"}), ""), other)


def test_who_fines_does_not_pay() -> None:
    (fine,) = read("Aldo fined Bexa 3 million dollars.", "en")
    assert are_swapped(Roles("pay", frozenset({"a"}), frozenset({"b"}), ""), fine)
    assert not are_swapped(Roles("pay", frozenset({"b"}), frozenset({"a"}), ""), fine)


def test_a_name_before_a_passive_with_its_own_subject_is_no_target() -> None:
    text = "Aldo sued Bexa while its two founders were charged by prosecutors."
    assert not [one for one in read(text, "en") if one.verb == "charge" and one.patients]


@pytest.mark.parametrize(
    ("language", "told", "exchanged"),
    [
        (
            "en",
            "Aldo agrees to pay Bexa 4 million dollars.",
            "Bexa agreed in June to pay Aldo 4 million dollars.",
        ),
        ("zh", "阿尔多向贝克萨支付400万美元。", "贝克萨向阿尔多赔付400万美元。"),
    ],
)
def test_who_agrees_to_pay_is_no_receiver(language: Language, told: str, exchanged: str) -> None:
    (source,) = [one for one in read(told, language) if one.verb == "pay"]
    (claim,) = [one for one in read(exchanged, language) if one.verb == "pay"]
    assert are_swapped(claim, source)
    assert not are_swapped(source, source)
