from typing import get_args

import pytest

from backend.auth import keyformat
from backend.auth.oauth import tokenformat
from backend.auth.oauth.tokenformat import Kind
from backend.redaction import redact


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_token_says_what_it_is_and_is_no_key(kind: Kind) -> None:
    text = tokenformat.generate(kind)
    assert tokenformat.kind_of(text) == kind
    assert not keyformat.has_key_form(text)
    assert text != tokenformat.generate(kind)


@pytest.mark.parametrize("place", [0, 2, 5, 20, 35, -1])
def test_a_typing_error_is_seen(place: int) -> None:
    text = list(tokenformat.generate("access"))
    text[place] = "x" if text[place] != "x" else "y"
    assert tokenformat.kind_of("".join(text)) is None


@pytest.mark.parametrize("kind", get_args(Kind))
def test_no_log_holds_one(kind: Kind) -> None:
    text = tokenformat.generate(kind)
    assert text[4:] not in redact(f"GET /callback?code={text}&state=x")
    assert redact("the word cpa_ and cp1 stay") == "the word cpa_ and cp1 stay"
