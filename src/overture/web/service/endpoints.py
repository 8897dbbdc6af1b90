"""What can be asked, where, and what comes back: the one table that answers, documents and lists."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from ...check.output_types import CheckOutput
from ...model.prompt.saved import SavedPrompt
from ...model.struct import Frozen, encode_json
from ...report.diff import Patch
from ...report.explain import Explanation
from . import answers
from .answers import BuildRequest, DiffRequest, FitRequest, RenderRequest, StateRequest
from .offered_recipes import OfferedRecipes
from .read_request import read_request


class Endpoint(NamedTuple):
    """One thing that can be asked with a body."""

    path: str
    about: str
    request_type: type[Frozen]
    answered: Any
    work: Callable[[OfferedRecipes, Any], Any]

    @property
    def name(self) -> str:
        """`build`."""
        return self.path.rpartition("/")[2]


class EndpointAnswer(NamedTuple):
    """An answer as it is sent."""

    body: bytes
    headers: dict[str, str] = {}


ENDPOINTS = (
    Endpoint("/v1/build", "Build a prompt.", BuildRequest, SavedPrompt, answers.build),
    Endpoint("/v1/explain", "Show where each part of a prompt came from.", StateRequest, Explanation, answers.explain),
    Endpoint("/v1/fit", "Cut a prompt to a budget.", FitRequest, SavedPrompt, answers.fit),
    Endpoint("/v1/diff", "Compare two prompts.", DiffRequest, Patch, answers.diff),
    Endpoint("/v1/check", "Find problems in a prompt.", StateRequest, CheckOutput, answers.check),
    Endpoint("/v1/render", "Write the request for a provider.", RenderRequest, dict[str, Any], answers.render),
)
READING = {
    "/v1/recipes": "List the recipes.",
    "/openapi.json": "Describe the API as OpenAPI 3.1.",
    "/health": "Check that the service is running.",
}
"""What is asked without a body."""
NOTES = "Overture-Notes"
"""The header in which a provider's request, whose body is not ours to add to, has what there is to say about it."""
MAX_HEADER_LENGTH = 4_000
"""Characters of that header."""


def answer(endpoint: Endpoint, offer: OfferedRecipes, body: bytes) -> EndpointAnswer:
    """Read the request, do the work, write the answer. Everything that takes time is in here."""
    result = endpoint.work(offer, read_request(body, endpoint.request_type))
    if not isinstance(result, answers.RenderAnswer):
        return EndpointAnswer(encode_json(result))
    return EndpointAnswer(
        encode_json(result.body), {NOTES: _format_notes_header([str(n) for n in result.notes])} if result.notes else {}
    )


def _format_notes_header(notes: list[str]) -> str:
    """The notes as a JSON list in ASCII; of too many, those that have room and how many more there are."""
    for count in range(len(notes), -1, -1):
        encoded = json.dumps([*notes[:count], *([f"{len(notes) - count} more"] if count < len(notes) else [])])
        if len(encoded) <= MAX_HEADER_LENGTH:
            break
    return encoded
