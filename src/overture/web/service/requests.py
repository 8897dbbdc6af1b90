"""What may be asked, as data."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from ...discover.load_tokenizer import COUNTER_NAMES
from ...model.state.state import Audience, Secrets, State
from ...model.struct import Frozen, note

Provider = Literal["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"]
Tokens = Annotated[int, Meta(ge=1, description="at most so many tokens")]
Tokenizer = Annotated[str, Meta(description="what counts", extra_json_schema={"enum": list(COUNTER_NAMES)})]
Said = Annotated[
    dict[str, Any],
    Meta(
        description="a message as the provider has it",
        extra_json_schema={
            "properties": {"role": {"type": "string"}, "content": {"type": ["string", "array"]}},
            "required": ["role", "content"],
        },
    ),
]


class Asked(Frozen, frozen=True):
    """A state, and the recipe that says it. Nothing else is read: no file, no clock."""

    state: State
    recipe: Annotated[str | UnsetType, note("by its name; without one, that with which the service was started")] = (
        UNSET
    )


class BuildRequest(Asked, frozen=True):
    """Build a prompt."""

    budget: Tokens | None = None
    tokenizer: Tokenizer | None = None
    audience: Annotated[Audience | None, note("wins over that of the state")] = None
    secrets: Annotated[Secrets | None, note("wins over that of the state")] = None


class FitRequest(Asked, frozen=True, kw_only=True):
    """Build a prompt that is never longer than a budget."""

    budget: Tokens


class DiffRequest(Frozen, frozen=True):
    """Build two prompts, and compare them."""

    a: Asked
    b: Asked


class RenderRequest(Asked, frozen=True, kw_only=True):
    """Build a prompt, and the request that says it to a provider."""

    format: Provider
    model: Annotated[str | None, note("it decides on roles and caching; without one, runtime.model of the state")] = (
        None
    )
    messages: Annotated[tuple[Said, ...], note("the conversation so far")] = ()
