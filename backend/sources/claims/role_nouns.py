"""Finds semantic roles that nouns state: the sender, at the receiving end, 買い手, 收款方."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from backend.entities.mention import Mention
from backend.entities.model import Language

NounRole = Literal["agent", "patient", "recipient"]

_IS: Mapping[Language, str] = {
    "en": r"(?:, (?:together|along) with [^,]{3,60})?,? (?:(?:was|were|is|are|being|as) )?"
    r"(?:(?:the|its|their) )?(?:[a-z]+ )?",
    "ja": "(?:が|は|も|を)?",
    "zh": "(?:[则便就才]?(?:是|为|作为|充当))?",
}
_NOUNS: Mapping[Language, tuple[tuple[str, NounRole, str], ...]] = {
    "en": (
        ("send", "agent", "sender|payer"),
        ("send", "recipient", "recipient|receiver|payee|(?:at|on) the receiving end"),
        ("buy", "agent", "buyer|purchaser|acquirer"),
        ("sell", "agent", "seller|vendor"),
        ("sue", "agent", "plaintiff"),
        ("sue", "patient", "defendant"),
    ),
    "ja": (
        ("send", "agent", "送り手|送り主|送信者|送金元"),
        ("send", "recipient", "受け手|受取人|受け取り手|受信者|送金先"),
        ("buy", "agent", "買い手|買い主|買収する側"),
        ("sell", "agent", "売り手|売り主"),
        ("sue", "agent", "原告"),
        ("sue", "patient", "被告(?!人)"),
    ),
    "zh": (
        ("send", "agent", "发送方|发送者|付款方|付款人|转出方|汇款人"),
        ("send", "recipient", "接收方|接收者|收款方|收款人|转入方"),
        ("buy", "agent", "买方|买家|收购方"),
        ("sell", "agent", "卖方|卖家|出售方"),
        ("sue", "agent", "原告"),
        ("sue", "patient", "被告"),
    ),
}


def _compile(language: Language, nouns: str) -> re.Pattern[str]:
    end = r"\b" if language == "en" else ""
    return re.compile(rf"{_IS[language]}(?:{nouns}){end}", re.IGNORECASE)


_PATTERNS: Mapping[Language, tuple[tuple[str, NounRole, re.Pattern[str]], ...]] = {
    language: tuple((verb, role, _compile(language, nouns)) for verb, role, nouns in entries)
    for language, entries in _NOUNS.items()
}


def find_noun_roles(
    text: str, language: Language, mentions: Sequence[Mention]
) -> Iterator[tuple[str, NounRole, Mention]]:
    """Yield verb, role and mention for each mention that a role noun directly follows."""
    for mention in mentions:
        for verb, role, pattern in _PATTERNS[language]:
            if pattern.match(text, mention.end):
                yield verb, role, mention
