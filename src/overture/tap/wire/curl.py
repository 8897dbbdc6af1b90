"""A call as a cURL command that sends it again. Keys are shell variables."""

import re
import shlex
from collections.abc import Iterator

from ..recorded_call import DRY_RUN, CallWire, Form, RecordedCall
from ..upstreams import load_families, parse_upstream
from .hide_secrets import HIDDEN

KEY_VARIABLES: dict[Form, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai-chat": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "bedrock": "AWS_BEARER_TOKEN_BEDROCK",
    "ollama": "OLLAMA_API_KEY",
}
BEARER_VARIABLES = {"anthropic": "{ANTHROPIC_AUTH_TOKEN:-$ANTHROPIC_API_KEY}", "gemini": "GOOGLE_OAUTH_ACCESS_TOKEN"}
"""Where a bearer token has another variable. SDKs of Anthropic send either kind of key as one."""
KEY_NAMES = ("x-api-key", "api-key", "x-goog-api-key", "key", "api_key")
"""Headers, and names in a query, whose value is the provider's key."""
NOT_SENT = frozenset(
    ("host", "content-length", "content-encoding", "transfer-encoding", "accept-encoding", "connection", "keep-alive",
     "te", "trailer", "upgrade", "expect", "cookie", "proxy-authorization", "proxy-connection", "http2-settings")
)  # fmt: skip
"""Headers of the connection, or set by cURL itself; and cookies, which are not stored."""
NOT_SENT_PREFIXES = ("sec-websocket-", "x-amz-")
"""The second are those of Amazon's signature, which is of the old time and can't be made by hand."""
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
VALUE = re.compile("[^\x00-\x08\x0a-\x1f\x7f]*")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that no shell takes, or that a terminal interprets."""
MARKS = re.compile(r"\[hidden\]|\[secret: [^\]]{1,40}\]")
MAX_ARGUMENT_LENGTH = 100_000
"""Bytes of a body that is a word of the command: Linux takes 131,072 in one."""
SPECIAL = re.compile(r'([\\"$`])')


def make_curl(call: RecordedCall, wire: CallWire) -> str:
    """The command, with its end of line; before it, as comments, what is not in it."""
    before, body = _make_body_option(call, wire)
    method = [] if wire.method == "POST" else [f"-X {shlex.quote(wire.method)}"]
    command = " \\\n  ".join([_make_url_argument(call, wire), *method, *_make_header_options(call, wire), body])
    return "".join(f"# {line}\n" for line in _list_notes(wire)) + f"{before}{command}\n"


def make_url(call: RecordedCall, wire: CallWire) -> str:
    """Where the request went; of a dry run, where it would have gone."""
    if not _is_dry_run(wire):
        return f"{wire.scheme}://{call.host}{wire.path}"
    family = load_families()[call.form.partition("-")[0]]
    return f"{parse_upstream(family.upstream)._replace(path='')}{wire.path}"


def _is_dry_run(wire: CallWire) -> bool:
    return any(name.lower() == DRY_RUN.lower() for name, _ in wire.response_headers)


def _find_variable(name: str, form: Form) -> str:
    """The variable that holds what a header, or a value of a query, has hidden: what stands behind a `$`."""
    if name.lower() == "authorization":
        return BEARER_VARIABLES.get(form, KEY_VARIABLES[form])
    if name.lower() in KEY_NAMES:
        return KEY_VARIABLES[form]
    variable = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()
    return variable if variable[:1].isalpha() else f"HIDDEN_{variable}".rstrip("_")


def _make_url_argument(call: RecordedCall, wire: CallWire) -> str:
    """The URL of the cURL command, with hidden values as shell variables."""
    url, start = make_url(call, wire), "curl -sS -g --compressed"
    if HIDDEN not in url:
        # Without -g, cURL takes brackets and braces for many addresses.
        return f"{start} {shlex.quote(url)}"
    base, _, query = url.partition("?")
    parts = []
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if HIDDEN not in (value, part):
            parts.append(_escape_quotes(part))
        else:
            parts.append(f"{_escape_quotes(name) if equals else ''}{equals}${_find_variable(name, call.form)}")
    return f'{start} "{_escape_quotes(base)}?{"&".join(parts)}"'


def _make_header_options(call: RecordedCall, wire: CallWire) -> Iterator[str]:
    """The headers as options of the cURL command; a key is a shell variable."""
    for name, value in wire.request_headers:
        is_complete = NAME.fullmatch(name) is not None and VALUE.fullmatch(value) is not None
        if not is_complete or name.lower() in NOT_SENT or name.lower().startswith(NOT_SENT_PREFIXES):
            continue
        if value == HIDDEN:
            bearer = "Bearer " if name.lower() == "authorization" else ""
            yield f'-H "{_escape_quotes(name)}: {bearer}${_find_variable(name, call.form)}"'
        else:
            yield f"-H {shlex.quote(f'{name}: {value}' if value.strip() else f'{name};')}"
    if not any(name.lower() == "content-type" for name, _ in wire.request_headers):
        yield "-H 'Content-Type:'"


def _make_body_option(call: RecordedCall, wire: CallWire) -> tuple[str, str]:
    """What stands before the command, and the option of its body: a long body comes by a pipe, which has no bound."""
    text = wire.request or ""
    if UNPRINTABLE.search(text):
        return f"overture tap show {call.id} --request |\n", "--data-binary @-"
    if len(wire.body) > MAX_ARGUMENT_LENGTH:
        return f"printf %s {shlex.quote(text)} |\n", "--data-binary @-"
    return "", f"--data-raw {shlex.quote(text)}"


def _list_notes(wire: CallWire) -> Iterator[str]:
    """What is not in the cURL command, as comments before it."""
    if wire.over == "websocket":
        yield "This was sent by WebSocket; here is the same request over HTTP."
    if _is_dry_run(wire):
        yield "This was a dry run; the command calls the provider."
    if wire.request is None:
        yield "The request's body was not recorded, so this sends none."
    hidden = sorted(set(MARKS.findall(wire.request or "")))
    if hidden:
        yield f"Not exactly as sent: {', '.join(hidden)} replaces what was hidden in the body."
    if any(name.lower() == "cookie" for name, _ in wire.request_headers):
        yield "It was sent with a cookie, which was not recorded."


def _escape_quotes(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)
