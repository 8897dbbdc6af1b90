"""A request and its response, as bytes without keys -> the call, or None if it is no call; and how it is kept.

`missing` lists what can't be read.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec.structs import replace

from ...model.struct import Frozen, note
from ...providers.detect_provider import load_provider, read_stream, request_form
from ...providers.parsed_call import CallUsage, RequestContent, ResponseContent
from ...providers.read.pieces_and_calls import error_of
from ...providers.read.plain_data import Data, a_dict, encode_canonical_json
from ...text.normalize import decode_any_bytes
from ..recorded_call import BETAS, DRY_RUN, CallWire, Form, Header, RecordedCall, Run, describe_diagnosis
from .decode_bodies import ResponseValues, UnpackedBody, decode_response, decode_values, unpack
from .hide_secrets import (
    Headers,
    clean,
    clean_call,
    clean_data,
    find_credentials,
    hide_headers,
    hide_path,
    remove_values,
    truncate_text,
)


class Bodies(NamedTuple):
    """The bodies of the request and the response, unpacked."""

    request: UnpackedBody
    response: UnpackedBody


Ended = Literal["whole", "client went", "upstream went", "upstream down", "upgraded", "unreadable"]


class RawCall(Frozen, frozen=True):
    """One request and its response. Bodies are as on the wire, without chunks; `encoding` names their encoding.

    A call over WebSocket has the form that it would have over HTTP.
    """

    at: Annotated[str, note("when the request came, ISO 8601 with offset")]
    family: Annotated[str, note("anthropic, openai, gemini, ollama, bedrock")]
    host: Annotated[str, note("the upstream, with its port unless it is the default")]
    method: str
    path: Annotated[str, note("as sent upstream; values of the query are hidden unless they are known to be harmless")]
    request_headers: Annotated[tuple[Header, ...], note("in order; what may be a key or a cookie is hidden")]
    ended: Ended
    request: bytes = b""
    status: Annotated[int, note("0: no response")] = 0
    response_headers: tuple[Header, ...] = ()
    response: bytes = b""
    first_ms: Annotated[float | None, note("from the request's head to the first byte of the response")] = None
    whole_ms: float | None = None
    missing: Annotated[tuple[str, ...], note("what could not be kept, and why")] = ()
    hide: Annotated[Callable[[bytes], bytes], note("removes keys from a body after it is decoded")] = bytes
    continues: Annotated[str, note("by WebSocket: id of the response that it continues")] = ""
    scheme: Annotated[str, note("of the upstream")] = "https"
    websocket: Annotated[bool, note("sent by WebSocket")] = False
    problem: Annotated[str, note("why there is no response")] = ""

    @property
    def encoding(self) -> str:
        """The encoding of the response's body: gzip, br, …; empty if it is plain."""
        return self.get_header("content-encoding")

    def get_header(self, name: str) -> str:
        """A header of the raw call's response."""
        return next((value for each, value in self.response_headers if each.lower() == name), "")


def make_raw_call(
    target: bytes, request_headers: Headers, request: bytes, response_headers: Headers, response: bytes, **more: Any
) -> RawCall:
    """A raw call without keys, even if the response repeats one."""
    secrets = find_credentials(request_headers, target)
    return RawCall(
        path=hide_path(remove_values(target, secrets)), request_headers=hide_headers(request_headers, secrets),
        request=remove_values(request, secrets),
        response_headers=hide_headers(response_headers, secrets), response=remove_values(response, secrets),
        hide=lambda body: remove_values(body, secrets), **more,
    )  # fmt: skip


def unpack_bodies(raw_call: RawCall) -> Bodies:
    """The bodies of a raw call."""
    encoding = next((value for name, value in raw_call.request_headers if name.lower() == "content-encoding"), "")
    request_body = _unpack_body(raw_call, raw_call.request, encoding, "request")
    return Bodies(request_body, _unpack_body(raw_call, raw_call.response, raw_call.encoding, "response"))


def _unpack_body(raw_call: RawCall, body: bytes, encoding: str, what: str) -> UnpackedBody:
    """A body without the request's keys: while it was packed, they could not be found in it."""
    found = unpack(body, encoding, what)
    return found._replace(body=raw_call.hide(found.body)) if encoding else found


