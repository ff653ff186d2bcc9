"""Regular expressions read into parts; what cannot be a list of texts is refused where it is met."""

import re
import sys

from backend.articles.importers.regex_ast import (
    MOST,
    Boundary,
    Choice,
    Group,
    Node,
    NotBeside,
    NotFinite,
    Repeat,
    Sequence,
    Text,
)

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_WIDE = {
    "s": "white space of any kind",
    "S": "anything but white space",
    "w": "any letter",
    "W": "anything but a letter",
    "D": "anything but a digit",
    "p": "a class of characters",
    "P": "a class of characters",
    "A": "the start of the text",
    "z": "the end of the text",
    "Z": "the end of the text",
    "k": "what a group matched",
    "B": "a place inside a word",
    "G": "the end of the match before",
}
_DEEPEST = 50
_HEX = re.compile("[0-9a-fA-F]{1,6}")


class Parser:
    """Recursive descent over the expression's text."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._groups = 0
        self._depth = 0

    def parse(self) -> Node:
        node = self._choice()
        if self._at < len(self._text):
            raise NotFinite("it has a closing bracket too many")
        return node

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise NotFinite("it ends too early")
        self._at += 1
        return self._text[self._at - 1]

    def _took(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _choice(self) -> Node:
        branches = [self._sequence()]
        while self._took("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Choice(branches)

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))
        return Sequence(parts)

    def _repeated(self, part: Node) -> Node:
        sign = self._peek()
        if sign in ("*", "+"):
            raise NotFinite(f"'{sign}' repeats without an end")
        if sign == "?":
            self._at += 1
            least, most = 0, 1
        elif sign == "{":
            least, most = self._counts()
        else:
            return part
        lazy = self._took("?")
        if self._peek() in ("*", "+", "?", "{"):
            raise NotFinite("it repeats a repetition")
        return Repeat(part, least, most, lazy)

    def _counts(self) -> tuple[int, int]:
        end = self._text.find("}", self._at)
        numbers = self._text[self._at + 1 : end].split(",") if end > 0 else []
        if not numbers or len(numbers) > 2 or not all(n.isdecimal() and len(n) < 4 for n in numbers):
            raise NotFinite("it repeats without an end")
        self._at = end + 1
        least, most = int(numbers[0]), int(numbers[-1])
        if most > MOST or least > most:
            raise NotFinite(f"it repeats more than {MOST} times")
        return least, most

    def _atom(self) -> Node:
        character = self._next()
        match character:
            case "(":
                return self._group()
            case "[":
                return Text(self._class())
            case ".":
                raise NotFinite("'.' stands for any character")
            case "^" | "$":
                raise NotFinite(f"'{character}' asks for the edge of a line")
            case "*" | "+" | "?":
                raise NotFinite(f"'{character}' repeats nothing")
            case "\\":
                if self._took("b"):
                    return Boundary()
                return Text(self._escape())
        return Text(character)

    def _group(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotFinite("it is nested too deeply")
        node = self._inside_group()
        if not self._took(")"):
            raise NotFinite("a bracket in it is not closed")
        self._depth -= 1
        return node

    def _inside_group(self) -> Node:
        if self._took("?:"):
            return self._choice()
        if self._took("?!"):
            return NotBeside(self._choice(), ahead=True)
        if self._took("?<!"):
            return NotBeside(self._choice(), ahead=False)
        if self._took("?=") or self._took("?<="):
            raise NotFinite("it asks for a neighbour, and rules can only exclude some")
        if self._took("?<") or self._took("?P<"):
            self._at = self._text.find(">", self._at) + 1
            if not self._at:
                raise NotFinite("a bracket in it is not closed")
        elif self._peek() == "?":
            raise NotFinite("it sets options in its middle")
        self._groups += 1
        number = self._groups
        return Group(number, self._choice())

    def _escape(self) -> str:
        """The characters that the escape stands for."""
        character = self._next()
        if character == "d":
            return "0123456789"
        if character in _WIDE:
            raise NotFinite(f"'\\{character}' stands for {_WIDE[character]}")
        if character in "123456789":
            raise NotFinite(f"'\\{character}' stands for what a group matched")
        if character == "x":
            return self._code(2)
        if character == "u":
            if self._took("{"):
                end = self._text.find("}", self._at)
                code = self._code(max(0, end - self._at))
                self._at += 1
                return code
            return self._code(4)
        if character.isalpha() and character not in _ESCAPES:
            raise NotFinite(f"'\\{character}' is not known")
        return _ESCAPES.get(character, character)

    def _code(self, digits: int) -> str:
        written = self._text[self._at : self._at + digits]
        if len(written) != digits or not _HEX.fullmatch(written) or int(written, 16) > sys.maxunicode:
            raise NotFinite("it holds a broken character code")
        self._at += digits
        return chr(int(written, 16))

    def _class(self) -> str:
        if self._took("^"):
            raise NotFinite("'[^…]' stands for all but some characters")
        characters: dict[str, None] = {}
        while not self._took("]"):
            low = self._member()
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = self._member()
                if len(low) != 1 or len(high) != 1 or not 0 <= ord(high) - ord(low) < MOST:
                    raise NotFinite(f"a class in it holds more than {MOST} characters")
                characters |= {chr(code): None for code in range(ord(low), ord(high) + 1)}
            else:
                characters |= dict.fromkeys(low)
        if not characters:
            raise NotFinite("it holds an empty class")
        return "".join(characters)

    def _member(self) -> str:
        character = self._next()
        if character != "\\":
            return character
        return "\b" if self._took("b") else self._escape()
