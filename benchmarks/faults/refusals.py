"""Counts responses other than acknowledgements."""

from dataclasses import dataclass, field

import httpx


@dataclass
class Refusals:
    """Over all writers."""

    unavailable: int = 0
    """503 with a sentence and ``Retry-After``."""
    strange: list[str] = field(default_factory=list)
    slowest: float = 0.0
    """Seconds that the slowest of the 503 took."""

    def note(self, answer: httpx.Response, seconds: float) -> None:
        """An answer that is no acknowledgement, after so many seconds."""
        if answer.status_code == 503 and is_told(answer):
            self.unavailable += 1
            self.slowest = max(self.slowest, seconds)
        else:
            self.strange.append(f"{answer.request.url.path}: {answer.status_code} {answer.text[:200]}")


def is_told(answer: httpx.Response) -> bool:
    """Whether a refusal says in a sentence what is wrong, and when to ask again."""
    if int(answer.headers.get("retry-after", "0")) <= 0:
        return False
    if answer.headers["content-type"].startswith("text/html"):
        return 'role="alert"' in answer.text
    told = answer.json()
    sentence = told.get("detail") or told.get("message") or told.get("error_description") or ""
    return bool(sentence.endswith("."))
