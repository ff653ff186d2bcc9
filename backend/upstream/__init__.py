"""The one door out: every request that the service sends to another host goes through here.

Two doors in one wall. :class:`UpstreamClient` asks an address that the operator configured, such as
a market API. :func:`guarded_fetch` takes a foreign address out of somebody's data (an image, a page,
a feed) and reaches only public hosts, whatever the address, its DNS answer or a redirect says.

Both bound everything that the other side controls: the time of the whole exchange (name lookup,
trickled headers and a slow body included), the size before and after decompression, the redirects.
Neither reads proxies or credentials from the environment, and neither keeps cookies.
"""

from backend.upstream.client import Retry, UpstreamClient, UpstreamResponse
from backend.upstream.deadline import wait_for_timeout
from backend.upstream.failures import FailureKind, UpstreamFailure
from backend.upstream.ssrf_guard import Fetched, guarded_fetch, is_public

__all__ = [
    "FailureKind",
    "Fetched",
    "Retry",
    "UpstreamClient",
    "UpstreamFailure",
    "UpstreamResponse",
    "guarded_fetch",
    "is_public",
    "wait_for_timeout",
]
