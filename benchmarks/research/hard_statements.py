"""Makes hard statements from the archive's own sentences, and judges them: swapped roles, other units, …

    python -m benchmarks.research.hard_statements [--every N]

Each kind takes a sentence of a record and changes one thing, in three languages, so that a statement keeps
nearly all words of a true one. Nothing is tuned to single cases: names, units, counts and dates are found by
the readers of the product. ``--every 5`` takes each fifth event. The table says, by kind, how many are called
supported: of the true ones at least 85 % should be, of the false ones at most 3 %. Sentences with an added
fact are unverifiable; they count as false here.
"""

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend import migrations
from backend.articles.rules.active_rules import ActiveRules
from backend.documents import landmark_archive
from backend.documents.landmark_archive import Landmark
from backend.entities.model import LANGUAGES, Language
from backend.settings import Settings
from backend.sources.assessment.evidence_scoring import EvidenceScorer
from backend.sources.claims.model import ParsedStatement
from backend.sources.claims.roles import find_roles
from backend.sources.schemas import SUPPORTED, SourcesRequest
from backend.sources.service import ImmediateSteps, SourceFinder
from backend.store.database import Database

TRUE_KINDS = frozenset({"as written", "with month", "reported"})
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class HardStatement:
    """A statement made from a record. ``is_true``: each of its elements stands in the record."""

    text: str
    language: Language
    kind: str
    event: str

    @property
    def is_true(self) -> bool:
        return self.kind in TRUE_KINDS


def make_statements(landmarks: Sequence[Landmark], scorer: EvidenceScorer) -> Iterator[HardStatement]:
    """Yield the statements of all kinds that the records allow, in the order of the records."""
    for landmark in landmarks:
        for language in LANGUAGES:
            title = landmark.title[language].rstrip("。.")
            claim = scorer.parse_claim(title, language)
            for kind, make in _KINDS.items():
                text = make(title, claim, landmark, language, scorer)
                if text is not None:
                    yield HardStatement(text, language, kind, landmark.id)


def _month(landmark: Landmark, language: Language, *, years: int = 0) -> str:
    day = landmark.date
    if language == "en":
        return f"{MONTHS[day.month - 1]} {day.year + years}"
    return f"{day.year + years}年{day.month}月"


Make = Callable[[str, ParsedStatement, Landmark, Language, EvidenceScorer], str | None]


def _as_written(
    title: str, _claim: ParsedStatement, _landmark: Landmark, _language: Language, _s: EvidenceScorer
) -> str:
    return title


