"""Reads the questions and answers of an interview, whose answers are clear only with their questions."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from backend.entities.model import Language
from backend.topics.insights.model import Report

MIN_EXCHANGES = 3
"""Questions with an answer from which a text is an interview."""
MAX_EXCHANGE_CHARS: Mapping[Language, int] = {"en": 520, "ja": 220, "zh": 220}
_QUESTION: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"^(?:Q|Question)\s*[:.]\s*(?P<words>\S.*)$"),
    "ja": re.compile(r"^(?:[―—–]{1,2}|[QＱ問][：:．.])\s*(?P<words>\S.*)$"),
    "zh": re.compile(r"^(?:[问問QＱ]|[记記]者)\s*[：:]\s*(?P<words>\S.*)$"),
}
_ANSWER: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"^(?:(?:A|Answer)\s*[:.]\s*)(?P<words>\S.*)$"),
    "ja": re.compile(r"^(?:[AＡ答][：:．.]\s*(?P<words>\S.*)|「(?P<quoted>[^」].*)」)$"),
    "zh": re.compile(r"^(?:[答AＡ]|(?P<speaker>[\u4e00-\u9fff·]{2,10}))\s*[：:]\s*(?P<words>\S.*)$"),
}
_SPEAKER: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?<![\w’'])[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][a-z]+(?![\w’'])"),
    "ja": re.compile(r"(?:[\u4e00-\u9fff々]{1,6}|[ァ-ヺー・＝]{2,20})氏"),
    "zh": re.compile(r"(?!)"),
}
_FORMAT: Mapping[Language, str] = {
    "en": "“{question}” – {speaker}“{answer}”",
    "ja": "「{question}」――{speaker}「{answer}」",
    "zh": "“{question}”——{speaker}“{answer}”",
}
_COLON: Mapping[Language, str] = {"en": ": ", "ja": "", "zh": "："}
_MARKS = str.maketrans("「」“”", "『』‘’")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question with its answer, and both as one quote that names the speaker if the title does."""

    answer: str
    quote: str


def list_exchanges(report: Report) -> list[Exchange]:
    """List the questions and answers of an interview that are short enough; none for another text."""
    language = report.language
    speaker = _find_speaker(report)
    pairs = list(_list_pairs(report.text, language))
    if len(pairs) < MIN_EXCHANGES:
        return []
    exchanges = [
        Exchange(
            answer,
            _FORMAT[language].format(
                question=question.translate(_MARKS),
                speaker=f"{speaker}{_COLON[language]}" if speaker else "",
                answer=answer.translate(_MARKS),
            ),
        )
        for question, answer in pairs
    ]
    return [one for one in exchanges if len(one.quote) <= MAX_EXCHANGE_CHARS[language]]


def _list_pairs(text: str, language: Language) -> Iterator[tuple[str, str]]:
    question = ""
    answers: list[str] = []
    for line in text.split("\n"):
        asked, answered = _QUESTION[language].match(line), _ANSWER[language].match(line)
        if asked is not None:
            if question and answers:
                yield question, " ".join(answers)
            question, answers = asked["words"], []
        elif answered is not None and question:
            answers.append(next(filter(None, reversed(answered.groups()))))
    if question and answers:
        yield question, " ".join(answers)


def _find_speaker(report: Report) -> str:
    """Return the last person whom the title names and, in English, the text too; empty without one."""
    found = _SPEAKER[report.language].findall(report.title)
    named = [name for name in found if report.language != "en" or name in report.text]
    return named[-1] if named else ""
