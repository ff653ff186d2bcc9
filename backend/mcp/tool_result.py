"""Defines the fields of every tool result, and truncates lists and texts."""

from collections.abc import Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel, Field

DataMode = Literal["sample", "live", "replay"]
Item = TypeVar("Item")


class ToolResult(BaseModel):
    """The links, the origin of the data, and what was left out."""

    dashboard_url: str = Field(description="The page of the dashboard that shows this.")
    api_url: str = Field(
        description="The address of the whole answer in the HTTP interface, with the same credential."
    )
    data_mode: DataMode = Field(
        description="sample: made-up figures and news; live: providers; replay: recorded answers."
    )
    cut: list[str] = Field(
        default=[], description="What was left out here and is at api_url. Empty if nothing was."
    )


class Truncator:
    """Truncates lists and texts, and records in ``cut`` what it left out."""

    def __init__(self) -> None:
        self.cut: list[str] = []

    def limit_list(self, items: Sequence[Item], count: int, name: str) -> list[Item]:
        if len(items) > count:
            self.cut.append(f"{len(items) - count} of {len(items)} {name}")
        return list(items[:count])

    def limit_text(self, text: str, chars: int, name: str) -> str:
        if len(text) <= chars:
            return text
        self.cut.append(f"{name}: {len(text) - chars} of {len(text)} characters")
        return f"{text[: chars - 1]}…"
