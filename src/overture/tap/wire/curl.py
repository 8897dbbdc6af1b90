"""A call as a cURL command that sends it again. Keys are shell variables."""

import base64
import re
import shlex
from collections.abc import Iterator
from typing import Literal

from ..recorded_call import DRY_RUN, CallWire, Form, RecordedCall
from ..upstreams import load_families, parse_upstream
from .hide_secrets import HIDDEN

Kind = Literal["key", "bearer"]
HOSTS: tuple[tuple[str, str], ...] = (
    ("openrouter.ai", "OPENROUTER_API_KEY"),
    ("x.ai", "XAI_API_KEY"),
    ("deepseek.com", "DEEPSEEK_API_KEY"),
    ("mistral.ai", "MISTRAL_API_KEY"),
    ("groq.com", "GROQ_API_KEY"),
    ("moonshot.ai", "MOONSHOT_API_KEY"),
    ("moonshot.cn", "MOONSHOT_API_KEY"),
    ("kimi.com", "KIMI_API_KEY"),
    ("aliyuncs.com", "DASHSCOPE_API_KEY"),
    ("openai.azure.com", "AZURE_OPENAI_API_KEY"),
    ("githubcopilot.com", "GITHUB_TOKEN"),
    ("models.github.ai", "GITHUB_TOKEN"),
    ("z.ai", "ZAI_API_KEY"),
    ("chatgpt.com", "CODEX_ACCESS_TOKEN"),
    ("ollama.com", "OLLAMA_API_KEY"),
)
"""Hosts that have a key of their own, whatever the form of their requests."""
FORMS: dict[Form, dict[Kind, str]] = {
    "anthropic": {"key": "ANTHROPIC_API_KEY", "bearer": "{ANTHROPIC_AUTH_TOKEN:-$ANTHROPIC_API_KEY}"},
    "openai-chat": {"key": "OPENAI_API_KEY", "bearer": "OPENAI_API_KEY"},
    "openai-responses": {"key": "OPENAI_API_KEY", "bearer": "OPENAI_API_KEY"},
    "gemini": {"key": "GEMINI_API_KEY", "bearer": "GOOGLE_OAUTH_ACCESS_TOKEN"},
    "bedrock": {"key": "AWS_BEARER_TOKEN_BEDROCK", "bearer": "AWS_BEARER_TOKEN_BEDROCK"},
    "ollama": {"key": "OLLAMA_API_KEY", "bearer": "OLLAMA_API_KEY"},
}
"""A key in a header of its own, and one as a bearer token; SDKs of Anthropic send either kind as the latter."""
KEY_NAMES = ("x-api-key", "api-key", "x-goog-api-key", "key", "api_key")
"""Headers, and names in a query, whose value is the provider's key."""
NOT_ALPHANUMERIC = re.compile(r"[^A-Za-z0-9]+")


def find_key_variable(name: str, form: Form, host: str) -> str:
    """The variable that holds what a header, or a value of a query, has hidden: what stands behind a `$`."""
    small = name.lower()
    if small != "authorization" and small not in KEY_NAMES:
        variable = NOT_ALPHANUMERIC.sub("_", name).strip("_").upper()
        return variable if variable[:1].isalpha() else f"HIDDEN_{variable}".rstrip("_")
    bare = host.partition(":")[0].lower()
    own = next((key for end, key in HOSTS if bare == end or bare.endswith(f".{end}")), None)
    return own or FORMS[form]["bearer" if small == "authorization" else "key"]


