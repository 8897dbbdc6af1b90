"""Secrets are found by their shape, by what stands before them, and in Base64 or behind escapes."""

import re
from collections.abc import Iterator
from itertools import chain

from ..lazy_pattern import compile_on_use
from .contexts import find_by_context
from .decode import MAX_DEPTH, find_base64, unescape
from .false_positives import (
    KIND_OF_NAME,
    holds_key,
    is_hex_key,
    is_in_example,
    is_likely_key,
    is_likely_password,
    is_likely_random,
    is_signed_token,
)
from .find import VAGUE, Secret, may_hold_secret
from .shapes import (
    BESIDE,
    FURTHER,
    KEY_LINES,
    KEY_OF,
    MAILGUN,
    MAX_PRIVATE_KEY_CHARS,
    MAX_VALUE_CHARS,
    NAMES,
    NEAR,
    OPTION,
    REST,
    SETTING,
    SHAPES,
    SecretShape,
    near_runs,
)

COUNTED = ("secret", "token", "key")
WEAK = frozenset((*VAGUE, "cookie", "password hash", "user and password"))
"""Kinds that nothing but their place tells."""


def search_secrets(text: str, *, by_shape: bool) -> Iterator[Secret]:
    """What is a secret in a text in Base64, as it stands, and without its escapes; some may overlap.

    `by_shape` is what `may_hold_secret` says.
    """
    yield from _find_in_base64(text)
    if by_shape:
        yield from _leave_out_examples(text)
    if "\\" in text:
        yield from _find_in_escapes(text)


def _find_in_escapes(text: str) -> Iterator[Secret]:
    """The secrets of a text without its escapes, at their places with them."""
    bare = unescape(text)
    if bare is not None:
        for start, end, kind in _find_by_shape(bare.text):
            yield Secret(*bare.place(start, end), kind)


def _find_by_shape(text: str) -> Iterator[Secret]:
    """What has the shape or the place of a secret, in a text that was not looked at yet."""
    if may_hold_secret(text):
        yield from _leave_out_examples(text)


def _leave_out_examples(text: str) -> Iterator[Secret]:
    """What has the shape or the place of a secret, but not what its line calls an example."""
    for secret in _find_candidates(text):
        if secret.kind not in WEAK or not is_in_example(text, secret.start, secret.end):
            yield secret


def _find_candidates(text: str) -> Iterator[Secret]:
    near = near_runs(text)
    for shape in SHAPES:
        for anchor in shape.anchors:
            if anchor in (near if shape.holds_run else text):
                yield from _find_shape(text, shape, anchor)
    if MAILGUN.search(near):
        yield from (Secret(*m.span(), "Mailgun key") for m in MAILGUN.finditer(text) if is_likely_key(m[0], 16))
    yield from _find_in_settings(text)
    yield from (Secret(*each) for each in find_by_context(text))


def _find_in_base64(text: str, depth: int = MAX_DEPTH) -> Iterator[Secret]:
    """Texts in Base64 that hold a secret, each as a whole, by the kind of the first."""
    for start, end, decoded in find_base64(text):
        inner = next(chain(_find_by_shape(decoded), _find_in_base64(decoded, depth - 1)), None) if depth else None
        if inner is not None:
            yield Secret(start, end, inner.kind)


def _find_shape(text: str, shape: SecretShape, anchor: str) -> Iterator[Secret]:
    """What has a shape from an anchor on, and is likely to be a secret."""
    blocks, pattern = True, shape.pattern
    at = text.find(anchor, shape.chars_before)
    while at >= 0:
        secret = None
        if (match := pattern.match(text, at - shape.chars_before)) is not None:
            if shape.kind == "private key":
                end = _end_of_block(text, match.end(), blocks)
                blocks = blocks and end is not None
                secret = _make_key_block(match, end or _end_of_lines(text, match.end()))
            else:
                secret = _check_match(match, shape.kind)
        if secret is not None:
            yield secret
            yield from _find_beside(text, secret.end) if shape.kind == "AWS access key" else ()
        # What stands for a secret may have one inside.
        at = text.find(anchor, secret.end if secret else at + 1)


def _check_match(match: re.Match[str], kind: str) -> Secret | None:
    """What has a secret's shape, unless it stands for one."""
    group = "v" if "v" in match.re.groupindex else 0
    value = match[group]
    if kind == "password in a URL":
        known = is_likely_password(value)
    elif kind == "bearer token":
        known = is_likely_key(value, 20, mixed=True)
    else:
        known = is_likely_key(value, 16) and (kind != "JWT" or is_signed_token(value))
    return Secret(*match.span(group), kind) if known else None


