"""Compares the figures that the sources of a topic give.

Two figures are compared only if they are of one thing: each is the only figure of its unit in the title and
lead of its source, or the words around them agree.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from backend.entities.model import Language
from backend.sources.claims import dates, numbers, quantities
from backend.sources.claims.model import Quantity
from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.insights.figure_measures import Measure, find_measure
from backend.topics.insights.figure_qualifiers import Qualifier, find_qualifier, format_measure
from backend.topics.insights.insight_templates import join_names
from backend.topics.insights.model import Report, SharedFigure, SourcedFigure
from backend.topics.number_format import format_money

MAX_DIFFERENCES = 3
MAX_RATIO = 10
"""Figures further apart than this are of different things."""
TOLERANCE = Decimal("0.02")
"""Relative difference up to which two figures are equal."""
ROUGH_TOLERANCE = Decimal("0.06")
"""The same where one of them is approximate (about, more than)."""
LEAD_SENTENCES = 2
_TIME_UNITS = frozenset({"time", "hour", "minute", "second", "day", "week", "month", "year"})
_AROUND_CHARS = 34
_CURRENCIES: Mapping[str, Mapping[Language, str]] = {
    "USD": {"en": "$", "ja": "ドル", "zh": "美元"},
    "EUR": {"en": "€", "ja": "ユーロ", "zh": "欧元"},
    "GBP": {"en": "£", "ja": "ポンド", "zh": "英镑"},
    "JPY": {"en": "¥", "ja": "円", "zh": "日元"},
    "CNY": {"en": "CN¥", "ja": "元", "zh": "元"},
    "KRW": {"en": "₩", "ja": "ウォン", "zh": "韩元"},
}
_ORDINAL = re.compile(
    r"^第|\d(?:st|nd|rd|th)\b|回目|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b",
    re.IGNORECASE,
)
_BOUND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:under|over|up to|(?:no )?(?:more|less|fewer) than|at least|at most|nearly|almost"
        r"|as much as|a maximum of|about|around|roughly|approximately) $",
        re.IGNORECASE,
    ),
    "ja": re.compile(r"(?:(?:最大|最高)(?:で|約)?|少なくとも|約)$"),
    "zh": re.compile(r"(?:不超过|超过|超|逾|至少|至多|最多|高达|不足|不到|少于|近)$"),
}
_BOUND_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r" or (?:less|more|fewer)\b", re.IGNORECASE),
    "ja": re.compile(r"(?:未満|以下|以内|以上)"),
    "zh": re.compile(r"(?:以下|以内|以上)"),
}
_LIMIT = re.compile(
    r"under|up to|no more than|(?<!no )(?:less|fewer)(?: than)?|at most|as much as|a maximum of"
    r"|最大|最高|未満|以下|以内|不超过|至多|最多|高达|不足|不到|少于",
    re.IGNORECASE,
)
"""Bounds above, without which a figure is too large a claim."""
_ZEROS = re.compile(r"\.0+(?!\d)")
_SCALE = re.compile(r"\b(?:Hundred|Thousand|Million|Billion|Trillion)\b")
_CLAUSE = re.compile(r"[,;，；、。]")
_WORD = re.compile(r"[a-z]{4,}")
_WORD_START = 4
_WORDS_BEFORE, _WORDS_BEHIND = 2, 1
"""English words next to a figure that say what it is."""
_HAN = re.compile(r"[\u4e00-\u9fff]{2}")
_GRAMMAR = frozenset({
    "abou", "more", "than", "over", "near", "roug", "from", "with", "that", "into", "have", "been", "were",
    "will", "mill", "bill", "tril", "usdt", "doll", "wort", "said", "afte", "this",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Figure:
    quantity: Quantity
    around: frozenset[str]
    """Beginnings of the words near it, or pairs of Han characters."""
    source: str
    language: Language
    bound: str = ""
    """The words before it that make it a limit (*up to*), in lower case."""
    bound_behind: str = ""
    """The same behind it (*未満*)."""
    measure: Measure | None = None
    qualifier: Qualifier | None = None
    """Set if a word says that the figure is alleged, claimed or estimated."""

    @property
    def is_limit(self) -> bool:
        return _LIMIT.search(f"{self.bound} {self.bound_behind}") is not None

    @property
    def bounded_text(self) -> str:
        return f"{self.bound}{_format(self.quantity)}{self.bound_behind}"


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Equal figures of several sources."""

    figures: list[_Figure]

    @property
    def sources(self) -> list[str]:
        return list(dict.fromkeys(figure.source for figure in self.figures))

    def holds(self, figure: _Figure) -> bool:
        return _is_equal(self.figures[0].quantity, figure.quantity)

    def get_text(self, language: Language) -> str:
        """Return the figure as a source of ``language`` writes it, or else as the language does."""
        own = [figure for figure in self.figures if figure.language == language]
        own.sort(key=lambda figure: not figure.is_limit)
        if own:
            return own[0].bounded_text if own[0].is_limit else _format(own[0].quantity)
        return _translate(self.figures[0].quantity, language)


