"""The published JSON Schema of packs."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from backend.articles.rules.json_schema import as_text, build_schema
from backend.articles.rules.pack_loader import InvalidRulesError, default_files, parse_pack
from backend.articles.rules.yaml_reader import read_document

PUBLISHED = Path(__file__).parents[4] / "docs" / "rules.schema.json"


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(build_schema())
    return jsonschema.Draft202012Validator(build_schema())


def test_the_published_schema_matches_the_classes() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == as_text(), (
        "Write it anew: chainproof rules schema --out docs/rules.schema.json"
    )


@pytest.mark.parametrize("file", default_files(), ids=lambda path: path.name)
def test_the_default_packs_match_the_schema(validator: Any, file: Path) -> None:
    assert [error.message for error in validator.iter_errors(read_document(file).data)] == []


@pytest.mark.parametrize(
    "text",
    [
        "version: 2",
        "version: 1\ncolour: red",
        "version: 1\nrules: [{id: a, type: wrong_case, match: [a], suggest: A, specs: []}]",
        "version: 1\nrules: [{id: a, type: nothing, match: [a], suggest: A, specs: [{from: a, to: A}]}]",
        "version: 1\nentities: [{id: a, type: asset, names: {fr: A}}]",
        "version: 1\nentities: [{id: A a, type: asset, names: {en: A}}]",
    ],
)
def test_the_loader_rejects_what_the_schema_rejects(validator: Any, text: str) -> None:
    from yaml import safe_load

    assert not validator.is_valid(safe_load(text))
    with pytest.raises(InvalidRulesError):
        parse_pack(text, Path("own.yaml"))


def test_the_schema_describes_its_fields() -> None:
    rule = json.loads(as_text())["$defs"]["Rule"]["properties"]
    assert "nothing is corrected automatically" in rule["suggest"]["description"]
