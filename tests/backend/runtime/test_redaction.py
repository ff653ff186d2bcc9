import pytest

from backend.runtime.redaction import redact

KEY = "cp_livev1" + "a" * 32 + "_0Abc12"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"key {KEY} used", "key *** used"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("postgresql://chain:hunter2@db/app", "postgresql://chain:***@db/app"),
        ("nothing secret", "nothing secret"),
        (KEY.replace("cp_", "cpt_"), "***"),
    ],
)
def test_credentials_are_redacted_from_log_messages(text: str, expected: str) -> None:
    assert redact(text) == expected
