"""Reads a JSON request, and answers with JSON; what is wrong with a request is named by byte or path."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ...model.struct import Frozen, convert_data, encode_json, explain_error, split_error
from ...text.normalize import find_surrogates
from ...text.words import count_noun
from .limit_requests import RequestQueue, ServiceLimits, make_busy_error
from .problems import Problem, RefusedError, problem_of, refusing

MAX_DIGITS = 9
"""Digits of a number in a query."""
CLOSE = {"Connection": "close"}
"""The unread rest looks like the next request: none follows on this connection."""


class ReceivedBody:
    """What has arrived of a body, and the memory that it takes."""

    def __init__(self, turns: RequestQueue) -> None:
        """Receive the body of a request, within the limits of the queue."""
        self.turns, self.limits = turns, turns.limits
        self.chunks: list[bytes] = []
        self.size = self.charged = 0

    async def read(self, request: Request) -> None:
        """The whole body, counted while it arrives: a chunked body has no declared length."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self.limits.seconds
        try:
            async with asyncio.timeout_at(min(end, loop.time() + self.limits.stall)) as timer:
                async for chunk in request.stream():
                    self._add(chunk)
                    timer.reschedule(min(end, loop.time() + self.limits.stall))
        except TimeoutError:
            late = f"The body did not arrive within {count_noun(float(self.limits.seconds), 'second')}, "
            late += f"or nothing was received for {self.limits.stall:g}. Send it without pauses."
            raise RefusedError(problem_of("slow-body", late), CLOSE) from None

    def _add(self, chunk: bytes) -> None:
        """Take a part of a body, if there is memory for it."""
        self.size += len(chunk)
        if self.size > self.limits.size:
            raise _make_size_error(self.limits)
        more = max(0, self.size - self.limits.small) - self.charged
        if more and self.turns.body_bytes + more > self.limits.body_bytes:
            refused = make_busy_error()
            raise RefusedError(refused.problem, {**refused.headers, **CLOSE})
        self.turns.body_bytes += more
        self.charged += more
        self.chunks.append(chunk)

    def release(self) -> None:
        """Give back the memory of the request's body."""
        self.turns.body_bytes -= self.charged
        self.chunks.clear()


def make_unreadable_problem(body: bytes, broken: Exception) -> Problem:
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


T = TypeVar("T", bound=Frozen)


def decode_request(body: bytes, kind: type[T]) -> T:
    """The request in a body, or its problem: no JSON, or a value that does not fit."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read_in_two_steps(body, kind)


def _read_in_two_steps(body: bytes, kind: type[T]) -> T:
    """Reads it in two steps, to name the problem, and with a field's other name if one is there."""
    try:
        data = msgspec.json.decode(body)
    except RecursionError:
        raise RefusedError(problem_of("unreadable", "The body is not JSON: it is nested too deeply.")) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as broken:
        raise RefusedError(make_unreadable_problem(body, broken)) from None
    try:
        return convert_data(data, kind)
    except msgspec.ValidationError as fault:
        if POINTED.match(str(fault)):
            return _read_whole_floats(data, kind)
        raise RefusedError(_make_misfit_problem(fault, kind, data)) from None


POINTED = re.compile(r"Expected `int.*`, got `float`")
FREE = ("extra", "data", "details", "parameters", "returns", "metadata", "foreign", "messages")
"""Fields that hold anything, as it was written."""


def _read_whole_floats(data: Any, kind: type[T]) -> T:
    """Whole numbers may be written `4.0`: some languages have one sort of number alone."""
    try:
        return convert_data(_convert_whole_floats(data), kind)
    except msgspec.ValidationError as fault:
        raise RefusedError(_make_misfit_problem(fault, kind, data)) from None


def _convert_whole_floats(data: Any) -> Any:
    """The data of a request with whole floats as integers."""
    if isinstance(data, dict):
        return {key: value if key in FREE else _convert_whole_floats(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_convert_whole_floats(value) for value in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


def _make_misfit_problem(fault: msgspec.ValidationError, kind: type[Frozen], data: Any) -> Problem:
    """What does not fit, and the path of it, a key that is unknown or missing included."""
    text, path = split_error(fault)
    if "field `" in text:
        name = text.partition("field `")[2].rstrip("`")
        path = f"{path}.{name}" if path else name
    return problem_of("invalid", explain_error(fault, kind, data), path)


def make_json_response(body: bytes, headers: dict[str, str] | None = None) -> Response:
    """A response of JSON."""
    return Response(body, 200, headers, "application/json")


Handler = Callable[[Request], Awaitable[Response]]


def make_get_handler(make: Callable[[Request], object], turns: RequestQueue, where: str = "") -> Handler:
    """An answer to a question without a body, made on a thread; an error of ours is a refusal of what is `where`."""

    async def handle(request: Request) -> Response:
        async with turns.acquire_slot():
            return make_json_response(await turns.work(lambda: encode_answer(lambda: make(request), where)))

    return handle


def make_post_handler(make: Callable[[Request, bytes], object], turns: RequestQueue) -> Handler:
    """The same to a question with a body; a response that `make` returns is sent as it is."""

    def answer(request: Request, body: bytes) -> Response:
        made = make(request, body)
        return made if isinstance(made, Response) else make_json_response(encode_json(made))

    async def handle(request: Request) -> Response:
        async with body_of(request, turns) as body, turns.acquire_slot():
            return await turns.work(partial(answer, request, body))

    return handle


def encode_answer(make: Callable[[], object], where: str = "") -> bytes:
    """An answer as JSON; halves of characters, which programs may send, become U+FFFD."""
    with refusing(where) if where else nullcontext():
        answer = make()
    return encode_json(answer)


def read_number(request: Request, name: str, what: str = "a number") -> int | None:
    """A number in a query; None without one."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise RefusedError(problem_of("invalid", f"{name}: {text!r:.40} is not {what}.", name))
    return int(text)


@asynccontextmanager
async def body_of(request: Request, turns: RequestQueue) -> AsyncIterator[bytes]:
    """The body, if it is JSON, small enough, and in time. One with too large a declared length is not read.

    A body that is still arriving takes no slot among the running requests, only the memory that it fills.
    """
    _check_media(request)
    length = request.headers.get("content-length", "0")
    if len(length) > 15 or not length.isdecimal() or int(length) > turns.limits.size:
        raise _make_size_error(turns.limits)
    body = ReceivedBody(turns)
    try:
        await body.read(request)
        yield b"".join(body.chunks)
    finally:
        body.release()


def _make_size_error(limits: ServiceLimits) -> RefusedError:
    """The error about a request whose body is too large."""
    message = f"The body has more than {limits.size:,} bytes, the limit. Send a smaller state."
    return RefusedError(problem_of("too-large", message), CLOSE)


def _check_media(request: Request) -> None:
    """A form of another site can't send JSON without asking first; and nothing is unpacked here."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if media != "application/json" or packed != "identity":
        header = f"Content-Encoding {packed[:80]!r}" if packed != "identity" else f"Content-Type {media[:80]!r}"
        raise RefusedError(problem_of("media-type", f"{header} is not supported. Send plain application/json."), CLOSE)
