"""How a surface must be written to have one of its meanings, and what of that its place decides."""

from collections.abc import Collection

from backend.articles.matching.meanings import Form, Kind, Meaning
from backend.articles.text.boundaries import CLASS, DIGIT
from backend.articles.text.folding import HALF_WIDTH_KATAKANA, plain
from backend.articles.text.protected_tokens import token_spans

DOLLARS = "$＄"
POSITION_DEPENDENT = (Form.CAPITALS, Form.OPENING)


def has_form(meaning: Meaning, written: str) -> bool:
    """Whether ``written`` has the form that ``meaning`` asks for, at some places at least if that is one
    of :data:`POSITION_DEPENDENT`."""
    form = meaning.form
    if form is Form.ANY:
        return True
    half_width = not written.isascii() and HALF_WIDTH_KATAKANA.search(written) is not None
    if form is Form.ANY_FULL_WIDTH:
        return not half_width
    if form is Form.UNKNOWN:
        return plain(written) not in meaning.known and not _shows_acronym(written, meaning.known)
    if plain(written) != meaning.exact:
        return False
    return form is Form.EXACT_ANY_WIDTH or half_width == (form is Form.HALF_WIDTH)


def _shows_acronym(written: str, known: Collection[str]) -> bool:
    """Whether the capitals of a phrase show where its acronym comes from: "Centralized EXchange" for CEX."""
    return " " in written and "".join(filter(str.isupper, written)) in known


def is_position_dependent(meaning: Meaning, written: str, before: str) -> bool:
    """Whether it depends on more than a name's neighbours if ``meaning`` holds."""
    if meaning.form in POSITION_DEPENDENT or meaning.not_before or meaning.not_after or before in DOLLARS:
        return True
    if meaning.kind is Kind.SYMBOL:
        return bool(CLASS[before] & DIGIT)
    if meaning.kind is Kind.WRONG and before == "-":
        return written.islower()
    return meaning.kind is Kind.OTHER_CASE and written.islower()


def is_adapted(written: str, correct: str | None) -> bool:
    """Whether a suggestion may be written otherwise at some places."""
    if correct is None:
        return False
    return written.isupper() or (starts_lowercase(correct) and written[0].isupper())


def starts_lowercase(correct: str) -> bool:
    """Whether a suggestion begins with a small letter that a sentence may raise: not in ``macOS``, whose
    capital within fixes its form."""
    return correct[0].islower() and not any(map(str.isupper, correct))


def is_token(written: str) -> bool:
    """Whether a wrong form is an address itself: Crypto.com is a name, but crypto.com a domain."""
    return not written.isalnum() and next(token_spans(written), None) is not None


def matches_correction(correct: str | None, written: str, meaning: Meaning) -> bool:
    """Whether a wrong form is what should be written anyway, perhaps in another width or composition."""
    if correct is None or correct == written:
        return correct is not None
    if written == meaning.raw or HALF_WIDTH_KATAKANA.search(written):
        return False
    return plain(written) == plain(correct)
