"""Markdown and JSON files of a finished job: complete content and escaped text."""

import json
from decimal import Decimal
from typing import Any

import pytest

from dashboard.app_pages.research import report

TEMPLATES = {
    "report_verdict": "{probability}: {percent}. {confidence}: {level}.",
    "with_label": "{label}: {value}",
}


class Words(dict[str, str]):
    """Returns every text but the templates in guillemets, so that tests find it."""

    def __missing__(self, name: str) -> str:
        return TEMPLATES.get(name, f"«{name}»")


SOURCE: dict[str, Any] = {
    "url": "https://sec.example/a b>c",
    "title": "# *Approved* <b>",
    "authority_score": Decimal("0.98"),
    "relevance_score": Decimal("1.0"),
    "source_type": "regulator",
    "summary": "First line.\n\n> [link](x)",
    "content": "",
    "published_at": "2024-01-10T00:00:00Z",
    "validated": None,
    "is_news_like": False,
}


def job(word: str = "supported", *sources: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "x",
        "status": "completed",
        "created_at": "2026-05-18T12:00:00Z",
        "started_at": None,
        "completed_at": "2026-05-18T12:00:01Z",
        "error": None,
        "result": {
            "statement": "The SEC | approved",
            "refined_query": "q",
            "primary_sources": list(sources),
            "search_results_count": 20,
            "processing_time_ms": 12,
            "truth_assessment": {
                "truth_probability": Decimal("0.8909"),
                "false_probability": Decimal("0.1091"),
                "confidence_level": "high",
                "assessment": word,
                "reasoning": "Because of _this_.",
            },
            "search_metrics": {
                "search_rounds": 1,
                "analysis_rounds": 1,
                "total_sources": 2,
                "quality_sources_found": 1,
            },
            "original_urls": [],
        },
    }


def test_the_verdict_comes_first_and_every_source_with_its_passage() -> None:
    markdown = report.build_fact_check_markdown(
        job("supported", SOURCE), Words(), "https://here.example/?job=x"
    )
    lines = markdown.splitlines()
    assert lines[0] == r"# The SEC \| approved"
    assert lines[2] == "**«verdict_supported»** «probability»: 89%. «confidence»: «confidence_high»."
    assert r"1. **\# \*Approved\* \<b\>**  " in lines
    assert "   <https://sec.example/a%20b%3Ec>  " in lines
    assert "«authority» 0.98" in markdown
    assert "«why»: Because of \\_this\\_." in markdown
    assert "«report_published»: 2024-01-10" in markdown
    assert "«valid_unknown»" in markdown
    assert r"   > \> \[link\](x)" in lines
    assert "2026-05-18T12:00:01Z" in markdown
    assert lines[-1] == "<https://here.example/?job=x>"


@pytest.mark.parametrize(("validated", "word"), [(True, "valid_yes"), (False, "valid_no")])
def test_the_validation_of_a_source_is_shown(validated: bool, word: str) -> None:
    source = {**SOURCE, "validated": validated, "is_news_like": True, "published_at": None}
    markdown = report.build_fact_check_markdown(job("mixed", source), Words())
    assert f"«{word}»" in markdown
    assert "«news»" in markdown
    assert "«report_published»" not in markdown


def test_unconfirming_and_missing_sources_are_named_as_such() -> None:
    assert "«sources_near»" in report.build_fact_check_markdown(job("unverified", SOURCE), Words())
    assert "«sources_none»" in report.build_fact_check_markdown(job("unverified"), Words())


def test_json_contains_the_job_with_its_figures() -> None:
    parsed = json.loads(report.build_json(job("supported", SOURCE)))
    assert parsed["result"]["truth_assessment"]["truth_probability"] == 0.8909
    assert parsed["result"]["primary_sources"][0]["title"] == SOURCE["title"]
    with pytest.raises(TypeError, match="object"):
        report.build_json({"x": object()})


def test_entities_form_a_table_that_no_name_breaks() -> None:
    entity = {
        "name": "B|TC",
        "canonical_name": "Bitcoin",
        "type": "asset",
        "official_domains": ["bitcoin.org", "b.example"],
        "official_x_accounts": ["a_b"],
    }
    extraction_job = {**job(), "result": {"entities": [entity]}}
    row = next(
        line
        for line in report.build_entities_markdown(extraction_job, Words(entity_asset="Asset")).splitlines()
        if line.startswith("| Bitcoin")
    )
    assert row == r"| Bitcoin | B\|TC | Asset | bitcoin.org, b.example | a\_b |"
