"""Tests that the facts about exchanges, companies, authorities, media, people and terms are consistent."""

import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from backend.articles.model import Pack
from backend.articles.rules.pack_loader import load_pack
from backend.entities.model import LANGUAGES, Entity

DATA = Path(__file__).parents[3] / "backend" / "entities" / "data"
FILES = {
    "exchanges": "exchange",
    "companies": "company",
    "regulators": "regulator",
    "organizations": "organization",
    "media": "media",
    "data_providers": "data_provider",
    "people": "person",
    "terms": "term",
}
AUTHORITIES = {
    "company",
    "court",
    "data_provider",
    "exchange",
    "government",
    "official_project",
    "press",
    "regulator",
    "trade_press",
}
HAN = re.compile(r"[\u3400-\u9fff]")
KANA = re.compile(r"[\u3041-\u30fa]")
LATIN = re.compile(r"[A-Za-z]")


@pytest.fixture(scope="module")
def packs() -> dict[str, Pack]:
    return {name: load_pack(DATA / f"{name}.yaml") for name in FILES}


@pytest.fixture(scope="module")
def entities(packs: dict[str, Pack]) -> list[Entity]:
    return [entity for pack in packs.values() for entity in pack.entities]


def list_right_names(entity: Entity) -> set[str]:
    return {*entity.names.values(), *(name for names in entity.also.values() for name in names)}


def needs_context(entity: Entity, name: str) -> bool:
    return entity.context is True or (entity.context is not False and name in entity.context)


def test_each_file_contains_entities_of_its_own_type(packs: dict[str, Pack]) -> None:
    for name, pack in packs.items():
        assert {entity.type for entity in pack.entities} == {FILES[name]}


def test_the_catalogue_has_enough_entities(packs: dict[str, Pack]) -> None:
    assert sum(len(pack.entities) for pack in packs.values()) >= 900
    assert all(len(pack.entities) >= 40 for pack in packs.values())


def test_ids_are_unique_in_the_catalogue() -> None:
    ids = Counter(entity.id for path in sorted(DATA.glob("*.yaml")) for entity in load_pack(path).entities)
    assert [entity_id for entity_id, count in ids.items() if count > 1] == []


def test_names_are_unique_in_the_catalogue() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for path in sorted(DATA.glob("*.yaml")):
        for entity in load_pack(path).entities:
            for name in list_right_names(entity):
                owners[name].add(entity.id)
    assert {name: ids for name, ids in owners.items() if len(ids) > 1} == {}


def test_no_former_name_is_still_a_right_name_of_the_same_entity(entities: list[Entity]) -> None:
    for entity in entities:
        assert not {former.name for former in entity.former} & list_right_names(entity), entity.id


def test_right_names_are_unique_within_a_language(entities: list[Entity]) -> None:
    for entity in entities:
        for language in LANGUAGES:
            names = [*entity.also.get(language, ())]
            if language in entity.names:
                names.append(entity.names[language])
            assert len(names) == len(set(names)), entity.id


def test_names_are_in_nfc_without_unusual_spaces(entities: list[Entity]) -> None:
    for entity in entities:
        for name in list_right_names(entity) | {former.name for former in entity.former}:
            assert unicodedata.normalize("NFC", name) == name
            assert not re.search("\u3000|  ", name), name


def test_english_names_are_in_latin_script(entities: list[Entity]) -> None:
    for entity in entities:
        for name in (entity.names.get("en", "x"), *entity.also.get("en", ())):
            assert not HAN.search(name), name
            assert not KANA.search(name), name


def test_chinese_names_contain_no_kana(entities: list[Entity]) -> None:
    for entity in entities:
        for name in (entity.names.get("zh", "x"), *entity.also.get("zh", ())):
            assert not KANA.search(name), name


def test_a_name_equal_to_the_english_one_is_omitted(entities: list[Entity]) -> None:
    for entity in entities:
        for language in ("ja", "zh"):
            assert entity.names.get(language) != entity.names.get("en", ""), entity.id


def test_katakana_names_contain_only_katakana_characters(entities: list[Entity]) -> None:
    """Not with the Han characters and dashes that look like ロ, ニ, カ, タ, エ and ー."""
    lookalike = re.compile(r"[\u30a1-\u30fa][口二力夕工卜一―—－]|[口二力夕工卜一―—－][\u30a1-\u30fa]")
    for entity in entities:
        for name in list_right_names(entity):
            assert not lookalike.search(name), name


