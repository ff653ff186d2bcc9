"""Counts responses other than acknowledgements."""

from dataclasses import dataclass, field

import httpx


@dataclass
class Refusals:
    """Counts over all writers."""

    unavailable: int = 0
    """503 with a sentence and ``Retry-After``."""
    unexpected: list[str] = field(default_factory=list)
    slowest: float = 0.0
    """Seconds of the slowest 503 response."""

    def record(self, answer: httpx.Response, seconds: float) -> None:
        """Record a response other than an acknowledgement, with its seconds."""
        if answer.status_code == 503 and is_explained(answer):
            self.unavailable += 1
            self.slowest = max(self.slowest, seconds)
        else:
            self.unexpected.append(f"{answer.request.url.path}: {answer.status_code} {answer.text[:200]}")


def is_explained(answer: httpx.Response) -> bool:
    """Whether a refusal has an error sentence and a Retry-After."""
    if int(answer.headers.get("retry-after", "0")) <= 0:
        return False
    if answer.headers["content-type"].startswith("text/html"):
        return 'role="alert"' in answer.text
    body = answer.json()
    sentence = body.get("detail") or body.get("message") or body.get("error_description") or ""
    return bool(sentence.endswith("."))
