"""Sends all HTTP requests of the service to other hosts.

:class:`UpstreamClient` calls a URL that the operator configured, such as a market API.
:func:`guarded_fetch` fetches a URL from untrusted data (an image, a page, a feed). It connects only to
public hosts, whatever the URL, its DNS answer or a redirect says.

Both limit everything that the other host controls: the time of the whole exchange (with name resolution, slow
headers and a slow body), the size before and after decompression, and redirects. Neither reads proxies or
credentials from the environment, and neither stores cookies.
"""

from backend.upstream.client import RetryPolicy, UpstreamClient, UpstreamResponse
from backend.upstream.deadline import wait_for_timeout
from backend.upstream.failures import FailureKind, UpstreamFailure
from backend.upstream.ssrf_guard import Fetched, guarded_fetch, is_public

__all__ = [
    "FailureKind",
    "Fetched",
    "RetryPolicy",
    "UpstreamClient",
    "UpstreamFailure",
    "UpstreamResponse",
    "guarded_fetch",
    "is_public",
    "wait_for_timeout",
]
