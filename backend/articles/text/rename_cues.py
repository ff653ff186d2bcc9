"""Detects names that the text itself marks as former (``formerly``, ``旧``): these are not violations."""

import re

_BEFORE = re.compile(
    r"(?:\b(?:former(?:ly)?|previously|once|originally)(?: (?:known as|called|named))?\s*,?"
    r"|\bex-|\b(?:renamed|rebranded|changed|migrat\w+|switch\w+|mov\w+|rebrand|upgrade) (?:from|of)"
    r"|(?:then|at (?:that|the) time)(?:-|,? still | )(?:known as|called|named)?\s*"
    r"|(?:当時|かつて|以前)の|(?:当时|當時|彼时|彼時)(?:的|称为|稱為|叫)|旧(?:称|名)?[:：]?|元(?:名)?|原(?:名)?(?:为|為)?|前身(?:は|为|為|是)?|曾用名[:：]?|更名自|改名自)"
    r"\s*[“\"'「『（(]*\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"['\"”」』]*\s*(?:[（(,]\s*(?:now|currently|since|today|現|现|今)|[,，]?\s*(?:(?:which|that) )?"
    r"(?:(?:has|have|had|was|were|is|are) )?(?:since |been |officially )*(?:re(?:named|branded|brands)|"
    r"chang(?:ed|es) its name)|(?:token|coin)?[\s-](?:to|into)[\s-](?-i:[^\sa-z])"
    r"|(?:時代|时代)|[\s-](?:era\b|days\b(?! (?:later|earlier|before|after|ago|of)\b))"
    r"|,? (?:as|which) (?:it|the \w+|they) (?:was|were) (?:then |once |formerly |previously )?"
    r"(?:known|called|named)|[（(](?:当時|当时|當時)[）)]"
    r"|(?:[がはをの]|から)?(?:正式に)?(?:改称|改名|社名変更|名称変更|名称を変更|リブランド)"
    r"|(?:已|正式|宣布|将|將)*(?:更名|改名)|[，,]?(?:现(?:称|名|为)|現(?:稱|名|為|称)))",
    re.IGNORECASE,
)
MAX_CUE_CHARS = 60
"""How far from a name its rename cue may extend."""


def has_rename_cue(text: str, start: int, end: int) -> bool:
    """True if words beside ``text[start:end]`` say that this name was changed."""
    before, after = text[max(0, start - MAX_CUE_CHARS) : start], text[end : end + MAX_CUE_CHARS]
    return _BEFORE.search(before) is not None or _AFTER.match(after) is not None


def is_one_paragraph(text: str, first: int, last: int) -> bool:
    """True if ``text[first:last]`` contains no blank line."""
    return _BLANK_LINE.search(text, first, last) is None


_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")
