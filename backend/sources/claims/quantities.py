"""Finds the comparable figures of a text with their units.

Numbers that are names are left out: versions, references (FIN-2013-G001, Release No. 34-80206, EIP-1559),
times of day, addresses, phone numbers, account and transaction ids. Heights of blocks, epochs and slots have
their own units (``block height``), so that they are never compared with counts. The bounds of a range (3-5 %)
are two figures, a minimum and a maximum. The number of a halving (the fourth halving) is a figure of the unit
``halving``."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from backend.entities.model import Language
from backend.sources.claims import figure_roles, fractions_in_words, half_durations, numbers
from backend.sources.claims.figure_roles import Role
from backend.sources.claims.model import DateSpan, Quantity
from backend.sources.claims.numbers import Numeral
from backend.sources.claims.units import GENERIC_UNITS, Units, load_units

MAX_QUANTITIES = 200
"""Maximum figures of one text."""
_UNSPECIFIC_UNITS = frozenset({None, *GENERIC_UNITS})
_CHARS_BEFORE = 18
_TICKER = re.compile(r" ?([A-Z][A-Z0-9]{1,5})(?![A-Za-z0-9])")
_NEXT_WORD = re.compile(r"[ -]([A-Za-z][A-Za-z'-]*)")
_PARTITIVE = re.compile(r" of (?:its|the|their|his|her|these|those)(?= )")
"""Words between a count and the counted noun: five of its founders."""
_ONE_OF = re.compile(r" ?(?:of|out of)\b|[^、。，]{0,2}(?:之一|の(?:一つ|ひとつ|1つ|一社|1社))")
_TOTAL = re.compile(
    r"(?:\b(?:one|two|three|four|five|six|seven|eight|nine|ten)|\d) (?:out )?of (?:the|its|all) $"
)
_ONE_AMONG = re.compile("(?:うち|中|内)の?$|其中(?:的|有)?(?:第)?$")
_SPELLED_NEEDS = frozenset({"state", "country", "item", "second", "time", "coin", "fund", "charge", "page"})
_MASK = re.compile(
    r"\b0x[0-9a-fA-F]{4,64}\b|\bbc1[0-9a-z]{6,87}\b|https?://[^\s<>\"]{1,2000}|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}"
    r"|(?<![A-Za-z])[A-Za-z]{1,9}(?:[-.][A-Za-z]{1,9})?-\d[\w.-]{0,40}"  # FIN-2013-G001, EIP-1559
    r"|(?<![\w.])v ?\d{1,4}(?:\.\d{1,6}){0,4}\b"
    r"|(?<![\d.])\d{1,5}(?:\.\d{1,6}){2,6}(?![\d])"  # 1.2.3, 192.168.0.1
    r"|(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?!\d)(?: ?[ap]\.?m\b)?|(?<![\d.])\d{1,2} ?[ap]\.?m\.?(?![A-Za-z])"
    r"|(?<![\w+])\+\d[\d() .-]{6,20}\d|(?<![\w-])0\d{1,4}-\d{1,4}-\d{3,4}(?![\w-])|\(\d{3}\) ?\d{3}-\d{4}"
    r"|(?<![\w,.])\d{1,5} [A-Z]{3,6} Part \d{1,4}|(?<![\w.])[1-9A-HJ-NP-Za-km-z]{26,64}(?![\w])",
    re.ASCII,
)
_RANGE = re.compile(r" ?([-~〜]) ?")
_CHANGE = re.compile(
    r" ?(?:to|and|から|より|减至|減至|提至|降至|升至|增至|至|到|との|と|和|、)"
    r" ?(?:about |nearly |over |約|约)?"
)
_VOTE = re.compile(
    r"(?<![\w,.:/-])(?:賛成|赞成)?(\d{1,3})(?: ?votes?| ?票| in favou?r)?(?:赞成|賛成)?"
    r"(?: ?(?:to|-|対|比|对|對) ?|[、,，] ?)"
    r"(?:反対|反对|反對)?(\d{1,3})(?: against|票)?(?![\w:/-]|[,.]\d)",
    re.IGNORECASE | re.ASCII,
)
_VOTED_EN = re.compile(r" (?:of (?:them|its members) )?voted (?:for|against|in favou?r|yes|no)\b")
_VOTING = re.compile(
    r"\bvot|senate|house|passed|congress|可決|否決|上院|下院|賛成|票|参议院|众议院|參議院|眾議院|通过",
    re.IGNORECASE,
)
_NTH = re.compile(
    r"\b(?P<en>first|second|third|fourth|fifth|sixth|\d{1,2}(?:st|nd|rd|th))(?: ever)?"
    r"(?: bitcoin| litecoin| block| network)?(?: reward)? halv[a-z]*|(?:第|(?<!\d))"
    r"(?P<han>\d{1,2}|[一二三四五六七八九十]{1,2})(?:回目|度目|回|次)"
    r"(?:の|ビットコイン|ライトコイン|比特币|莱特币|区块|奖励){0,3}(?:半減期?|减半|減半)"
    r"|(?P<once>初の|初めての|首次|第一回)(?:ビットコイン|比特币)?(?:の)?(?:半減|减半|減半)",
    re.IGNORECASE,
)
_NEEDED_JA = ("を要", "かか")
"""Verbs that mark a number of days as a duration: 17日を要した."""
_NTH_WORDS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}


def find_quantities(text: str, language: Language, dates: Sequence[DateSpan] = ()) -> list[Quantity]:
    """Find the figures of a plain ``text``, in order, outside its ``dates``."""
    lowered = text.lower()
    covered = _mark_covered(text, dates)
    figures = (
        _find_halvings(text, language, covered)
        + _find_votes(text, lowered, covered)
        + fractions_in_words.find_fractions(text, language, covered)
        + half_durations.find_half_durations(text, language, covered)
    )
    numerals = [
        numeral
        for numeral in numbers.find_numerals(text, language)
        if not covered[numeral.start] and not covered[numeral.end - 1]
    ]
    parsed = [_parse_figure(text, lowered, numeral, language) for numeral in numerals[: 2 * MAX_QUANTITIES]]
    figures += _share_units(text, [quantity for quantity in parsed if quantity is not None], numerals)
    figures.sort(key=lambda quantity: quantity.start)
    return [
        _assign_role(figure, figure_roles.find_role(lowered, figure.start, figure.end, language))
        for figure in figures[:MAX_QUANTITIES]
    ]


def _assign_role(figure: Quantity, role: Role | None) -> Quantity:
    is_vote = role in figure_roles.VOTE_ROLES and figure.unit in (None, "abstention", "member")
    return replace(figure, role=role, unit="vote" if is_vote else figure.unit)


def _mark_covered(text: str, dates: Sequence[DateSpan]) -> bytearray:
    covered = bytearray(len(text))
    for span in dates:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    for match in _MASK.finditer(text):
        if not _is_plain_number(match.group()):
            covered[match.start() : match.end()] = b"\1" * len(match.group())
    return covered


def _is_plain_number(token: str) -> bool:
    return token.isdigit() and len(token) <= numbers.MAX_DIGITS


def _parse_figure(text: str, lowered: str, numeral: Numeral, language: Language) -> Quantity | None:
    """Read the figure of one numeral; None if the number is a name or not a figure."""
    unit_table = load_units()
    start, end = numeral.start, numeral.end
    text_before = lowered[max(0, start - _CHARS_BEFORE) : start]
    sign, text_before, start = _parse_sign(text_before, start)
    unit, prefix_length = _find_unit_before(unit_table, text_before)
    label = None if _has_asset_unit(unit_table, text, numeral.end) else unit_table.label.search(text_before)
    if unit is None and label is not None and not numeral.spelled:
        unit, prefix_length = unit_table.labels[label.group(1)], 0
    elif (
        unit is None
        and label is None
        and (unit_table.name.search(text_before) or _is_inside_name(lowered, start, end))
    ):
        return None
    end = _find_scaled_end(text, numeral, unit)
    value = numeral.value if end == numeral.end else numeral.value.scaleb(-_get_letter_power(text, numeral))
    if unit is None:
        unit, end = _find_unit_after(unit_table, text, lowered, end, language)
        unit = "vote" if unit is None and _VOTED_EN.match(lowered, end) else unit
        if unit is None and (numeral.spelled or _continues_as_word(lowered, end)):
            return None
    elif (counter := unit_table.after.match(lowered, end)) is not None and unit_table.meanings[
        counter.group(1)
    ] in GENERIC_UNITS:
        end = counter.end()  # USDC2550万枚
    if numeral.spelled and (numeral.value == 0 or not _is_count(numeral, unit)):
        return None
    if _TOTAL.search(text_before):
        return None  # two of the three counts
    if numeral.value == 1 and (_ONE_OF.match(lowered, end) or _ONE_AMONG.search(text_before)):
        return None  # one of several
    if lowered.startswith("目", end) or (unit is None and _is_part_of_reference(lowered, start, end)):
        return None  # 3回目 is a rank
    start -= prefix_length
    end -= sum(len(needed) for needed in _NEEDED_JA if text.endswith(needed, start, end))
    inexact = _find_inexactness(
        unit_table, text_before[: len(text_before) - prefix_length], lowered[end : end + 6]
    )
    bound: Literal["least", "most"] | None = (
        "least" if inexact == "least" else "most" if inexact == "most" else None
    )
    return Quantity(value * sign, unit, start, end, text[start:end], inexact is not None, bound)


def _has_asset_unit(unit_table: Units, text: str, end: int) -> bool:
    """True if an asset or a currency follows a number, which then numbers no block: 1ブロック6.25BTC."""
    after = unit_table.after.match(text.lower(), end)
    return (after is not None and unit_table.meanings[after.group(1)] in unit_table.codes) or (
        (ticker := _TICKER.match(text, end)) is not None and ticker.group(1) not in unit_table.not_tickers
    )


def _continues_as_word(lowered: str, end: int) -> bool:
    """True if a Latin letter follows directly, so that the number is part of a word (5G)."""
    return end < len(lowered) and lowered[end].isascii() and lowered[end].isalpha()


def _parse_sign(text_before: str, start: int) -> tuple[int, str, int]:
    """Read the sign: a hyphen before the number that joins no words is a minus."""
    if text_before.endswith("-") and (len(text_before) == 1 or text_before[-2] in " (（、，$€£¥"):
        return -1, text_before[:-1], start - 1
    return 1, text_before, start


def _find_unit_before(unit_table: Units, text_before: str) -> tuple[str | None, int]:
    match = unit_table.before.search(text_before)
    if (
        match is not None
        and match.group()[-1] == " "
        and unit_table.prefixes[match.group().strip()] not in unit_table.currencies
    ):
        match = None  # "173,600 ETH 25.5 million USDC": only a glued symbol belongs to the number behind it
    return (None, 0) if match is None else (unit_table.prefixes[match.group().strip()], len(match.group()))


def _is_inside_name(lowered: str, start: int, end: int) -> bool:
    """True if the adjoining characters make a number part of a name: Web3, 34-80206, 2023/1114."""
    before = lowered[start - 1] if start else " "
    if (before.isascii() and before.isalpha()) or before in "_#@\\":
        return True
    if before in "-./:," and start > 1 and lowered[start - 2].isalnum() and lowered[start - 2].isascii():
        return before != "-" or not _RANGE_PARTNER.search(lowered[max(0, start - 12) : start])
    after = lowered[end : end + 2]
    return len(after) == 2 and after[0] in "/:" and after[1].isdigit()


_RANGE_END = re.compile(
    r"-\d{1,3}(?:[.,]\d{1,3})?( ?(?:thousand|[mbtr]+illion|[kmb]n?\b|[万億亿]))?", re.ASCII
)
_RANGE_PARTNER = re.compile(r"(?<![\w.-])[$€£¥]?\d{1,3}(?:[.,]\d{1,3})?%?-$", re.ASCII)


def _is_part_of_reference(lowered: str, start: int, end: int) -> bool:
    """True if a hyphen or slash makes a bare number part of a reference (34-80206, 2014-21号)."""
    if start and lowered[start - 1] in "-/":
        return True
    if lowered[end : end + 1] not in ("-", "/") or not lowered[end + 1 : end + 2].isalnum():
        return False
    partner = _RANGE_END.match(lowered, end)
    return partner is None or not (partner.group(1) or load_units().after.match(lowered, partner.end()))


def _get_letter_power(text: str, numeral: Numeral) -> int:
    return {"m": 6, "b": 9, "t": 12}[text[numeral.end - 1]]


def _find_scaled_end(text: str, numeral: Numeral, unit: str | None) -> int:
    """Return the end of a numeral with its magnitude. A lower-case m, b or t alone counts only for money: 5m
    may be metres or minutes."""
    if not numeral.letter or unit is not None or _TICKER.match(text, numeral.end):
        return numeral.end
    return numeral.end - 1


_ATTRIBUTE_EN = re.compile(r"-(?:pegged|linked|backed|denominated|based|tied)")


def _find_unit_after(
    unit_table: Units, text: str, lowered: str, end: int, language: Language
) -> tuple[str | None, int]:
    unit: str | None = None
    for name in ("about", "least"):  # 130余家, 100多名
        if (
            inexact := unit_table.inexact_suffixes[name].match(lowered, end)
        ) is not None and unit_table.after.match(lowered, inexact.end()):
            end = inexact.end()
    for _ in range(2):
        start = end + 1 if unit is not None and lowered[end : end + 1] == "の" else end
        match = unit_table.after.match(lowered, start)
        if match is None or (unit is not None and unit not in GENERIC_UNITS and unit not in unit_table.codes):
            break
        next_unit = unit_table.meanings[match.group(1)]
        if next_unit in unit_table.currencies and _ATTRIBUTE_EN.match(lowered, match.end()):
            break  # two dollar-pegged coins
        if unit in unit_table.codes and (next_unit in unit_table.codes or next_unit in GENERIC_UNITS):
            break
        unit, end = next_unit, match.end()
    ticker = _TICKER.match(text, end)
    if unit in _UNSPECIFIC_UNITS and ticker is not None and ticker.group(1) not in unit_table.not_tickers:
        return ticker.group(1), ticker.end()
    return (
        (unit, end) if unit is not None or language != "en" else _find_counted_noun(unit_table, lowered, end)
    )


def _find_counted_noun(unit_table: Units, lowered: str, end: int) -> tuple[str | None, int]:
    """Find a counted noun after up to three adjectives, else the next plural noun."""
    partitive = _PARTITIVE.match(lowered, end)
    position, plural = end if partitive is None else partitive.end(), None
    for _ in range(4):
        word = _NEXT_WORD.match(lowered, position)
        if word is None or word.group(1) in unit_table.phrase_ends:
            break
        unit = unit_table.meanings.get(word.group(1))
        if unit in unit_table.nouns and unit not in ("year", "month", "day"):
            return unit, word.end()
        if plural is None and len(word.group(1)) > 3 and word.group(1).endswith("s"):
            plural = word
        position = word.end()
    return (None, end) if plural is None else (plural.group(1).removesuffix("s"), plural.end())


def _is_count(numeral: Numeral, unit: str | None) -> bool:
    """True if a number in words or Han counts something: 一种, 九州 and "one of" do not."""
    if unit is None or (numeral.value == 1 and not numeral.scaled):
        return False
    return numeral.value >= 10 or unit not in _SPELLED_NEEDS or unit in ("fund", "charge", "page")


def _find_inexactness(unit_table: Units, text_before: str, text_after: str) -> str | None:
    text_after = text_after.lstrip()
    for name, pattern in (
        ("least", unit_table.least),
        ("most", unit_table.most),
        ("about", unit_table.about),
    ):
        if pattern.search(text_before) or unit_table.inexact_suffixes[name].match(text_after):
            return name
    return None


def _share_units(text: str, figures: list[Quantity], numerals: list[Numeral]) -> list[Quantity]:
    """Apply a unit that two figures share: 3-5 %, from 50 to 25 BTC, 50枚BTC减至25枚."""
    scaled = {numeral.start: numeral.scaled for numeral in numerals}
    for k in range(len(figures) - 1):
        first, second = figures[k], figures[k + 1]
        between = text[first.end : second.start]
        if len(between) > 14:
            continue
        spread, change = _RANGE.fullmatch(between), _CHANGE.fullmatch(between)
        if not spread and not change:
            continue
        if first.unit is None and second.unit is not None:
            unit = second.unit
            power = _compute_power(second) if scaled.get(second.start) and first.value < 1000 else 0
            first = replace(first, unit=unit, value=first.value.scaleb(power))
        elif first.unit in GENERIC_UNITS and second.unit in load_units().codes:
            first = replace(first, unit=second.unit)
        elif second.unit in _UNSPECIFIC_UNITS and first.unit not in _UNSPECIFIC_UNITS:
            second = replace(second, unit=first.unit)
            power = (
                _compute_power(second) if spread and scaled.get(second.start) and first.value < 1000 else 0
            )
            first = replace(first, value=first.value.scaleb(power))
        if spread and first.unit == second.unit and first.value < second.value:
            first = replace(first, approximate=True, bound="least")
            second = replace(second, approximate=True, bound="most")
        figures[k], figures[k + 1] = first, second
    return figures


def _compute_power(quantity: Quantity) -> int:
    """Return the power of ten of the magnitude after a figure's digits."""
    digits = re.match(r"[^\d]*([\d,.]*\d)", quantity.text)
    if digits is None:
        return 0
    written = Decimal(digits.group(1).replace(",", ""))
    return (quantity.value / written).adjusted() if written else 0


def _find_votes(text: str, lowered: str, covered: bytearray) -> list[Quantity]:
    if not _VOTING.search(text):
        return []
    figures: list[Quantity] = []
    for match in _VOTE.finditer(text):
        if covered[match.start()] or load_units().after.match(lowered, match.end()):
            continue
        for group in (1, 2):
            span = match.span(group)
            figures.append(Quantity(Decimal(match[group]), "vote", *span, match[group]))
        covered[match.start() : match.end()] = b"\1" * len(match.group())
    return figures


def _find_halvings(text: str, language: Language, covered: bytearray) -> list[Quantity]:
    figures = []
    for match in _NTH.finditer(text):
        word = match["en"] or match["han"] or ""
        value = Decimal(_NTH_WORDS.get(word.lower(), 1))
        if (digits := re.match(r"\d+", word)) is not None:
            value = Decimal(digits.group())
        elif match["han"] is not None:
            value = numbers.parse(word, language) or value
        figures.append(Quantity(value, "halving", *match.span(), match.group()))
        covered[match.start() : match.end()] = b"\1" * len(match.group())
    return figures
