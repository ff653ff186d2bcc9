from typing import get_args

import pytest

from backend.auth import key_format
from backend.auth.oauth import token_format
from backend.auth.oauth.token_format import Kind
from backend.runtime.redaction import redact


@pytest.mark.parametrize("kind", get_args(Kind))
def test_token_reports_its_kind_and_does_not_match_the_key_format(kind: Kind) -> None:
    text = token_format.generate(kind)
    assert token_format.kind_of(text) == kind
    assert not key_format.has_key_form(text)
    assert text != token_format.generate(kind)


@pytest.mark.parametrize("place", [0, 2, 5, 20, 35, -1])
def test_changed_character_is_detected(place: int) -> None:
    text = list(token_format.generate("access"))
    text[place] = "x" if text[place] != "x" else "y"
    assert token_format.kind_of("".join(text)) is None


@pytest.mark.parametrize("kind", get_args(Kind))
def test_tokens_are_redacted_from_logs(kind: Kind) -> None:
    text = token_format.generate(kind)
    assert text[4:] not in redact(f"GET /callback?code={text}&state=x")
    assert redact("the word cpa_ and cp1 stay") == "the word cpa_ and cp1 stay"
