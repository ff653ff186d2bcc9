import pytest

from backend.timelines.responses.content_negotiation import negotiate_form

ARROW = "application/vnd.apache.arrow.stream"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, "json"),
        ("", "json"),
        ("*/*", "json"),
        ("application/*", "json"),
        ("text/html", "json"),
        (ARROW, "arrow"),
        (ARROW.upper(), "arrow"),
        (f"{ARROW}, */*;q=0.5", "arrow"),
        (f"application/json, {ARROW}", "arrow"),
        (f"application/json, {ARROW};q=0.9", "json"),
        (f"application/json;q=0.2, {ARROW};q=0.3", "arrow"),
        (f"*/*, {ARROW};q=0", "json"),
        (f"{ARROW};q=nonsense", "json"),
        (f"{ARROW};q=7", "json"),
        (f"{ARROW} ; Q=1 ,", "arrow"),
    ],
)
def test_arrow_is_chosen_only_if_named_with_at_least_the_quality_of_json(
    accept: str | None, chosen: str
) -> None:
    assert negotiate_form(accept) == chosen
