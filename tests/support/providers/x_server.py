"""Runs a local server with the documented X API v2 and its errors.

It is strict: a post has only ``id`` and ``text`` unless the request names more fields, an unknown token gets
401, a parameter out of range 400, and each request counts against the window in the headers.

By hand: ``python -m tests.support.providers.x_server --port 9901``; the token is ``x-secret-1``.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.providers.provider_server import Behaviour, ProviderServer, Seen, says

TOKEN = "x-secret-1"
SEARCH, LOOKUP, USAGE = "/2/tweets/search/recent", "/2/tweets", "/2/usage/tweets"
PROBLEMS = "https://api.twitter.com/2/problems"


def problem(status: int, title: str, detail: str, kind: str, **more: Any) -> Behaviour:
    return says(status, {"title": title, "detail": detail, "type": kind, "status": status, **more})


def invalid(message: str, **parameters: list[str]) -> Behaviour:
    return problem(
        400,
        "Invalid Request",
        "One or more parameters to your request was invalid.",
        f"{PROBLEMS}/invalid-request",
        errors=[{"parameters": parameters, "message": message}],
    )


def limited(reset: datetime | None = None, *, limit: int = 60) -> Behaviour:
    """Build a response for too many requests; without ``reset`` it has no rate limit headers."""
    body = problem(429, "Too Many Requests", "Too Many Requests", "about:blank")
    headers = {} if reset is None else rate_headers(limit, 0, reset)
    return Behaviour(429, body.body, headers=headers)


def rate_headers(limit: int, remaining: int, reset: datetime) -> dict[str, str]:
    return {
        "x-rate-limit-limit": str(limit),
        "x-rate-limit-remaining": str(remaining),
        "x-rate-limit-reset": str(int(reset.timestamp())),
    }


UNAUTHORISED = problem(401, "Unauthorized", "Unauthorized", "about:blank")
CAPPED = problem(
    429,
    "UsageCapExceeded",
    "Usage cap exceeded: Monthly product cap",
    f"{PROBLEMS}/usage-capped",
    account_id=1,
    product_name="standard-basic",
    period="Monthly",
    scope="Product",
)
FAULTS: Mapping[str, Behaviour] = {
    "unauthorised": UNAUTHORISED,
    "not-enrolled": problem(
        403,
        "Client Forbidden",
        "When authenticating requests to the X API v2 endpoints, you must use keys of an App in a Project.",
        f"{PROBLEMS}/client-forbidden",
        reason="client-not-enrolled",
        client_id="1",
    ),
    "credits": problem(
        402,
        "CreditsDepleted",
        "Your enrolled account does not have any credits to fulfill this request.",
        f"{PROBLEMS}/credits",
    ),
    "capped": CAPPED,
    "limited": limited(),
    "limited-v1": says(429, {"errors": [{"code": 88, "message": "Rate limit exceeded"}]}),
    "invalid": invalid("Ambiguous use of and as a keyword.", query=["x"]),
    "unavailable": problem(503, "Service Unavailable", "Service Unavailable", "about:blank"),
    "web-page": Behaviour(200, b"<!DOCTYPE html><html><body>Over capacity</body></html>", "text/html"),
    "empty": Behaviour(200, b""),
    "broken": Behaviour(200, b'{"data": [{"id": "1'),
    "dropped": Behaviour(drop=True),
    "odd": says(200, {"hello": "world"}),
    "errors-alone": says(
        200, {"errors": [{"title": "Service Unavailable", "detail": "Try later.", "type": "about:blank"}]}
    ),
}
"""Every error format of X, and of proxies in front of it."""


def post(
    number: int,
    text: str,
    at: datetime,
    *,
    author: str = "1",
    lang: str = "en",
    likes: int = 0,
    reposts: int = 0,
    quotes: int = 0,
    replies: int = 0,
) -> dict[str, Any]:
    """Build a post as X stores it."""
    return {
        "id": str(number),
        "text": text,
        "edit_history_tweet_ids": [str(number)],
        "author_id": author,
        "created_at": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "lang": lang,
        "public_metrics": {
            "retweet_count": reposts,
            "reply_count": replies,
            "like_count": likes,
            "quote_count": quotes,
            "bookmark_count": 1,
            "impression_count": 1000,
        },
    }


def user(number: str, username: str, name: str, *, verified: bool = False) -> dict[str, Any]:
    return {"id": number, "username": username, "name": name, "verified": verified}


@dataclass
class XPages:
    """The content of X. A search finds the posts of each key of ``found`` that its query contains."""

    found: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    users: list[dict[str, Any]] = field(default_factory=list)
    limit: int = 60
    reset: datetime = field(default_factory=lambda: datetime.now(UTC) + timedelta(minutes=15))
    remaining: int = 60
    deleted: set[str] = field(default_factory=set)
    usage: Mapping[str, Any] = field(
        default_factory=lambda: (
            {"project_id": "1", "project_cap": "2000000", "project_usage": "43435"} | {"cap_reset_day": 10}
        )
    )

    def answer(self, request: Seen) -> Behaviour:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return UNAUTHORISED
        if self.remaining <= 0:
            return limited(self.reset, limit=self.limit)
        self.remaining -= 1
        value = self._answer(request.path, request.query)
        if isinstance(value, Behaviour):
            return value
        headers = rate_headers(self.limit, self.remaining, self.reset)
        return Behaviour(200, json.dumps(value).encode(), headers=headers)

    def _answer(self, path: str, query: Mapping[str, str]) -> dict[str, Any] | Behaviour:
        match path:
            case "/2/tweets/search/recent":
                return self._search(query)
            case "/2/tweets":
                return self._lookup(query)
            case "/2/usage/tweets":
                return {"data": dict(self.usage)}
        return problem(404, "Not Found", "Not Found", "about:blank")

    def _search(self, query: Mapping[str, str]) -> dict[str, Any] | Behaviour:
        text, page_size = query.get("query", ""), int(query.get("max_results", "10"))
        if not 1 <= len(text) <= 512:
            return invalid("The query is too long or empty.", query=[text])
        if not 10 <= page_size <= 100:
            return invalid(f"The `max_results` query parameter value [{page_size}] is not between 10 and 100")
        matching = {
            matched_post["id"]: matched_post
            for word, posts in self.found.items()
            if word in text
            for matched_post in posts
        }
        matching_posts = sorted(matching.values(), key=lambda matched_post: -int(matched_post["id"]))
        if "since_id" in query:
            matching_posts = [
                matched_post
                for matched_post in matching_posts
                if int(matched_post["id"]) > int(query["since_id"])
            ]
        elif "start_time" in query:
            matching_posts = [
                matched_post
                for matched_post in matching_posts
                if matched_post["created_at"] >= query["start_time"]
            ]
        token = query.get("next_token", "p0")
        if not (token.startswith("p") and token[1:].isdigit()):
            return invalid("The `next_token` is not valid.", next_token=[token])
        at = int(token[1:])
        page = [
            matched_post
            for matched_post in matching_posts[at : at + page_size]
            if matched_post["id"] not in self.deleted
        ]
        meta: dict[str, Any] = {"result_count": len(page)}
        if page:
            meta |= {"newest_id": page[0]["id"], "oldest_id": page[-1]["id"]}
        if at + page_size < len(matching_posts):
            meta["next_token"] = f"p{at + page_size}"
        return {**self._build_response(page, query), "meta": meta}

    def _lookup(self, query: Mapping[str, str]) -> dict[str, Any] | Behaviour:
        ids = query.get("ids", "").split(",")
        if not all(post_id.isdigit() for post_id in ids) or len(ids) > 100:
            return invalid("The `ids` query parameter value is not valid.", ids=ids)
        posts_by_id = {
            stored_post["id"]: stored_post for posts in self.found.values() for stored_post in posts
        }
        page = [
            posts_by_id[post_id] for post_id in ids if post_id in posts_by_id and post_id not in self.deleted
        ]
        errors = [
            not_found(post_id) for post_id in ids if post_id not in posts_by_id or post_id in self.deleted
        ]
        return self._build_response(page, query) | ({"errors": errors} if errors else {})

    def _build_response(self, page: Sequence[Mapping[str, Any]], query: Mapping[str, str]) -> dict[str, Any]:
        fields = {"id", "text", "edit_history_tweet_ids", *query.get("tweet.fields", "").split(",")}
        response: dict[str, Any] = {}
        if page:
            response["data"] = [
                {name: value for name, value in page_post.items() if name in fields} for page_post in page
            ]
        authors = {page_post["author_id"] for page_post in page}
        if "author_id" in query.get("expansions", "") and authors:
            user_fields = {"id", "name", "username", *query.get("user.fields", "").split(",")}
            authors_on_page = [user for user in self.users if user["id"] in authors]
            response["includes"] = {
                "users": [
                    {name: value for name, value in user.items() if name in user_fields}
                    for user in authors_on_page
                ]
            }
            missing = sorted(authors - {user["id"] for user in authors_on_page})
            if missing:
                response["errors"] = [not_found(author_id, "user", "author_id") for author_id in missing]
        return response


def not_found(value: str, what: str = "tweet", parameter: str = "ids") -> dict[str, Any]:
    """Build the error for a missing part of a response."""
    return {
        "value": value,
        "detail": f"Could not find {what} with {parameter}: [{value}].",
        "title": "Not Found Error",
        "resource_type": what,
        "parameter": parameter,
        "resource_id": value,
        "type": f"{PROBLEMS}/resource-not-found",
    }


class XServer(ProviderServer):
    """X on loopback; ``once`` and ``always`` set faults, as for the market data providers."""

    def __init__(self, *, port: int = 0) -> None:
        super().__init__(port=port)
        self.x = XPages()

    def behaviour(self, request: Seen) -> Behaviour:
        behaviour = super().behaviour(request)
        return self.x.answer(request) if behaviour == Behaviour() else behaviour


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9901)
    server = XServer(port=parser.parse_args().port)
    print(f"X at {server.url}: CHAINPROOF_X_BASE_URL={server.url} CHAINPROOF_X_BEARER_TOKEN={TOKEN}")
    server.serve_until_stopped()


if __name__ == "__main__":
    main()
