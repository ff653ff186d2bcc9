"""What headlines say apart from their language."""

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.topics.grouping.headline_features import extract_features, weigh_features

ONE_EVENT: list[tuple[str, Language]] = [
    ("Bybit loses $1.46 billion of ether to hackers", "en"),
    ("バイビットがハッキング被害、イーサリアム約14.6億ドル相当が流出", "ja"),
    ("Bybit遭黑客攻击，14.6亿美元以太坊被盗", "zh"),
]


def test_one_event_has_the_same_entities_verb_and_figure_in_three_languages(rules: RuleSet) -> None:
    first, *others = (extract_features(rules, title, language) for title, language in ONE_EVENT)
    shared = first.intersection(*others)
    assert {"entity:bybit", "entity:ethereum", "verb:hack"} <= shared
    assert any(one.startswith("figure:") and one.endswith(" USD") for one in shared)


def test_a_figure_rounded_differently_shares_a_bucket(rules: RuleSet) -> None:
    one, other = (extract_features(rules, f"Firm raises ${value} million", "en") for value in ("100", "102"))
    far = extract_features(rules, "Firm raises $120 million", "en")
    assert {f for f in one & other if f.startswith("figure:")}
    assert not {f for f in one & far if f.startswith("figure:")}


def test_a_latin_name_in_another_script_is_a_name(rules: RuleSet) -> None:
    assert "name:zephyrine" in extract_features(rules, "Zephyrine、メインネットを公開", "ja")
    assert "name:zephyrine" in extract_features(rules, "Zephyrine opens its mainnet", "en")


def test_durations_and_bare_numbers_are_no_figures(rules: RuleSet) -> None:
    found = extract_features(rules, "Bitcoin rises for 3 days in 2 weeks, top 10 list", "en")
    assert not any(one.endswith((" day", " None")) for one in found)


def test_words_that_one_language_alone_has_count_for_nothing() -> None:
    english, chinese, other = weigh_features(
        [
            frozenset({"name:zephyrine", "name:opens", "entity:bybit"}),
            frozenset({"name:zephyrine", "entity:bybit"}),
            frozenset({"entity:okx"}),
        ],
        ["en", "zh", "en"],
    )
    assert english == chinese
    assert set(english) == {"name:zephyrine", "entity:bybit"}
    assert set(other) == {"entity:okx"}


def test_who_says_little_is_like_nobody() -> None:
    common = [frozenset({"entity:bitcoin"})] * 20
    vectors = weigh_features(common, ["en", "zh"] * 10)
    assert sum(vectors[0][one] * vectors[1][one] for one in vectors[0]) < 0.2
