"""Finds URLs, handles, hashtags, domains and file names by one typical character each.

From that character, the token is followed in both directions. Characters that were followed are not examined
again, and to the left never more than :data:`MAX_LOOKBACK_CHARS`, so the time is linear.
"""

import re
from collections.abc import Iterator

Span = tuple[int, int]

MAX_LOOKBACK_CHARS = 255
MAX_PLAIN_OWNER_CHARS = 3
"""A word of up to this length before a slash is an ordinary one (up/Down) and no owner of a repository."""
_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"

# Han and kana belong to a URL only directly after one of these characters (/wiki/ビットコイン). Otherwise
# they belong to a sentence that continues after the URL without a space.
_ADDRESS = re.compile(
    rf"(?:[^\s<>\"'`|\\^{{}}()\[\]\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]++"
    rf"|\([^\s()]*+\)|'(?=[A-Za-z0-9])|(?<=[/=?&#_+-])[{_CJK}]++)*+"
)
_TRAILING_PUNCTUATION = ".,;:!?*_~"
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
_BACKSLASH_COMMAND = re.compile(r"(?<![\\\w])\\[A-Za-z@]++")
_OPTION = re.compile(r"(?<![^\s\[(（「'\"=])--[A-Za-z][\w-]*+(?:=[^\s\])）」'\"]*+)?")
_VARIABLE = re.compile(r"(?<![\w.-])[A-Z_][A-Z0-9_]*+(?==[^\s=])")
_REPOSITORY = re.compile(r"(?<![\w/.:@-])([A-Za-z0-9][\w.-]*+)/([A-Za-z0-9_][\w.-]*+)(?![\w/])", re.ASCII)
_SLUG = re.compile(r"[a-z]+[a-z0-9._]*[-_\d][a-z0-9._-]*")
_DEFANGED = re.compile(r"(?<![\w-])[A-Za-z0-9-]++(?:(?:\[\.\]|\(\.\)|\.)[A-Za-z0-9-]++)++")
_QUOTED_FILE = re.compile(
    r"[「『《“\"'(（]([^\s「」『』《》“”\"'()（）]{1,80}\.[A-Za-z0-9]{2,5})(?=[」』》”\"')）])"
)
_DATA_ADDRESS = re.compile(r"data:(?:[a-z]+/[\w.+-]++)?(?:;[\w=-]++)*+,[^\s<>\"'`)）」]*+")
_DOT = re.compile(r"\.[A-Za-z0-9]")
_LABELS = re.compile(r"[A-Za-z0-9._-]*+")

# Top-level domains of three or more letters (all two-letter ones count), and file name extensions.
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
# Endings that are also written with a capital and do not start a sentence.
_CAPITALISED_ENDINGS = frozenset(
    ("Com", "Org", "Edu", "Gov", "Txt", "Pdf", "Html", "Json", "Csv", "Jpg", "Png", "Docx", "Xlsx")
)


SIGN = re.compile(r"[:@＠#＃&/\\.=](?:(?<!\.)|(?=[A-Za-z0-9/\])]))|--")
"""Every token contains one of these. A point inside a token counts, one that ends a sentence does not."""


def token_spans(text: str) -> Iterator[Span]:
    """Generate the spans of tokens in ``text``, grouped by kind; they may overlap."""
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
        yield from _repositories(text)
    if "\\" in text or "./" in text:
        yield from _folders(text)
        yield from (found.span() for found in _BACKSLASH_COMMAND.finditer(text))
    if "--" in text:
        yield from (found.span() for found in _OPTION.finditer(text))
    if "=" in text:
        # With its sign, so that the span is longer than a name that is the variable.
        yield from ((found.start(), found.end() + 1) for found in _VARIABLE.finditer(text))
    if "." in text:
        yield from _dotted(text)
        yield from _quoted_files(text)
        if "[.]" in text or "(.)" in text:  # so that nobody follows the link
            yield from (found.span() for found in _DEFANGED.finditer(text))


def address_end(text: str, start: int) -> int:
    """Find the end of the URL that continues at ``start``, without the punctuation of its sentence."""
    end = _match_end(_ADDRESS, text, start)
    while end > start and text[end - 1] in _TRAILING_PUNCTUATION:
        end -= 1
    return end


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


def _run_start(text: str, at: int, characters: str, max_chars: int = MAX_LOOKBACK_CHARS) -> int:
    """Find the start of the run of ``characters`` that ends at ``at``."""
    before = text[max(0, at - max_chars) : at]
    return at - len(before) + len(before.rstrip(characters))


def _addresses(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        start = _run_start(text, at, _ALNUM + "+.-", 20)
        end = address_end(text, at + 3)
        if start < at and end > at + 3:
            yield start, end
        at = text.find("://", max(end, at + 3))


def _opaque_addresses(text: str) -> Iterator[Span]:
    at = text.find(":")
    while at >= 0:
        start = _run_start(text, at, _ALNUM, 20)
        end = at + 1
        data = _DATA_ADDRESS.match(text, start) if text.startswith("data:", start) else None
        if data:
            end = data.end()
            yield start, end
        elif text[start:at].lower() in _OPAQUE_SCHEMES:
            end = max(_match_end(_OPAQUE, text, end), _match_end(_NAMED, text, end))
            if end > at + 1:
                yield start, end
        at = text.find(":", end)


def _handles_and_mail(text: str, sign: str) -> Iterator[Span]:
    at = text.find(sign)
    while at >= 0:
        start = _run_start(text, at, _ALNUM + ".!#$%&'*+/=?^_`{|}~-", 64)
        if start == at:
            while start > max(0, at - 64) and text[start - 1].isalnum():
                start -= 1
        domain = _match_end(_DOMAIN, text, at + 1)
        end = max(domain, _match_end(_HANDLE, text, at + 1))
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


def _repositories(text: str) -> Iterator[Span]:
    """Generate paths of repositories: owner/Name, or two parts of which one is a slug (my-team/Name)."""
    for found in _REPOSITORY.finditer(text):
        owner, name = found.groups()
        is_owned = len(owner) > MAX_PLAIN_OWNER_CHARS and owner.islower() and not name.islower()
        if is_owned or _SLUG.fullmatch(owner) or _SLUG.fullmatch(name):
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
        start = _run_start(text, at, _ALNUM + "_-")
        end = _match_end(_LABELS, text, at)
        if start < at:
            known = _known_length(text[start:end])
            if known:
                last = start + known
                further = last < len(text) and text[last] in "/:?#"
                yield start, max(last, address_end(text, last)) if further else last
        found = _DOT.search(text, end)


def _quoted_files(text: str) -> Iterator[Span]:
    """Generate names of files in quotes, which may contain kana and Han."""
    for found in _QUOTED_FILE.finditer(text):
        if found[1].rpartition(".")[2].lower() in _ENDINGS:
            yield found.span(1)


def _known_length(token: str) -> int:
    """Return the length of the domain or file name in a dotted ``token``, up to its last known label."""
    at = len(token)
    capitals = not any(map(str.islower, token))
    while True:
        before = token.rfind(".", 0, at)
        if before <= 0:
            return 0
        # "Example.org-based" and "example.org---which" continue after their domain.
        label = token[before + 1 : at].split("-", 1)[0]
        # A label of two letters, or with one capital, may be the first word of a sentence: "fell.It rose".
        if label.islower() or (capitals and len(label) == 2):
            known = (len(label) == 2 and label.isalpha()) or label.lower() in _ENDINGS
        else:
            known = label in _CAPITALISED_ENDINGS or (label.isupper() and label.lower() in _ENDINGS)
        if known:
            return before + 1 + len(label)
        at = before
