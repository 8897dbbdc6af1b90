"""Errors as problem details (RFC 9457): the kind, one line, and the path of the bad value."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, NamedTuple

from starlette.exceptions import HTTPException
from starlette.types import Scope

from ...errors import BudgetError, OvertureError, RecipeError, SignatureError, printable
from ...model.state.state import FIELDS
from ...model.struct import Frozen, note

MEDIA = "application/problem+json"


class ProblemKind(NamedTuple):
    """A kind of problem: its status, and its title."""

    status: int
    title: str


KINDS = {
    "unreadable": ProblemKind(400, "The body can't be read"),
    "token": ProblemKind(401, "A token is required"),
    "not-allowed": ProblemKind(403, "Request not allowed"),
    "not-found": ProblemKind(404, "Not found"),
    "method": ProblemKind(405, "Method not allowed"),
    "slow-body": ProblemKind(408, "The body arrived too slowly"),
    "budget": ProblemKind(409, "The budget can't be met"),
    "too-large": ProblemKind(413, "The body is too large"),
    "media-type": ProblemKind(415, "The body must be JSON"),
    "invalid": ProblemKind(422, "Invalid value"),
    "internal": ProblemKind(500, "Internal error"),
    "busy": ProblemKind(503, "Too many open pages"),
    "too-slow": ProblemKind(504, "It took too long"),
}


class Problem(Frozen, frozen=True):
    """What went wrong."""

    type: Annotated[str, note("the kind, e.g. urn:overture:problem:invalid")]
    title: Annotated[str, note("the kind in words")]
    status: Annotated[int, note("the HTTP status")]
    detail: Annotated[str, note("what, which value, what to do")]
    path: Annotated[str | None, note("path of the invalid value, e.g. state.tools[2].name")] = None
    id: Annotated[str | None, note("for an internal error: its id in the log")] = None


class RefusedError(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        """Refuse a request with a problem, and headers of the response."""
        super().__init__(problem.title)
        self.problem, self.headers = problem, dict(headers or {})


def problem_of(kind: str, detail: str, path: str | None = None, id: str | None = None) -> Problem:
    """A problem of one of the kinds."""
    known = KINDS[kind]
    shown = printable(path)[:MAX_POINTER_LENGTH] if path else None
    return Problem(f"urn:overture:problem:{kind}", known.title, known.status, printable(detail), shown, id)


MAX_POINTER_LENGTH = 500
"""Characters of a path: a key may be as long as a file."""
PLACE = re.compile(r"([a-z_]+)(?:\[\w+\]|\.\w+)*(?=: )")


@contextmanager
def refusing(where: str, state: str = "") -> Iterator[None]:
    """An error of ours becomes a refusal with its path: a place in the state that the message names, else `where`."""
    try:
        yield
    except OvertureError as error:
        if isinstance(error, RecipeError) and state:
            raise  # it was found and failed: that is a fault of this side's
        raise RefusedError(_make_problem(error, where, state)) from None
    except RecursionError:
        raise RefusedError(problem_of("invalid", f"{where}: it is nested too deeply. Flatten it.", where)) from None


def _make_problem(error: OvertureError, where: str, state: str) -> Problem:
    """The problem of one of our errors, with the path of the bad value."""
    message = str(error)
    if isinstance(error, BudgetError):
        return problem_of("budget", message, "budget")
    if isinstance(error, RecipeError):
        return problem_of("invalid", message, where)
    match = PLACE.match(message)
    if match and (match[1] in FIELDS or isinstance(error, SignatureError)) and state:
        return problem_of("invalid", f"{state}.{message}", f"{state}.{match[0]}")
    return problem_of("invalid", message, match[0] if match and match[1] == "messages" else where)


def as_refusal(error: Exception, scope: Scope, id: str) -> RefusedError:
    """Any error as a refusal with a problem; for an unexpected one, only its id in the log."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, HTTPException) and error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        message = f"{scope['method']:.20} is not allowed here. Allowed: {allowed}."
        return RefusedError(problem_of("method", message), error.headers)
    if isinstance(error, HTTPException) and error.status_code == 404:
        message = f"Nothing at {scope['path']!r:.100}. GET /openapi.json lists the endpoints."
        return RefusedError(problem_of("not-found", message))
    message = "The service failed on this request. Its log has the details under the id."
    return RefusedError(problem_of("internal", message, id=id))
