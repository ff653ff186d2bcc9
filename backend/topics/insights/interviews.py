"""Reads the questions and answers of an interview, whose answers are clear only with their questions."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from backend.entities.model import Language
from backend.topics.insights.clear_quotes import is_person
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
    "ja": re.compile(r"^(?:[AＡ答][：:．.]\s*(?P<words>\S.*)|「(?P<quoted>[^「」]+)」)$"),
    "zh": re.compile(r"^(?:[答AＡ]|(?P<speaker>[\u4e00-\u9fff·]{2,10}))\s*[：:]\s*(?P<words>\S.*)$"),
}
_PAGE_LABEL = re.compile(
    r"声明|聲明|来源|來源|编者|編者|编辑|編輯|作者|记者|記者|责编|責編|翻译|翻譯|校对|校對|图片|圖片|标题|標題|提示|注|总结|总結"
    r"|結語|结语|导语|導語|原文|链接|延伸|相关|相關|主持"
)
"""Words in a label of the page, which names no speaker."""
MIN_SPEAKER_LABELS = 2
"""Answers under a label from which it names a speaker; other lines with a colon are seldom alike."""
_EN_NAME = r"(?-i:(?P<name>[A-Z][a-z][\w’'-]*(?: [A-Z]\.)? [A-Z][a-z]\w*(?:[-’'][A-Z]?\w+)*))"
_JA_NAME = r"(?P<name>(?:(?<![\u4e00-\u9fff々])[\u4e00-\u9fff々]{1,6}|(?<![ァ-ヺー・])[ァ-ヺー・＝]{2,20})氏)"
_SPEAKER: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"\b(?:Q&A|interview|conversation) with (?:(?-i:[A-Z])[\w&.-]*[’']s )?{_EN_NAME}"
        r"(?= on\b| about\b|[:;]|$)"
        rf"|^(?:(?:Q&A|Interview): )?{_EN_NAME.replace('name', 'first')} on (?!\w+ of\b)",
        re.IGNORECASE,
    ),
    "ja": re.compile(rf"(?<!氏[とや、・]){_JA_NAME}(?:に聞|へのインタビュー|にインタビュー|インタビュー)"),
    "zh": re.compile(r"(?!)"),
}
"""The signs of a title that say who answers."""
_FORMAT: Mapping[Language, str] = {
    "en": "“{question}” – {speaker}“{answer}”",
    "ja": "「{question}」――{speaker}「{answer}」",
    "zh": "“{question}”——{speaker}“{answer}”",
}
_CUT: Mapping[Language, str] = {"en": " …", "ja": "…", "zh": "…"}
_COLON: Mapping[Language, str] = {"en": ": ", "ja": "", "zh": "："}
_MARKS = str.maketrans("「」“”", "『』‘’")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question with its answer, and both as one quote that names the speaker if he is certain."""

    answer: str
    quote: str


@dataclass(slots=True)
class _Pair:
    question: str
    answers: list[str]
    speaker: str = ""
    is_ended: bool = False
    is_cut: bool = False


def list_exchanges(report: Report) -> list[Exchange]:
    """List the questions and answers of an interview that are short enough; none for another text."""
    language = report.language
    titled = _find_speaker(report)
    pairs = [pair for pair in _list_pairs(report.text, language) if pair.answers]
    if len(pairs) < MIN_EXCHANGES:
        return []
    exchanges = []
    for pair in pairs:
        answer, speaker = " ".join(pair.answers), pair.speaker or titled
        quote = _FORMAT[language].format(
            question=pair.question.translate(_MARKS),
            speaker=f"{speaker}{_COLON[language]}" if speaker else "",
            answer=f"{answer.translate(_MARKS)}{_CUT[language] if pair.is_cut else ''}",
        )
        exchanges.append(Exchange(answer, quote))
    return [one for one in exchanges if len(one.quote) <= MAX_EXCHANGE_CHARS[language]]


def _list_pairs(text: str, language: Language) -> list[_Pair]:
    """List each question with the lines of the one who answers it first.

    A line without a label may be of the page, so that the answer ends before it with the mark of a cut.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    labels = Counter(
        match.groupdict().get("speaker") for match in map(_ANSWER[language].match, lines) if match
    )
    pairs: list[_Pair] = []
    for line in lines:
        if (asked := _QUESTION[language].match(line)) is not None:
            pairs.append(_Pair(asked["words"], []))
            continue
        if not pairs or pairs[-1].is_ended:
            continue
        pair, answered = pairs[-1], _ANSWER[language].match(line)
        if answered is None:
            pair.is_cut = pair.is_ended = True
            continue
        groups = answered.groupdict()
        speaker = groups.get("speaker") or ""
        is_of_page = speaker and (labels[speaker] < MIN_SPEAKER_LABELS or _PAGE_LABEL.search(speaker))
        if is_of_page or (pair.answers and speaker != pair.speaker):
            pair.is_ended = True
            continue
        pair.speaker = speaker
        pair.answers.append(groups.get("words") or groups.get("quoted") or "")
    return pairs


def _find_speaker(report: Report) -> str:
    """Return the person who answers by a sign of the title, if it is one and an English text names it too."""
    names = {
        name for match in _SPEAKER[report.language].finditer(report.title) for name in match.groups() if name
    }
    if len(names) != 1:
        return ""
    name = next(iter(names))
    return name if report.language != "en" or (name in report.text and is_person(name)) else ""