def make_wire(raw_call: RawCall, request_body: UnpackedBody) -> CallWire:
    """The wire; the store hides secrets in its body."""
    return CallWire(
        method=raw_call.method,
        path=raw_call.path,
        scheme=raw_call.scheme,
        request_headers=raw_call.request_headers,
        response_headers=raw_call.response_headers,
        over="websocket" if raw_call.websocket else "http",
        request=decode_any_bytes(request_body.body) if request_body.body else None,
    )


# A raw call -> the call.


FAILED = 400
MAX_OTHER_LENGTH = 4_000
MAX_TIER_CHARS = 60
TOO_DEEP = "the response is nested too deeply"
HELD_KEYS = frozenset(
    ("model", "stream", "system", "messages", "tools", "toolConfig", "input", "instructions", "contents", "prompt",
     "systemInstruction", "system_instruction", "request"),
)  # fmt: skip
"""Keys of a request, whatever its form, that a call holds otherwise."""
SESSION_HEADERS = (
    "x-claude-code-session-id",
    "x-session-id",
    "session_id",
    "session-id",
    "x-opencode-session",
    "x-conversation-id",
    "conversation_id",
)
"""Headers by which programs name their session, where the body does not."""


ENDS = {
    "client went": "the program disconnected before the response was complete",
    "upstream went": "the provider disconnected before its response was complete",
    "upgraded": "it switched to another protocol, which is not recorded",
    "unreadable": "the rest of the response could not be read",
}
"""How an incomplete raw call ended, in words."""


def read_call_and_wire(raw_call: RawCall, id: str, run: Run) -> tuple[RecordedCall, CallWire] | None:
    """The call, without secrets, and how it was on the wire; None if it is no request to a model."""
    bodies = unpack_bodies(raw_call)
    call = read_recorded_call(raw_call, id, run, bodies)
    return None if call is None else (call, make_wire(raw_call, bodies.request))


def read_recorded_call(raw_call: RawCall, id: str, run: Run, bodies: Bodies | None = None) -> RecordedCall | None:
    """The call, without secrets; None if it is no request to a model."""
    request_body, response_body = bodies or unpack_bodies(raw_call)
    body, broken = _decode_body(request_body.body)
    form = request_form(raw_call.method, raw_call.path, None if broken else body)
    if form is None:
        return None
    answer = decode_response(response_body.body, raw_call.get_header("content-type"))
    # An SDK may close the connection at a stream's last event: OpenAI's does at `[DONE]`.
    is_whole = raw_call.ended == "client went" and answer.is_done
    end = "" if is_whole else ENDS.get(raw_call.ended, "")
    # `notes` already lists a dropped body as missing, and nothing is known of its contents.
    missing = (*raw_call.missing, request_body.missing, response_body.missing, end)
    notes = tuple(filter(None, missing))
    request = (
        RequestContent(missing=() if _is_dropped(request_body.body, "request", notes) else (broken,))
        if broken
        else _read_request(form, body, raw_call.path)
    )
    response = _read_response(form, answer, raw_call.status)
    response = response._replace(missing=()) if _is_dropped(response_body.body, "response", notes) else response
    if raw_call.status >= FAILED and not response.error:
        response = response._replace(error=response_body.body.decode("utf-8", "replace"))
    others = {} if broken else collect_other_settings(body, request.settings)
    try:
        call = _make_call(raw_call, form, request, response, others)
    except RecursionError:  # its token counts, or what it says of the cache
        call = _make_call(raw_call, form, request, ResponseContent(missing=(TOO_DEEP,)), others)
    call = replace(call, id=id, run=run.id, program=run.program, cwd=run.cwd, missing=(*notes, *call.missing))
    return clean_call(call)


def _is_dropped(body: bytes, what: str, missing: tuple[str, ...]) -> bool:
    """Whether the body of the request or of the answer passed without being kept."""
    return not body and any(note.startswith((f"{what}:", "request and response:")) for note in missing)


