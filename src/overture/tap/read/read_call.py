"""A request and its answer, as bytes -> Call. What can't be read is said in `missing`; what is no call is None."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...providers.call_content import CallUsage, RequestContent, ResponseContent
from ...providers.provider import load_provider, read_stream
from ...providers.read.pieces import error_of
from ...providers.read.plain_data import Data, a_dict, as_json
from ...providers.which_form import request_form
from ..call import CallPiece, Form, RecordedCall
from ..judge.cache_view import BETAS
from ..wire.hide_secrets import hidden_string
from .diagnosis import diagnosis_text
from .json_values import beginning, clean, clean_data, values_in
from .response_events import ResponseValues, values_of

FAILED = 400
MAX_ERROR_LENGTH = 2_000
MAX_OTHER_LENGTH = 4_000
MAX_TIER_CHARS = 60
HELD = frozenset(
    ("model", "stream", "system", "messages", "tools", "toolConfig", "input", "instructions", "contents", "prompt",
     "systemInstruction", "system_instruction", "request"),
)  # fmt: skip
"""Keys of a request, whatever its form, that a call holds otherwise."""
SESSIONS = (
    "x-claude-code-session-id",
    "x-session-id",
    "session_id",
    "session-id",
    "x-opencode-session",
    "x-conversation-id",
    "conversation_id",
)
"""Headers by which programs name their session, where the body does not."""


class RawExchange(NamedTuple):
    """What was seen of a request and its answer; bodies are as they are after decompressing."""

    id: str
    at: str
    host: str
    path: str
    request: bytes
    status: int = 0
    response: bytes = b""
    method: str = "POST"
    content_type: str = ""
    headers: Mapping[str, str] = {}
    """Of the request, by names in small letters. Only those that name a session or beta features are looked at."""
    run: str = ""
    program: str = ""
    cwd: str = ""
    first_ms: float | None = None
    whole_ms: float | None = None
    error: str = ""
    missing: tuple[str, ...] = ()
    continues: str = ""
    """The answer that the request goes on from, where what came before it stands in it."""
    request_id: str = ""
    """What the provider calls the request, in the headers of its answer."""


def read_call(exchange: RawExchange, without_secrets: Callable[[str], str] = clean) -> RecordedCall | None:
    """The call that was seen, or None where it is no call of a model."""
    body, broken = _body(exchange.request)
    form = request_form(exchange.method, exchange.path, None if broken else body)
    if form is None:
        return None
    # A body that was not kept is said to be missing already: of what stood in it nothing is known.
    request = (
        RequestContent(missing=() if _not_kept(exchange, "request") else (broken,))
        if broken
        else _asked(form, body, exchange.path)
    )
    answer = values_of(exchange.response, exchange.content_type)
    response = _answered(form, answer, exchange.status)
    response = response._replace(missing=()) if _not_kept(exchange, "response") else response
    others = {} if broken else others_of(body, request.settings)
    return cleaned(_call(exchange, form, request, response, others), without_secrets)


def _not_kept(exchange: RawExchange, what: str) -> bool:
    """Whether the body of the request or of the answer passed without being kept."""
    body = exchange.request if what == "request" else exchange.response
    return not body and any(note.startswith((f"{what}:", "request and response:")) for note in exchange.missing)


def _body(request: bytes) -> tuple[Any, str]:
    """The JSON of a request, or what is wrong with it."""
    values = list(values_in(request.decode("utf-8", "replace").removeprefix("\ufeff")))
    if len(values) == 1 and isinstance(values[0], dict):
        return values[0], ""
    broken = values and isinstance(values[-1], str) and not request.lstrip().startswith(b'"')
    why = values[-1] if broken else "is no JSON object"
    return None, f"the request's body {why}: what it says is not known"


def _asked(form: Form, body: Any, path: str) -> RequestContent:
    try:
        return load_provider(form).read_request(body, path.partition("?")[0])
    except RecursionError:
        return RequestContent(missing=("the request's body nests deeper than can be read",))


def _answered(form: Form, answer: ResponseValues, status: int) -> ResponseContent:
    """What the answer says; an error by its own words."""
    if status >= FAILED:
        return ResponseContent(error=error_of(next(iter(answer.values), {})), missing=answer.missing)
    if not answer.values:
        nothing = ("no answer was recorded",) if not answer.missing else ()
        return ResponseContent(missing=(*answer.missing, *nothing))
    provider = load_provider(form)
    try:
        complete = provider.read_response(a_dict(answer.values[0])) if not answer.stream else None
        response = read_stream(provider, answer.events) if complete is None else complete
    except RecursionError:
        return ResponseContent(missing=("the answer nests deeper than can be read",))
    return response._replace(missing=(*answer.missing, *response.missing))


def _call(
    exchange: RawExchange, form: Form, request: RequestContent, response: ResponseContent, others: dict[str, str]
) -> RecordedCall:
    body = exchange.response.decode("utf-8", "replace") if exchange.status >= FAILED else ""
    return RecordedCall(
        id=exchange.id,
        at=exchange.at,
        form=form,
        host=exchange.host,
        path=without_key(exchange.path),
        model=request.model or response.model,
        status=exchange.status,
        pieces=request.pieces,
        run=exchange.run,
        program=exchange.program,
        cwd=exchange.cwd,
        stream=request.stream,
        first_ms=exchange.first_ms,
        whole_ms=exchange.whole_ms,
        reply=response.text,
        calls=response.call_names,
        stop=request.stop or response.stop,
        usage=read_usage(form, response.data),
        diagnosis=diagnosis_text(response.diagnosis, others),
        error=exchange.error or response.error or body or None,
        missing=(*exchange.missing, *request.missing, *response.missing),
        key=request.key or next((exchange.headers[name] for name in SESSIONS if exchange.headers.get(name)), ""),
        settings={**request.settings, **_betas(exchange.headers)},
        others=others,
        reply_id=response.id,
        continues=exchange.continues or request.continues,
        request_id=exchange.request_id,
    )


def read_usage(form: Form, response: Data) -> CallUsage | None:
    """The tokens of a response, with texts that are clean; None where it says nothing of them."""
    usage = load_provider(form).read_usage(response)
    if usage is None:
        return None
    return replace(usage, raw=clean_data(usage.raw), tier=clean(usage.tier[:MAX_TIER_CHARS]).lower())


def _betas(headers: Mapping[str, str]) -> dict[str, str]:
    """The beta features that a request asks for, in whatever order: a cache may look at them."""
    named = sorted({each.strip() for each in headers.get(BETAS, "").split(",")} - {""})
    return {BETAS: as_json(", ".join(named))} if named else {}


def without_key(path: str) -> str:
    """A path without its query, in which keys are sent."""
    return path.partition("?")[0]


def cleaned(call: RecordedCall, without_secrets: Callable[[str], str] = clean) -> RecordedCall:
    """The same without secrets in any of its texts."""
    pieces = tuple(_cleaned(piece, without_secrets) for piece in call.pieces)
    words = {
        name: clean(getattr(call, name))
        for name in ("path", "model", "reply", "stop", "key", "reply_id", "continues", "request_id")
    }
    return replace(
        call,
        pieces=pieces,
        calls=tuple(map(clean, call.calls)),
        diagnosis=clean(call.diagnosis) if call.diagnosis else None,
        error=clean(beginning(call.error, MAX_ERROR_LENGTH)) if call.error else None,
        settings={name: clean(value) for name, value in call.settings.items()},
        others={clean(name): _named(name, value) for name, value in call.others.items()},
        missing=tuple(map(clean, call.missing)),
        **words,
    )


def _named(name: str, value: str) -> str:
    """A value as JSON, without secrets; its name may tell that it is one."""
    if not value.startswith('"'):
        return clean(value)
    return '"' + hidden_string(value[1:], f'"{name}":"', clean)


def _cleaned(piece: CallPiece, without_secrets: Callable[[str], str]) -> CallPiece:
    name, text = clean(piece.name), without_secrets(piece.text)
    return piece if name == piece.name and text is piece.text else replace(piece, name=name, text=text)


def others_of(body: Data, settings: Mapping[str, str]) -> dict[str, str]:
    """What else a request says, each as JSON: all but what its pieces hold, and the settings that a cache looks at."""
    return {name: _other(value) for name, value in body.items() if name not in HELD and name not in settings}


def _other(value: Any) -> str:
    try:
        text = as_json(value)
    except RecursionError:
        return "… (nested deeper than can be read)"
    return text if len(text) <= MAX_OTHER_LENGTH else f"{beginning(text, MAX_OTHER_LENGTH)}… ({len(text):,} characters)"
