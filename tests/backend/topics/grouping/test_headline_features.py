"""Language-independent features of headlines."""

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.topics.grouping.headline_features import extract_features, find_title_mentions

ONE_EVENT: list[tuple[str, Language]] = [
    ("Bybit loses $1.46 billion of ether to hackers", "en"),
    ("バイビットがハッキング被害、イーサリアム約14.6億ドル相当が流出", "ja"),
    ("Bybit遭黑客攻击，14.6亿美元以太坊被盗", "zh"),
]


def test_one_event_has_the_same_entities_verb_and_figure_in_three_languages(rules: RuleSet) -> None:
    first, *other_features = (extract_features(rules, title, language) for title, language in ONE_EVENT)
    shared = first.intersection(*other_features)
    assert {"entity:bybit", "entity:ethereum", "verb:hack"} <= shared
    assert any(feature.startswith("figure:") and feature.endswith(" USD") for feature in shared)


def test_a_figure_rounded_differently_shares_a_bucket(rules: RuleSet) -> None:
    features, near_features = (
        extract_features(rules, f"Firm raises ${value} million", "en") for value in ("100", "102")
    )
    far = extract_features(rules, "Firm raises $120 million", "en")
    assert {f for f in features & near_features if f.startswith("figure:")}
    assert not {f for f in features & far if f.startswith("figure:")}


def test_a_latin_name_in_another_script_is_a_name(rules: RuleSet) -> None:
    assert "name:zephyrine" in extract_features(rules, "Zephyrine、メインネットを公開", "ja")
    assert "name:zephyrine" in extract_features(rules, "Zephyrine opens its mainnet", "en")


def test_durations_and_bare_numbers_are_no_figures(rules: RuleSet) -> None:
    found = extract_features(rules, "Bitcoin rises for 3 days in 2 weeks, top 10 list", "en")
    assert not any(feature.endswith((" day", " None")) for feature in found)


def test_news_of_the_field_is_evidence_for_organisations_but_not_for_coins(rules: RuleSet) -> None:
    named = {
        title: [mention.entity_id for mention in find_title_mentions(rules, title)]
        for title in ("Kraken rebuilds its app for beginners", "Optimism spreads among small miners")
    }
    assert list(named.values()) == [["kraken"], []]
