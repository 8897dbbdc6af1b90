"""Options -> recipe and State: what was discovered, with what the command line gives on top, field by field."""

import re
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from ..api import discover, load_models
from ..assemble.build import build
from ..assemble.fit import fit
from ..discover.config import load_config
from ..discover.counters import find_counter
from ..discover.discover import absolute, working_directory
from ..discover.inputs import decode_json, read_json, read_tools
from ..discover.world import RealWorld
from ..model.budget import Budget, Limit
from ..model.config import KEYS, Config, kind_of, parsed
from ..model.errors import ConfigError, StateError, nearest
from ..model.facts import TableForm
from ..model.found import Found, Look
from ..model.prompt import Prompt
from ..model.recipe import Recipe
from ..model.state import State
from ..settle import choose


class Ask(NamedTuple):
    """What the command line says."""

    recipe: str | None = None
    cwd: str | None = None
    home: str | None = None
    root: str | None = None
    state_file: str | None = None
    no_discover: bool = False
    sets: tuple[str, ...] = ()
    tools_file: str | None = None
    now: str | None = None
    config: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    window: int | None = None
    tokenizer: str | None = None


class Gathered(NamedTuple):
    """A recipe, the State to say, and how it was found."""

    recipe: Recipe
    state: State
    found: Found
    ask: Ask = Ask()

    def build(self, *, counted: bool = False) -> Prompt:
        """The prompt, within the budget; counted with the tokenizer that was asked for, where that matters."""
        prompt = build(self.recipe, self.state, found=self.found.diagnostics)
        # Loading a tokenizer takes longer than all the rest.
        if counted or self.ask.budgets or self.ask.tokenizer is not None:
            prompt = prompt.counted(find_counter(self.ask.tokenizer))
        return fit(prompt, budget_of(self.ask)) if self.ask.budgets else prompt


def budget_of(ask: Ask) -> Budget:
    """`4000`, `10%` and `skills=500` as a budget."""
    total: str | None = None
    sections: dict[str, Limit] = {}
    for text in ask.budgets:
        name, equals, limit = text.partition("=")
        if equals:
            sections[name.strip()] = limit
        else:
            total = text
    return Budget(total, sections, ask.window)


def gather(ask: Ask) -> Gathered:
    """Find out what to say, and in which recipe."""
    given = given_state(ask)
    if ask.no_discover:
        world = RealWorld()
        recipe = choose(world, ask.recipe, Config({}), absolute(world, "."))
        return Gathered(recipe, checked(given, ask), Found(State()), ask)
    config = command_line(ask)
    recipe = chosen(ask)
    found = discover(recipe, cwd=ask.cwd, home=ask.home, root=ask.root, config=config)
    if not given and not ask.sets:
        return Gathered(recipe, found.state, found, ask)
    kept = {
        path: origin for path, origin in found.state.origins.items() if not gives(given, path) and not _set(ask, path)
    }
    state = checked(merged(found.state.replace(origins=kept).to_dict(), given), ask)
    return Gathered(recipe, state, _replaced(found, state), ask)


def checked(data: dict[str, Any], ask: Ask) -> State:
    """The State, with --set on top; a hint where that gave a number for a text."""
    for text in ask.sets:
        assign(data, text)
    try:
        return State.from_dict(merged({}, data))
    except StateError as problem:
        path = str(problem).partition(":")[0]
        if "expected text" in str(problem) and any(text.startswith(f"{path}=") for text in ask.sets):
            raise StateError(f"{problem} Put quotes around a text: --set '{path}=\"…\"'.") from None
        raise


def given_state(ask: Ask) -> dict[str, Any]:
    """What --state, --tools, --now and --set give."""
    world = RealWorld()
    given: dict[str, Any] = {}
    for option, value in (("--state", ask.state_file), ("--tools", ask.tools_file), ("--now", ask.now)):
        if value == "":
            raise ConfigError(f"{option} is empty. Give it a value, or leave it out.")
    if ask.state_file:
        data = (
            decode_json(read_input(), "standard input") if ask.state_file == "-" else read_json(world, ask.state_file)
        )
        if not isinstance(data, dict):
            raise StateError(f"{ask.state_file}: a state is a JSON object, not {type(data).__name__}.")
        given = merged({}, data)
        State.from_dict(given)  # its own errors first, before those of what is merged into it
    if ask.tools_file:
        given["tools"] = msgspec.to_builtins(read_tools(world, ask.tools_file))
    if ask.now:
        given["now"] = ask.now
    return given


FREE = ("extra", "data", "details", "parameters", "metadata")
"""Fields that hold anything, null included."""


@cache
def read_input() -> bytes:
    """All of standard input, which can be read once, however many recipes want it."""
    if sys.stdin is None:
        raise ConfigError("Standard input is closed. Give --state a file.")
    return sys.stdin.buffer.read()


