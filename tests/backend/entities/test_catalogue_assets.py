"""Tests the shipped facts about assets, stablecoins and protocols, and the forms that rules reject."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from backend.articles.model import Pattern, Rule
from backend.articles.rules.pack_loader import SHIPPED, default_files, load_pack
from backend.articles.text.folding import fold
from backend.entities.model import Entity
from backend.markets.assets.model import Asset
from backend.markets.assets.registry import load_assets

ENTITIES_FOLDER, RULES_FOLDER = SHIPPED
FILES = {"assets": "asset", "stablecoins": "stablecoin", "protocols": "protocol"}
ENTITIES = {name: load_pack(ENTITIES_FOLDER / f"{name}.yaml").entities for name in FILES}
HERE = {entity.id: entity for entities in ENTITIES.values() for entity in entities}
CATALOGUE = [entity for path in default_files() for entity in load_pack(path).entities]
RULES = [rule for name in FILES for rule in load_pack(RULES_FOLDER / f"{name}.yaml").rules]

TICKERS_LEFT_OUT = {
    # A bare one is a letter, an ordinary word or a common abbreviation.
    *("A", "S", "M", "W", "IP", "IO", "AR", "CC", "GT", "MON", "NOT", "OM", "OP", "PI", "SC", "ZK"),
    *("BAL", "DCR", "HASH", "STABLE"),
    # A bare one is somebody else: Solana, the index, the exchange, the other token of the name.
    *("SOL", "SPX", "HTX", "BEAM", "NEIRO"),
    # The ticker is the name.
    "0G",
}

LONGER_NAMES = {"core", "just", "story", "world"}
"""What the list of assets calls by a word that begins many a sentence; the catalogue asks for more."""


def names_of(entity: Entity) -> list[str]:
    return list(
        dict.fromkeys([*entity.names.values(), *(name for names in entity.also.values() for name in names)])
    )


def every_text(entity: Entity) -> list[str]:
    return [*names_of(entity), *entity.symbols, *(former.name for former in entity.former)]


def needs_context(entity: Entity, name: str) -> bool:
    if isinstance(entity.context, bool):
        return entity.context and " " not in name
    return name in entity.context


def patterns_of(rule: Rule) -> Iterator[Pattern]:
    return (pattern if isinstance(pattern, Pattern) else Pattern(text=pattern) for pattern in rule.match)


def is_former_asset(entity: Entity, asset: Asset) -> bool:
    """Whether ``asset`` is what ``entity`` was, as MATIC is to Polygon."""
    return bool({asset.name, asset.symbol} & {former.name for former in entity.former})


def test_the_files_contain_at_least_as_many_entities_as_assets_without_duplicate_ids() -> None:
    counts = Counter(entity.id for entity in CATALOGUE)

    assert len(HERE) >= 330
    assert [entity_id for entity_id, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(("name", "entity_type"), FILES.items())
def test_each_file_contains_entities_of_one_type(name: str, entity_type: str) -> None:
    assert {entity.type for entity in ENTITIES[name]} == {entity_type}


def test_every_configured_asset_has_an_entity_or_is_a_former_name_of_one() -> None:
    entities_by_id = {entity.id: entity for entity in CATALOGUE}

    without = [
        asset.id
        for asset in load_assets()
        if (asset.entity or asset.id) not in entities_by_id
        and (asset.enabled or not any(is_former_asset(entity, asset) for entity in HERE.values()))
    ]

    assert without == []


def test_an_entity_names_its_asset_only_if_their_ids_differ() -> None:
    assets = {asset.id for asset in load_assets()}

    for entity in HERE.values():
        assert entity.asset is None or (entity.asset in assets and entity.asset != entity.id), entity.id


def test_tickers_match_the_configured_assets() -> None:
    differing = {
        asset.id: asset.symbol
        for asset in load_assets()
        if (entity := HERE.get(asset.entity or asset.id)) is not None
        and asset.enabled
        and asset.symbol not in entity.symbols
        and asset.symbol not in TICKERS_LEFT_OUT
    }

    assert differing == {}


def test_english_names_match_the_configured_assets_except_common_words() -> None:
    differing = {
        asset.id: asset.name
        for asset in load_assets()
        if asset.enabled
        and asset.id not in LONGER_NAMES
        and (entity := HERE.get(asset.id)) is not None
        and entity.name("en") != asset.name
    }

    assert differing == {}


def test_a_name_of_two_entities_counts_only_near_other_terms_of_the_field() -> None:
    owners: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for entity in HERE.values():
        for name in names_of(entity):
            owners[fold(name).text][entity.id] = needs_context(entity, name)
        for symbol in entity.symbols:
            folded = owners[fold(symbol).text]
            folded[entity.id] = folded.get(entity.id, True) and entity.symbols_need_context

    shared = {
        surface: sorted(by_entity)
        for surface, by_entity in owners.items()
        if len(by_entity) > 1 and not all(by_entity.values())
    }

    assert shared == {}


def test_a_former_name_is_not_a_right_name() -> None:
    right = {name: entity.id for entity in HERE.values() for name in [*names_of(entity), *entity.symbols]}

    still_right = {
        former.name: entity.id for entity in HERE.values() for former in entity.former if former.name in right
    }

    assert still_right == {}


def test_names_are_in_nfc_and_full_width() -> None:
    invalid_texts = [
        text
        for entity in HERE.values()
        for text in every_text(entity)
        if unicodedata.normalize("NFC", text) != text
        or re.search("[\uff01-\uff5e\uff61-\uff9f]", text)
        or "  " in text
        or not text.isprintable()
    ]

    assert invalid_texts == []


def test_latin_names_contain_no_lookalike_letters_of_other_scripts() -> None:
    def has_mixed_scripts(text: str) -> bool:
        scripts = {unicodedata.name(character).split()[0] for character in text if character.isalpha()}
        return bool(scripts & {"CYRILLIC", "GREEK", "ARMENIAN"})

    assert [text for entity in HERE.values() for text in every_text(entity) if has_mixed_scripts(text)] == []


def test_japanese_names_contain_kana_or_are_unique_to_japanese() -> None:
    """A Japanese name in Latin letters alone would say nothing that the English one does not."""
    same_name_ids = [
        entity.id for entity in HERE.values() if entity.names.get("ja") == entity.names.get("en")
    ]

    assert same_name_ids == []


def test_chinese_names_contain_no_kana() -> None:
    kana = re.compile("[\u3041-\u30ff]")

    names_with_kana = [
        name
        for entity in HERE.values()
        for name in [entity.names.get("zh", ""), *entity.also.get("zh", ())]
        if kana.search(name)
    ]

    assert names_with_kana == []


def test_context_lists_only_names_of_the_entity() -> None:
    strange = {
        entity.id: name
        for entity in HERE.values()
        if not isinstance(entity.context, bool)
        for name in entity.context
        if name not in every_text(entity)
    }

    assert strange == {}


def test_domains_are_domains_and_belong_to_one_entity() -> None:
    domain = re.compile(r"(?!www\.)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")
    domains = [name for entity in HERE.values() for name in entity.official_domains]

    assert [name for name in domains if not domain.fullmatch(name)] == []
    assert [name for name, count in Counter(domains).items() if count > 1] == []


def test_accounts_are_handles_and_belong_to_one_entity() -> None:
    accounts = [name for entity in HERE.values() for name in entity.official_x_accounts]

    assert [name for name in accounts if not re.fullmatch(r"\w{1,15}", name, re.ASCII)] == []
    assert [name for name, count in Counter(map(str.lower, accounts)).items() if count > 1] == []


def test_an_official_source_has_an_authority() -> None:
    silent = [
        entity.id
        for entity in HERE.values()
        if (entity.official_domains or entity.official_x_accounts) and entity.authority is None
    ]

    assert silent == []


def test_a_rule_against_a_right_name_states_form_or_language() -> None:
    right: defaultdict[str, set[str]] = defaultdict(set)
    for entity in CATALOGUE:
        for text in [*names_of(entity), *entity.symbols]:
            right[fold(text).text].add(text)

    wrong = {
        pattern.text: rule.id
        for rule in RULES
        for pattern in patterns_of(rule)
        if (pattern.case or rule.case) != "exact"
        and fold(pattern.text).text in right
        and not (rule.type == "wrong_script" and len(rule.languages) == 1 and not rule.auto_fix)
    }
    exactly = {
        pattern.text: rule.id
        for rule in RULES
        for pattern in patterns_of(rule)
        if (pattern.case or rule.case) == "exact" and pattern.text in right[fold(pattern.text).text]
    }

    assert wrong == {}
    assert exactly == {}


def test_no_two_rules_are_about_the_same_form() -> None:
    form_counts = Counter(
        (fold(pattern.text).text, pattern.text if (pattern.case or rule.case) == "exact" else "", language)
        for rule in RULES
        for pattern in patterns_of(rule)
        for language in rule.languages
    )

    assert [surface for surface, count in form_counts.items() if count > 1] == []


def test_forms_under_three_characters_and_former_tickers_are_never_fixed_automatically() -> None:
    hasty = [
        (rule.id, pattern.text)
        for rule in RULES
        if rule.auto_fix
        for pattern in patterns_of(rule)
        if len(fold(pattern.text).text) < 3 or rule.type == "former_name"
    ]

    assert hasty == []


def test_every_rule_has_a_reason_and_an_example() -> None:
    silent = [rule.id for rule in RULES if not rule.note]
    idle = [rule.id for rule in RULES if all(spec.from_ == spec.to and not spec.finds for spec in rule.specs)]

    assert silent == []
    assert idle == []


def test_there_are_many_wrong_forms_and_all_three_languages_have_theirs() -> None:
    forms = Counter(
        language
        for rule in RULES
        for _ in rule.match
        for language in (rule.languages if len(rule.languages) == 1 else ("any",))
    )

    assert forms["any"] >= 400
    assert forms["ja"] >= 150
    assert forms["zh"] >= 100
