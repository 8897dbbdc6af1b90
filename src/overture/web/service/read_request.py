"""Reads requests, does their work on threads, and answers with JSON; what is wrong is named by byte or path."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ...model.struct import Frozen, convert_data, encode_json, explain_error, split_error
from ...text.normalize import find_surrogates
from ...text.words import count_noun
from .problems import Problem, RefusedError, problem_of, refusing

MAX_DIGITS = 9
"""Digits of a number in a query."""
CLOSE = {"Connection": "close"}
"""The unread rest of a body looks like the next request: none follows on this connection."""
DISCARD_SECONDS = 0.3
"""How long the rest of a body that is too large is thrown away: a client that still sends would not see the answer."""

R = TypeVar("R")


class ServiceLimits(NamedTuple):
    """The limits of one service."""

    size: int = 10_000_000
    """Bytes of a body."""
    seconds: float = 30
    """Seconds for the body to arrive, and then for the work."""
    threads: int = 4
    """Threads share one interpreter: more make all slower; with fewer, one long build delays the short ones."""


class RequestQueue:
    """Does the work of requests on a few threads; the others wait."""

    def __init__(self, limits: ServiceLimits) -> None:
        """Work by these limits."""
        self.limits = limits
        self.pool = ThreadPoolExecutor(limits.threads, "overture-serve")
        self.jobs: set[Future[Any]] = set()

    async def work(self, job: Callable[[], R]) -> R:
        """The result of a job, within the time limit. A thread that takes too long can't be ended: it is left alone."""
        done = self.pool.submit(job)
        self.jobs.add(done)
        done.add_done_callback(self.jobs.discard)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(done), self.limits.seconds)
        except TimeoutError:
            message = f"It took longer than {count_noun(float(self.limits.seconds), 'second')}. Send a smaller state."
            raise RefusedError(problem_of("too-slow", message)) from None

    def end(self) -> bool:
        """Take no further work, and return whether some is still running."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        return any(job.running() for job in tuple(self.jobs))


Handler = Callable[[Request], Awaitable[Response]]


def make_get_handler(make: Callable[[Request], object], turns: RequestQueue, where: str = "") -> Handler:
    """An answer to a question without a body, made on a thread; an error of ours is a refusal of what is `where`."""

    async def handle(request: Request) -> Response:
        return make_json_response(await turns.work(lambda: _encode_answer(lambda: make(request), where)))

    return handle


def _encode_answer(make: Callable[[], object], where: str) -> bytes:
    """An answer as JSON; halves of characters, which programs may send, become U+FFFD."""
    with refusing(where) if where else nullcontext():
        answer = make()
    return encode_json(answer)


def make_post_handler(make: Callable[[bytes], object], turns: RequestQueue) -> Handler:
    """The same to a question with a body; a response that `make` returns is sent as it is."""

    def answer(body: bytes) -> Response:
        made = make(body)
        return made if isinstance(made, Response) else make_json_response(encode_json(made))

    async def handle(request: Request) -> Response:
        return await turns.work(partial(answer, await _read_body(request, turns.limits)))

    return handle


def make_json_response(body: bytes, headers: dict[str, str] | None = None) -> Response:
    """A response of JSON."""
    return Response(body, 200, headers, "application/json")


def read_number(request: Request, name: str, what: str = "a number") -> int | None:
    """A number in a query; None without one."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise RefusedError(problem_of("invalid", f"{name}: {text!r:.40} is not {what}.", name))
    return int(text)


async def _read_body(request: Request, limits: ServiceLimits) -> bytes:
    """The body, if it is JSON, small enough, and in time. A chunked one has no declared length: it is counted."""
    _check_media(request)
    length = request.headers.get("content-length", "0")
    if len(length) > 15 or not length.isdecimal() or int(length) > limits.size:
        await _refuse_size(request, limits)
    body = bytearray()
    try:
        async with asyncio.timeout(limits.seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limits.size:
                    await _refuse_size(request, limits)
    except TimeoutError:
        late = f"The body did not arrive within {count_noun(float(limits.seconds), 'second')}. Send it without pauses."
        raise RefusedError(problem_of("slow-body", late), CLOSE) from None
    return bytes(body)


def _check_media(request: Request) -> None:
    """A form of another site can't send JSON without asking first; and nothing is unpacked here."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if media != "application/json" or packed != "identity":
        header = f"Content-Encoding {packed[:80]!r}" if packed != "identity" else f"Content-Type {media[:80]!r}"
        raise RefusedError(problem_of("media-type", f"{header} is not supported. Send plain application/json."), CLOSE)


async def _refuse_size(request: Request, limits: ServiceLimits) -> None:
    """Refuse a body that is too large; as much again, if it comes at once, is thrown away."""
    discarded = 0
    try:
        async with asyncio.timeout(DISCARD_SECONDS):
            while discarded < limits.size and (part := await request.receive()).get("more_body"):
                discarded += len(part["body"])
    except TimeoutError:
        pass
    message = f"The body has more than {limits.size:,} bytes, the limit. Send a smaller state."
    raise RefusedError(problem_of("too-large", message), CLOSE)


T = TypeVar("T", bound=Frozen)


def decode_request(body: bytes, kind: type[T]) -> T:
    """The request in a body, or its problem: no JSON, or a value that does not fit."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_in_two_steps(body, kind)


def _decode_in_two_steps(body: bytes, kind: type[T]) -> T:
    """Decodes it in two steps, to name the problem."""
    try:
        data = msgspec.json.decode(body)
    except RecursionError:
        raise RefusedError(problem_of("unreadable", "The body is not JSON: it is nested too deeply.")) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as broken:
        raise RefusedError(_make_unreadable_problem(body, broken)) from None
    try:
        return convert_data(data, kind)
    except msgspec.ValidationError as fault:
        with suppress(msgspec.ValidationError):
            return convert_data(_convert_whole_floats(data), kind)
        raise RefusedError(_make_misfit_problem(fault, kind, data)) from None


FREE = ("extra", "data", "details", "parameters", "returns", "metadata", "foreign", "messages")
"""Fields that hold anything, as it was written."""


def _convert_whole_floats(data: Any) -> Any:
    """The data with `4.0` as 4: in JSON Schema both are whole numbers."""
    if isinstance(data, dict):
        return {key: value if key in FREE else _convert_whole_floats(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_convert_whole_floats(value) for value in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


def _make_unreadable_problem(body: bytes, broken: Exception) -> Problem:
    """The problem; `broken` is the fast reader's message, which knows neither half characters nor bad bytes."""
    path, half = _find_half_character(body)
    why = f"\\u{half} is half of a character, and the other half is missing" if half else str(broken)
    message = f"The body is not JSON: {why}."
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as problem:
        message = f"The body is not UTF-8: byte {body[problem.start]:#04x} at offset {problem.start}."
    return problem_of("unreadable", f"{path}: {message}" if path else message, path or None)


def _find_half_character(body: bytes) -> tuple[str, str]:
    """The path of the first value that holds half of a character, and that half in hexadecimal."""
    try:
        data = json.loads(body.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return "", ""
    return next(((surrogate.path, surrogate.code.lower()) for surrogate in find_surrogates(data)), ("", ""))


def _make_misfit_problem(fault: msgspec.ValidationError, kind: type[Frozen], data: Any) -> Problem:
    """What does not fit, and the path of it, a key that is unknown or missing included."""
    text, path = split_error(fault)
    if "field `" in text:
        name = text.partition("field `")[2].rstrip("`")
        path = f"{path}.{name}" if path else name
    return problem_of("invalid", explain_error(fault, kind, data), path)
