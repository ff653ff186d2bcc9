"""Finds URLs, handles, hashtags, domains and file names, each by one character in it.

From that character the token is followed to both sides. What was followed is not looked at again, and
to the left never further than :data:`FARTHEST`, so that the whole is linear.
"""

import re
from collections.abc import Iterator

Span = tuple[int, int]

FARTHEST = 255
_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"

# Han and kana belong to an address only right behind one of these (/wiki/ビットコイン): a sentence that
# goes on behind an address without a space does not.
_ADDRESS = re.compile(
    rf"(?:[^\s<>\"'`|\\^{{}}()\[\]\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]++"
    rf"|\([^\s()]*+\)|'(?=[A-Za-z0-9])|(?<=[/=?&#_+-])[{_CJK}]++)*+"
)
_BEHIND_ADDRESS = ".,;:!?*_~"
_OPAQUE = re.compile(r"[A-Za-z0-9?=&.%@_+-]{15,}+")
_NAMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*+:[^\s<>\"]++")
_LOCAL_HOST = re.compile(r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?=[:/])")
_FOLDERS = re.compile(r"(?:\.{1,2}/|\\\\|[A-Za-z]:\\)[^\s<>\"|*?]++")
_OPAQUE_SCHEMES = ("mailto", "bitcoin", "lightning", "ethereum", "solana", "urn", "magnet", "data")
_DOMAIN = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9-]*+\.?)++")
_HANDLE = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_]|[./-](?=[A-Za-z0-9_]))*+|\w{1,30}+")
_HASHTAG = re.compile(r"[#＃](\w++)")
_CHARACTER = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_PATH = re.compile(r"/[\w.-]++(?:/[\w.-]*+)++", re.ASCII)
_DOT = re.compile(r"\.[A-Za-z0-9]")
_LABELS = re.compile(r"[A-Za-z0-9._-]*+")

# Top-level domains of three letters and more (those of two letters all count), and endings of files.
_ENDINGS_LISTED = """
com org net edu gov mil int info biz name pro xyz app dev tech site online store shop blog news wiki cloud
page link live life world global network finance exchange money fund capital ventures markets trade trading
bank cash credit investments foundation community systems solutions digital agency studio design media press
academy institute university zone space website host tools build games game fun club social chat email support
help guide review reviews top vip one icu crypto eth sol bnb bitcoin blockchain dao nft lens wallet onion
limited company group team center events video

txt md mdx rst adoc htm html xhtml css scss less js mjs cjs jsx ts tsx json jsonl json5 yaml yml toml ini cfg
conf env lock log csv tsv xml svg png jpg jpeg gif webp ico bmp tif tiff mp3 mp4 mov avi webm wav pdf doc docx
xls xlsx ppt pptx odt epub zip tar gz bz2 xz zst rar 7z exe dmg apk deb rpm bin iso py pyi ipynb rb rs go java
kt swift cpp hpp cc hh cs php pl sh bash zsh ps1 bat sql db sqlite dat wasm vy move cairo circom proto abi pem
key crt asc sig
"""
_ENDINGS = frozenset(_ENDINGS_LISTED.split())
# Those that are written with a first capital too and begin no sentence.
_ENDINGS_OF_TITLES = frozenset(
    ("Com", "Org", "Edu", "Gov", "Txt", "Pdf", "Html", "Json", "Csv", "Jpg", "Png", "Docx", "Xlsx")
)


SIGN = re.compile(r"[:@＠#＃&/\\.](?:(?<!\.)|(?=[A-Za-z0-9/]))")
"""What every token holds one of. A point between words counts, one that ends a sentence does not."""


def token_spans(text: str) -> Iterator[Span]:
    """Spans of tokens in ``text``; they may overlap and come kind by kind."""
    if "://" in text:
        yield from _addresses(text)
    if ":" in text:
        yield from _opaque_addresses(text)
    for sign in "@＠":
        if sign in text:
            yield from _handles_and_mail(text, sign)
    if "#" in text or "＃" in text:
        yield from _hashtags(text)
    if "&" in text:
        yield from (found.span() for found in _CHARACTER.finditer(text))
    if "/" in text:
        yield from _paths(text)
        yield from _local_addresses(text)
    if "\\" in text or "./" in text:
        yield from _folders(text)
    if "." in text:
        yield from _dotted(text)


