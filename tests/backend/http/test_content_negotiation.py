import pytest

from backend.http.content_negotiation import prefers

ARROW = "application/vnd.apache.arrow.stream"


@pytest.mark.parametrize(
    ("accept", "is_preferred"),
    [
        (None, False),
        ("", False),
        ("*/*", False),
        ("application/*", False),
        ("text/html", False),
        (ARROW, True),
        (ARROW.upper(), True),
        (f"{ARROW}, */*;q=0.5", True),
        (f"application/json, {ARROW}", True),
        (f"application/json, {ARROW};q=0.9", False),
        (f"application/json;q=0.2, {ARROW};q=0.3", True),
        (f"*/*, {ARROW};q=0", False),
        (f"{ARROW};q=nonsense", False),
        (f"{ARROW};q=7", False),
        (f"{ARROW} ; Q=1 ,", True),
    ],
)
def test_a_media_type_is_preferred_only_if_named_with_at_least_the_quality_of_json(
    accept: str | None, is_preferred: bool
) -> None:
    assert prefers(accept, ARROW) is is_preferred
