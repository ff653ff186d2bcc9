"""Finds a denial of a claim that a passage cannot bear out, because it denies nothing itself."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.sources.claims import negation
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import MissingElement, ParsedStatement
from backend.sources.comparison import rejected_alternatives
from backend.sources.comparison.clause_quotes import quote_clause

_NEGATIVE_WORD_PATTERNS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not?|never|none|nor|neither|cannot|without|non[- ](?!fung|custod)[a-z]+|free|exempt\w*"
        r"|un(?!der|i(?:t|on|q|f|v|c)|veil|lawf|licen|regis|autho)[a-z]{4,}|refus\w+|declin\w+|fail\w*|reject\w*"
        r"|den(?:y|ied|ies)|lack\w*|instead of|rather than|ban(?:s|ned|ning)?|halt\w*|stop\w*"
        r"|end(?:s|ed|ing)?|voluntary)\b|n't\b"
    ),
    "ja": re.compile(
        "ない|なかっ|ません|(?<!必)(?<!はま)(?<!まは)(?<!、ま)(?<!。ま)ず(?!は)|未(?!登録|公開|払|許可)|無(?!登録|許可|免許|断)|非(?!代替|中央|公開)"
        "|不(?!正|適|当|備|振)|免(?!許)|拒|却下|(?<![判診])断|中止|停止|見送|禁|任意|代わり|代えて"
    ),
    "zh": re.compile(
        "[没沒](?!收)|未(?!注册|经|登记|来(?!得))|(?<![造以避])不(?!当|法|良|同(?!意))|非(?!法|同质|托管|常|洲)|免(?!费)"
        "|无(?!牌|证|许可|照)|無|禁|拒|停|否|终止|自愿"
    ),
}
_LICENCES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"licen[cs]|regist|authori[sz]"),
    "ja": re.compile("登録|免許|許可|公開|無断"),
    "zh": re.compile("牌照|执照|许可|注册|登记|未经"),
}
"""Words of a claim that make *unlicensed*, 無登録 or 无牌 a denial of a passage, too."""
_UNLICENSED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\bun(?:licen|regis|autho)"),
    "ja": re.compile("[未無](?:登録|許可|免許|公開|断)"),
    "zh": re.compile("无(?:牌|证|许可|照)|未(?:注册|经|登记)"),
}


def find_missing_denial(claim: ParsedStatement, passage: ParsedStatement) -> MissingElement | None:
    """Return a denial in the claim if the passage has no negative word.

    Words that only name something, such as *United*, 不正 or 非同质化, deny nothing.
    """
    lowered = claim.text.lower()
    if negation.is_exceptive(lowered, claim.language):
        return None
    affirmed_verbs = {action.verb for action in passage.actions if action.affirmed}
    if any(
        not action.affirmed and load_verbs()[action.verb].opposites & affirmed_verbs
        for action in claim.actions
    ):
        return None  # did not stop: went on
    # A cue of its own, or an alternative that the rest of the claim replaces.
    explained_spans = [
        *negation.find_first_otherwise(lowered, claim.language),
        *rejected_alternatives.find_rejected_spans(claim.text, claim.language),
    ]
    found_in_claim = next(
        (
            found
            for found in negation.find_negations(lowered, claim.language)
            if not any(
                start <= found.end() + len(" ") and found.start() <= end for start, end in explained_spans
            )
        ),
        None,
    )
    if found_in_claim is None or _has_denial(claim, passage):
        return None
    return MissingElement("negation", quote_clause(claim, *found_in_claim.span()))


def _has_denial(claim: ParsedStatement, passage: ParsedStatement) -> bool:
    lowered = passage.text.lower()
    if _NEGATIVE_WORD_PATTERNS[passage.language].search(lowered):
        return True
    has_licence = _LICENCES[claim.language].search(claim.text.lower()) is not None
    return has_licence and _UNLICENSED[passage.language].search(lowered) is not None
