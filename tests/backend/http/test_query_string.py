from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import BadRequest
from backend.http.query_string import validate_query_string


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"]))
    )
)
def test_any_utf8_query_string_is_accepted(sent: dict[str, str]) -> None:
    validate_query_string(urlencode(sent).encode())


@pytest.mark.parametrize(
    "query", [b"", b"a", b"a=%", b"a=%zz", b"a+b=c+d", b"&&=&", b"a=b=c", b"a=100%&b=%E5%B8%81"]
)
def test_malformed_but_utf8_query_strings_are_accepted(query: bytes) -> None:
    validate_query_string(query)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (b"a=%ff", "a"),
        (b"a=1&b=%E5%B8", "b"),
        (b"a=%ED%A0%80", "a"),
        (b"a=%C0%AF", "a"),
        (b"a+b=%ff", "a b"),
        (b"%ff=1", "\N{REPLACEMENT CHARACTER}"),
        ("a=\u5e01".encode(), "a"),
        (b"a=\xff", "a"),
        (b"a=%E5&b=%B8%81", "a"),
    ],
)
def test_non_utf8_parameter_is_rejected_with_its_name(query: bytes, name: str) -> None:
    with pytest.raises(BadRequest) as refused:
        validate_query_string(query)
    (fault,) = refused.value.errors
    assert fault["loc"] == ["query", name]
    assert f"query.{name}: " in refused.value.detail
