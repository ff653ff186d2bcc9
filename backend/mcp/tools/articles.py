"""Defines the tool that finds and corrects wrong names in an article."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from backend.articles.model import Severity, ViolationType
from backend.articles.schemas import AcceptedText
from backend.entities.model import Language
from backend.mcp.tool_result import ToolResult, Truncator
from backend.mcp.tools.context import ToolContext, get_service

MAX_FINDINGS = 100
MAX_CORRECTED_CHARS = 40_000


class Finding(BaseModel):
    field: str
    start_offset: int = Field(description="In code points of the field as sent; the end is exclusive.")
    end_offset: int
    text: str
    suggestion: str | None
    severity: Severity
    kind: ViolationType
    rule_id: str
    needs_approval: bool = Field(description="True if only a person can decide.")
    reason: str | None


class CorrectedArticle(ToolResult):
    findings: list[Finding]
    applied: Literal["safe", "all"]
    title: str | None = Field(description="The corrected title.")
    content: str | None = Field(description="The corrected content.")
    language: str | None


async def correct_article(
    content: str,
    context: ToolContext,
    title: str = "",
    language: Annotated[
        Literal["en", "ja", "zh", "detect"], Field(description="By default it is detected from the text.")
    ] = "detect",
    date: Annotated[
        str, Field(max_length=40, description="Date of publication; former names are judged by it.")
    ] = "",
    accept: Annotated[
        list[AcceptedText], Field(max_length=100, description="Texts that stay as they are written.")
    ] = [],  # noqa: B006 - the library reads the default and never changes it
    apply: Annotated[
        Literal["safe", "all"],
        Field(description="safe: only corrections that need no approval; all: every correction."),
    ] = "safe",
) -> CorrectedArticle:
    """Find wrong names of crypto assets, firms, people and terms in an article, and correct them.

    Reads English, Japanese and Chinese, as Markdown, HTML or plain text; code, links and quoted slips stay.
    Stores nothing.
    """
    service = get_service(context)
    article = {
        "id": None,
        "title": title or None,
        "content": content,
        "language": None if language == "detect" else language,
        "date": date or None,
        "accept": accept,
    }
    [scan] = await service.post("/articles/scan", {"articles": [article], "persist": False})
    corrected, cutter = scan["corrected_article"], Truncator()
    if apply == "safe" and any(correction["requires_approval"] for correction in scan["corrections"]):
        [applied] = await service.post("/articles/apply", {"articles": [article]})
        corrected = applied["corrected_article"]
    findings = [_build_finding(violation) for violation in scan["violations"]]
    return CorrectedArticle(
        findings=cutter.limit_list(findings, MAX_FINDINGS, "findings"),
        applied=apply,
        title=corrected["title"],
        content=cutter.limit_text(corrected["content"], MAX_CORRECTED_CHARS, "content"),
        language=_find_language(scan["violations"]) or article["language"],
        dashboard_url=service.links.build_page_url("corrections"),
        api_url=service.links.build_api_url("/articles/scan"),
        data_mode=service.data_mode,
        cut=cutter.cut,
    )


def _build_finding(violation: dict[str, Any]) -> Finding:
    reasons = violation.get("reasons") or {}
    return Finding(
        field=violation["field"],
        start_offset=violation["start_offset"],
        end_offset=violation["end_offset"],
        text=violation["matched_text"],
        suggestion=violation["suggested_name"],
        severity=violation["severity"],
        kind=violation["violation_type"],
        rule_id=violation["rule_id"],
        needs_approval=not violation["auto_fixable"],
        reason=reasons.get("en"),
    )


def _find_language(violations: list[dict[str, Any]]) -> Language | None:
    return violations[0]["language"] if violations else None