def _find_common_measure(figures: Sequence[_Figure], language: Language) -> str:
    """Return what all figures measure, with the strongest qualifier of any.

    Empty if their texts say different things or none.
    """
    measures = {figure.measure for figure in figures if figure.measure is not None}
    if len(measures) != 1:
        return ""
    qualifiers = [figure.qualifier for figure in figures if figure.qualifier is not None]
    strongest = min(qualifiers, key=lambda qualifier: qualifier.rank, default=None)
    return format_measure(measures.pop(), strongest, language)


def _add(clusters: list[_Cluster], figure: _Figure) -> None:
    """Add a figure to the cluster of its value, or to a new one."""
    cluster = next((one for one in clusters if one.holds(figure)), None)
    if cluster is None:
        clusters.append(_Cluster([figure]))
    elif figure not in cluster.figures:
        cluster.figures.append(figure)


def find_differences(reports: Sequence[Report], language: Language) -> list[tuple[SourcedFigure, ...]]:
    """Find figures for one thing that differ between sources, the lowest first in each group.

    Each figure names all sources that give it, and has the notation of ``language`` if one of them does.
    """
    pairs = _list_pairs(reports)
    groups: list[list[_Cluster]] = []
    for first, second in pairs:
        if _is_equal(first.quantity, second.quantity) or _get_ratio(first, second) > MAX_RATIO:
            continue
        group = next((one for one in groups if any(c.holds(first) or c.holds(second) for c in one)), None)
        if group is None:
            group = []
            groups.append(group)
        for figure in (first, second):
            _add(group, figure)
    for first, second in pairs:
        for group in groups if _is_equal(first.quantity, second.quantity) else ():
            if any(cluster.holds(first) for cluster in group):
                _add(group, first)
                _add(group, second)
    measured = [
        (_find_common_measure([figure for cluster in group for figure in cluster.figures], language), group)
        for group in groups[:MAX_DIFFERENCES]
    ]
    return [
        tuple(
            SourcedFigure(cluster.get_text(language), join_names(cluster.sources, language), measure)
            for cluster in sorted(group, key=lambda cluster: cluster.figures[0].quantity.value)
        )
        for measure, group in measured
    ]


def find_shared_figure(reports: Sequence[Report], language: Language) -> SharedFigure | None:
    """Find the figure that most sources give, the earliest of several, in the notation of ``language`` if one
    of them has it. None if other sources give another figure for the same thing, or if its limit
    or its qualifier cannot be told."""
    clusters: list[_Cluster] = []
    for first, second in _list_pairs(reports):
        if _is_equal(first.quantity, second.quantity):
            _add(clusters, first)
            _add(clusters, second)
    if not clusters:
        return None
    best = max(clusters, key=lambda cluster: len(cluster.sources))
    differing = {figure.text for group in find_differences(reports, language) for figure in group}
    text = best.get_text(language)
    measure = _find_common_measure(best.figures, language)
    is_foreign_limit = any(one.is_limit for one in best.figures) and not any(
        one.is_limit and one.language == language for one in best.figures
    )
    is_bare = any(one.qualifier is not None for one in best.figures) and not measure
    if text in differing or is_foreign_limit or is_bare:
        return None
    return SharedFigure(text, tuple(best.sources), measure)


def is_figure_shown(figure: str, shown_text: str, language: Language) -> bool:
    """True if a text has the value of a figure, in whatever notation."""
    own, shown = (_list_quantities(text, language) for text in (figure, shown_text))
    return any(_is_equal(one, other) for one in own for other in shown)


def _list_quantities(text: str, language: Language) -> list[Quantity]:
    plain = numbers.normalize(text, language)
    return quantities.find_quantities(plain, language, dates.find_dates(plain))


def _format(quantity: Quantity) -> str:
    """Write a figure as its source does, but without the capitals of a headline ($100 Million)."""
    return _SCALE.sub(lambda scale: scale.group().lower(), quantity.text)


def _translate(quantity: Quantity, language: Language) -> str:
    """Write an amount of money in the notation of ``language``; other figures as their source does."""
    names = _CURRENCIES.get(quantity.unit or "")
    if names is None:
        return _format(quantity)
    return _ZEROS.sub("", format_money(quantity.value, language)).replace(
        _CURRENCIES["USD"][language], names[language]
    )


def _list_pairs(reports: Sequence[Report]) -> list[tuple[_Figure, _Figure]]:
    """List the pairs of figures for one thing from two sources."""
    by_source: dict[str, list[_Figure]] = {}
    for report in reports:
        by_source.setdefault(report.source, _list_figures(report))
    pairs = []
    names = list(by_source)
    for place, name in enumerate(names):
        for other in names[place + 1 :]:
            pairs += _match(by_source[name], by_source[other])
    return pairs


