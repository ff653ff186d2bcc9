"""Tests the application with unchanged OAuth clients: Authlib and oauthlib."""

import asyncio
from typing import Any

import httpx2  # which Authlib sends by
import pytest
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oauth2.rfc6749 import OAuth2Token
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from oauthlib.oauth2 import InvalidGrantError, WebApplicationClient

from tests.support.apps.oauth_app import CALLBACK, PASSWORD, Desk, Form, post
from tests.support.http.asgi import send

BASE = "http://127.0.0.1:8000"


def allow(at_desk: Desk, address: str) -> str:
    """What a person does with the address that a client made: the address that the browser ends up at."""
    page = at_desk.open(address.partition("?")[2])
    assert page.status == 200
    hidden = Form(page.text.decode()).hidden
    answer = at_desk.submit({**hidden, "username": "ada", "password": PASSWORD, "approve": "approve"})
    return answer.headers["location"]


def test_authlib_signs_in_reads_data_refreshes_and_revokes(at_desk: Desk) -> None:
    app = at_desk.running.app

    async def use() -> None:
        client = AsyncOAuth2Client(
            client_id=at_desk.app.client_id,
            redirect_uri=CALLBACK,
            scope="read",
            token_endpoint_auth_method="none",
            code_challenge_method="S256",
            token_endpoint=f"{BASE}/oauth/token",
            leeway=0,
            transport=httpx2.ASGITransport(app=app),
        )
        verifier = "v" * 64
        address, state = client.create_authorization_url(f"{BASE}/oauth/authorize", code_verifier=verifier)
        back = await asyncio.to_thread(allow, at_desk, address)
        first = await client.fetch_token(
            f"{BASE}/oauth/token", authorization_response=back, state=state, code_verifier=verifier
        )
        assert first["scope"] == "read"
        assert (await client.get(f"{BASE}/assets")).status_code == 200
        client.token = OAuth2Token({**first, "expires_at": 1})
        assert (await client.get(f"{BASE}/assets")).status_code == 200
        assert client.token["access_token"] != first["access_token"]
        result = await client.introspect_token(
            f"{BASE}/oauth/introspect", client.token["access_token"], auth=client.token_auth
        )
        assert result.json()["active"] is True
        revoked = await client.revoke_token(f"{BASE}/oauth/revoke", client.token["refresh_token"])
        assert revoked.status_code == 200
        at_desk.running.poll_changes()
        client.token = OAuth2Token({**client.token, "expires_at": 2**40})
        assert (await client.get(f"{BASE}/assets")).status_code == 401
        await client.aclose()

    asyncio.run(use())


def test_authlib_accepts_the_server_metadata(at_desk: Desk) -> None:
    answer = send(at_desk.running.app, "/.well-known/oauth-authorization-server")
    metadata = AuthorizationServerMetadata(answer.json())
    for name in metadata.REGISTRY_KEYS:
        if name in ("issuer", "authorization_endpoint", "token_endpoint"):
            continue  # it asks for https, which a service on loopback has not
        getattr(metadata, f"validate_{name}", lambda: None)()


@pytest.fixture
def web(at_desk: Desk) -> WebApplicationClient:
    return WebApplicationClient(at_desk.app.client_id)


def test_oauthlib_signs_in_refreshes_and_revokes(
    at_desk: Desk, web: WebApplicationClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # loopback
    verifier = web.create_code_verifier(64)
    address, headers, body = web.prepare_authorization_request(
        f"{BASE}/oauth/authorize",
        redirect_url=CALLBACK,
        scope=["read"],
        state="a state",
        code_challenge=web.create_code_challenge(verifier, "S256"),
        code_challenge_method="S256",
    )
    back = allow(at_desk, address)
    web.parse_request_uri_response(back, state="a state")
    address, headers, body = web.prepare_token_request(
        f"{BASE}/oauth/token",
        authorization_response=back,
        redirect_url=CALLBACK,
        state="a state",
        code_verifier=verifier,
    )
    first = parse_response(web, at_desk, body, headers)
    assert first.scope == "read"
    address, headers, body = web.add_token(f"{BASE}/assets", "GET")
    assert send(at_desk.running.app, "/assets", headers=headers).status == 200
    address, headers, body = web.prepare_refresh_token_request(f"{BASE}/oauth/token")
    second = parse_response(web, at_desk, body, headers)
    assert second["access_token"] != first["access_token"]
    with pytest.raises(InvalidGrantError):
        parse_response(web, at_desk, body, headers)


def parse_response(web: WebApplicationClient, at_desk: Desk, body: str, headers: dict[str, str]) -> Any:
    sent = {name.lower(): value for name, value in headers.items()}
    return web.parse_request_body_response(post(at_desk.running, "/oauth/token", body, sent).text.decode())
