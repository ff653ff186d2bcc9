import re
from dataclasses import asdict
from typing import get_args

import pytest

from backend.auth.oauth.authorization_request import ProblemCode
from backend.auth.oauth.translations import CATALOGUES, EN
from backend.auth.principal import SCOPES
from backend.http.pages.languages import LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES, Language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_translates_all_messages_with_the_same_placeholders(language: Language) -> None:
    words = CATALOGUES[language]
    assert set(words.scopes) == set(SCOPES)
    assert set(words.problems) == set(get_args(ProblemCode))
    for name, sentence in asdict(EN).items():
        result = asdict(words)[name]
        assert result
        if isinstance(sentence, str):
            assert sorted(re.findall(r"{\w+}", result)) == sorted(re.findall(r"{\w+}", sentence)), name
    assert LANGUAGE_NAMES[language]
    assert LANGUAGE_TAGS[language].startswith(language)