def _with_month(
    title: str, _claim: ParsedStatement, landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str:
    month = _month(landmark, language)
    return {"en": f"{title}, in {month}.", "ja": f"{month}、{title}。", "zh": f"{month}，{title}。"}[language]


def _reported(
    title: str, _claim: ParsedStatement, landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str:
    month = _month(landmark, language)
    return {
        "en": f"{month}: {title}, according to the announcement.",
        "ja": f"発表によると、{month}、{title}。",
        "zh": f"据公告，{month}{title}。",
    }[language]


def _swapped_roles(
    title: str, claim: ParsedStatement, _landmark: Landmark, _language: Language, _s: EvidenceScorer
) -> str | None:
    for roles in find_roles(claim):
        agents = [mention for mention in claim.mentions if mention.entity_id in roles.agents]
        patients = [mention for mention in claim.mentions if mention.entity_id in roles.patients]
        if len(agents) == len(patients) == 1:
            first, second = sorted((agents[0], patients[0]), key=lambda mention: mention.start)
            parts = (title[: first.start], second.text, title[first.end : second.start], first.text)
            return "".join((*parts, title[second.end :]))
    return None


def _other_agent(
    title: str, claim: ParsedStatement, landmark: Landmark, language: Language, scorer: EvidenceScorer
) -> str | None:
    entities = scorer.rules.entities
    for mention in claim.mentions:
        kind = entities[mention.entity_id].type
        if kind in ("asset", "media"):
            continue
        candidates = [
            entity
            for name, entity in sorted(entities.items())
            if entity.type == kind and name not in landmark.entities and not entity.former
        ]
        if candidates:
            other_name = candidates[landmark.date.toordinal() % len(candidates)].name(language)
            return title[: mention.start] + other_name + title[mention.end :]
    return None


def _other_date(
    title: str, _claim: ParsedStatement, landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str:
    month = _month(landmark, language, years=-2)
    return {"en": f"{title}, in {month}.", "ja": f"{month}、{title}。", "zh": f"{month}，{title}。"}[language]


_CODES: dict[Language, str] = {"en": "dollars", "ja": "ドル", "zh": "美元"}
_COINS = frozenset({"BTC", "ETH", "XEM", "BNB", "LTC", "USDC"})


def _other_unit(
    title: str, claim: ParsedStatement, _landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str | None:
    for quantity in claim.quantities:
        if quantity.unit in _COINS and quantity.value >= 100:
            number = re.sub(r"(?:[A-Z]{3,4}|bitcoins?|枚.*|個.*)$", "", quantity.text).strip()
            unit = f" {_CODES[language]}" if language == "en" else _CODES[language]
            return title[: quantity.start] + number + unit + title[quantity.end :]
    return None


_SCALES = (("million", "billion"), ("billion", "million"), ("亿", "万"), ("億", "万"), ("万", "亿"))


def _scaled(
    title: str, claim: ParsedStatement, _landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str | None:
    for quantity in claim.quantities:
        for old, new in _SCALES:
            if (
                quantity.text.count(old) == 1
                and len(re.findall("[万億亿]", quantity.text)) < 2
                and old in quantity.text
            ):
                changed = quantity.text.replace(old, "億" if (old, language) == ("万", "ja") else new, 1)
                return title[: quantity.start] + changed + title[quantity.end :]
    return None


def _other_count(
    title: str, claim: ParsedStatement, _landmark: Landmark, _language: Language, _s: EvidenceScorer
) -> str | None:
    for quantity in claim.quantities:
        digits = re.match(r"\d{1,3}(?![\d,.万億亿])", quantity.text)
        if digits is not None and quantity.unit not in (None, "%"):
            changed = str(int(digits.group()) * 2 + 1) + quantity.text[digits.end() :]
            return title[: quantity.start] + changed + title[quantity.end :]
    return None


_ADDITIONS: dict[Language, tuple[str, ...]] = {
    "en": (
        "{title}, after 33 hearings behind closed doors.",
        "{title}, in what remains the largest matter of its kind.",
        "{title}, although a leaked memo of the finance ministry had warned of it.",
        "{title}; lawyers were paid 4.4 million euros.",
    ),
    "ja": (
        "{title}、非公開の聴聞33回を経て。",
        "{title}。この種のものとして今も最大である。",
        "{title}、財務省の内部メモが流出して警告していたにもかかわらず。",
        "{title}。弁護士には440万ユーロが支払われた。",
    ),
    "zh": (
        "{title}，此前举行了33场闭门听证。",
        "{title}，至今仍是同类中规模最大的一起。",
        "{title}，尽管财政部泄露的备忘录曾对此发出警告。",
        "{title}，律师获得了440万欧元报酬。",
    ),
}


def _added_fact(
    title: str, _claim: ParsedStatement, landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str:
    choices = _ADDITIONS[language]
    return choices[landmark.date.toordinal() % len(choices)].format(title=title)


_DENIALS: dict[Language, tuple[str, ...]] = {
    "en": ("It is untrue that in {month} {title}.", "Contrary to reports, this never happened: {title}."),
    "ja": ("{month}、{title}との報道は誤りだった。", "{title}との報道を当局は否定した。"),
    "zh": ("{month}，{title}一事并非事实。", "{title}的说法不属实。"),
}


def _denied(
    title: str, _claim: ParsedStatement, landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str:
    choices = _DENIALS[language]
    month = _month(landmark, language)
    return choices[landmark.date.toordinal() % len(choices)].format(title=title, month=month)


_PLANS: dict[Language, str] = {
    "en": "{title}: that was only planned for {month} and never carried out.",
    "ja": "{title}という計画は{month}に検討されたが、実現しなかった。",
    "zh": "{month}曾计划让{title}，但最终未能实现。",
}


def _only_planned(
    title: str, _claim: ParsedStatement, landmark: Landmark, language: Language, _s: EvidenceScorer
) -> str:
    return _PLANS[language].format(title=title, month=_month(landmark, language))


_KINDS: dict[str, Make] = {
    "as written": _as_written,
    "with month": _with_month,
    "reported": _reported,
    "swapped roles": _swapped_roles,
    "other agent": _other_agent,
    "other date": _other_date,
    "other unit": _other_unit,
    "scaled": _scaled,
    "other count": _other_count,
    "added fact": _added_fact,
    "denied": _denied,
    "only planned": _only_planned,
}


def judge_statements(
    finder: SourceFinder, statements: Sequence[HardStatement]
) -> list[tuple[HardStatement, str]]:
    """Return each statement with its assessment."""
    steps = ImmediateSteps(lambda _: None, seconds=3600)
    return [
        (
            statement,
            finder.find(SourcesRequest(statement=statement.text), steps)["truth_assessment"]["assessment"],
        )
        for statement in statements
    ]


def format_table(judged: Sequence[tuple[HardStatement, str]]) -> str:
    """Return the table by kind: how many there are, and the shares of each assessment."""
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    for statement, assessment in judged:
        by_kind[statement.kind][assessment] += 1
    words = ("supported", "contradicted", "mixed", "unverified")
    lines = [f"{'kind':15}{'n':>6}" + "".join(f"{word:>14}" for word in words)]
    for kind in _KINDS:
        counts = by_kind[kind]
        total = sum(counts.values())
        if total:
            shares = "".join(f"{counts[word] / total:>14.1%}" for word in words)
            lines.append(f"{kind:15}{total:>6}{shares}")
    return "\n".join(lines)


def share_supported(judged: Sequence[tuple[HardStatement, str]], *, is_true: bool) -> float:
    """Return the share of the true or of the false statements that are called supported."""
    words = [assessment for statement, assessment in judged if statement.is_true == is_true]
    return words.count(SUPPORTED) / len(words)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--show-mistakes", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), mode="sample")
        migrations.upgrade(settings.app_database_url)
        database = Database(settings.app_database_url)
        finder = SourceFinder(settings, database, ActiveRules(settings))
        finder.prepare()
        landmarks = landmark_archive.load_landmarks()[:: options.every]
        judged = judge_statements(finder, [*make_statements(landmarks, finder.scorer())])
        database.dispose()
    print(format_table(judged))
    print(f"true ones supported: {share_supported(judged, is_true=True):.1%} (at least 85 %)")
    print(f"false ones supported: {share_supported(judged, is_true=False):.1%} (at most 3 %)")
    for statement, assessment in judged if options.show_mistakes else ():
        if statement.is_true != (assessment == SUPPORTED):
            print(f"{statement.kind} {statement.event} -> {assessment}: {statement.text}")


if __name__ == "__main__":
    main()
