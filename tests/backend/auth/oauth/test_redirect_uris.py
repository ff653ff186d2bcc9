import pytest

from backend.auth.oauth import redirect_uris
from backend.errors import BadRequest


@pytest.mark.parametrize(
    "uri",
    [
        "https://desk.example/callback",
        "https://desk.example",
        "https://desk.example:8443/a/b?tenant=1&x",
        "http://127.0.0.1:3000/callback",
        "http://127.0.0.1/callback",
        "http://[::1]:3000/callback",
        "http://localhost:8501/callback",
        "com.example.desk:/callback",
        "com.example.desk:/",
    ],
)
def test_valid_redirect_uri_is_accepted(uri: str) -> None:
    assert redirect_uris.validate(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "callback",
        "/callback",
        "//desk.example/callback",
        "http://desk.example/callback",
        "http://127.0.0.2:3000/",
        "http://localhost.evil.example/",
        "http://0.0.0.0/",
        "https:///callback",
        "https://:443/",
        "https://user@desk.example/",
        "https://user:word@desk.example/",
        "https://desk.example/#fragment",
        "https://desk.example/#",
        "https://desk.example:0/",
        "https://desk.example:99999/",
        "https://desk.example:port/",
        "https://*.example/",
        "https://desk example/",
        "https://desk.example/\n",
        "https://desk.example\\@evil.example/",
        "https://dесk.example/",
        "https://[::1",
        "https://[v1.a]/",
        "https://desk.example/?code=1",
        "https://desk.example/?a=b&state=",
        "https://desk.example/?iss=x",
        "https://desk.example/" + "a" * 2000,
        "ftp://desk.example/",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "desk:/callback",
        "com.example.desk:callback",
        "com.example.desk://callback",
    ],
)
def test_invalid_redirect_uri_is_rejected(uri: str) -> None:
    with pytest.raises(BadRequest):
        redirect_uris.validate(uri)


@pytest.mark.parametrize(
    ("uri", "answered"),
    [
        ("https://a.example/cb", "https://a.example/cb?code=x+y%26"),
        ("https://a.example/cb?", "https://a.example/cb?code=x+y%26"),
        ("https://a.example/cb?t=1", "https://a.example/cb?t=1&code=x+y%26"),
        ("https://a.example/cb?t=1&", "https://a.example/cb?t=1&code=x+y%26"),
        ("com.example.desk:/cb", "com.example.desk:/cb?code=x+y%26"),
    ],
)
def test_response_parameters_are_appended_to_the_existing_query(uri: str, answered: str) -> None:
    assert redirect_uris.add_parameters(uri, {"code": "x y&"}) == answered


@pytest.mark.parametrize(
    ("uri", "source", "display"),
    [
        ("https://a.example/cb;x", "https://a.example", "a.example"),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.1:3000", "127.0.0.1:3000"),
        ("http://[::1]:3000/cb", "http:", "[::1]:3000"),
        ("com.example.desk:/cb", "com.example.desk:", "com.example.desk:"),
    ],
)
def test_redirect_uri_is_formatted_as_csp_source_and_for_display(uri: str, source: str, display: str) -> None:
    assert (redirect_uris.csp_source(uri), redirect_uris.describe_target(uri)) == (source, display)
