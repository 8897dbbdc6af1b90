"""A line of a batch file is the request that the provider's module writes, however it was put together."""

import json
import warnings
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import TypeAdapter

import overture
from overture import Part, Recipe, Section, State
from overture.known_models.model_table import packaged_table
from overture.providers.batch_lines import (
    BATCH_FORMS,
    DEFAULT_MAX_TOKENS,
    URLS,
    RequestWriter,
)
from overture.providers.render import request
from overture.providers.write.tools import order_tools
from overture.testing import make_state
from tests.contract.providers.sendable import NASTY, TOOLS, long

MODELS = {
    "openai": ("gpt-5.4", "gpt-6-sol"), "openai-chat": ("gpt-5.4", "gpt-6-sol", "gpt-4o"),
    "anthropic": ("claude-opus-5",), "gemini": ("gemini-2.5-pro",), "bedrock": ("anthropic.claude-opus-5-v1:0",),
}  # fmt: skip
CASES = [(provider, model) for provider, models in MODELS.items() for model in models]


def identity() -> str:
    return f"You are Ada. {NASTY}"


def rules(channel: str | None) -> str:
    return f"Speak on {channel}. " + long(1500)


def notes(memories: tuple[str, ...]) -> Any:
    return [Part(text) for text in memories] or None


def clock(background: bool) -> str:
    return f"Background: {background}"


SECTIONS = (
    Section("identity", identity, pace="static"),
    Section("rules", rules),
    Section("notes", notes, pace="turn"),
    Section("clock", clock, place="user"),
)
RECIPES = {
    "a section in the message": Recipe("four", SECTIONS),
    "system alone": Recipe("three", SECTIONS[:3]),
    "what varies comes first": Recipe("turned", (SECTIONS[2], *SECTIONS[:2])),
}
STATES = [
    make_state(tools=TOOLS, channel="web", memories=("tea",)),
    make_state(tools=TOOLS, channel="web", memories=("coffee", f"/{NASTY}")),
    make_state(tools=TOOLS, channel="app"),
    make_state(tools=TOOLS, channel="web", memories=(long(2000),), background=True),
]
STATES = [replace(state, tools=STATES[0].tools) for state in STATES]


def write_lines(recipe: Recipe, provider: str, model: str, states: list[State], message: str) -> list[dict[str, Any]]:
    """The lines of some rows, as a batch writes them."""
    base = overture.build(recipe, states[0]).counted(overture.counter())
    writer = RequestWriter(provider, model, packaged_table(), {}, base)
    lines = []
    for number, state in enumerate(states):
        prompt = overture.build(recipe, state, since=base)
        lines.append(json.loads(writer.write(prompt, message, f"row-{number}")[0]))
    return lines


def expected_body(recipe: Recipe, provider: str, model: str, state: State, message: str) -> dict[str, Any]:
    """The same request, written by the provider's module alone."""
    batch = BATCH_FORMS[provider]
    prompt = overture.build(recipe, state)
    tools = order_tools(prompt.state.tools, recipe) if batch.tools else ()
    messages = [overture.Message("user", message)]
    body = request(batch.form, prompt, messages, tools, model=model, count=overture.counter())[1].body
    if provider in ("gemini", "bedrock"):
        body.update(body.pop("config", {}))
        body.pop("model", body.pop("modelId", None))
    return body | ({"max_tokens": DEFAULT_MAX_TOKENS} if provider == "anthropic" else {})


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))
@pytest.mark.parametrize(("provider", "model"), CASES)
def test_a_line_is_the_providers_own_request(recipe: Recipe, provider: str, model: str) -> None:
    """Whatever varies, and wherever."""
    message = f"What is free tonight? {NASTY}"
    keys = {"gemini": ("key", "request"), "bedrock": ("recordId", "modelInput"), "anthropic": ("custom_id", "params")}
    name, body = keys.get(provider, ("custom_id", "body"))
    for number, line in enumerate(write_lines(recipe, provider, model, STATES, message)):
        assert line.pop(name) == f"row-{number}"
        assert line.pop(body) == expected_body(recipe, provider, model, STATES[number], message)
        form = BATCH_FORMS[provider].form
        assert line == ({"method": "POST", "url": URLS[form]} if form in URLS else {})


def lines_for(provider: str) -> list[dict[str, Any]]:
    return write_lines(RECIPES["a section in the message"], provider, MODELS[provider][0], STATES, "Hello")


def test_anthropic_takes_the_lines() -> None:
    """Each is an element of `requests` as the SDK has it."""
    from anthropic.types.messages.batch_create_params import Request

    adapter = TypeAdapter(Request)
    for line in lines_for("anthropic"):
        adapter.validate_python(line)


@pytest.mark.parametrize("provider", ["openai", "openai-chat"])
def test_openai_takes_the_lines(provider: str) -> None:
    """The endpoint is one of the SDK's, and each body has the parameters of that endpoint."""
    from openai.types.batch_create_params import BatchCreateParams
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    forms = {"openai": ResponseCreateParamsNonStreaming, "openai-chat": CompletionCreateParamsNonStreaming}
    for line in lines_for(provider):
        given = {"completion_window": "24h", "endpoint": line["url"], "input_file_id": "file"}
        TypeAdapter(BatchCreateParams).validate_python(given)
        TypeAdapter(forms[provider]).validate_python(line["body"])


def test_gemini_takes_the_lines() -> None:
    """Contents, system instruction and declarations are those of the SDK's types, and nothing else is there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from google.genai import types
    for line in lines_for("gemini"):
        given = line["request"]
        [types.Content.model_validate(each) for each in given.pop("contents")]
        types.Content.model_validate(given.pop("system_instruction"))
        [types.Tool.model_validate(each) for each in given.pop("tools")]
        assert given == {}


def test_bedrock_takes_the_lines() -> None:
    """Each record is a Converse request by botocore's own model, without tools, which such a job refuses."""
    import botocore.session
    from botocore.validate import ParamValidator

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape
    for line in lines_for("bedrock"):
        report = ParamValidator().validate({"modelId": "m", **line["modelInput"]}, shape)
        assert not report.has_errors(), report.generate_report()
        assert "toolConfig" not in line["modelInput"]
    jobs = botocore.session.get_session().get_service_model("bedrock").operation_model("CreateModelInvocationJob")
    assert "Converse" in jobs.input_shape.members["modelInvocationType"].enum


def test_settings_are_in_every_line() -> None:
    """`max_tokens` of the caller replaces the default, and a path makes what is missing."""
    base = overture.build(RECIPES["system alone"], STATES[0]).counted(overture.counter())
    settings = {"max_tokens": 7, "metadata.user_id": "u"}
    writer = RequestWriter("anthropic", "claude-opus-5", packaged_table(), settings, base)
    for message in ("Hello", " "):
        line = json.loads(writer.write(base, message, "a")[0])
        assert (line["params"]["max_tokens"], line["params"]["metadata"]) == (7, {"user_id": "u"})