def _match(first: Sequence[_Figure], second: Sequence[_Figure]) -> list[tuple[_Figure, _Figure]]:
    pairs = []
    for figure in first:
        unit = figure.quantity.unit
        of_first = [one for one in first if one.quantity.unit == unit]
        of_second = [one for one in second if one.quantity.unit == unit]
        if not of_second:
            continue
        equal = [one for one in of_second if _is_equal(one.quantity, figure.quantity)]
        if equal:
            pairs.append((figure, equal[0]))
        elif any(_is_equal(one.quantity, other.quantity) for one in of_first for other in of_second):
            continue  # they agree on a figure of this unit, so the others are of other things
        elif _count_distinct(of_first) == 1 and _count_distinct(of_second) == 1:
            pairs.append((figure, of_second[0]))
        elif (nearest := _find_nearest(figure, of_second)) and _find_nearest(nearest, of_first) is figure:
            pairs.append((figure, nearest))
    return pairs


def _find_nearest(figure: _Figure, others: Sequence[_Figure]) -> _Figure | None:
    """Find the figure whose words agree most with those of ``figure``; of equal ones the nearest value."""
    agreeing = [
        other for other in others if other.around & figure.around and _get_ratio(figure, other) <= MAX_RATIO
    ]
    return max(
        agreeing,
        key=lambda other: (len(other.around & figure.around), -_get_ratio(figure, other)),
        default=None,
    )


def _get_ratio(first: _Figure, second: _Figure) -> Decimal:
    low, high = sorted((first.quantity.value, second.quantity.value))
    return high / low


def _count_distinct(figures: Sequence[_Figure]) -> int:
    return len({figure.quantity.value for figure in figures})


def _list_figures(report: Report) -> list[_Figure]:
    leads = list_sentences(report.text, report.language, is_official=report.official)[:LEAD_SENTENCES]
    found: list[_Figure] = []
    for text in (report.title, *(lead.text for lead in leads)):
        plain = numbers.normalize(text, report.language)
        listed = quantities.find_quantities(plain, report.language, dates.find_dates(plain))
        for quantity in listed:
            is_comparable = quantity.unit is not None and quantity.unit not in _TIME_UNITS
            if _ORDINAL.search(quantity.text) or not is_comparable:
                continue
            if quantity.value <= 0 or quantity.role == "from":
                continue
            figure = _build_figure(plain, quantity, listed, report)
            known = next((at for at, one in enumerate(found) if _is_equal(quantity, one.quantity)), None)
            if known is None:
                found.append(figure)
            else:
                found[known] = _add_qualifier_and_limit(found[known], figure)
    return found


def _build_figure(text: str, quantity: Quantity, others: Sequence[Quantity], report: Report) -> _Figure:
    language = report.language
    bound = _BOUND[language].search(text[: quantity.start])
    bound_behind = _BOUND_BEHIND[language].match(text, quantity.end)
    measure = find_measure(text, quantity, others, language)
    return _Figure(
        quantity,
        _find_words(text, quantity, language),
        report.source,
        language,
        bound.group().lower() if bound else "",
        bound_behind.group() if bound_behind else "",
        measure,
        find_qualifier(text, quantity, others, measure, language),
    )


def _add_qualifier_and_limit(figure: _Figure, later: _Figure) -> _Figure:
    """Give a figure the qualifier and the limit that a later sentence gives it."""
    if figure.qualifier is None and later.qualifier is not None and figure.measure in (None, later.measure):
        figure = replace(figure, qualifier=later.qualifier, measure=later.measure)
    if later.is_limit and not figure.bound and not figure.bound_behind:
        figure = replace(figure, bound=later.bound, bound_behind=later.bound_behind)
    return figure


def _find_words(text: str, quantity: Quantity, language: Language) -> frozenset[str]:
    """Find the words around a figure, within its clause."""
    before = _CLAUSE.split(text[max(0, quantity.start - _AROUND_CHARS) : quantity.start])[-1]
    behind = _CLAUSE.split(text[quantity.end : quantity.end + _AROUND_CHARS])[0]
    if language == "en":
        starts = [
            [start for word in _WORD.findall(part.lower()) if (start := word[:_WORD_START]) not in _GRAMMAR]
            for part in (before, behind)
        ]
        return frozenset(starts[0][-_WORDS_BEFORE:] + starts[1][:_WORDS_BEHIND])
    pairs = {part[at : at + 2] for part in (before, behind) for at in range(len(part) - 1)}
    return frozenset(pair for pair in pairs if _HAN.fullmatch(pair))


def _is_equal(first: Quantity, second: Quantity) -> bool:
    if first.unit != second.unit:
        return False
    low, high = sorted((first.value, second.value))
    is_rough = first.approximate or second.approximate
    return high - low <= (ROUGH_TOLERANCE if is_rough else TOLERANCE) * high
