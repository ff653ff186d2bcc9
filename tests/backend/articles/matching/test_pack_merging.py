"""Packs laid over each other."""

from pathlib import Path

from backend.articles.matching.pack_merging import merge_packs
from backend.articles.model import Pack
from backend.articles.rules.pack_loader import parse_pack

BASE = """
version: 1
entities:
  - {id: ethereum, type: asset, names: {en: Ethereum}}
  - {id: solana, type: asset, names: {en: Solana}}
rules:
  - {id: typo, type: forbidden_variant, entity: ethereum, match: [Etherium],
     specs: [{from: Etherium, to: Ethereum}]}
  - {id: style, type: forbidden_variant, match: [crypto currency], suggest: cryptocurrency, enabled: false,
     specs: [{from: crypto currency, to: cryptocurrency}]}
context_words: {en: [token]}
"""


def pack(text: str) -> Pack:
    return parse_pack(text if "version" in text else "version: 1\n" + text, Path("own.yaml")).pack


def states(*packs: Pack) -> dict[str, bool]:
    return {rule.id: rule.enabled for rule in merge_packs(packs).rules}


def test_a_later_pack_replaces_entities_by_id_and_adds_new_ones() -> None:
    later = pack("entities: [{id: ethereum, type: asset, names: {en: Ether}}]\ncontext_words: {en: [coin]}")
    result = merge_packs([pack(BASE), later])
    assert {entity.id: entity.names["en"] for entity in result.entities} == {
        "ethereum": "Ether",
        "solana": "Solana",
    }
    assert result.context_words == {"en": ("token", "coin")}


def test_rules_are_disabled_and_enabled_by_id() -> None:
    assert states(pack(BASE)) == {"typo": True, "style": False}
    assert states(pack(BASE), pack("disable: [typo]\nenable: [style]")) == {"typo": False, "style": True}


def test_the_last_disable_or_enable_wins() -> None:
    assert states(pack(BASE), pack("disable: [typo]"), pack("enable: [typo]"))["typo"]
    assert not states(pack(BASE), pack("enable: [style]"), pack("disable: [style]"))["style"]


def test_disabling_an_entity_removes_its_rules() -> None:
    result = merge_packs([pack(BASE), pack("disable: [ethereum]")])
    assert [entity.id for entity in result.entities] == ["solana"]
    assert [rule.id for rule in result.rules] == ["style"]


def test_redefining_a_disabled_entity_restores_it() -> None:
    again = pack("entities: [{id: ethereum, type: asset, names: {en: Ethereum}}]")
    result = merge_packs([pack(BASE), pack("disable: [ethereum]"), again])
    assert {entity.id for entity in result.entities} == {"ethereum", "solana"}
    assert "typo" in {rule.id for rule in result.rules}


def test_disabled_derived_rules_stay_listed() -> None:
    assert merge_packs([pack(BASE), pack("disable: [ethereum.case]")]).disable == ("ethereum.case",)
    assert (
        merge_packs([pack(BASE), pack("disable: [ethereum.case]"), pack("enable: [ethereum.case]")]).disable
        == ()
    )


def test_merging_a_merged_pack_changes_nothing() -> None:
    once = merge_packs([pack(BASE), pack("disable: [typo, ethereum.case]\nenable: [style]")])
    assert merge_packs([once]) == once
