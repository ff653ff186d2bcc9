"""Builds files of a finished job: Markdown, and JSON as the service sent it. No I/O."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from dashboard.frame.markdown import escape_markdown

Words = Mapping[str, str]
"""Texts by the keys of :data:`WORDS`, verdict words, types as ``source_…`` and ``entity_…``, and the template
``with_label``."""
WORDS = (
    "title", "probability", "confidence", "why", "sources", "sources_near", "sources_none", "authority",
    "relevance", "news", "valid_yes", "valid_no", "valid_unknown", "report_published", "report_note",
    "report_verdict",
    "metric_rounds", "metric_found", "metric_sources", "metric_quality", "entities_caption", "col_entity",
    "col_named", "col_type", "col_site", "col_account",
)  # fmt: skip


def build_json(job: Mapping[str, Any]) -> str:
    """Builds JSON of the job and its result."""
    return json.dumps(job, ensure_ascii=False, indent=2, default=_encode_number) + "\n"


def build_fact_check_markdown(job: Mapping[str, Any], words: Words, link: str = "") -> str:
    """Builds Markdown of the verdict, its reason, and every source with its passage."""
    result = job["result"]
    truth = result["truth_assessment"]
    word, level = truth["assessment"], truth["confidence_level"]
    percent = f"{float(truth['truth_probability']) * 100:.0f}%"
    verdict = words["report_verdict"].format(
        probability=words["probability"],
        percent=percent,
        confidence=words["confidence"],
        level=words[f"confidence_{level}"],
    )
    lines = [
        f"# {escape_markdown(result['statement'])}",
        "",
        f"**{words[f'verdict_{word}']}** {verdict}",
        "",
        _add_label("why", escape_markdown(truth["reasoning"]), words),
        "",
        f"## {words['sources']}",
        "",
    ]
    if not result["primary_sources"]:
        lines += [words["sources_none"], ""]
    elif word == "unverified":
        lines += [words["sources_near"], ""]
    for number, source in enumerate(result["primary_sources"], 1):
        lines += _build_source(number, source, words)
    metrics = result["search_metrics"]
    counts = (
        ("metric_rounds", metrics["search_rounds"]),
        ("metric_found", result["search_results_count"]),
        ("metric_sources", metrics["total_sources"]),
        ("metric_quality", metrics["quality_sources_found"]),
    )
    lines.append(" · ".join(_add_label(name, value, words) for name, value in counts))
    return "\n".join([*lines, "", *_build_footer(job, words, link)])


def build_entities_markdown(job: Mapping[str, Any], words: Words, link: str = "") -> str:
    """Builds a Markdown table of the entities of a text."""
    names = ("col_entity", "col_named", "col_type", "col_site", "col_account")
    lines = [
        f"# {words['entities_caption']}",
        "",
        "| " + " | ".join(words[name] for name in names) + " |",
        "|" + " --- |" * len(names),
    ]
    for entity in job["result"]["entities"]:
        kind = words.get(f"entity_{entity['type']}", entity["type"])
        cells = (
            escape_markdown(entity["canonical_name"]),
            escape_markdown(entity["name"]),
            kind,
            escape_markdown(", ".join(entity["official_domains"])),
            escape_markdown(", ".join(entity["official_x_accounts"])),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_build_footer(job, words, link)])


def _add_label(name: str, value: object, words: Words) -> str:
    return words["with_label"].format(label=words[name], value=value)


def _build_source(number: int, source: Mapping[str, Any], words: Words) -> list[str]:
    valid = {True: "valid_yes", False: "valid_no", None: "valid_unknown"}[source["validated"]]
    facts = [
        words.get(f"source_{source['source_type']}", source["source_type"]),
        f"{words['authority']} {float(source['authority_score']):.2f}",
        f"{words['relevance']} {float(source['relevance_score']):.2f}",
        words[valid],
    ]
    if source["is_news_like"]:
        facts.insert(1, words["news"])
    if source["published_at"]:
        facts.append(_add_label("report_published", source["published_at"][:10], words))
    quote = [f"   > {escape_markdown(line)}" for line in source["summary"].splitlines() if line.strip()]
    return [
        f"{number}. **{escape_markdown(source['title'])}**  ",
        f"   <{source['url'].replace('>', '%3E').replace(' ', '%20')}>  ",
        f"   {' · '.join(facts)}",
        "",
        *quote,
        "",
    ]


def _build_footer(job: Mapping[str, Any], words: Words, link: str) -> list[str]:
    at = job["completed_at"] or job["created_at"]
    lines = ["---", "", f"{words['report_note']} {at}"]
    return [*lines, "", f"<{link}>", ""] if link else [*lines, ""]


def _encode_number(value: Any) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
