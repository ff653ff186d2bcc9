"""Laws of slips in any text: corrections settle at once, and nothing outside them changes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.articles.engine import apply, apply_and_scan, scan
from backend.articles.schemas import Article
from tests.backend.articles.slips.test_finder import RULES

_PIECES = (
    *(
        "Etherum",
        "Ethereum",
        "Coinbsae",
        "Coinbase",
        "Gary Genslar",
        "Galaxy-Digital",
        "Poly market",
        "Avalanche",
    ),
    *(
        "イーサリウム",
        "コインヴェース",
        "コインベース",
        "チエーンリンク",
        "以太访",
        "以太坊",
        "比币特",
        "萊特币",
    ),
    *("blockchain", "wallet", "暗号資産", "加密", "區塊", "的", "は", "会", "Ether", "coin", "Coin"),
    *(" ", " ", "\n", "\n\n", "-", ".", "`", "**", "@", "/", "e\u0301", "ｶﾞ", "ﬁ", "\u00a0", "\u200b"),
)
TEXTS = st.lists(st.sampled_from(_PIECES), max_size=24).map("".join)
LANGUAGES = st.sampled_from(["en", "ja", "zh"])


@given(TEXTS, LANGUAGES)
@settings(max_examples=200)
def test_applying_twice_is_applying_once(text: str, language: str) -> None:
    once = apply(RULES, Article.model_validate({"content": text, "language": language}))
    again = apply(
        RULES, Article.model_validate({"content": once["corrected_article"]["content"], "language": language})
    )
    assert again["applied_count"] == 0


@given(TEXTS, LANGUAGES)
@settings(max_examples=200)
def test_only_corrected_places_change_and_they_hold_what_is_reported(text: str, language: str) -> None:
    result = scan(RULES, Article.model_validate({"content": text, "language": language}))
    done, parts = 0, []
    for fix in result["corrections"]:
        assert text[fix["start_offset"] : fix["end_offset"]] == fix["original_text"]
        assert fix["start_offset"] >= done
        parts += text[done : fix["start_offset"]], fix["corrected_text"]
        done = fix["end_offset"]
    assert "".join(parts) + text[done:] == (result["corrected_article"]["content"] or "")


@given(TEXTS, LANGUAGES)
@settings(max_examples=100)
def test_what_was_corrected_unasked_is_not_reported_again(text: str, language: str) -> None:
    article = Article.model_validate({"content": text, "language": language})
    applied, scanned = apply_and_scan(RULES, article)
    assert scanned == scan(
        RULES, Article.model_validate({**applied["corrected_article"], "language": language})
    )
    assert not any(correction["auto_fixable"] for correction in scanned["corrections"])
