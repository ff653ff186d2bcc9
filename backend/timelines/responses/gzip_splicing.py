"""Splices independently compressed chunks into one gzip member.

Each chunk is a raw deflate stream (RFC 1951) that ends in a full flush, on a whole byte and with an empty
window, so that the chunks can follow in any order. The member's checksum is combined from theirs, as in
zlib's ``crc32_combine`` (Adler): appending n bytes multiplies a CRC by x^(8n) modulo the polynomial. Several
consecutive members would also be valid (RFC 1952, section 2.2), but some clients read only the first.
"""

import struct
import zlib
from typing import NamedTuple

HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""Deflate, no name, no time, an unknown system."""
_LAST_BLOCK = b"\x03\x00"
_POLYNOMIAL = 0xEDB88320
_ONE = 1 << 31
"""The polynomial 1, whose highest bit stands for x^0."""
_LONGEST_STORED = 0xFFFF


class Packed(NamedTuple):
    """A chunk: its deflate stream, and the CRC-32, length and x^(8 · length) of its uncompressed bytes."""

    deflated: bytes
    crc: int
    length: int
    shift: int


class Member:
    """Accumulates the checksum and length of the chunks for the end of a gzip member."""

    def __init__(self) -> None:
        self._crc = 0
        self._length = 0

    def stored(self, chunk: bytes) -> bytes:
        """Store a short chunk as uncompressed blocks."""
        self._crc = zlib.crc32(chunk, self._crc)
        self._length += len(chunk)
        parts = (chunk[at : at + _LONGEST_STORED] for at in range(0, len(chunk), _LONGEST_STORED))
        return b"".join(struct.pack("<BHH", 0, len(part), len(part) ^ 0xFFFF) + part for part in parts)

    def packed(self, chunk: Packed) -> bytes:
        self._crc = multiplied(chunk.shift, self._crc) ^ chunk.crc
        self._length += chunk.length
        return chunk.deflated

    def end(self) -> bytes:
        return _LAST_BLOCK + struct.pack("<II", self._crc, self._length & 0xFFFFFFFF)


def stored_size(chunk: bytes) -> int:
    """Return the number of bytes that :meth:`Member.stored` generates for ``chunk``."""
    return len(chunk) + 5 * -(-len(chunk) // _LONGEST_STORED)


END_SIZE = len(_LAST_BLOCK) + 8


def pack(chunk: bytes | memoryview, level: int = 6) -> Packed:
    compressor = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    deflated = compressor.compress(chunk) + compressor.flush(zlib.Z_FULL_FLUSH)
    return Packed(deflated, zlib.crc32(chunk), len(chunk), power(8 * len(chunk)))


def multiplied(first: int, second: int) -> int:
    """Multiply two polynomials modulo the CRC's."""
    product, bit = 0, _ONE
    while first:
        if first & bit:
            product ^= second
            first ^= bit
        bit >>= 1
        second = (second >> 1) ^ _POLYNOMIAL if second & 1 else second >> 1
    return product


def power(exponent: int) -> int:
    """Compute x^exponent modulo the CRC's polynomial."""
    result, square = _ONE, _ONE >> 1
    while exponent:
        if exponent & 1:
            result = multiplied(square, result)
        exponent >>= 1
        square = multiplied(square, square)
    return result
