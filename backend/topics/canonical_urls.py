"""Canonicalizes article URLs and builds the keys that identify duplicate pages.

The stored URL leads to the same page as the publisher's link, without tracking parameters. The key is
coarser: it also merges scheme, ``www``, mobile and AMP variants, which may not be safe to follow.
"""

import re
from hashlib import sha256
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

from backend.upstream import is_public

MAX_URL_CHARS = 2_000
_TRACKING = re.compile(
    r"utm_\w*|_?utm|at_(?:medium|campaign|custom\d*|link_\w+|ptr_name|bbc_team|format)|pk_\w+|mtm_\w+|piwik_\w+"
    r"|hsa_\w+|_hs(?:enc|mi|fp)|__hs\w+|oly_(?:anon|enc)_id|vero_(?:id|conv)|mc_[ce]id|mkt_tok|wt_?mc|wt\.mc_id"
    r"|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|ysclid|twclid|ttclid|li_fat_id|igshid|igsh|srsltid"
    r"|ref_src|ref_url|referrer|s_cid|cmpid|cmp|ncid|sr_share|smid|smtyp|spm|scm|share_(?:source|medium|from|token)"
    r"|from_?source|ga_source|ga_medium|ga_campaign|guce_referrer\w*|guccounter|rss_?id|feedtype|trk\w*",
    re.IGNORECASE,
)
_AMBIGUOUS_PARAMETER = re.compile(r"ref|source|src|from|via|f|cid|campaign|medium", re.IGNORECASE)
_TRACKING_VALUE = re.compile(
    r"rss\w*|feeds?|atom|twitter|x|facebook|telegram|newsletter|email|share|social", re.IGNORECASE
)
_AMP_PARAMETER = re.compile(r"amp|outputtype", re.IGNORECASE)
_AMP_CACHES = re.compile(
    r"https?://(?:(?:www\.)?google\.[a-z.]{2,6}/amp|[\w-]+\.cdn\.ampproject\.org/[cvwi])/(s/)?(?=[^/]+\.)",
    re.IGNORECASE,
)
_VARIANT_HOST = re.compile(r"(?:www\d?|m|mobile|amp|wap|touch)\.(?=[^.]+\.)")
_AMP_PATH = re.compile(r"(?<=[^/])/(?:amp|amp\.html)/?$|^/amp(?=/.)", re.IGNORECASE)
_UNSAFE_CHARACTER = re.compile(r"[\x00-\x20\x7f<>\"\\^`{|}]")


def get_host(url: str) -> str:
    """Return the host of a URL without ``www.``; empty where there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def canonicalize(link: str, base: str = "") -> str | None:
    """Return the URL that ``link`` on a page at ``base`` refers to, fit for storage and display.

    Returns None for URLs outside the public web: other schemes, credentials, private or metadata addresses.
    """
    link = re.sub(r"[\t\r\n]", "", link.strip())
    if not link or len(link) > MAX_URL_CHARS or len(base) > MAX_URL_CHARS:
        return None
    try:
        url = urljoin(base, link) if base else link
        url = _AMP_CACHES.sub(lambda cache: "https://" if cache[1] else "http://", url, count=1)
        parts = urlsplit(url)
        host, port, scheme = parts.hostname, parts.port, parts.scheme.lower()
    except ValueError:
        return None
    if scheme not in ("http", "https") or not host or parts.username is not None:
        return None
    netloc = _build_netloc(host, port, scheme)
    if netloc is None:
        return None
    path = _percent_encode(parts.path) or "/"
    fragment = parts.fragment if parts.fragment.startswith("!") else ""
    canonical = urlunsplit((scheme, netloc, path, _strip_tracking(parts.query), _percent_encode(fragment)))
    return canonical if len(canonical) <= MAX_URL_CHARS and is_public(canonical) else None


def build_page_key(url: str) -> str:
    """Build a digest that is equal for all URLs of one page. ``url`` must be canonical
    (:func:`canonicalize`)."""
    parts = urlsplit(url)
    host = _VARIANT_HOST.sub("", parts.netloc, count=1)
    path = _AMP_PATH.sub("", unquote(parts.path)).rstrip("/")
    parameters = [
        pair
        for pair in parse_qsl(parts.query, keep_blank_values=True)
        if not _AMP_PARAMETER.fullmatch(pair[0])
    ]
    return hash_text("\n".join((host, path, urlencode(sorted(parameters)), parts.fragment)))


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text: 64 hex characters, an index key for texts of any length."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonicalize_image(link: str, base: str = "") -> str | None:
    """Canonicalize the URL of an image; None unless it uses https. Size parameters stay."""
    canonical = canonicalize(link, base)
    return canonical if canonical is not None and canonical.startswith("https://") else None


def _build_netloc(host: str, port: int | None, scheme: str) -> str | None:
    host = host.rstrip(".").lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    bracketed = f"[{host}]" if ":" in host else host
    return bracketed if port in (None, 443 if scheme == "https" else 80) else f"{bracketed}:{port}"


def _strip_tracking(query: str) -> str:
    """Return the parameters as written, without those that track referrers and campaigns."""
    pairs = []
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        name = unquote(name)
        is_tracking_value = _AMBIGUOUS_PARAMETER.fullmatch(name) and _TRACKING_VALUE.fullmatch(unquote(value))
        if pair and not _TRACKING.fullmatch(name) and not is_tracking_value:
            pairs.append(_percent_encode(pair))
    return "&".join(pairs)


def _percent_encode(text: str) -> str:
    """Percent-encode the characters that URLs forbid; existing escapes stay as they are."""
    visible = _UNSAFE_CHARACTER.sub(lambda letter: quote(letter[0]), text)
    return "".join(letter if letter.isascii() else quote(letter, errors="replace") for letter in visible)
