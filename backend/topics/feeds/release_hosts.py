"""Lists the hosts of press releases and of company filings (``data/release_hosts.yaml``)."""

from functools import cache
from pathlib import Path

import yaml

from backend.topics.canonical_urls import get_host

_FILE = Path(__file__).parent / "data" / "release_hosts.yaml"


def is_release_host(url: str) -> bool:
    """True for a page of a newswire or of a disclosure system. Its words are those of the company that issued
    it."""
    labels = get_host(url).split(".")
    hosts = _load_hosts()
    return any(".".join(labels[at:]) in hosts for at in range(len(labels)))


@cache
def _load_hosts() -> frozenset[str]:
    listed = yaml.safe_load(_FILE.read_text("utf-8"))
    return frozenset(host for hosts in listed.values() for host in hosts)
