"""The places of names that an article writes in several ways."""

from backend.articles.schemas import Match, ScanResult
from dashboard.app_pages.corrections.findings import build_findings
from dashboard.app_pages.corrections.inconsistent_names import (
    find_inconsistent_names,
    map_finding_to_name_index,
)
from dashboard.client.article_schemas import Article
from tests.support.articles.scans import article, build_scan_result, build_violations


def scan_mixed(text: Article, usual: str, *rare: str, names: tuple[str, ...]) -> ScanResult:
    """Build a scan in which ``names`` are matches of one entity, and ``rare`` ones should be ``usual``."""
    parts = [
        build_violations(
            text, name, usual, rule="consistency", kind="inconsistent", auto=False, entity="someone"
        )
        for name in rare
    ]
    matches: list[Match] = []
    for name in names:
        violations, _ = build_violations(text, name, None)
        matches += [
            {
                "article_id": None,
                "entity_id": "someone",
                "field": violation["field"],
                "matched_text": name,
                "start_offset": violation["start_offset"],
                "end_offset": violation["end_offset"],
            }
            for violation in violations
        ]
    matches.sort(key=lambda match: match["start_offset"])
    return {**build_scan_result(text, *parts), "matches": matches}


def read_places(scan: ScanResult) -> list[list[tuple[str, list[str]]]]:
    """Read the forms of each name, with the text at each of their places; findings are in brackets."""
    findings = build_findings(scan)
    content = scan["corrected_article"]["content"] or ""
    return [
        [
            (
                form.text,
                [
                    f"[{content[place.start : place.end]}]"
                    if place.finding_index is not None
                    else content[place.start : place.end]
                    for place in form.occurrences
                ],
            )
            for form in name.forms
        ]
        for name in find_inconsistent_names(scan, findings)
    ]


def test_both_forms_have_all_their_places_and_the_suggested_one_is_first() -> None:
    text = article(content="Alpha (ALP) met Beta. Alpha and Alpha left.")
    scan = scan_mixed(text, "Alpha", "Beta", names=("Alpha", "ALP", "Beta"))
    assert read_places(scan) == [[("Alpha", ["Alpha", "Alpha", "Alpha"]), ("Beta", ["[Beta]"])]]


def test_plurals_capitals_and_markup_count_as_the_same_form() -> None:
    text = article(content="White papers, a white paper, **white** papers, a whitepaper and whitepapers.")
    names = ("White papers", "white paper,", "white** papers", "whitepaper ", "whitepapers")
    scan = scan_mixed(text, "white paper", "whitepapers", names=names)
    for match in scan["matches"]:
        match["matched_text"] = match["matched_text"].strip(" ,")
    ((usual, rare),) = read_places(scan)
    assert (usual[0], len(usual[1])) == ("white paper", 3)
    assert (rare[0], len(rare[1])) == ("whitepapers", 2)


def test_names_that_differ_in_capitals_alone_are_told_apart() -> None:
    text = article(content="DeFi, DeFi and Defi.")
    assert read_places(scan_mixed(text, "DeFi", "Defi", names=("DeFi", "Defi"))) == [
        [("DeFi", ["DeFi", "DeFi"]), ("Defi", ["[Defi]"])]
    ]


def test_places_of_other_findings_are_left_out() -> None:
    text = article(content="Alpha, Alpha, ALPHA and Beta.")
    scan = scan_mixed(text, "Alpha", "Beta", names=("Alpha", "ALPHA", "Beta"))
    other, _ = build_violations(text, "ALPHA", None, rule="someone.case", entity="someone")
    scan = {**scan, "violations": [*scan["violations"], *other]}
    assert read_places(scan) == [[("Alpha", ["Alpha", "Alpha"]), ("Beta", ["[Beta]"])]]


def test_each_finding_belongs_to_its_name() -> None:
    text = article(content="Alpha, Alpha, Beta, Beta.")
    findings = build_findings(scan := scan_mixed(text, "Alpha", "Beta", names=("Alpha", "Beta")))
    assert map_finding_to_name_index(find_inconsistent_names(scan, findings)) == {0: 0, 1: 0}
    assert find_inconsistent_names(build_scan_result(text), ()) == ()
