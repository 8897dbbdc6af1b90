"""`render` writes a prompt as plain dicts, ready for the keyword arguments of a provider's SDK."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Literal, TypedDict, Unpack, overload
from warnings import warn

from ..assemble.choose_cache_breakpoints import Breakpoints
from ..assemble.sanitize.forbidden_frames import prompt_guard
from ..assemble.sanitize.messages_and_tools import sanitize_message, sanitize_messages, sanitize_tools
from ..errors import ConfigError, OvertureWarning, explain_unknown
from ..known_models.model_facts import ModelFacts, TableForm
from ..known_models.model_table import ANY_MODEL, explain_unknown_model, find_facts, packaged_table
from ..model.convert_tools import tools_from
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Message
from ..model.prompt.prompt import Prompt
from ..model.safe_text import SafeTool
from ..model.tool import Tool, report_duplicates, vendor_keys
from ..tokens.counter import as_counter, estimate
from . import PROVIDERS
from .detect_provider import load_provider
from .write.cache_plan_and_manifest import (
    ManifestEntry,
    ProviderRequest,
    RequestInput,
    derive_cache_key,
    make_manifest,
    model_of,
    plan_caching,
)
from .write.messages import MessageItem, check_messages, check_texts
from .write.tools import (
    CALLS_NEED_TOOLS,
    callable_tools,
    drop_refused_names,
    order_tools,
    report_missing_schemas,
    write_calls_as_text,
)

ToolsOption = bool | Iterable[Tool | Mapping[str, Any] | Callable[..., Any]]


class RenderOptions(TypedDict, total=False):
    """The options of any request."""

    model: str | None
    ttl: str | None
    cache: bool
    cache_key: str | None
    models: TableForm | None
    count: Callable[[str], int]


@overload
def render(
    provider: str,
    prompt: Prompt,
    *,
    messages: Sequence[MessageItem] = ...,
    tools: ToolsOption = ...,
    with_manifest: Literal[False] = ...,
    **how: Unpack[RenderOptions],
) -> dict[str, Any]: ...
@overload
def render(
    provider: str,
    prompt: Prompt,
    *,
    messages: Sequence[MessageItem] = ...,
    tools: ToolsOption = ...,
    with_manifest: Literal[True],
    **how: Unpack[RenderOptions],
) -> tuple[dict[str, Any], tuple[ManifestEntry, ...]]: ...
def render(
    provider: str,
    prompt: Prompt,
    *,
    messages: Sequence[MessageItem] = (),
    tools: ToolsOption = False,
    with_manifest: bool = False,
    **how: Unpack[RenderOptions],
) -> dict[str, Any] | tuple[dict[str, Any], tuple[ManifestEntry, ...]]:
    """Make the request for a provider: a dict of keyword arguments for its SDK.

    ```python
    import overture

    prompt = overture.build("opal", cwd=".")
    messages = [{"role": "user", "content": "Fix the failing test"}]
    body = overture.render("anthropic", prompt, model="claude-opus-5", messages=messages, tools=True)
    ```

    - `provider`: `anthropic`, `openai-chat`, `openai-responses`, `gemini`, `bedrock` or `ollama`.
    - `model`: default: the state's `runtime.model`, or only what all models of the provider support.
    - `messages`: the conversation so far: `Message` objects, or dicts in the provider's format.
    - `tools`: `True` for the state's tools, or a list of tools in any format.
    - `ttl`: the cache lifetime: `5m` or `1h` for Claude, `30m` for GPT-5.6 and later, `24h` or `5m` for earlier GPT.
    - `cache`: `False` sets no cache breakpoints. By default they follow from the paces of the sections.
    - `with_manifest`: also return the source of each character of the request.

    The texts of the system prompt, joined, are exactly `prompt.text`. An invalid `ttl` raises `ConfigError`. A
    duplicate tool (the last one is sent), a tool without a schema and an unknown model cause an `OvertureWarning`.
    """
    chosen_tools = list_native_tools(prompt) if tools is True else tools_from(list(tools or ()), "tools")
    called = order_tools(chosen_tools, prompt.recipe)
    inputs, result = request(provider, prompt, messages, called, adds_tools=tools is False, **how)
    # For the state's own tools, the prompt's diagnostics already report duplicates and vendor keys.
    odd = [*report_duplicates(chosen_tools), *(vendor_keys(tool) for tool in called if tool.foreign)]
    for note in (
        *(() if tools is True else odd),
        *inputs.notes,
        *report_missing_schemas(called),
        *report_unknown_model(provider, how.get("model"), how.get("models")),
    ):
        warn(note.message, OvertureWarning, stacklevel=2)
    return (result.body, make_manifest(inputs, result)) if with_manifest else result.body


def request(
    provider: str,
    prompt: Prompt,
    messages: Sequence[MessageItem],
    tools: tuple[Tool, ...],
    *,
    is_sanitized: bool = False,
    adds_tools: bool = False,
    model: str | None = None,
    ttl: str | None = None,
    cache: bool = True,
    cache_key: str | None = None,
    models: TableForm | None = None,
    count: Callable[[str], int] = estimate,
) -> tuple[RequestInput, ProviderRequest]:
    """A request, and its input. `is_sanitized`: the messages are a session's, with the sections that they contain.

    `adds_tools`: the caller may add tools to the request, so calls stay calls without any.
    """
    facts = facts_for(provider, check_model_name(model) or model_of(prompt), models)
    sanitized, count = check_messages(messages), as_counter(count)
    check_texts(prompt, tools, sanitized)
    lifetime = check_ttl(ttl, facts)
    sent, notes = sanitize_tools(tools, prompt_guard(prompt))
    sent, refused = drop_refused_names(provider, sent)
    notes += tuple(refused)
    can_call = prompt.state.native_tools and (sent or adds_tools or provider not in CALLS_NEED_TOOLS)
    if not can_call:
        sanitized = _replace_calls(sanitized, prompt)
    if not is_sanitized:  # a session sanitizes its messages when it adds them
        sanitized, more = sanitize_messages(sanitized, prompt)
        notes += more
    marks, lifetime = plan_caching(prompt, facts, count, sent, sanitized, ttl) if cache else (Breakpoints(), lifetime)
    key = cache_key or (derive_cache_key(prompt) if cache and prompt.text else None)
    inputs = RequestInput(
        prompt, facts, model, sanitized, sent, marks, lifetime, key, count, is_sanitized, cache, notes
    )
    return inputs, load_provider(provider).write_request(inputs)


def _replace_calls(messages: tuple[MessageItem, ...], prompt: Prompt) -> tuple[MessageItem, ...]:
    """The messages with calls and results as text. A result becomes a user's message: untrusted, like a program's."""
    return tuple(
        sanitize_message(new, prompt)[0] if new is not old and isinstance(new, Message) and new.role == "user" else new
        for old, new in zip(messages, write_calls_as_text(messages), strict=True)
    )


def sent_tools(prompt: Prompt, *, ordered: bool = True) -> tuple[SafeTool, ...]:
    """The state's tools as a request has them; unordered, in the order of the state."""
    tools = list_native_tools(prompt)
    called = order_tools(tools, prompt.recipe) if ordered else callable_tools(tools)
    return sanitize_tools(called, prompt_guard(prompt)).tools


