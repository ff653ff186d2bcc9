"""Parses regular expressions, and rejects parts that cannot be expanded to texts."""

import re
import sys

from backend.articles.importers.regex_ast import (
    MAX_EXPANSIONS,
    Alternation,
    Boundary,
    CharSet,
    Concatenation,
    Group,
    NegativeLookaround,
    Node,
    Repeat,
    UnsupportedRegexError,
)

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_UNSUPPORTED_ESCAPES = {
    "s": "any white space",
    "S": "anything but white space",
    "w": "any letter",
    "W": "anything but a letter",
    "D": "anything but a digit",
    "p": "a Unicode character class",
    "P": "a Unicode character class",
    "A": "the start of the text",
    "z": "the end of the text",
    "Z": "the end of the text",
    "k": "the text of a group",
    "B": "a position inside a word",
    "G": "the end of the previous match",
}
MAX_NESTING_DEPTH = 50
_HEX = re.compile("[0-9a-fA-F]{1,6}")


class Parser:
    """A recursive descent parser of one expression."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._groups = 0
        self._depth = 0

    def parse(self) -> Node:
        node = self._parse_alternation()
        if self._at < len(self._text):
            raise UnsupportedRegexError("it has an extra closing bracket")
        return node

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise UnsupportedRegexError("it ends unexpectedly")
        self._at += 1
        return self._text[self._at - 1]

    def _accept(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _parse_alternation(self) -> Node:
        branches = [self._parse_concatenation()]
        while self._accept("|"):
            branches.append(self._parse_concatenation())
        return branches[0] if len(branches) == 1 else Alternation(branches)

    def _parse_concatenation(self) -> Node:
        parts: list[Node] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._parse_quantifier(self._parse_atom()))
        return Concatenation(parts)

    def _parse_quantifier(self, part: Node) -> Node:
        sign = self._peek()
        if sign in ("*", "+"):
            raise UnsupportedRegexError(f"'{sign}' repeats without a limit")
        if sign == "?":
            self._at += 1
            min_count, max_count = 0, 1
        elif sign == "{":
            min_count, max_count = self._parse_counts()
        else:
            return part
        lazy = self._accept("?")
        if self._peek() in ("*", "+", "?", "{"):
            raise UnsupportedRegexError("nested repetition is not supported")
        return Repeat(part, min_count, max_count, lazy)

    def _parse_counts(self) -> tuple[int, int]:
        end = self._text.find("}", self._at)
        numbers = self._text[self._at + 1 : end].split(",") if end > 0 else []
        if not numbers or len(numbers) > 2 or not all(n.isdecimal() and len(n) < 4 for n in numbers):
            raise UnsupportedRegexError("it repeats without a limit")
        self._at = end + 1
        min_count, max_count = int(numbers[0]), int(numbers[-1])
        if max_count > MAX_EXPANSIONS or min_count > max_count:
            raise UnsupportedRegexError(f"it repeats more than {MAX_EXPANSIONS} times")
        return min_count, max_count

    def _parse_atom(self) -> Node:
        character = self._next()
        match character:
            case "(":
                return self._parse_group()
            case "[":
                return CharSet(self._parse_char_class())
            case ".":
                raise UnsupportedRegexError("'.' matches any character")
            case "^" | "$":
                raise UnsupportedRegexError(f"'{character}' matches the edge of a line")
            case "*" | "+" | "?":
                raise UnsupportedRegexError(f"'{character}' has nothing to repeat")
            case "\\":
                if self._accept("b"):
                    return Boundary()
                return CharSet(self._parse_escape())
        return CharSet(character)

    def _parse_group(self) -> Node:
        self._depth += 1
        if self._depth > MAX_NESTING_DEPTH:
            raise UnsupportedRegexError("it is nested too deeply")
        node = self._parse_group_body()
        if not self._accept(")"):
            raise UnsupportedRegexError("a bracket in it is not closed")
        self._depth -= 1
        return node

    def _parse_group_body(self) -> Node:
        if self._accept("?:"):
            return self._parse_alternation()
        if self._accept("?!"):
            return NegativeLookaround(self._parse_alternation(), ahead=True)
        if self._accept("?<!"):
            return NegativeLookaround(self._parse_alternation(), ahead=False)
        if self._accept("?=") or self._accept("?<="):
            raise UnsupportedRegexError("it requires a neighbour, but rules can only exclude neighbours")
        if self._accept("?<") or self._accept("?P<"):
            self._at = self._text.find(">", self._at) + 1
            if not self._at:
                raise UnsupportedRegexError("a bracket in it is not closed")
        elif self._peek() == "?":
            raise UnsupportedRegexError("inline options are not supported")
        self._groups += 1
        number = self._groups
        return Group(number, self._parse_alternation())

    def _parse_escape(self) -> str:
        """Return the characters that the escape matches."""
        character = self._next()
        if character == "d":
            return "0123456789"
        if character in _UNSUPPORTED_ESCAPES:
            raise UnsupportedRegexError(f"'\\{character}' matches {_UNSUPPORTED_ESCAPES[character]}")
        if character in "123456789":
            raise UnsupportedRegexError(f"'\\{character}' matches the text of a group")
        if character == "x":
            return self._parse_char_code(2)
        if character == "u":
            if self._accept("{"):
                end = self._text.find("}", self._at)
                code = self._parse_char_code(max(0, end - self._at))
                self._at += 1
                return code
            return self._parse_char_code(4)
        if character.isalpha() and character not in _ESCAPES:
            raise UnsupportedRegexError(f"'\\{character}' is an unknown escape")
        return _ESCAPES.get(character, character)

    def _parse_char_code(self, digits: int) -> str:
        written = self._text[self._at : self._at + digits]
        if len(written) != digits or not _HEX.fullmatch(written) or int(written, 16) > sys.maxunicode:
            raise UnsupportedRegexError("it contains an invalid character code")
        self._at += digits
        return chr(int(written, 16))

    def _parse_char_class(self) -> str:
        if self._accept("^"):
            raise UnsupportedRegexError("'[^…]' matches all but some characters")
        characters: dict[str, None] = {}
        while not self._accept("]"):
            low = self._parse_class_member()
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = self._parse_class_member()
                if len(low) != 1 or len(high) != 1 or not 0 <= ord(high) - ord(low) < MAX_EXPANSIONS:
                    raise UnsupportedRegexError(
                        f"a class in it contains more than {MAX_EXPANSIONS} characters"
                    )
                characters |= {chr(code): None for code in range(ord(low), ord(high) + 1)}
            else:
                characters |= dict.fromkeys(low)
        if not characters:
            raise UnsupportedRegexError("it contains an empty class")
        return "".join(characters)

    def _parse_class_member(self) -> str:
        character = self._next()
        if character != "\\":
            return character
        return "\b" if self._accept("b") else self._parse_escape()
