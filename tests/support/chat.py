"""Answers of a server that speaks the chat-completions shape, for :class:`ProviderServer`."""

import json
from typing import Any

from tests.support.provider_server import Behaviour, ProviderServer, says

PATH = "/v1/chat/completions"


def completion(content: str | None, *, sent: int = 100, **message: Any) -> Behaviour:
    """One message of the model; so many tokens were sent and 20 written."""
    said = {"role": "assistant", "content": content, **message}
    body = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
        "usage": {"prompt_tokens": sent, "completion_tokens": 20, "total_tokens": sent + 20},
    }
    return says(200, body)


def answer(value: object, *, sent: int = 100) -> Behaviour:
    """A message that holds ``value`` as JSON."""
    return completion(json.dumps(value), sent=sent)


def asked(server: ProviderServer) -> list[str]:
    """What the model was shown, each question without its instructions."""
    return [json.loads(request.body)["messages"][1]["content"] for request in server.requests]


def told(server: ProviderServer) -> list[str]:
    """The instructions of each question."""
    return [json.loads(request.body)["messages"][0]["content"] for request in server.requests]