def list_native_tools(prompt: Prompt) -> tuple[Tool, ...]:
    """The state's tools that a request offers; none if the prompt itself describes how to call them."""
    in_program = any(block.section.in_program for block in prompt.blocks)
    return prompt.state.tools if prompt.state.native_tools and not in_program else ()


def check_model_name(model: object) -> str | None:
    """The name of a model, if it is one."""
    if model is None or isinstance(model, str):
        return model
    raise ConfigError(
        f"model: {model!r:.80} is not the name of a model.", hint="Pass a text, e.g. 'claude-opus-5', or none."
    )


def facts_for(
    provider: str, model: str | None = None, models: TableForm | None = None, on: date | None = None
) -> ModelFacts:
    """The facts about a provider's model, by default about its default model; an unknown provider is an error.

    Prices are those of the date `on`, by default of the table's date.
    """
    if provider not in PROVIDERS:
        raise ConfigError(explain_unknown("Provider", provider, PROVIDERS))
    return find_facts(models or packaged_table(), PROVIDERS[provider], model, on)


def report_unknown_model(provider: str, model: str | None, models: TableForm | None = None) -> tuple[Diagnostic, ...]:
    """A warning if the provider does not have the named model."""
    message = (
        explain_unknown_model(models or packaged_table(), PROVIDERS[provider], model)
        if model and model != ANY_MODEL
        else None
    )
    return (warning("model-unknown", message),) if message else ()


def check_ttl(ttl: str | None, facts: ModelFacts) -> str:
    """The cache lifetime, if the model supports it."""
    if ttl is not None and ttl not in facts.write:
        named = f"every model of {facts.vendor}; pass your model" if facts.model == ANY_MODEL else facts.model
        raise ConfigError(f"ttl: {ttl!r} is not a cache lifetime of {named}.", hint=f"Known: {', '.join(facts.write)}.")
    return facts.ttl(ttl)
