"""Splices independently compressed pieces into one gzip member.

Each piece is a raw deflate stream (RFC 1951) that ends in a full flush, on a whole byte and with an empty
window, so that the pieces can follow in any order. The member's checksum is combined from theirs, as in
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
    """A piece: its deflate stream, and the CRC-32, length and x^(8 · length) of its uncompressed bytes."""

    deflated: bytes
    crc: int
    length: int
    shift: int


class Member:
    """Accumulates the checksum and length of the pieces for the end of a gzip member."""

    def __init__(self) -> None:
        self._crc = 0
        self._length = 0

    def stored(self, piece: bytes) -> bytes:
        """Store a short piece as uncompressed blocks."""
        self._crc = zlib.crc32(piece, self._crc)
        self._length += len(piece)
        parts = (piece[at : at + _LONGEST_STORED] for at in range(0, len(piece), _LONGEST_STORED))
        return b"".join(struct.pack("<BHH", 0, len(part), len(part) ^ 0xFFFF) + part for part in parts)

    def packed(self, piece: Packed) -> bytes:
        self._crc = multiplied(piece.shift, self._crc) ^ piece.crc
        self._length += piece.length
        return piece.deflated

    def end(self) -> bytes:
        return _LAST_BLOCK + struct.pack("<II", self._crc, self._length & 0xFFFFFFFF)


def stored_size(piece: bytes) -> int:
    """Return the number of bytes that :meth:`Member.stored` generates for ``piece``."""
    return len(piece) + 5 * -(-len(piece) // _LONGEST_STORED)


END_SIZE = len(_LAST_BLOCK) + 8


def pack(piece: bytes | memoryview, level: int = 6) -> Packed:
    compressor = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    deflated = compressor.compress(piece) + compressor.flush(zlib.Z_FULL_FLUSH)
    return Packed(deflated, zlib.crc32(piece), len(piece), power(8 * len(piece)))


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
