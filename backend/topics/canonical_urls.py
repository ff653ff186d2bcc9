"""Canonical addresses of articles: one for readers to follow, and a key by which two are the same page.

The address that is stored still leads where the publisher's did; only what tells who came from where is
taken off it. The key folds more than may be safe to follow: scheme, ``www``, mobile and AMP variants.
"""

import re
from hashlib import sha256
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

from backend.upstream import is_public

LONGEST = 2_000
_TRACKING = re.compile(
    r"utm_\w*|_?utm|at_(?:medium|campaign|custom\d*|link_\w+|ptr_name|bbc_team|format)|pk_\w+|mtm_\w+|piwik_\w+"
    r"|hsa_\w+|_hs(?:enc|mi|fp)|__hs\w+|oly_(?:anon|enc)_id|vero_(?:id|conv)|mc_[ce]id|mkt_tok|wt_?mc|wt\.mc_id"
    r"|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|ysclid|twclid|ttclid|li_fat_id|igshid|igsh|srsltid"
    r"|ref_src|ref_url|referrer|s_cid|cmpid|cmp|ncid|sr_share|smid|smtyp|spm|scm|share_(?:source|medium|from|token)"
    r"|from_?source|ga_source|ga_medium|ga_campaign|guce_referrer\w*|guccounter|rss_?id|feedtype|trk\w*",
    re.IGNORECASE,
)
_ONLY_IF_TELLING = re.compile(r"ref|source|src|from|via|f|cid|campaign|medium", re.IGNORECASE)
_TELLING = re.compile(
    r"rss\w*|feeds?|atom|twitter|x|facebook|telegram|newsletter|email|share|social", re.IGNORECASE
)
_AMP_PARAMETER = re.compile(r"amp|outputtype", re.IGNORECASE)
_AMP_CACHES = re.compile(
    r"https?://(?:(?:www\.)?google\.[a-z.]{2,6}/amp|[\w-]+\.cdn\.ampproject\.org/[cvwi])/(s/)?(?=[^/]+\.)",
    re.IGNORECASE,
)
_VARIANT_HOST = re.compile(r"(?:www\d?|m|mobile|amp|wap|touch)\.(?=[^.]+\.)")
_AMP_PATH = re.compile(r"(?<=[^/])/(?:amp|amp\.html)/?$|^/amp(?=/.)", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\x7f<>\"\\^`{|}]")


def canonical(link: str, base: str = "") -> str | None:
    """The address that ``link`` (as it stands on a page at ``base``) means, fit to be stored and shown.

    None where it is none of the open web: another scheme, credentials, a private or metadata address.
    """
    link = re.sub(r"[\t\r\n]", "", link.strip())
    if not link or len(link) > LONGEST or len(base) > LONGEST:
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
    netloc = _netloc(host, port, scheme)
    if netloc is None:
        return None
    path = _quoted(parts.path) or "/"
    fragment = parts.fragment if parts.fragment.startswith("!") else ""
    found = urlunsplit((scheme, netloc, path, _query(parts.query), _quoted(fragment)))
    return found if len(found) <= LONGEST and is_public(found) else None


def key_of(url: str) -> str:
    """A digest that is the same for all addresses of one page; of a :func:`canonical` address."""
    parts = urlsplit(url)
    host = _VARIANT_HOST.sub("", parts.netloc, count=1)
    path = _AMP_PATH.sub("", unquote(parts.path)).rstrip("/")
    kept = [
        pair
        for pair in parse_qsl(parts.query, keep_blank_values=True)
        if not _AMP_PARAMETER.fullmatch(pair[0])
    ]
    return digest("\n".join((host, path, urlencode(sorted(kept)), parts.fragment)))


def digest(text: str) -> str:
    """64 characters by which a text of any length is looked up."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def image(link: str, base: str = "") -> str | None:
    """The address of a picture, over https alone. What chooses its size stays."""
    found = canonical(link, base)
    return found if found is not None and found.startswith("https://") else None


def _netloc(host: str, port: int | None, scheme: str) -> str | None:
    host = host.rstrip(".").lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    named = f"[{host}]" if ":" in host else host
    return named if port in (None, 443 if scheme == "https" else 80) else f"{named}:{port}"


def _query(query: str) -> str:
    """The parameters as they were written, without those that tell who came from where."""
    kept = []
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        name = unquote(name)
        telling = _ONLY_IF_TELLING.fullmatch(name) and _TELLING.fullmatch(unquote(value))
        if pair and not _TRACKING.fullmatch(name) and not telling:
            kept.append(_quoted(pair))
    return "&".join(kept)


def _quoted(text: str) -> str:
    """``text`` with what an address may not hold percent-encoded, and nothing encoded twice."""
    visible = _UNSAFE.sub(lambda letter: quote(letter[0]), text)
    return "".join(letter if letter.isascii() else quote(letter, errors="replace") for letter in visible)
