"""Defines types of response fields whose JSON Schema has a format.

Generated clients turn such fields into their language's own types for times and ids.
"""

from typing import Annotated

from pydantic import Field

Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""An RFC 3339 instant in UTC, ending in ``Z``."""
Day = Annotated[str, Field(json_schema_extra={"format": "date"})]
Uuid = Annotated[str, Field(json_schema_extra={"format": "uuid"})]
Url = Annotated[str, Field(json_schema_extra={"format": "uri"})]
WebUrl = Annotated[str, Field(json_schema_extra={"format": "iri"})]
"""A URL with letters of every script, as browsers show them (RFC 3987)."""
RelativeUrl = Annotated[str, Field(json_schema_extra={"format": "uri-reference"})]
"""A path on this service, or a URL."""
