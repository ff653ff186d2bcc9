"""Words that differ from a name by capitals only, and may be a person's family name."""

import pytest

from backend.articles.engine import apply, scan
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from tests.backend.articles.packs import entity, pack

RULES = compile_rules([pack(entity("CertiK"))])


@pytest.mark.parametrize("text", ["Ondrej Certik wrote it.", "a patch by Ondrej J. Certik"])
def test_behind_a_given_name_a_correction_asks(text: str) -> None:
    assert [one["auto_fixable"] for one in scan(RULES, Article(content=text))["violations"]] == [False]
    assert apply(RULES, Article(content=text))["applied_count"] == 0


@pytest.mark.parametrize("text", ["The firm Certik audited it.", "The Certik report", "Certik said so."])
def test_behind_ordinary_words_it_is_made(text: str) -> None:
    assert apply(RULES, Article(content=text))["applied_count"] == 1
