"""Checks how the services answer to codes and tokens after the recovery."""

import time
from functools import partial

from benchmarks.aim_report import AimReport
from benchmarks.faults.families import Family
from benchmarks.faults.oauth_lane import TokenLane
from benchmarks.faults.site import Site, measure_wait

REVOCATION_SECONDS = 6.0
"""The time until every process knows a revocation; five seconds are promised."""
ANSWER_TIMEOUT_SECONDS = 20.0


def report_tokens(report: AimReport, site: Site, lane: TokenLane) -> None:
    """Check all tokens at every node of a running site, while nothing is written.

    Interrupted requests are repeated: they succeed, or are refused and the family is revoked. Each newest
    refresh token works once; for every second family it is used twice, which must fail. Revoked tokens are
    refused by every node.
    """
    usable_families, silent = [f for f in lane.families if f.state in ("good", "open")], 0
    for family in usable_families:
        silent += _works(site, lane, family)
        if family.state == "good" and family.pairs and lane.chance.random() < 0.5:
            lane.use_again(family)
    time.sleep(max(0.0, lane.revoked_at + REVOCATION_SECONDS - time.monotonic()))
    revoked = [family for family in lane.families if family.state == "revoked"]
    closed = sum(_is_closed(site, lane, family) for family in lane.families)
    report.record("families of tokens: asked for one more", len(usable_families), "")
    report.record("families of tokens: revoked", len(revoked), "")
    report.record("access tokens that must open nothing", closed, "")
    report.record(
        "families whose time was over by the clock", sum(f.state == "over" for f in lane.families), ""
    )
    for kind, n in lane.told_later.items():
        report.record(f"cut off: {kind}", n, "")
    report.record("tokens of which nobody said a word", silent, "", 0)
    for kind, sentences in lane.breaches.items():
        report.record(f"tokens {kind}", len(sentences), "", 0)
        for sentence in sentences[:5]:
            print("   ", sentence)


def _works(site: Site, lane: TokenLane, family: Family) -> int:
    """Use the next token of a family and its new access token; returns the number of missing answers."""
    before = len(family.pairs)
    lane.use(family)
    if family.state in ("revoked", "over"):
        return 0
    if len(family.pairs) == before:
        return 1
    return sum(
        measure_wait(partial(_opens, lane, family, url), ANSWER_TIMEOUT_SECONDS) is None
        for url in site.urls()
    )


def _opens(lane: TokenLane, family: Family, url: str) -> bool:
    """Whether the node answered."""
    return lane.open(family, url) is not None


def _is_closed(site: Site, lane: TokenLane, family: Family) -> int:
    """Try the revoked tokens; returns the number of access tokens."""
    tried = [pair.access for pair in family.pairs if pair.access_revoked == "yes"]
    if family.state == "revoked":
        tried += [pair.access for pair in family.pairs[-2:] if pair.access_revoked == "no"]
        if family.pairs and lane.client.refresh(family.next).kind == "done":
            lane.breach("revoked and still open", family, "a refresh token")
    for token in tried:
        for number, url in enumerate(site.urls(), 1):
            if lane.client.opens(token, url):
                lane.breach("revoked and still open", family, f"an access token, on node {number}")
    return len(tried)
