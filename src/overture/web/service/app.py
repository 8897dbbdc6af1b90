"""The service as an ASGI application: the table of endpoints, and the OpenAPI document that is made of it."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from ...check.formats import CheckOutput
from ...model.prompt.saved_prompt import SavedPrompt
from ...model.struct import Frozen, encode_json
from ...project.find_recipe import RecipeRow, list_recipes
from ...report.diff import Patch
from ...report.explain import Explanation
from ...version import __version__
from ..page.live_page import LivePage
from ..page.page_routes import PageView, page_routes
from . import answers
from .answers import BuildRequest, DiffRequest, FitRequest, OfferedRecipes, RenderRequest, StateRequest
from .guard_requests import AccessRules, GuardedApp, RequestLog
from .problems import KINDS, MEDIA, Problem
from .read_request import Handler, RequestQueue, decode_request, make_json_response, make_post_handler

JSON = "application/json"
ABOUT = (
    "System prompts of LLM agents, built from the state in the request: no file and no clock is read. "
    "Errors are problem details; `path` names the invalid value."
)
EVERYWHERE = ("not-allowed", "method", "internal")
WITH_BODY = ("unreadable", "slow-body", "too-large", "media-type", "invalid", "too-slow")

READING = {
    "/v1/recipes": "List the recipes.",
    "/openapi.json": "Describe the API as OpenAPI 3.1.",
    "/health": "Check that the service is running.",
}
"""Endpoints without a body."""

NOTES = "Overture-Notes"
"""The header for warnings about a provider's request, whose body is not ours to change."""

MAX_HEADER_LENGTH = 4_000
"""Characters of that header."""


class Endpoint(NamedTuple):
    """An endpoint with a body."""

    path: str
    about: str
    request_type: type[Frozen]
    answered: Any
    work: Callable[[OfferedRecipes, Any], Any]

    @property
    def name(self) -> str:
        """`build`."""
        return self.path.rpartition("/")[2]


ENDPOINTS = (
    Endpoint("/v1/build", "Build a prompt.", BuildRequest, SavedPrompt, answers.build),
    Endpoint("/v1/explain", "Show where each part of a prompt came from.", StateRequest, Explanation, answers.explain),
    Endpoint("/v1/fit", "Cut a prompt to a budget.", FitRequest, SavedPrompt, answers.fit),
    Endpoint("/v1/diff", "Compare two prompts.", DiffRequest, Patch, answers.diff),
    Endpoint("/v1/check", "Find problems in a prompt.", StateRequest, CheckOutput, answers.check),
    Endpoint("/v1/render", "Write the request for a provider.", RenderRequest, dict[str, Any], answers.render),
)


def make_openapi_document(offer: OfferedRecipes, *, token: bool) -> dict[str, Any]:
    """The OpenAPI document of this service, with the recipes that it offers."""
    kinds = {*(e.request_type for e in ENDPOINTS), *(e.answered for e in ENDPOINTS), Problem, tuple[RecipeRow, ...]}
    ordered = sorted(kinds, key=str)
    schemas, definitions = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    shapes = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, Any] = {e.path: {"post": _describe_post(e, shapes, token)} for e in ENDPOINTS}
    shown = {"/v1/recipes": shapes[tuple[RecipeRow, ...]], "/openapi.json": {"type": "object"}, "/health": HEALTH}
    for path, about in READING.items():
        paths[path] = {"get": _describe_get(path, about, shown[path], token and path != "/health")}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Overture", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {"schemas": _add_recipe_names(definitions, offer)},
    }
    if token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return document


HEALTH = {
    "type": "object",
    "properties": {"status": {"const": "ok"}, "version": {"type": "string"}},
    "required": ["status", "version"],
    "additionalProperties": False,
}


def _describe_post(endpoint: Endpoint, shapes: dict[Any, Any], token: bool) -> dict[str, Any]:
    """An endpoint with a body, as the OpenAPI document has it."""
    kinds = (*EVERYWHERE, *WITH_BODY, *(("budget",) if "budget" in endpoint.request_type.__struct_fields__ else ()))
    answers = _describe_responses(shapes[endpoint.answered], kinds, token)
    if endpoint.name == "render":
        answers["200"]["headers"] = {NOTES: {"description": "notes about the request, a JSON list of lines",
                                             "schema": {"type": "string"}}}  # fmt: skip
    return {
        "operationId": endpoint.name,
        "summary": endpoint.about,
        "requestBody": {"required": True, "content": {JSON: {"schema": shapes[endpoint.request_type]}}},
        "responses": answers,
        **_describe_security(token),
    }