def test_short_capitalised_words_need_context(entities: list[Entity]) -> None:
    """Names that are everyday English words count only beside a word of the field."""
    everyday = {
        "Block", "Circle", "Strategy", "Gemini", "Kraken", "Galaxy", "Gate", "Bullish", "Ledger", "Phantom",
        "Copper", "Strike", "Dragonfly", "Paradigm", "Visa", "Stripe", "Meta", "Decrypt", "Fortune",
        "The Block", "Swift", "SEC", "MAS", "Fed", "BIS", "Dune", "Vanguard", "Rain", "Alchemy",
    }  # fmt: skip
    found = {name: entity for entity in entities for name in list_right_names(entity) if name in everyday}
    assert set(found) == everyday
    assert [name for name, entity in found.items() if not needs_context(entity, name)] == []


def test_names_that_need_cues_need_context_too(entities: list[Entity]) -> None:
    for entity in entities:
        assert all(needs_context(entity, name) for name in entity.need_cues), entity.id


def test_names_that_are_words_of_other_languages_need_context(entities: list[Entity]) -> None:
    everyday = {
        "サークル",
        "ゲート",
        "ギャラクシー",
        "レジャー",
        "ストライク",
        "灰度",
        "律动",
        "深潮",
    }
    found = {name: entity for entity in entities for name in list_right_names(entity) if name in everyday}
    assert set(found) == everyday
    assert [name for name, entity in found.items() if not needs_context(entity, name)] == []


def test_domains_are_plain_lower_case_host_names(entities: list[Entity]) -> None:
    host = re.compile(r"^[a-z0-9]+(?:[.-][a-z0-9]+)*\.[a-z]{2,}$")
    for entity in entities:
        for domain in entity.official_domains:
            assert host.match(domain), (entity.id, domain)


def test_accounts_are_handles_without_the_at_sign(entities: list[Entity]) -> None:
    for entity in entities:
        for account in entity.official_x_accounts:
            assert re.fullmatch(r"\w{1,15}", account, re.ASCII), (entity.id, account)


def test_authorities_are_of_the_known_kinds(entities: list[Entity]) -> None:
    assert {entity.authority for entity in entities if entity.authority} == AUTHORITIES


def test_every_authority_has_names_in_three_languages_or_a_note(packs: dict[str, Pack]) -> None:
    missing = {entity.id for entity in packs["regulators"].entities if set(entity.names) != set(LANGUAGES)}
    assert missing <= {"jafic"}


def test_people_have_a_full_name_in_english(packs: dict[str, Pack]) -> None:
    for person in packs["people"].entities:
        assert " " in person.names["en"], person.id


def test_only_terms_can_have_any_case(entities: list[Entity]) -> None:
    assert {entity.type for entity in entities if entity.case != "exact"} == {"term"}


def test_a_renamed_entity_keeps_its_former_name_with_the_date(entities: list[Entity]) -> None:
    former_names = {
        (entity.id, former.name, former.until)
        for entity in entities
        for former in entity.former
        if former.until
    }
    assert {
        ("htx", "Huobi", "2023-09-13"),
        ("okx", "OKEx", "2022-01-18"),
        ("strategy", "MicroStrategy", "2025-02-05"),
        ("block-inc", "Square, Inc.", "2021-12-10"),
        ("meta", "Facebook, Inc.", "2021-10-28"),
        ("custodiem", "FTX Japan", "2024-08"),
    } <= former_names


def test_traditional_and_simplified_forms_are_both_right(entities: list[Entity]) -> None:
    by_id = {entity.id: entity for entity in entities}
    assert "幣安" in by_id["binance"].also["zh"]
    assert "區塊鏈" in by_id["blockchain"].also["zh"]
    assert "美國證券交易委員會" in by_id["sec"].also["zh"]


def test_context_words_are_many_and_unique() -> None:
    pack = load_pack(DATA / "context.yaml")
    for language in LANGUAGES:
        words = pack.context_words[language]
        assert len(words) >= 60
        assert len(words) == len(set(words))


def test_no_context_word_needs_context_itself(entities: list[Entity]) -> None:
    words = {word for words in load_pack(DATA / "context.yaml").context_words.values() for word in words}
    needy = {name for entity in entities for name in list_right_names(entity) if needs_context(entity, name)}
    assert words & needy == set()


def test_latin_context_words_have_more_than_one_letter() -> None:
    for word in load_pack(DATA / "context.yaml").context_words["en"]:
        assert len(word) >= 2
        assert LATIN.search(word)
