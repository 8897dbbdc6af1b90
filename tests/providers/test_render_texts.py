"""What is sent, whoever it is sent to: the prompt's text and nothing else, with its provenance."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overture
from overture.errors import ConfigError, OvertureWarning, StateError
from overture.testing import make_state
from tests.contract.effort import examples
from tests.contract.providers.sendable import NASTY, PROVIDERS, at, paced

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).map(lambda t: f"a{t}z")
sections = st.lists(
    st.tuples(st.sampled_from(["static", "session", "turn"]), st.booleans(), texts, st.integers(1, 700)), max_size=6
)


@settings(max_examples=examples(150), deadline=None)
@given(st.sampled_from(PROVIDERS), sections, st.booleans())
def test_what_is_sent_is_the_prompt(provider: str, made: list[tuple[str, bool, str, int]], cache: bool) -> None:
    """The texts of a request, side by side, are the prompt's text; the manifest names the source of each character."""
    prompt = paced(
        *((f"{'user-' if user else ''}s{n}", pace, text * times) for n, (pace, user, text, times) in enumerate(made))
    )
    body, sent = overture.render(provider, prompt, tools=True, cache=cache, with_manifest=True)
    assert "".join(at(body, s.at)[s.start : s.end] for s in sent if s.of is not None) == prompt.text
    told = "".join(at(body, s.at)[s.start : s.end] for s in sent if s.of is None)
    assert told == "\n\n".join(block.text for block in prompt.messages)
    for s in sent:
        if s.of is not None:
            assert at(body, s.at)[s.start : s.end] == prompt.text[s.of : s.of + s.end - s.start]
            assert s.source == next(span.source for span in prompt.spans if span.start <= s.of < span.end)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "nova"])
def test_every_recipe_can_be_sent(provider: str, recipe: str) -> None:
    """A built-in recipe's request is JSON, and its manifest leads to the file that a line came from."""
    state = make_state(
        context_files=[{"path": "/p/AGENTS.md", "content": f"Use tabs. {NASTY}"}],
        agent={"name": "Ada", "identity": "You are Ada."},
        runtime={"cwd": "/p", "timezone": "UTC"},
        now="2026-03-07T08:55:05Z",
    )
    prompt = overture.build(recipe, state)
    body, sent = overture.render(provider, prompt, tools=True, with_manifest=True)
    assert msgspec.json.decode(msgspec.json.encode(body)) == body
    assert "".join(at(body, s.at)[s.start : s.end] for s in sent) == prompt.text
    if recipe != "nova":
        assert any(s.source.path == "/p/AGENTS.md" for s in sent)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_prompt_without_blocks_sends_no_system_prompt(provider: str) -> None:
    """Where there is nothing to say, the request has no empty text, which providers refuse."""
    body, sent = overture.render(provider, paced(), with_manifest=True)
    assert sent == ()
    assert body == {}


def test_a_recipes_own_tools_come_first() -> None:
    """Tools of the recipe keep its order; one that comes online stands after them, so that they stay cached."""
    nothing = {"type": "object", "properties": {}}
    state = make_state(tools=[{"name": name, "parameters": nothing} for name in ("aaa", "shell", "read_file")])
    body = overture.render("anthropic", overture.build("opal", state), tools=True)
    names = [tool["name"] for tool in body["tools"]]
    own = [tool.name for tool in overture.load_recipe("opal").tools if tool.name in ("shell", "read_file")]
    assert names == [*own, "aaa"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_tool_without_a_schema_takes_no_arguments(provider: str) -> None:
    """A tool of which only the name is known is sent with the schema of an empty object, and a warning names it."""
    with pytest.warns(OvertureWarning, match=r"^tool 'ping' has no schema: .* add `parameters`$"):
        body = overture.render(provider, paced(state=make_state(tools=[{"name": "ping"}])), tools=True)
    text = msgspec.json.encode(body).decode()
    assert '"ping"' in text
    assert '{"properties":{},"type":"object"}' in text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_signature_is_a_schema_too(provider: str) -> None:
    """A tool that has a signature and no JSON Schema is sent with the schema that the signature stands for."""
    state = make_state(tools=[{"name": "search", "signature": "(query :string, limit :int?) -> [:map]"}])
    text = msgspec.json.encode(overture.render(provider, paced(state=state), tools=True)).decode()
    wanted = {"limit": {"type": ["integer", "null"]}, "query": {"type": "string"}}
    assert msgspec.json.encode({"properties": wanted, "required": ["query"], "type": "object"}).decode() in text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_strict_is_sent_to_those_who_have_it(provider: str) -> None:
    """`strict` reaches OpenAI, Anthropic and Bedrock, in their own place; Gemini and Ollama know no such thing."""
    tool = {"name": "ping", "strict": True, "parameters": {"type": "object", "properties": {}}}
    text = msgspec.json.encode(overture.render(provider, paced(state=make_state(tools=[tool])), tools=True)).decode()
    assert ('"strict":true' in text) == (provider not in ("gemini", "ollama"))


def test_tools_given_to_render_may_have_any_form() -> None:
    """A list of the caller's own is taken as elsewhere; a key of another's form is named, a nameless tool refused."""
    tool = {"name": "ping", "inputSchema": {"type": "object"}, "title": "Ping"}
    with pytest.warns(OvertureWarning, match=r"^tool 'ping' has keys of another format, .*: title;"):
        body = overture.render("anthropic", paced(), tools=[tool])
    assert body["tools"] == [{"input_schema": {"type": "object"}, "name": "ping"}]
    with pytest.raises(StateError, match=r"^tools\[1\]: the key 'name' is missing"):
        overture.render("anthropic", paced(), tools=[tool, {}])


def test_planning_tools_and_tools_of_a_provider_without_tool_calling_are_not_sent() -> None:
    """What can't be called is not offered."""
    planned = make_state(tools=[{"name": "a", "planning_only": True}])
    described = make_state(tools=[{"name": "a"}], native_tools=False)
    assert "tools" not in overture.render("anthropic", paced(state=planned), tools=True)
    assert "tools" not in overture.render("anthropic", paced(state=described), tools=True)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_of_two_tools_with_one_name_the_last_is_sent(provider: str) -> None:
    """As in a session: a provider takes one, and the other costs a warning and no error."""
    tools = [{"name": "a", "description": about, "parameters": {"type": "object"}} for about in ("One.", "Two.")]
    with pytest.warns(OvertureWarning, match="'a' is given 2 times") as caught:
        sent = json.dumps(overture.render(provider, paced(), tools=tools))
    assert len(caught) == 1
    assert "Two." in sent and "One." not in sent
    prompt = paced(state=make_state(tools=tools))
    assert "One." not in json.dumps(overture.render(provider, prompt, tools=True))
    assert "tool-duplicate" in [each.code for each in prompt.diagnostics]


def test_an_unknown_provider_is_refused_with_the_nearest_name() -> None:
    """The error lists the providers."""
    with pytest.raises(ConfigError, match=r"Provider 'antropic' is not known. .*Did you mean 'anthropic'?"):
        overture.render("antropic", paced())


def test_a_time_to_live_that_the_model_does_not_have_is_refused() -> None:
    """The error lists those that it has."""
    with pytest.raises(ConfigError, match=r"ttl: '2h' is not a cache lifetime of claude-opus-5. Known: 5m, 1h."):
        overture.render("anthropic", paced(), model="claude-opus-5", ttl="2h")
