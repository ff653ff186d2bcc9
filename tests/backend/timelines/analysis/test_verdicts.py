from collections.abc import Sequence
from datetime import UTC, datetime
from string import Formatter

import numpy as np
import pytest

from backend.entities.model import LANGUAGES, Language
from backend.timelines.analysis.alerts import Alert, watch_profiles
from backend.timelines.analysis.comparison import compare_profiles
from backend.timelines.analysis.pairwise_comparison import pair_matrix
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import (
    Verdict,
    alert_sentence,
    corrected_sentence,
    excluded_runs_sentence,
    pairs_sentence,
    points,
    probability,
    verdict,
    watch_sentence,
)
from backend.timelines.statistics.paired_comparison import compare
from tests.support.runs.scored_runs import arrays, run


def build_verdict(
    a: Sequence[float], b: Sequence[float], language: Language = "en", first_b: int = 0
) -> Verdict:
    runs = [run("A", f"case {n}", score) for n, score in enumerate(a)]
    runs += [run("B", f"case {n}", score) for n, score in enumerate(b, first_b)]
    return verdict(compare_profiles(arrays(runs), "A", "B"), language)


HALF = [0.5] * 8
AHEAD = [0.62, 0.55, 0.6, 0.58, 0.64, 0.52, 0.6, 0.57]


def test_a_lead_is_stated_with_interval_cases_and_needed_cases() -> None:
    result = build_verdict(HALF, AHEAD)
    assert (result.kind, result.needed) == ("ahead", 32)
    assert result.text == (
        "B is ahead by 8.5 points, 95% 4.4 to 11.1, 8 shared cases; "
        "with 32 shared cases, a difference of 2 points could be detected."
    )


def test_the_interval_refers_to_the_profile_ahead() -> None:
    assert build_verdict(AHEAD, HALF).text.startswith("A is ahead by 8.5 points, 95% 4.4 to 11.1,")


def test_no_difference_states_the_detectable_difference() -> None:
    result = build_verdict(HALF, [0.6, 0.4, 0.7, 0.3, 0.5, 0.52, 0.55, 0.45])
    assert result.kind == "level"
    assert "No difference shown: B minus A is 0.3 points, 95% −9" in result.text
    assert result.text.endswith("points would often be missed.")


def test_a_disagreement_of_interval_and_test_is_inconclusive() -> None:
    result = build_verdict([0.5] * 20, [*[0.5] * 15, 0.6, 0.55, 0.6, 0.62, 0.6])
    assert result.kind == "borderline"
    assert "(p 0.03) do not agree" in result.text


@pytest.mark.parametrize(
    ("a", "b", "first_b", "kind", "expected_text"),
    [
        (HALF, HALF, 0, "identical", "A and B score the same in each of 8 shared cases."),
        ([0.5] * 3, [0.6] * 3, 0, "too_few", "share 3, and an interval needs 5. In these, B minus A is 10.0"),
        (HALF, [0.7], 0, "one_run", "Only one run: B. Its result cannot be separated from chance."),
        ([0.5], [0.7], 0, "one_run", "Only one run: A and B."),
        (HALF, AHEAD, 8, "disjoint", "A and B share no cases (cases of A: 8, of B: 8)."),
        (HALF, [], 0, "no_runs", "the selection has no runs of B."),
    ],
)
def test_missing_comparisons_are_explained(a, b, first_b, kind, expected_text) -> None:
    result = build_verdict(a, b, first_b=first_b)
    assert (result.kind, result.has_comparison) == (kind, kind not in ("disjoint", "no_runs"))
    assert expected_text in result.text


def test_a_profile_is_not_compared_with_itself() -> None:
    assert verdict(compare_profiles(arrays([run("A", "x", 1)]), "A", "A")).kind == "itself"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("b", [AHEAD, HALF, HALF[:3], HALF[:1], []])
def test_every_language_fills_all_placeholders(language: Language, b: list[float]) -> None:
    result = build_verdict(HALF, b, language).text
    assert "B" in result
    assert "{" not in result
    assert result.endswith("." if language == "en" else "。")


def test_all_languages_have_the_same_sentences_with_the_same_figures() -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    for key, english in TEMPLATES["en"].items():
        for language in LANGUAGES:
            assert fields(TEMPLATES[language][key]) == fields(english), (language, key)
    assert {language: sorted(words) for language, words in TEMPLATES.items()} == {
        language: sorted(TEMPLATES["en"]) for language in LANGUAGES
    }


def build_alert(**changed: object) -> Alert:
    micros = int(datetime(2026, 3, 14, 9, tzinfo=UTC).timestamp() * 1e6)
    size = compare(np.full(6, 0.6), np.full(6, 0.548))
    fields = {"profile": 0, "fell": True, "since": micros, "noticed": micros, "start": 41, "at": 43}
    return Alert(**{**fields, "size": size, "rate": 0.03, "standing": True, **changed})


def test_an_alert_states_size_start_and_false_alarm_rate() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    assert alert_sentence(build_alert(), "B", now=now) == (
        "B fell 5.2 points since 14 Mar (pass 41; false alarm 3% per 100 passes)"
    )
    assert "14 Mar 2026" in alert_sentence(build_alert(), "B")
    assert alert_sentence(build_alert(), "B", "ja", now=now) == (
        "Bは3月14日から5.2ポイント低下（41巡目、100巡あたりの誤警報率3%）"
    )
    assert (
        alert_sentence(build_alert(), "B", "zh") == "B自2026年3月14日起下降5.2分（第41轮；每100轮误报率3%）"
    )


def test_an_alert_without_shared_cases_or_a_rate_omits_them() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    assert alert_sentence(build_alert(size=None, rate=None), "B", now=now) == "B fell since 14 Mar (pass 41)"
    assert "false alarm under 1%" in alert_sentence(build_alert(rate=0.0), "B")
    assert alert_sentence(build_alert(fell=False), "B", now=now).startswith("B rose since")


def test_pairs_are_stated_before_and_after_correction() -> None:
    runs = [run("A", f"case {n}", 0.5) for n in range(8)] + [
        run("B", f"case {n}", s) for n, s in enumerate(AHEAD)
    ]
    matrix = pair_matrix(arrays(runs))
    assert pairs_sentence(matrix) == (
        "Pairs that differ at 5%: 1 of 1 without correction, 1 after Benjamini-Hochberg, 1 after Holm."
    )
    assert corrected_sentence(matrix, 0, 1) == (
        "After correction for all pairs (1), the difference is significant (Benjamini-Hochberg, p < 0.001)."
    )
    assert corrected_sentence(matrix, 0, 0) is None


def test_excluded_runs_and_unmonitored_profiles_are_stated() -> None:
    runs = [run("A", "x", 0, n, infrastructure_failure=True) for n in range(2)] + [
        run("A", "x", 1, 3),
        run("B", "x", 1),
    ]
    chosen = arrays(runs)
    found = compare_profiles(chosen, "A", "B")
    assert (
        excluded_runs_sentence(found.a)
        == "2 runs of A are excluded: the infrastructure failed, not the model."
    )
    assert excluded_runs_sentence(found.b) is None
    assert watch_sentence(watch_profiles(chosen)[0], "A") == ("A: 1 of 6 passes before alerts start.")


def test_figures_are_rounded_to_significant_digits() -> None:
    assert [points(value) for value in (0.041, -0.009, 0.0, 0.0003, None)] == [
        "4.1",
        "−0.9",
        "0",
        "0.03",
        "–",
    ]
    assert [probability(value) for value in (0.0001, 0.0042, 0.031, None)] == [
        "< 0.001",
        "0.004",
        "0.03",
        "–",
    ]