def _decode_body(request: bytes) -> tuple[Any, str]:
    """The JSON of a request, or what is wrong with it."""
    values, problem = decode_values(request.decode("utf-8", "replace").removeprefix("\ufeff"))
    if len(values) == 1 and isinstance(values[0], dict) and not problem:
        return values[0], ""
    return None, f"the request's body {problem or 'is not a JSON object'}: its content is unknown"


def _read_request(form: Form, body: Any, path: str) -> RequestContent:
    """The content of a request, by the provider's form."""
    try:
        return load_provider(form).read_request(body, path.partition("?")[0])
    except RecursionError:
        return RequestContent(missing=("the request's body is nested too deeply",))


def _read_response(form: Form, answer: ResponseValues, status: int) -> ResponseContent:
    """The content of the response; an error has the provider's words."""
    if status >= FAILED:
        return ResponseContent(error=error_of(next(iter(answer.values), {})), missing=answer.missing)
    if not answer.values:
        nothing = ("no response was recorded",) if not answer.missing else ()
        return ResponseContent(missing=(*answer.missing, *nothing))
    provider = load_provider(form)
    try:
        complete = provider.read_response(a_dict(answer.values[0])) if not answer.stream else None
        response = read_stream(provider, answer.events) if complete is None else complete
    except RecursionError:
        return ResponseContent(missing=(TOO_DEEP,))
    return response._replace(missing=(*answer.missing, *response.missing))


def _make_call(
    raw_call: RawCall, form: Form, request: RequestContent, response: ResponseContent, others: dict[str, str]
) -> RecordedCall:
    headers = {name.lower(): value for name, value in raw_call.request_headers}
    dry_run = bool(raw_call.get_header(DRY_RUN.lower()))
    return RecordedCall(
        id="",
        at=raw_call.at,
        form=form,
        host=raw_call.host,
        path=raw_call.path.partition("?")[0],  # keys are sent in queries
        model=request.model or response.model,
        status=raw_call.status,
        pieces=request.pieces,
        stream=request.stream,
        first_ms=raw_call.first_ms,
        whole_ms=raw_call.whole_ms,
        reply=response.text,
        calls=response.call_names,
        stop=request.stop or response.stop,
        usage=None if dry_run else read_call_usage(form, response.data),
        diagnosis=describe_diagnosis(response.diagnosis, others),
        error=raw_call.problem or response.error or None,
        missing=(*request.missing, *response.missing),
        key=request.key or next((headers[name] for name in SESSION_HEADERS if headers.get(name)), ""),
        settings={**request.settings, **_read_betas(headers)},
        others=others,
        reply_id=response.id,
        continues=raw_call.continues or request.continues,
        request_id=raw_call.get_header("request-id"),
        dry_run=dry_run,
    )


def read_call_usage(form: Form, response: Data) -> CallUsage | None:
    """The token usage of a response, with clean texts; None if it has none."""
    usage = load_provider(form).read_usage(response)
    if usage is None:
        return None
    return replace(usage, raw=clean_data(usage.raw), tier=clean(usage.tier[:MAX_TIER_CHARS]).lower())


def _read_betas(headers: Mapping[str, str]) -> dict[str, str]:
    """The beta features that a request asks for, in whatever order: a cache may look at them."""
    named = sorted({each.strip() for each in headers.get(BETAS, "").split(",")} - {""})
    return {BETAS: encode_canonical_json(", ".join(named))} if named else {}


def collect_other_settings(body: Data, settings: Mapping[str, str]) -> dict[str, str]:
    """The other fields of a request, each as JSON: all but its pieces and the settings that a cache compares."""
    return {
        name: _encode_other(value) for name, value in body.items() if name not in HELD_KEYS and name not in settings
    }


def _encode_other(value: Any) -> str:
    """A setting of the request as text, unless it is nested too deeply."""
    try:
        text = encode_canonical_json(value)
    except RecursionError:
        return "… (nested too deeply)"
    return (
        text
        if len(text) <= MAX_OTHER_LENGTH
        else f"{truncate_text(text, MAX_OTHER_LENGTH)}… ({len(text):,} characters)"
    )
