"""Builds texts that are slow to parse: each is the start of a construct that never ends."""

from collections.abc import Callable

_REPEATED = {
    "unclosed comments": "<!-- Etherium ",
    "unclosed tags": "<a href='etherium ",
    "open brackets": "[",
    "deep brackets with names": "[Etherium](",
    "links without end": "[a](b ",
    "labels": "[Etherium][",
    "definitions": "[a]: b\n",
    "wiki links": "[[Etherium|",
    "backticks of one length": "`Etherium ",
    "fences": "```\n",
    "tildes": "~~~ Etherium\n",
    "templates": "{{ Etherium ",
    "mail-like text": "etherium.etherium+etherium-",
    "mail-like text with @": "etherium.a@",
    "handles": "@etherium",
    "hashtags": "#etherium",
    "dots": "etherium.",
    "paths": "/etherium/",
    "schemes": "etherium://",
    "ampersands": "&etherium",
    "names without spaces": "etherium",
    "names with spaces": "etherium ",
    "names in capitals in one line": "SOLANA ETHERIUM ",
    "ordinary words in one paragraph": "Near Base Avalanche ",
    "ordinary words in paragraphs": "Near\n\n",
    "cashtags": "$NEAR",
    "numbers before tickers": "1,000.00BTC",
    "half-width kana": "ｲｰｻﾘｱﾑ",
    "composed kana": "ヒ\u3099ットコイン",
    "full width": "Ｅｔｈｅｒｉｕｍ　",
    "ligatures": "ﬁnance",
    "dotted capital i": "İetherium ",
    "Han names joined": "以太访以太坊",
    "crossing names": "Power Ledger Powerledger ",
    "joining corrections": "PowerLedgerPower Ledger ",
    "line breaks": "\n \t",
    "escapes": "\\etherium",
    "quotes in tags": "<a b=\"'",
    "NUL characters": "\0etherium",
    "emphasis": "**etherium_",
    "possessives": "solana's ",
    "table": "| etherium | BTC |\n",
    "quote marks": "> etherium\n",
    "indented": "    etherium\n\n",
}


def _build_backtick_runs(size: int) -> str:
    parts, length = [], 1
    while size > 0:
        parts.append("`" * length + "a")
        size -= length + 1
        length += 1
    return "".join(parts)


_MADE: dict[str, Callable[[int], str]] = {
    "runs of backticks of growing length": _build_backtick_runs,
    "combining marks": lambda size: "Etherium" + "\u0301" * (size // 2),
    "combining marks of kana": lambda size: "か" + "\u3099" * (size // 3),
    "one long word": lambda size: "a" * size,
    "digits before a ticker": lambda size: "1" * size + "BTC",
    "one line of CJK": lambda size: "以太" * (size // 6),
    "spaces between line breaks": lambda size: ("\n" + " " * 200) * (size // 201),
}


def build_texts(size: int) -> dict[str, str]:
    """Texts of about ``size`` bytes by what makes them hostile."""
    texts = {name: piece * (size // len(piece.encode())) for name, piece in _REPEATED.items()}
    return texts | {name: make(size) for name, make in _MADE.items()}
