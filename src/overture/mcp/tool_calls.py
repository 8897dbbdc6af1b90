"""The tools of the server: the arguments of each, the command that answers it, and the JSON Schema of its result."""

from typing import Annotated, Any, ClassVar, TypedDict

import msgspec
from msgspec import Meta

from ..agents.in_use import find_agent_name
from ..agents.outputs import AgentsOutput, FilesOutput
from ..changes.tables import TableDiff
from ..check.formats import CheckOutput
from ..errors import ConfigError
from ..model.prompt.saved_prompt import SavedPrompt
from ..model.struct import Frozen, note
from ..report.context import Context
from ..report.diff import Patch
from ..report.why import PathStatus

Names = Annotated[tuple[str, ...], note("agents such as codex or claude-code; none: those that are set up here")]
Recipe = Annotated[
    str | None, note("a recipe (house, pi, …) or an agent (codex, …); none: the recipe of overture.toml, or house")
]


class ToolCall(Frozen, frozen=True, kw_only=True):
    """What all tools take."""

    about: ClassVar[str]
    more: ClassVar[str]
    """How to see the rest of a result that was shortened."""
    words: ClassVar[tuple[str, ...]]
    """The command, and the option by which it prints JSON."""
    positional: ClassVar[tuple[str, ...]] = ("recipe",)
    """The arguments of the tool that the command takes without an option; the others are options of their name."""
    path_fields: ClassVar[tuple[str, ...]] = ("recipe",)
    """The arguments that may be paths of files that the command reads."""

    cwd: Annotated[str, note("a folder below the server's start folder")] = "."

    def make_words(self) -> list[str]:
        """The words of the command line; a caller's values follow `--`, or are an option's value."""
        names = [name for name in self.__struct_fields__ if name not in ("cwd", *self.positional)]
        options = [f"--{name}={value}" for name in names for value in self._list_values(name)]
        return [*self.words, *options, "--", *(value for name in self.positional for value in self._list_values(name))]

    def list_paths(self) -> list[str]:
        """The values of the tool call that may be paths of files that its command reads."""
        return [path for name in self.path_fields for path in self._list_values(name)]

    def _list_values(self, name: str) -> tuple[Any, ...]:
        """The values of an argument: several, one, or none."""
        value = getattr(self, name) or ()
        return value if isinstance(value, tuple) else (value,)


class AgentsCall(ToolCall, frozen=True, kw_only=True):
    """`overture agents`."""

    about = (
        "What each coding agent loads in this repository: instruction files, rules and skills, in order, where each "
        "is truncated, and why others are skipped."
    )
    more = "Pass one agent in `agents`, or a folder in `cwd`."
    words = ("agents", "--json")
    positional = ("agents",)
    path_fields = ("touching",)

    agents: Names = ()
    touching: Annotated[tuple[str, ...], note("files that the agent works on, to include what is loaded for them")] = ()

    def make_words(self) -> list[str]:
        """Agents by name; `diff` would be another command."""
        check_agents(self.agents)
        return super().make_words()


class WhyCall(ToolCall, frozen=True, kw_only=True):
    """`overture agents --why`, and `overture explain --why` for a recipe."""

    about = (
        "Why a file or a skill is loaded or skipped here, by each coding agent or by one recipe. Use it when a skill, "
        "an AGENTS.md or a rule seems to be ignored."
    )
    more = "Pass one agent in `agents`."
    path_fields = ("recipe",)  # it may be a file; the path of the question is not read

    path: Annotated[str, Meta(min_length=1), note("a path, a file's name, or a skill's name")]
    agents: Annotated[tuple[str, ...], note("agents such as codex or claude-code; none: all known agents")] = ()
    recipe: Annotated[str | None, note("a recipe in place of agents: house, pi, …")] = None

    def make_words(self) -> list[str]:
        """Either command names the path in an option."""
        if self.recipe is None:
            return ["agents", "--json", f"--why={self.path}", "--", *check_agents(self.agents)]
        if self.agents:
            raise ConfigError("`agents` and `recipe` can't be combined.", hint="Omit one of them.")
        return ["explain", "--json", f"--why={self.path}", "--", self.recipe]


class CheckCall(ToolCall, frozen=True, kw_only=True):
    """`overture check`."""

    about = "Problems in the instruction files and skills of this repository, with path and line."
    more = "Pass codes in `select`, or a folder in `cwd`."
    words = ("check", "--json")

    recipe: Recipe = None
    select: Annotated[tuple[str, ...], note("only these checks, by code or prefix")] = ()


class ContextCall(ToolCall, frozen=True, kw_only=True):
    """`overture context`."""

    about = "What fills the model's context window here: the prompt by section, tools, skills and files, in tokens."
    more = "Pass another recipe in `recipe`, or a folder in `cwd`."
    words = ("context", "--json")

    recipe: Recipe = None
    model: Annotated[str | None, note("the model whose window is used")] = None


class DiffCall(ToolCall, frozen=True, kw_only=True):
    """`overture diff`."""

    about = "What differs between two git revisions in what each agent reads, or between the prompts of two recipes."
    more = "Pass closer revisions, or a folder in `cwd`."
    words = ("diff", "--json")
    positional = ("recipe", "before", "after")
    path_fields = ("before", "after", "recipe")  # each may be a file, as a saved prompt, a state or a recipe

    before: Annotated[str, Meta(min_length=1), note("a revision such as main, main...HEAD or HEAD~1, or a recipe")]
    after: Annotated[str | None, note("the other one; none: the working tree")] = None
    recipe: Annotated[
        str | None, note("the agent or the recipe to compare two revisions of; none: the agents in use")
    ] = None


class BuildCall(ToolCall, frozen=True, kw_only=True):
    """`overture build`."""

    about = "The system prompt that a recipe builds here, or the instructions that an agent loads, with the sources."
    more = "Pass a number of tokens in `budget`."
    words = ("build", "--format=json")

    recipe: Recipe = None
    budget: Annotated[Annotated[int, Meta(ge=1)] | None, note("maximum number of tokens")] = None


TOOL_CALLS: dict[str, type[ToolCall]] = {
    "agents": AgentsCall, "why": WhyCall, "check": CheckCall, "context": ContextCall, "diff": DiffCall,
    "build": BuildCall,
}  # fmt: skip


def check_agents(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of agents; another one is an error with the nearest."""
    return tuple(map(find_agent_name, names))


class RecipeWhyOutput(TypedDict):
    """`overture explain RECIPE --why PATH --json`, which is a list."""

    result: list[PathStatus]


OUTPUT_TYPES: dict[str, tuple[Any, ...]] = {
    "agents": (AgentsOutput,),
    "why": (FilesOutput, RecipeWhyOutput),
    "check": (CheckOutput,),
    "context": (Context, AgentsOutput),
    "diff": (Patch, TableDiff),
    "build": (SavedPrompt,),
}
"""Per tool, the possible types of its result."""


def make_object_schema(*types: Any) -> dict[str, Any]:
    """The JSON Schema of one of these types, with `type: object` at its top, as the protocol asks for."""
    roots, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    if len(types) > 1:
        return {"type": "object", "anyOf": list(roots), "$defs": definitions}
    root = definitions.pop(roots[0]["$ref"].rpartition("/")[2])
    return {**root, "$defs": definitions} if definitions else root
