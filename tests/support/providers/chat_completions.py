"""Builds chat-completion responses for :class:`ProviderServer`."""

import json
from typing import Any

from tests.support.providers.provider_server import Behaviour, ProviderServer, says

PATH = "/v1/chat/completions"


def completion(content: str | None, *, sent: int = 100, **message: Any) -> Behaviour:
    """Build a response with one message. ``sent`` is the number of input tokens; 20 are output tokens."""
    full_message = {"role": "assistant", "content": content, **message}
    body = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": full_message}],
        "usage": {"prompt_tokens": sent, "completion_tokens": 20, "total_tokens": sent + 20},
    }
    return says(200, body)


def answer(value: object, *, sent: int = 100) -> Behaviour:
    """Build a response whose message is ``value`` as JSON."""
    return completion(json.dumps(value), sent=sent)


def list_prompts(server: ProviderServer) -> list[str]:
    """List the user messages of all requests."""
    return [json.loads(request.body)["messages"][1]["content"] for request in server.requests]


def list_instructions(server: ProviderServer) -> list[str]:
    """List the system messages of all requests."""
    return [json.loads(request.body)["messages"][0]["content"] for request in server.requests]