NOT_SENT = frozenset(
    ("host", "content-length", "content-encoding", "transfer-encoding", "accept-encoding", "connection", "keep-alive",
     "te", "trailer", "upgrade", "expect", "cookie", "proxy-authorization", "proxy-connection", "http2-settings")
)  # fmt: skip
"""Headers of the connection, or set by cURL itself; and cookies, which are not stored."""
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
VALUE = re.compile("[^\x00-\x08\x0a-\x1f\x7f]*")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that no shell takes, or that a terminal interprets: such a body is written in Base64."""
MARKS = re.compile(r"\[hidden\]|\[secret: [^\]]{1,40}\]")
MAX_ARGUMENT_LENGTH = 100_000
"""Bytes of a body that is a word of the command: Linux takes 131,072 in one."""
REGION = re.compile(r"bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com")
SPECIAL = re.compile(r'([\\"$`])')


def make_curl(call: RecordedCall, wire: CallWire) -> str:
    """The command, with its end of line; before it, as comments, what is not in it."""
    first, options = _make_body_options(wire)
    method = [] if wire.method == "POST" else [f"-X {shlex.quote(wire.method)}"]
    command = " \\\n  ".join([_make_url_argument(call, wire), *method, *_make_header_options(call, wire), *options])
    return "".join(f"# {line}\n" for line in _list_notes(wire)) + f"{first}{command}\n"


def make_url(call: RecordedCall, wire: CallWire) -> str:
    """Where the request went; one that no provider was asked, where it would have gone."""
    if not _is_dry_run(wire):
        return f"{wire.scheme}://{call.host}{wire.path}"
    family = load_families()[call.form.partition("-")[0]]
    return f"{parse_upstream(family.upstream)._replace(path='')}{wire.path}"


def _is_dry_run(wire: CallWire) -> bool:
    """Whether no provider was asked."""
    return any(name.lower() == DRY_RUN.lower() for name, _ in wire.response_headers)


def _make_url_argument(call: RecordedCall, wire: CallWire) -> str:
    """The URL of the cURL command, with hidden values as shell variables."""
    url = make_url(call, wire)
    if HIDDEN not in url:
        # Without -g, cURL takes brackets and braces for many addresses.
        return f"curl -sS -g --compressed {shlex.quote(url)}"
    base, _, query = url.partition("?")
    parts = [_write_query_part(part, call) for part in query.split("&")]
    return f'curl -sS -g --compressed "{_escape_quotes(base)}?{"&".join(parts)}"'


def _write_query_part(part: str, call: RecordedCall) -> str:
    """A part of the query; a hidden value is a shell variable."""
    name, equals, value = part.partition("=")
    if value != HIDDEN and part != HIDDEN:
        return _escape_quotes(part)
    if not equals:
        return f"${find_key_variable('key', call.form, call.host)}"
    return f"{_escape_quotes(name)}=${find_key_variable(name, call.form, call.host)}"


def _make_header_options(call: RecordedCall, wire: CallWire) -> Iterator[str]:
    """The headers as options of the cURL command."""
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
        elif _is_sent(small, value):
            yield f"-H {_quote_header(name, value, call)}"
    if "content-type" not in names:
        yield "-H 'Content-Type:'"


def _is_sent(name: str, value: str) -> bool:
    """Whether cURL is to send a header of the call."""
    complete = NAME.fullmatch(name) is not None and VALUE.fullmatch(value) is not None
    return complete and name not in NOT_SENT and not name.startswith("sec-websocket-")


def _quote_header(name: str, value: str, call: RecordedCall) -> str:
    """A header as a word of the cURL command; a key is a shell variable."""
    if value == HIDDEN:
        bearer = "Bearer " if name.lower() == "authorization" else ""
        return f'"{_escape_quotes(name)}: {bearer}${find_key_variable(name, call.form, call.host)}"'
    return shlex.quote(f"{name}: {value}" if value.strip() else f"{name};")


def _is_signed(call: RecordedCall, wire: CallWire) -> bool:
    """Whether the request has Amazon's signature, which cURL then makes anew."""
    return call.form == "bedrock" and any(name.lower() == "x-amz-date" for name, _ in wire.request_headers)


def _make_body_options(wire: CallWire) -> tuple[str, list[str]]:
    """What stands before the command, and its options: a long body comes by a pipe, which has no bound."""
    body, text = wire.body, wire.request or ""
    if wire.request is None:
        return "", ["--data-raw ''"]
    if UNPRINTABLE.search(text):
        packed = base64.encodebytes(body).decode("ascii")
        return f"base64 -d <<'END' |\n{packed}END\n", ["--data-binary @-"]
    if len(body) > MAX_ARGUMENT_LENGTH:
        return f"printf %s {shlex.quote(text)} |\n", ["--data-binary @-"]
    return "", [f"--data-raw {shlex.quote(text)}"]


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
    """A text that may be inside double quotes of a shell."""
    return SPECIAL.sub(r"\\\1", text)
