"""Answers requests for comparisons from the stored runs."""

from backend.store.database import Database
from backend.timelines.comparisons.comparison_request import (
    ComparisonRequest,
    build_query_error,
    validate_request,
)
from backend.timelines.store_snapshot import SnapshotReader

MAX_SIDES = 2
"""Maximum number of profiles whose dividing cases are listed."""


class ComparisonService:
    """Compares profiles; one instance per process."""

    def __init__(self, database: Database, states: SnapshotReader) -> None:
        self._database, self._states = database, states

    def compare(self, request: ComparisonRequest) -> bytes:
        """Return the response in JSON. Raises :class:`BadRequest` and :class:`NotFound`."""
        validate_request(request)
        # Arrow and its dependencies take memory that a service without comparisons does not need.
        from backend.timelines.comparisons.computation import compute_response

        return compute_response(self._database, self._states.read().timelines, request)

    def list_cases(self, request: ComparisonRequest, limit: int) -> bytes:
        """Return the cases that divide two sides, in JSON, with the same errors."""
        validate_request(request)
        if len(request.profiles) > MAX_SIDES:
            raise build_query_error("profile", "must occur at most twice")
        from backend.timelines.comparisons.case_details import compute_cases_response

        return compute_cases_response(self._database, self._states.read().timelines, request, limit)