def _describe_get(path: str, about: str, shape: dict[str, Any], token: bool) -> dict[str, Any]:
    """An endpoint without a body, as the OpenAPI document has it."""
    name = path.rpartition("/")[2].partition(".")[0]
    answers = _describe_responses(shape, EVERYWHERE, token)
    return {"operationId": name, "summary": about, "responses": answers, **_describe_security(token)}


def _describe_responses(shape: dict[str, Any], kinds: tuple[str, ...], token: bool) -> dict[str, Any]:
    """The answer that is hoped for, and each problem that may come in its place."""
    problem = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    wrong = {
        str(KINDS[kind].status): {"description": KINDS[kind].title, "content": problem}
        for kind in sorted({*kinds, *(("token",) if token else ())}, key=lambda kind: KINDS[kind].status)
    }
    return {"200": {"description": "The response", "content": {JSON: {"schema": shape}}}, **wrong}


def _describe_security(token: bool) -> dict[str, Any]:
    """The OpenAPI document's part on the token."""
    return {"security": [{"token": []}]} if token else {}


def _add_recipe_names(definitions: dict[str, Any], offer: OfferedRecipes) -> dict[str, Any]:
    """The definitions with the recipes by their names."""
    for each in definitions.values():
        recipe = each.get("properties", {}).get("recipe")
        if recipe is not None and each.get("additionalProperties") is False and "state" in each["properties"]:
            recipe |= {"enum": list(offer.names), "default": offer.default}
    return definitions


def service(
    offer: OfferedRecipes,
    rules: AccessRules,
    turns: RequestQueue,
    log: RequestLog = RequestLog(),  # noqa: B008  it holds nothing
    page: LivePage | None = None,
    calls: PageView | None = None,
) -> GuardedApp:
    """All that is answered, behind the guard; with a page, also what its browser asks for."""
    about = partial(make_openapi_document, offer, token=rules.token is not None)
    handlers = {each.path: make_post_handler(partial(answer, each, offer), turns) for each in ENDPOINTS}
    routes = [Route(path, handler, methods=["POST"]) for path, handler in handlers.items()]
    routes += [
        Route("/v1/recipes", _make_cached_handler(lambda: list_recipes(offer.all), turns)),
        Route("/openapi.json", _make_cached_handler(about, turns)),
        Route("/health", _answer_health),
    ]
    routes += page_routes(page, offer, turns, calls) if page is not None else []
    return GuardedApp(Router(routes, redirect_slashes=False), rules, log)


def _make_cached_handler(make: Callable[[], object], turns: RequestQueue) -> Handler:
    """A constant answer, made on its first request."""
    encoded: list[bytes] = []

    async def handle(_: Request) -> Response:
        if not encoded:
            encoded.append(await turns.work(lambda: msgspec.json.encode(make())))
        return make_json_response(encoded[0])

    return handle


async def _answer_health(_: Request) -> Response:
    """The endpoint by which programs see that the app runs."""
    return make_json_response(msgspec.json.encode({"status": "ok", "version": __version__}))


def answer(endpoint: Endpoint, offer: OfferedRecipes, body: bytes) -> object:
    """Run an endpoint of the app: read the request, and do the work."""
    result = endpoint.work(offer, decode_request(body, endpoint.request_type))
    if not isinstance(result, answers.RenderAnswer):
        return result
    headers = {NOTES: _format_notes_header([str(each) for each in result.notes])} if result.notes else None
    return make_json_response(encode_json(result.body), headers)


def _format_notes_header(notes: list[str]) -> str:
    """The notes of an endpoint's answer as an ASCII header; of too many, those that have room and how many more."""
    for count in range(len(notes), -1, -1):
        encoded = json.dumps([*notes[:count], *([f"{len(notes) - count} more"] if count < len(notes) else [])])
        if len(encoded) <= MAX_HEADER_LENGTH:
            break
    return encoded
