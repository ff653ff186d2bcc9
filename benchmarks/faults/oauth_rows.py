"""Compares the stored codes, tokens and revocations with the acknowledged ones."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.oauth.grants import ACCESS_TOKEN_LIFETIME, REFRESH_TOKEN_LIFETIME
from backend.auth.oauth.retention import EXPIRED_ROW_RETENTION
from backend.auth.oauth.tables import grants, tokens
from backend.auth.oauth.token_format import digest
from benchmarks.faults.families import Family, Pair
from benchmarks.faults.ledger import Count


class Rows:
    """All grants and tokens."""

    def __init__(self, connection: Connection) -> None:
        self.grants = {row.code_digest: row for row in connection.execute(sa.select(grants))}
        self.tokens = {row.digest: row for row in connection.execute(sa.select(tokens))}

    def grant(self, family: Family) -> sa.Row[Any] | None:
        return self.grants.get(digest(family.code))

    def token(self, text: str) -> sa.Row[Any] | None:
        return self.tokens.get(digest(text))

    def has(self, pair: Pair, family: Family, *, rotated: bool) -> bool:
        """Whether both tokens are there as they should be, or may be forgotten."""
        grant, refresh, access = self.grant(family), self.token(pair.refresh), self.token(pair.access)
        if refresh is None:
            return pair.may_be_deleted(REFRESH_TOKEN_LIFETIME)
        if access is None:
            return pair.may_be_deleted(ACCESS_TOKEN_LIFETIME)
        is_one_grant = grant is not None and refresh.grant_id == access.grant_id == grant.id
        return is_one_grant and (refresh.rotated_at is not None) is rotated

    def successors(self) -> dict[str, int]:
        """By grant: how many refresh tokens may be used next. One for each code that was used, whatever
        was cut off, and revoked or not; else none."""
        live = Counter(
            row.grant_id for row in self.tokens.values() if row.kind == "refresh" and not row.rotated_at
        )
        return {row.id: live[row.id] for row in self.grants.values()}

    def halves(self, now: datetime) -> int:
        """Codes used without a refresh token, tokens without a used code, and one of a pair alone."""
        successors, since = self.successors(), now - ACCESS_TOKEN_LIFETIME - EXPIRED_ROW_RETENTION
        used = {row.id: row.code_used_at is not None for row in self.grants.values()}
        young = [row for row in self.tokens.values() if row.created_at > since]
        pairs = Counter((row.grant_id, row.created_at) for row in young)
        return sum(used[grant] is not (n > 0) for grant, n in successors.items()) + sum(
            n % 2 for n in pairs.values()
        )


def compared(
    connection: Connection, families: Sequence[Family], cut_off: Counter[str], now: datetime
) -> dict[str, Count]:
    """By kind; what was cut off is told of each. What nobody knows of must be whole as well."""
    rows = Rows(connection)
    codes = Count(len(families), cut_off["code"])
    codes.lost = sum(rows.grant(family) is None and not family.may_be_deleted for family in families)
    used = [family for family in families if family.pairs]
    exchanges = Count(len(used), cut_off["exchange"])
    exchanges.lost = sum(not _is_used(rows, family) for family in used)
    rotations = Count(sum(len(family.pairs) - 1 for family in used), cut_off["rotation"])
    rotations.lost = sum(_rotations_lost(rows, family) for family in used)
    rotations.doubled = sum(n > 1 for n in rows.successors().values())
    rotations.halved = rows.halves(now)
    revocations = _count_kept_revocations(rows, families)
    revocations.unknown = cut_off["revocation"]
    return {"code": codes, "exchange": exchanges, "rotation": rotations, "revocation": revocations}


def _is_used(rows: Rows, family: Family) -> bool:
    grant = rows.grant(family)
    if grant is None:
        return family.may_be_deleted
    return grant.code_used_at is not None and _is_there(rows, family, 0)


def _rotations_lost(rows: Rows, family: Family) -> int:
    return sum(not _is_there(rows, family, number) for number in range(1, len(family.pairs)))


def _is_there(rows: Rows, family: Family, number: int) -> bool:
    """Whether a pair is there, used where there is a next one, and not where it was never sent."""
    last = number == len(family.pairs) - 1
    pair = family.pairs[number]
    if not last:
        return rows.has(pair, family, rotated=True)
    never_sent = family.state == "good"
    return rows.has(pair, family, rotated=False) or (not never_sent and rows.has(pair, family, rotated=True))


def _count_kept_revocations(rows: Rows, families: Iterable[Family]) -> Count:
    count = Count()
    for family in families:
        grant = rows.grant(family)
        count.acknowledged += family.state == "revoked"
        if family.state == "revoked":
            count.lost += not family.may_be_deleted if grant is None else grant.revoked_at is None
        for pair in family.pairs:
            token = rows.token(pair.access)
            count.acknowledged += pair.access_revoked == "yes"
            if pair.access_revoked == "yes":
                gone = not pair.may_be_deleted(ACCESS_TOKEN_LIFETIME)
                count.lost += gone if token is None else token.revoked_at is None
    return count