def _make_key_block(match: re.Match[str], end: int) -> Secret | None:
    return Secret(match.start(), end, "private key") if holds_key(match.string[match.end() : end]) else None


def _find_in_settings(text: str) -> Iterator[Secret]:
    """Values of settings whose names tell that they are secret."""
    low = text.lower()
    if len(low) != len(text):
        low = LETTERS.sub(lambda m: m[0].lower(), text)  # some letters of other scripts become two
    for name in NAMES:
        at = low.find(name)
        while at >= 0:
            match, end = SETTING.match(text, at), at
            for secret in _find_assigned_values(match, low[max(0, at - 24) : at]) if match else ():
                yield secret
                end = secret.end
            at = low.find(name, max(at + 1, end))


def _find_assigned_values(match: re.Match[str], before: str) -> Iterator[Secret]:
    """The value behind a name, and those that follow it in a list."""
    name = match["name"].lower()
    if name == "key" and not KEY_OF.search(before):
        return
    if name == "token" and PUBLIC_TOKEN.search(before):
        return
    if match["v"].startswith(":"):
        return  # a name with two colons, as programs have
    if match["sign"].isspace() and not OPTION.search(before):
        return
    if match["several"] and not match["list"] and name in COUNTED:
        return  # one value under `tokens`, `keys` or `secrets` is a number, a digest or a way of dealing with them
    if not match["quote"] and (match["next"] in ("(", "{") or before.endswith(":") or CODE.match(match["v"])):
        return  # a call, a place to be filled in, a part of a longer name, a type
    found: re.Match[str] | None = match
    while found is not None:
        if _is_secret_value(found["v"], name, match):
            rest = REST.match(match.string, found.end("v")) if len(found["v"]) == MAX_VALUE_CHARS else None
            end = rest.end() if rest else found.end("v")
            yield Secret(found.start("v"), end, KIND_OF_NAME.get(name.lstrip("_")[:4], "API key"))
        found = FURTHER.match(match.string, found.end("v")) if match["list"] else None


def _is_secret_value(value: str, name: str, match: re.Match[str]) -> bool:
    """Whether a value is one that its name calls a secret: a variable of the environment may be shorter."""
    if IDENTIFIER.fullmatch(value) and name.strip("_") in value.lower():
        return False  # `password=neo4j_password`: a variable of a program
    is_variable = match["name"].isupper() and match["sign"] == "="
    if name.startswith("passw") or name in ("passphrase", "_pass", "pwd"):
        return len(value) >= (6 if is_variable else 10) and is_likely_password(value)
    return is_likely_key(value, 15 if is_variable else 16, mixed=True) or (is_variable and is_hex_key(value))


IDENTIFIER = compile_on_use(r"[A-Za-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+[0-9]?(?:[A-Z][a-z]+[0-9]?)+")
PUBLIC_TOKEN = compile_on_use(r"(?:link|page|next|continuation|cursor|sync|invite|share|public|publishable)[_-]?\Z")
"""Before `token`: one that everybody gets who sees the page or the link."""
LETTERS = compile_on_use("[A-Z]+")
CODE = compile_on_use(r"(?!s\.[A-Za-z0-9]{24}\b)[A-Za-z_]\w*[\[.]")
"""`typing.Optional[…]`, `settings.password_2`: a value in a program. `s.` begins a token of Vault, too."""


def _find_beside(text: str, at: int) -> Iterator[Secret]:
    found = BESIDE.search(text, at, at + NEAR + 41)
    if found and (is_likely_key(found[0], 40, mixed=True) or is_likely_random(found[0])):
        yield Secret(*found.span(), "AWS secret key")


def _end_of_block(text: str, at: int, blocks: bool) -> int | None:
    """Where the line ends that ends a key block."""
    start = text.find("-----END ", at) if blocks else -1
    end = text.find("-----", start + 9) if start >= 0 else -1
    return end + 5 if 0 <= end < at + MAX_PRIVATE_KEY_CHARS else None


def _end_of_lines(text: str, at: int) -> int:
    """Where a key block ends that has no such line: with the last of its letters."""
    found = KEY_LINES.match(text, at, at + MAX_PRIVATE_KEY_CHARS)
    return at + len(found[0].rstrip()) if found else at
