"""Writes codes, refresh tokens and revocations in one thread: requests, uses, rotates, reuses, revokes."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from sqlalchemy.engine import Connection

from backend.auth.oauth.grants import REFRESH_TOKEN_LIFETIME
from backend.formats.timestamps import Clock
from benchmarks.faults import oauth_rows
from benchmarks.faults.families import Family, Pair
from benchmarks.faults.ledger import Count, note
from benchmarks.faults.oauth_client import Answer, OAuthClient, Registered
from benchmarks.faults.refusals import Refusals
from benchmarks.faults.seen_clock import ClockHistory

PAUSE, SIGN_IN_PAUSE = 0.1, 2.0
"""Seconds: between two requests; between two sign-ins, each of which costs what a password's hash costs."""
STOCK = 8
"""Families to begin with."""
DEEDS = {"use": 60, "open": 25, "revoke access": 8, "revoke": 4, "use again": 3}
"""What is done with a family, and how often in a hundred times."""
REUSED = "used before"
"""In the sentence by which the second use of a code or a refresh token is refused."""

Breach = Literal["acknowledged and refused", "used before and taken again", "revoked and still open"]


class TokenLane:
    """For one thread at a time. It is no :class:`~benchmarks.faults.lanes.Lane`: what it sends depends on
    what came of what it sent before."""

    def __init__(
        self,
        urls: Callable[[], Sequence[str]],
        registered: Registered,
        file: Path,
        seed: int,
        refusals: Refusals,
        clock: Clock,
    ) -> None:
        """``file`` takes what was acknowledged; ``clock`` is the one of the services."""
        self.chance = random.Random(f"{seed} oauth")
        self.client = OAuthClient(urls, registered, self.chance, refusals)
        self.clock = ClockHistory(clock)
        self.families: list[Family] = []
        self.cut_off: Counter[str] = Counter()
        """By kind."""
        self.told_later: Counter[str] = Counter()
        """What became of exchanges and rotations that were cut off, once they were sent again."""
        self.breaches: dict[Breach, list[str]] = {breach: [] for breach in get_args(Breach)}
        self.revoked_at = 0.0
        """By ``time.monotonic``, the last time."""
        self._file = file
        self._next_sign_in = 0.0

    def stock(self) -> None:
        """Get something to rotate and revoke before a first fault, which may leave no time to sign in."""
        for _ in range(STOCK):
            self.get_code()
        for family in self.families:
            self.use(family)

    def run(self, stop: threading.Event) -> None:
        while not stop.wait(PAUSE * self.chance.uniform(0.5, 1.5)):
            if time.monotonic() >= self._next_sign_in:
                self.get_code()
            good = [family for family in self.families if family.state == "good"]
            new = [family for family in good if not family.pairs]
            if good:
                self._do_with(self.chance.choice(new or good))

    def compared(self, connection: Connection) -> dict[str, Count]:
        """What the store holds of what was acknowledged, by kind."""
        return oauth_rows.compared(connection, self.families, self.cut_off, self.clock.read().clock_time)

    def _do_with(self, family: Family) -> None:
        deed = self.chance.choices(list(DEEDS), list(DEEDS.values()))[0] if family.pairs else "use"
        if deed == "use":
            self.use(family)
        elif deed == "use again":
            self.use_again(family)
        elif deed == "revoke":
            self._revoke(family)
        elif family.pairs[-1].access_revoked == "no":
            if deed == "open":
                self.open(family)
            else:
                self._revoke_access(family.pairs[-1])

    def get_code(self) -> None:
        self._next_sign_in = time.monotonic() + SIGN_IN_PAUSE
        clock_reading = self.clock.read()
        answer = self.client.code()
        if answer.kind == "done":
            note(self._file, "code", answer.content)
            self.families.append(Family(answer.content, clock_reading))
        self.cut_off["code"] += answer.kind == "unknown"

    def use(self, family: Family) -> None:
        """Exchange the code or rotate the newest refresh token."""
        clock_reading, send = self.clock.read(), self.client.refresh if family.pairs else self.client.exchange
        answer, cut_off = self._sent(send, family.next)
        if cut_off:
            note(self._file, "open", family.next)
            family.state = "open"
            self.cut_off["rotation" if family.pairs else "exchange"] += 1
        if answer.kind == "done":
            pair = Pair(answer.content["access_token"], answer.content["refresh_token"], clock_reading)
            note(self._file, "used", family.next, pair.access, pair.refresh)
            family.pairs.append(pair)
            self.told_later["not done, and given then"] += family.state == "open"
            family.state = "good"
        elif answer.kind == "refused":
            self._refused(family, str(answer.content))

    def _refused(self, family: Family, sentence: str) -> None:
        """What is next of a family was refused, as it may be where it was sent before, or is over."""
        if REUSED in sentence and family.state == "open":
            self.told_later["done, and refused and revoked then"] += 1
            self._is_revoked(family)
        elif family.may_be_expired and REUSED not in sentence:
            family.state = "over"
        else:
            self.breach("acknowledged and refused", family, f"{family.state}: {sentence}")

    def use_again(self, family: Family) -> None:
        """Use what was used before with success, which must revoke the family."""
        token = self.chance.choice(family.spent)
        send = self.client.exchange if token == family.code else self.client.refresh
        answer, _ = self._sent(send, token)
        if answer.kind == "done":
            self.breach("used before and taken again", family, token[:12])
        elif answer.kind == "unknown":
            family.state = "perhaps revoked"
        elif answer.kind == "refused":
            if REUSED in answer.content:
                self._is_revoked(family)
            elif any(pair.may_be_deleted(REFRESH_TOKEN_LIFETIME) for pair in family.pairs):
                family.state = "over"
            else:
                self.breach("acknowledged and refused", family, f"a use that was forgotten: {answer.content}")

    def open(self, family: Family, url: str | None = None) -> bool | None:
        """Whether the newest access token, which is not revoked, opens what it should."""
        pair = family.pairs[-1]
        opened = self.client.opens(pair.access, url)
        if opened is False and not pair.may_have_expired_access:
            self.breach("acknowledged and refused", family, "an access token")
        return opened

    def breach(self, breach: Breach, family: Family, detail: str) -> None:
        """From here on nothing is expected of the family."""
        number = self.families.index(family)
        self.breaches[breach].append(f"family {number}, {len(family.pairs)} pairs, {detail}")
        family.state = "over"

    def _revoke(self, family: Family) -> None:
        answer, cut_off = self._sent(self.client.revoke, family.next)
        self.cut_off["revocation"] += cut_off
        if answer.kind == "done":
            self._is_revoked(family)
        elif answer.kind == "refused":
            self.breach("acknowledged and refused", family, f"a revocation: {answer.content}")
        elif cut_off:
            family.state = "perhaps revoked"

    def _revoke_access(self, pair: Pair) -> None:
        answer, cut_off = self._sent(self.client.revoke, pair.access)
        self.cut_off["revocation"] += cut_off
        if answer.kind == "done":
            note(self._file, "revoked", pair.access)
            pair.access_revoked, self.revoked_at = "yes", time.monotonic()
        elif cut_off:
            pair.access_revoked = "perhaps"

    def _is_revoked(self, family: Family) -> None:
        note(self._file, "revoked", family.next)
        family.state, self.revoked_at = "revoked", time.monotonic()

    def _sent(self, send: Callable[[str], Answer], token: str) -> tuple[Answer, bool]:
        """In half of the cases once more where it was cut off, of which the second tells."""
        answer = send(token)
        if answer.kind != "unknown" or self.chance.random() < 0.5:
            return answer, answer.kind == "unknown"
        time.sleep(0.2)
        return send(token), True
