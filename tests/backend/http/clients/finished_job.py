"""Reads a finished job with the generated client, and submits another; mypy checks this file."""

from uuid import UUID

from chainproof_client import AuthenticatedClient
from chainproof_client.api.sources import get_sources_job, submit_sources
from chainproof_client.models import AcceptedAnswer, SourcesJobAnswer, SourcesResult, StatementRequest


def read_probability(client: AuthenticatedClient, job_id: UUID) -> float:
    answer = get_sources_job.sync(job_id, client=client)
    assert isinstance(answer, SourcesJobAnswer)
    assert isinstance(answer.data.result, SourcesResult)
    return answer.data.result.truth_assessment.truth_probability


def submit_statement(client: AuthenticatedClient) -> UUID:
    body = StatementRequest(statement="Bitcoin has a limit of 21 million coins.", max_results=5)
    answer = submit_sources.sync(client=client, body=body)
    assert isinstance(answer, AcceptedAnswer)
    return answer.data.job_id
