"""Tests which bodies are parsed, which are refused, and the location in the error."""

import asyncio
import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import BadRequest
from backend.http.json_body import JsonRequest, parse

LONE = '"\\ud83d"'


def read(body: bytes) -> Any:
    return parse(body)


def refusal(body: bytes) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        read(body)
    assert caught.value.detail.endswith(".")
    assert caught.value.errors
    orjson.dumps([caught.value.detail, caught.value.errors])  # whatever came, the answer can be sent
    return caught.value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "イーサリアム",
        "\0",
        "😀",
        [],
        {},
        {"a": [1, {"b": None}]},
        2**63 - 1,
        -(2**63),
    ],
)
def test_valid_json_is_parsed_to_its_value(value: Any) -> None:
    assert read(json.dumps(value).encode()) == value
    assert read(orjson.dumps(value)) == value


def test_last_value_of_a_duplicate_key_is_used() -> None:
    assert read(b'{"a": 1, "a": 2}') == {"a": 2}


def test_invalid_json_error_reports_line_and_column() -> None:
    result = refusal('{"articles": [\n  {"id": "仮想", "title": nil}\n]}'.encode())
    assert "line 2, column 25" in result.detail
    assert result.errors[0]["loc"] == ["body"]
    assert result.errors[0]["type"] == "json_invalid"


@pytest.mark.parametrize(
    "body", [b" ", b"{", b"[1,]", b"{'a': 1}", b"01", b"1 2", b'"a\x00"', b'"\t"', b"nul"]
)
def test_invalid_json_is_rejected(body: bytes) -> None:
    assert refusal(body).errors[0]["type"] == "json_invalid"


@pytest.mark.parametrize("body", [b"NaN", b"Infinity", b"[-Infinity]", b"1e999", b"1" * 400])
def test_non_finite_numbers_are_rejected(body: bytes) -> None:
    refusal(body)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_non_utf8_encodings_are_rejected(encoding: str) -> None:
    assert "at line 1, column " in refusal('{"articles": []}'.encode(encoding)).detail


def test_invalid_utf8_error_reports_line_and_column() -> None:
    result = refusal('{"a": "é",\n "b": "'.encode() + b'\xff"}')
    assert "not UTF-8 at line 2, column 8" in result.detail
    assert result.errors[0]["type"] == "json_encoding"


@pytest.mark.parametrize(
    "text", [LONE, '"x\\udc00"', '"\\ud83d\\ud83d"', '"\\uDC00\\uD83D"', '"\ud83d"', '"a\udfff"']
)
@pytest.mark.parametrize("place", ['{"content": %s}', "{%s: 1}", '{"content": %s, '])
def test_lone_surrogate_error_reports_the_line(text: str, place: str) -> None:
    result = refusal(('{"articles": [{"id": "1"},\n' + place % text + "]}").encode("utf-8", "surrogatepass"))
    assert "at line 2, column " in result.detail


def test_surrogate_pair_is_parsed_as_one_character() -> None:
    assert read(b'"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30, -(10**200)])
def test_integer_over_64_bits_error_reports_line_and_column(number: int) -> None:
    result = refusal(f'{{"é": [1, "\\"{number}",\n {{"b": 1.{"1" * 30}, "c": {number}}}]}}'.encode())
    assert "at line 2, column 47" in result.detail
    assert result.errors[0]["type"] == "int_too_large"


def test_long_digits_in_strings_and_fractions_are_accepted() -> None:
    value = {"address": "1" * 60, "share": 0.1234567890123456789012, "1" * 30: 1e25}
    assert read(json.dumps(value).encode()) == value


@pytest.mark.parametrize("depth", [1100, 5000, 200_000])
def test_too_deeply_nested_json_is_rejected(depth: int) -> None:
    result = refusal(b"[" * depth + b"]" * depth)
    assert "depth limit" in result.detail
    refusal(b'{"a":' * depth)


@pytest.mark.parametrize("depth", [900, 980, 1000, 1020, 1024])
@pytest.mark.parametrize("inside", [LONE.encode(), b"9" * 25])
def test_invalid_json_inside_deep_nesting_is_rejected(depth: int, inside: bytes) -> None:
    refusal(b"[" * depth + inside + b"]" * depth)


def request(*messages: dict[str, Any]) -> JsonRequest:
    left = list(messages)

    async def receive() -> dict[str, Any]:
        return left.pop(0)

    return JsonRequest({"type": "http", "headers": []}, receive)


def test_json_of_an_already_read_request_is_available() -> None:
    http_request = request(
        {"type": "http.request", "body": b'{"a"', "more_body": True},
        {"type": "http.request", "body": b": 1}"},
    )
    asyncio.run(http_request.read())
    assert asyncio.run(http_request.json()) == {"a": 1}


def test_incomplete_body_is_rejected_with_an_error_message() -> None:
    http_request = request(
        {"type": "http.request", "body": b'{"a"', "more_body": True}, {"type": "http.disconnect"}
    )
    with pytest.raises(BadRequest, match="before the body was complete"):
        asyncio.run(http_request.read())


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_parsed_or_rejected_with_a_bad_request(body: bytes) -> None:
    try:
        read(body)
    except BadRequest as result:
        orjson.dumps([result.detail, result.errors])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def has_large_integer(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(has_large_integer, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


@given(json_values)
def test_output_of_the_standard_json_encoder_is_parsed_unless_an_integer_is_too_large(value: Any) -> None:
    body = json.dumps(value).encode()
    if has_large_integer(value):
        assert {fault["type"] for fault in refusal(body).errors} == {"int_too_large"}
    else:
        assert read(body) == value