def address_end(text: str, start: int) -> int:
    """Where the address that goes on at ``start`` ends, without the punctuation of its sentence."""
    end = _matched(_ADDRESS, text, start)
    while end > start and text[end - 1] in _BEHIND_ADDRESS:
        end -= 1
    return end


def _matched(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


def _left(text: str, at: int, characters: str, farthest: int = FARTHEST) -> int:
    """Where the run of ``characters`` begins that ends at ``at``."""
    before = text[max(0, at - farthest) : at]
    return at - len(before) + len(before.rstrip(characters))


def _addresses(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        start = _left(text, at, _ALNUM + "+.-", 20)
        end = address_end(text, at + 3)
        if start < at and end > at + 3:
            yield start, end
        at = text.find("://", max(end, at + 3))


def _opaque_addresses(text: str) -> Iterator[Span]:
    at = text.find(":")
    while at >= 0:
        start = _left(text, at, _ALNUM, 20)
        end = at + 1
        if text[start:at].lower() in _OPAQUE_SCHEMES:
            end = max(_matched(_OPAQUE, text, end), _matched(_NAMED, text, end))
            if end > at + 1:
                yield start, end
        at = text.find(":", end)


def _handles_and_mail(text: str, sign: str) -> Iterator[Span]:
    at = text.find(sign)
    while at >= 0:
        start = _left(text, at, _ALNUM + ".!#$%&'*+/=?^_`{|}~-", 64)
        if start == at:
            while start > max(0, at - 64) and text[start - 1].isalnum():
                start -= 1
        domain = _matched(_DOMAIN, text, at + 1)
        end = max(domain, _matched(_HANDLE, text, at + 1))
        if end > at + 1:
            yield start, end
        at = text.find(sign, end)


def _hashtags(text: str) -> Iterator[Span]:
    for found in _HASHTAG.finditer(text):
        before = text[found.start() - 1] if found.start() else " "
        if before != "&" and not (before.isascii() and before.isalnum()):
            yield found.span()


def _paths(text: str) -> Iterator[Span]:
    for found in _PATH.finditer(text):
        before = text[found.start() - 1] if found.start() else " "
        if before == "~" or not (before.isalnum() or before in "_/.:<-"):
            yield found.span()


def _local_addresses(text: str) -> Iterator[Span]:
    for found in _LOCAL_HOST.finditer(text):
        before = text[found.start() - 1] if found.start() else " "
        if not (before.isalnum() or before in "._-"):
            yield found.start(), address_end(text, found.end())


def _folders(text: str) -> Iterator[Span]:
    for found in _FOLDERS.finditer(text):
        before = text[found.start() - 1] if found.start() else " "
        if before.isspace() or before in "([（「'\"=":
            yield found.span()


def _dotted(text: str) -> Iterator[Span]:
    found = _DOT.search(text)
    while found is not None:
        at = found.start()
        start = _left(text, at, _ALNUM + "_-")
        end = _matched(_LABELS, text, at)
        if start < at:
            known = _known_ending(text[start:end])
            if known:
                last = start + known
                further = last < len(text) and text[last] in "/:?#"
                yield start, max(last, address_end(text, last)) if further else last
        found = _DOT.search(text, end)


def _known_ending(token: str) -> int:
    """How much of a dotted ``token`` is a domain or the name of a file: up to its last known label."""
    at = len(token)
    capitals = not any(map(str.islower, token))
    while True:
        before = token.rfind(".", 0, at)
        if before <= 0:
            return 0
        label = token[before + 1 : at]
        # Of two letters, or with one capital, it may be the first word of a sentence: "fell.It rose".
        if label.islower() or (capitals and len(label) == 2):
            known = (len(label) == 2 and label.isalpha()) or label.lower() in _ENDINGS
        else:
            known = label in _ENDINGS_OF_TITLES or (label.isupper() and label.lower() in _ENDINGS)
        if known:
            return at
        at = before