def merged(base: dict[str, Any], over: dict[str, Any], *, free: bool = False) -> dict[str, Any]:
    """`base` with the values of `over`, field by field; null takes a field away."""
    result = dict(base)
    for key, value in over.items():
        if value is None and not free:
            result.pop(key, None)
        elif isinstance(value, dict):
            inner = result.get(key)
            result[key] = merged(inner if isinstance(inner, dict) else {}, value, free=free or key in FREE)
        else:
            result[key] = value
    return result


def gives(given: dict[str, Any], path: str) -> bool:
    """Whether the caller gave that field, or a whole that it is in: its file is then not where it came from."""
    here: Any = given
    for step in re.findall(r"[^.\[\]]+", path):
        if not isinstance(here, dict):
            break
        if step not in here:
            return False
        here = here[step]
    return True


def _set(ask: Ask, path: str) -> bool:
    """Whether --set gives the field at `path`, a part of it, or what it is a part of."""
    names = [text.partition("=")[0] for text in ask.sets]
    return any(f"{path}.".startswith((f"{n}.", f"{n}[")) or n.startswith((f"{path}.", f"{path}[")) for n in names)


def assign(data: dict[str, Any], text: str) -> None:
    """`agent.name=Ada`: set one field. The value is JSON where it parses as JSON, else text."""
    path, equals, raw = text.partition("=")
    steps = re.findall(r"[^.\[\]]+", path)
    for index in re.findall(r"\[(.*?)\]", path):
        if not _is_index(index):
            raise ConfigError(f"--set {text[:80]!r}: [{index[:20]}] is not the number of an item.")
    if not equals or not steps:
        raise ConfigError(f"--set {text!r} is not PATH=VALUE, e.g. --set agent.name=Ada.")
    if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
        raise ConfigError(f"--set {text!r} is not UTF-8.")
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        value = raw
    here: Any = data
    for step, after in zip(steps, [*steps[1:], ""], strict=True):
        filler: Any = [] if _is_index(after) else {}
        here = _step(here, step, value if not after else filler, text, last=not after)


def _step(here: Any, step: str, value: Any, text: str, *, last: bool) -> Any:
    """Go to `step`, which is made if it is not there; at the last one, set the value."""
    if isinstance(here, dict):
        here[step] = value if last or step not in here else here[step]
        return here[step]
    if isinstance(here, list) and _is_index(step) and int(step) <= len(here):
        index = int(step)
        here[index : index + 1] = [value if last or index == len(here) else here[index]]
        return here[index]
    raise ConfigError(f"--set {text[:80]!r}: there is no {step[:20]!r} to set.")


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdecimal() and len(step) < 6


def command_line(ask: Ask) -> dict[str, Any]:
    """The settings that -c gives."""
    values: dict[str, Any] = {}
    for text in ask.config:
        key, equals, raw = text.partition("=")
        if not equals:
            raise ConfigError(f"-c {text!r} is not KEY=VALUE, e.g. -c features.skills.enabled=false.")
        if key not in KEYS and not key.startswith("recipes."):
            raise ConfigError(f"-c {text!r}: the setting {key!r} is not known.{nearest(key, KEYS)}")
        kind = kind_of(key)
        values[key] = parsed(raw, kind) if kind else raw
    return values


def chosen(ask: Ask) -> Recipe:
    """The recipe that these options and the configuration lead to."""
    world = RealWorld()
    return choose(world, ask.recipe, settled(ask), _folder(world, ask))


def _folder(world: RealWorld, ask: Ask) -> str:
    """Where the path of a recipe starts from: a name needs no folder, so a directory that is gone may be."""
    return absolute(world, ".") if (ask.recipe or "").endswith(".toml") else "/"


def settled(ask: Ask) -> Config:
    """The configuration that counts for these options."""
    world = RealWorld()
    cwd = working_directory(world, ask.cwd)
    home = absolute(world, ask.home or world.home())
    return load_config(world, cwd, home, command_line(ask))


def models_for(ask: Ask) -> TableForm:
    """Limits and prices of models: the package's own, with the configured file over them."""
    return load_models(None if ask.no_discover else settled(ask).get("models", ask.recipe).value)


def _replaced(found: Found, state: State) -> Found:
    """Files that were loaded and are not in the state any more were replaced by what the caller gave."""
    paths: set[str] = {file.path for file in state.context_files}
    paths |= {file.path for file in state.workspace_files}
    paths |= {skill.location for skill in state.skills}
    paths |= {origin.path for origin in state.origins.values()}
    looked: Sequence[Look] = [
        look
        if look.outcome != "loaded" or look.path in paths
        else Look(look.path, look.what, "shadowed", "by the state that was given")
        for look in found.looked_at
    ]
    return Found(found.state, found.diagnostics, tuple(looked), found.kept)
