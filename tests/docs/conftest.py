"""The service that the examples ask."""

import pytest

from tests.support.processes import running, shared_stack


@pytest.fixture(scope="session")
def service() -> running.Service:
    """The test run's service on sample data, once it has figures and topics."""
    found = shared_stack.start_shared().service
    running.wait_for(lambda: found.get("/topics").json()["total"] > 200, "The archive as topics")
    return found
