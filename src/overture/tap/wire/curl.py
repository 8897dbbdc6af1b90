"""A call as a cURL command that sends its request again. Keys are variables of the shell, for they were not kept."""

import base64
import re
import shlex
from collections.abc import Iterator

from ..call import Call
from .call_wire import CallWire
from .key_variables import HIDDEN, OWN, variable_of

NOT_SENT = frozenset(
    ("host", "content-length", "content-encoding", "transfer-encoding", "accept-encoding", "connection", "keep-alive",
     "te", "trailer", "upgrade", "expect", "cookie", "proxy-authorization", "proxy-connection", "http2-settings")
)  # fmt: skip
"""Of the connection alone, or made anew by cURL; and cookies, which are not kept."""
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
VALUE = re.compile("[^\x00-\x08\x0a-\x1f\x7f]*")
ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""What no shell takes, or a terminal would obey: such a body is told in Base64."""
MARKS = re.compile(r"\[hidden\]|\[secret: [^\]]{1,40}\]")
MOST_IN_WORD = 100_000
"""Bytes of a body that is a word of the command: Linux takes 131,072 in one."""
REGION = re.compile(r"bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com")
DRY_RUN = "overture-dry-run"
SPECIAL = re.compile(r'([\\"$`])')


def curl_text(call: Call, wire: CallWire) -> str:
    """The command, with its end of line; before it, as comments, what is not in it."""
    first, options = _body(wire)
    lines = [_asked(call, wire), *_method(wire), *_headers(call, wire), *options]
    command = " \\\n  ".join(lines)
    return "".join(f"# {line}\n" for line in _notes(wire)) + f"{first}{command}\n"


def url_of(call: Call, wire: CallWire) -> str:
    """Where the request went; one that no provider was asked, where it would have gone."""
    if any(name.lower() == DRY_RUN for name, _ in wire.response_headers):
        return OWN[call.form] + wire.path
    return f"{wire.scheme}://{call.host}{wire.path}"


def _asked(call: Call, wire: CallWire) -> str:
    url = url_of(call, wire)
    if HIDDEN not in url:
        # Without -g, cURL takes brackets and braces for many addresses.
        return f"curl -sS -g --compressed {shlex.quote(url)}"
    base, _, query = url.partition("?")
    parts = [_value_of_query(part, call) for part in query.split("&")]
    return f'curl -sS -g --compressed "{_within_quotes(base)}?{"&".join(parts)}"'


def _value_of_query(part: str, call: Call) -> str:
    name, equals, value = part.partition("=")
    if value != HIDDEN and part != HIDDEN:
        return _within_quotes(part)
    if not equals:
        return f"${variable_of('key', call.form, call.host)}"
    return f"{_within_quotes(name)}=${variable_of(name, call.form, call.host)}"


def _method(wire: CallWire) -> list[str]:
    return [] if wire.method == "POST" else [f"-X {shlex.quote(wire.method)}"]


def _headers(call: Call, wire: CallWire) -> Iterator[str]:
    signed = _is_signed(call, wire)
    if signed:
        region = REGION.search(call.host)
        yield f'--aws-sigv4 "aws:amz:{region[1] if region else "us-east-1"}:bedrock"'
        yield '--user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"'
    names = set()
    for name, value in wire.request_headers:
        small = name.lower()
        names.add(small)
        if signed and (small == "authorization" or small.startswith("x-amz-")):
            if small == "x-amz-security-token":
                yield f'-H "{name}: $AWS_SESSION_TOKEN"'
        elif _goes(small, value):
            yield f"-H {_header(name, value, call)}"
    if "content-type" not in names:
        yield "-H 'Content-Type:'"


def _goes(name: str, value: str) -> bool:
    whole = NAME.fullmatch(name) is not None and VALUE.fullmatch(value) is not None
    return whole and name not in NOT_SENT and not name.startswith("sec-websocket-")


def _header(name: str, value: str, call: Call) -> str:
    if value == HIDDEN:
        bearer = "Bearer " if name.lower() == "authorization" else ""
        return f'"{_within_quotes(name)}: {bearer}${variable_of(name, call.form, call.host)}"'
    return shlex.quote(f"{name}: {value}" if value.strip() else f"{name};")


def _is_signed(call: Call, wire: CallWire) -> bool:
    return call.form == "bedrock" and any(name.lower() == "x-amz-date" for name, _ in wire.request_headers)


def _body(wire: CallWire) -> tuple[str, list[str]]:
    """What stands before the command, and its options: a long body comes by a pipe, which has no bound."""
    body, text = wire.body, wire.request or ""
    if wire.request is None:
        return "", ["--data-raw ''"]
    if ODD.search(text):
        packed = base64.encodebytes(body).decode("ascii")
        return f"base64 -d <<'END' |\n{packed}END\n", ["--data-binary @-"]
    if len(body) > MOST_IN_WORD:
        return f"printf %s {shlex.quote(text)} |\n", ["--data-binary @-"]
    return "", [f"--data-raw {shlex.quote(text)}"]


def _notes(wire: CallWire) -> Iterator[str]:
    if wire.over == "websocket":
        yield "It went by WebSocket; this is the same request over HTTP."
    if any(name.lower() == DRY_RUN for name, _ in wire.response_headers):
        yield "No provider was asked (--dry-run); this asks one."
    if wire.request is None:
        yield "The request's body was not kept, so this sends none."
    hidden = sorted(set(MARKS.findall(wire.request or "")))
    if hidden:
        yield f"Not as it was sent: {', '.join(hidden)} stands for what was hidden in the body."
    if any(name.lower() == "cookie" for name, _ in wire.request_headers):
        yield "It was sent with a cookie, which was not kept."


def _within_quotes(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)
