import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.auth import key_format

ENVS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)
KNOWN = "cp_livev10123456789ABCDEFGHIJKLMNOPQRSTUV"


def crc32_bit_by_bit(data: bytes) -> int:
    """CRC-32 by its definition: reflected polynomial 0xEDB88320, all ones before and after."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0xEDB88320 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def base62(number: int) -> str:
    text = ""
    for power in range(5, -1, -1):
        digit = number // 62**power % 62
        text += chr(48 + digit) if digit < 10 else chr(55 + digit) if digit < 36 else chr(61 + digit)
    return text


@given(ENVS, st.booleans())
def test_generated_key_parses_to_its_env_and_kind(env: str, terminal: bool) -> None:
    key = key_format.generate(env, terminal=terminal)
    assert key_format.parse(key) == key_format.ParsedKey(env=env, terminal=terminal)


@given(ENVS, st.booleans())
def test_a_generated_key_has_the_published_pattern(env: str, terminal: bool) -> None:
    key = key_format.generate(env, terminal=terminal)
    start = "cpt_" if terminal else "cp_"
    match = re.fullmatch(r"([a-z]+)v1([0-9A-Za-z]{32})_([0-9A-Za-z]{6})", key.removeprefix(start))
    assert match is not None
    assert match[1] == env


@given(ENVS)
def test_checksum_is_the_base62_crc_of_the_text_before_the_last_underscore(env: str) -> None:
    body, _, checksum = key_format.generate(env).rpartition("_")
    assert checksum == base62(crc32_bit_by_bit(body.encode()))


def test_the_crc_is_the_one_of_the_published_check_value() -> None:
    assert crc32_bit_by_bit(b"123456789") == 0xCBF43926
    assert key_format.checksum("123456789") == base62(0xCBF43926)


def test_a_small_checksum_is_padded_with_zeros_to_six_characters() -> None:
    assert key_format.checksum("") == "000000"


def test_the_alphabet_is_digits_then_upper_then_lower_case() -> None:
    assert "".join(sorted(key_format.ALPHABET)) == key_format.ALPHABET
    assert len(set(key_format.ALPHABET)) == 62
    assert key_format.ALPHABET.isascii()
    assert key_format.ALPHABET.isalnum()


@given(st.data(), st.booleans())
def test_any_single_changed_character_is_refused(data: st.DataObject, terminal: bool) -> None:
    # Not only with high probability: a CRC-32 finds every error that spans 32 bits or fewer.
    key = key_format.generate("live", terminal=terminal)
    place = data.draw(st.integers(0, len(key) - 1))
    other_character = data.draw(
        st.characters(codec="utf-8").filter(lambda character: character != key[place])
    )
    assert key_format.parse(key[:place] + other_character + key[place + 1 :]) is None


@given(st.data())
def test_swapped_adjacent_characters_are_rejected(data: st.DataObject) -> None:
    key = key_format.generate("live")
    place = data.draw(st.integers(0, len(key) - 2).filter(lambda i: key[i] != key[i + 1]))
    assert key_format.parse(key[:place] + key[place + 1] + key[place] + key[place + 2 :]) is None


@given(st.data())
def test_shortened_or_lengthened_key_is_rejected(data: st.DataObject) -> None:
    key = key_format.generate("live")
    assert key_format.parse(key[: data.draw(st.integers(0, len(key) - 1))]) is None
    assert key_format.parse(key + data.draw(st.text(min_size=1, max_size=3))) is None
    assert key_format.parse(data.draw(st.text(min_size=1, max_size=3)) + key) is None


@given(st.text())
def test_parse_never_raises_for_arbitrary_text(text: str) -> None:
    key_format.parse(text)
    key_format.has_key_form(text)


@pytest.mark.parametrize("spoilt", ["{}\n", " {}", "{} ", "\t{}"])
def test_key_with_surrounding_whitespace_is_rejected(spoilt: str) -> None:
    assert key_format.parse(spoilt.format(key_format.generate("live"))) is None


def test_non_ascii_digits_are_rejected_as_base62() -> None:
    body = KNOWN.replace("0123", "٠١٢٣")
    assert not key_format.has_key_form(f"{body}_000000")


def test_key_with_wrong_checksum_has_key_form_but_does_not_parse() -> None:
    right = base62(crc32_bit_by_bit(KNOWN.encode()))
    wrong = right[:-1] + ("0" if right[-1] != "0" else "1")
    assert key_format.parse(f"{KNOWN}_{right}") == key_format.ParsedKey(env="live", terminal=False)
    assert key_format.has_key_form(f"{KNOWN}_{wrong}")
    assert key_format.parse(f"{KNOWN}_{wrong}") is None


def test_replacing_the_prefix_does_not_turn_an_api_key_into_a_terminal_key() -> None:
    key = key_format.generate("live")
    assert key_format.parse(key.replace("cp_", "cpt_", 1)) is None


@pytest.mark.parametrize("env", ["", "Live", "li ve", "live1", "live_", "é", "live\n"])
def test_env_with_characters_other_than_lower_case_letters_is_rejected(env: str) -> None:
    with pytest.raises(ValueError, match="lower-case letters"):
        key_format.generate(env)


def test_generated_keys_use_the_whole_alphabet_and_do_not_repeat() -> None:
    randoms = [key_format.generate("live").removeprefix("cp_livev1")[:32] for _ in range(200)]
    assert len(set(randoms)) == 200
    # 6,400 draws from 62 characters: one is absent with a probability below 1e-43.
    assert set("".join(randoms)) == set(key_format.ALPHABET)


def test_a_digest_is_sha_256_in_hexadecimal() -> None:
    assert key_format.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    key = key_format.generate("live")
    assert key_format.digest(key) == hashlib.sha256(key.encode()).hexdigest()
