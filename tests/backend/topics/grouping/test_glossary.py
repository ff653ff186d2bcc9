"""Words of the field, explained beside a topic."""

from backend.entities.model import LANGUAGES, Language
from backend.topics.grouping.glossary import MAX_TERMS, find_terms, load_glossary


def names(text: str, language: Language) -> list[str]:
    return [term.term for term in find_terms([text], language)]


def test_every_term_is_named_and_explained_in_all_three_languages() -> None:
    by_language = load_glossary()
    ids = [[entry.id for entry in by_language[language]] for language in LANGUAGES]
    assert ids[0] == ids[1] == ids[2]
    assert len(ids[0]) >= 150
    assert all(entry.names and entry.definition for entries in by_language.values() for entry in entries)


def test_no_two_terms_have_one_name() -> None:
    for entries in load_glossary().values():
        listed = [name.lower() for entry in entries for name in entry.names]
        assert len(listed) == len(set(listed))


def test_every_definition_is_one_sentence() -> None:
    for language, entries in load_glossary().items():
        stop = "." if language == "en" else "。"
        assert [entry.id for entry in entries if not entry.definition.endswith(stop)] == []
        inner = ". " if language == "en" else "。"
        assert [entry.id for entry in entries if inner in entry.definition[:-1]] == []


def test_terms_come_in_the_order_of_the_text_and_once() -> None:
    assert names("Airdrops for staking; another airdrop", "en") == ["airdrop", "staking"]


def test_the_longest_name_wins() -> None:
    assert names("SEC approves spot bitcoin ETFs", "en") == ["spot ETF"]
    assert names("リキッドステーキングが拡大", "ja") == ["リキッドステーキング"]


def test_a_name_inside_a_word_is_none() -> None:
    assert names("A gasoline price shorthand", "en") == []
    assert names("ケンブリッジ大学の調査", "ja") == []


def test_a_latin_name_needs_no_space_in_japanese_and_chinese() -> None:
    assert names("以太坊DeFi协议", "zh") == ["DeFi"]
    assert names("暗号資産ETFを申請", "ja") == ["ETF"]


def test_no_more_are_explained_than_a_reader_takes_in() -> None:
    text = " ".join(entry.names[0] for entry in load_glossary()["en"])
    assert len(find_terms([text], "en")) == MAX_TERMS
