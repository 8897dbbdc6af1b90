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


def read_call(seen: RawExchange, without_secrets: Callable[[str], str] = clean) -> RecordedCall | None:
    """The call that was seen, or None where it is no call of a model."""
    body, broken = _body(seen.request)
    form = request_form(seen.method, seen.path, None if broken else body)
    if form is None:
        return None
    # A body that was not kept is said to be missing already: of what stood in it nothing is known.
    asked = (
        RequestContent(missing=() if _not_kept(seen, "request") else (broken,))
        if broken
        else _asked(form, body, seen.path)
    )
    answer = values_of(seen.response, seen.content_type)
    said = _answered(form, answer, seen.status)
    said = said._replace(missing=()) if _not_kept(seen, "response") else said
    others = {} if broken else others_of(body, asked.settings)
    return cleaned(_call(seen, form, asked, said, others), without_secrets)


def _not_kept(seen: RawExchange, what: str) -> bool:
    """Whether the body of the request or of the answer passed without being kept."""
    body = seen.request if what == "request" else seen.response
    return not body and any(said.startswith((f"{what}:", "request and response:")) for said in seen.missing)


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
        whole = provider.read_response(a_dict(answer.values[0])) if not answer.stream else None
        said = read_stream(provider, answer.events) if whole is None else whole
    except RecursionError:
        return ResponseContent(missing=("the answer nests deeper than can be read",))
    return said._replace(missing=(*answer.missing, *said.missing))


def _call(
    seen: RawExchange, form: Form, asked: RequestContent, said: ResponseContent, others: dict[str, str]
) -> RecordedCall:
    body = seen.response.decode("utf-8", "replace") if seen.status >= FAILED else ""
    return RecordedCall(
        id=seen.id,
        at=seen.at,
        form=form,
        host=seen.host,
        path=without_key(seen.path),
        model=asked.model or said.model,
        status=seen.status,
        pieces=asked.pieces,
        run=seen.run,
        program=seen.program,
        cwd=seen.cwd,
        stream=asked.stream,
        first_ms=seen.first_ms,
        whole_ms=seen.whole_ms,
        reply=said.text,
        calls=said.call_names,
        stop=asked.stop or said.stop,
        usage=read_usage(form, said.data),
        diagnosis=diagnosis_text(said.diagnosis, others),
        error=seen.error or said.error or body or None,
        missing=(*seen.missing, *asked.missing, *said.missing),
        key=asked.key or next((seen.headers[name] for name in SESSIONS if seen.headers.get(name)), ""),
        settings={**asked.settings, **_betas(seen.headers)},
        others=others,
        reply_id=said.id,
        continues=seen.continues or asked.continues,
        request_id=seen.request_id,
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
