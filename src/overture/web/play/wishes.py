"""What a page may wish for, as data; and the state in which a prompt is said with these wishes."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from ...errors import StateError, explain_unknown
from ...model.state.runtime import Runtime
from ...model.state.state import FIELDS, STATE_ALIASES, State
from ...model.state.state_path import merge_fields, put_value
from ...model.struct import Frozen, note
from ..service.problems import RefusedError, problem_of
from ..service.requests import Provider, Tokens

CopyForm = Literal[
    "text", "json", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama", "python", "command"
]


class Wishes(Frozen, frozen=True):
    """What is to be otherwise than in the prompt that is sent."""

    recipe: Annotated[str | None, note("by its name")] = None
    budget: Tokens | None = None
    model: Annotated[str | None, note("it decides on the window, on prices, and on what is said of it")] = None
    tools_off: Annotated[tuple[str, ...], note("tools that are not there, by name; others are passed over")] = ()
    skills_off: tuple[str, ...] = ()
    set: Annotated[dict[str, Any], note("fields of the state by their paths, e.g. task.title")] = {}
    state: Annotated[State | UnsetType, note("all of the state, in place of the one that is sent")] = UNSET
    provider: Annotated[Provider | None, note("whose prices count")] = None


class CopyWishes(Wishes, frozen=True, kw_only=True):
    """The same, and the form in which it is wanted."""

    form: CopyForm = field(name="as")


def wished(state: State, wishes: Wishes) -> State:
    """The state with these wishes. One of which nothing is wished is the very same object."""
    given = state if wishes.state is UNSET else wishes.state
    if wishes.set:
        given = _with_values(given, wishes.set)
    if wishes.model is not None:
        given = given.replace(runtime=replace(given.runtime or Runtime(), model=wishes.model))
    if wishes.tools_off:
        given = given.replace(tools=tuple(each for each in given.tools if each.name not in wishes.tools_off))
    if wishes.skills_off:
        given = given.replace(skills=tuple(each for each in given.skills if each.name not in wishes.skills_off))
    _check_kept(state, given)
    return given


def _with_values(state: State, values: dict[str, Any]) -> State:
    """Values at their paths; the other fields stay the same objects, so that their blocks need not be built anew."""
    data, changed = state.to_dict(), set[str]()
    for path, value in values.items():
        changed.add(_field(path))
        try:
            put_value(data, path, value)
        except StateError as problem:
            raise RefusedError(problem_of("invalid", f"state.{path}: {problem}", f"state.{path}")) from None
    new = State.from_dict(merge_fields({}, data))
    return state.replace(**{name: getattr(new, name) for name in changed})


def _field(path: str) -> str:
    """The field of the state in which a path lies."""
    root = path.replace("[", ".").partition(".")[0]
    if (name := STATE_ALIASES.get(root, root)) not in FIELDS:
        raise RefusedError(problem_of("invalid", explain_unknown("State field", root, FIELDS), f"state.{root}"))
    return name


def _check_kept(state: State, given: State) -> None:
    """What whoever started the page keeps from its readers, no reader can ask for."""
    if given.secrets == "show" and state.secrets != "show":
        raise StateError("secrets: keys and tokens are not shown here. Start `overture serve` with --no-redact.")
    if given.audience == "private" and state.audience == "public":
        raise StateError("audience: the page was started for the public. Start `overture serve` without --audience.")
