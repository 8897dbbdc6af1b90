"""A prompt that is shown -> the command line and the Python program that make it, to the byte."""

import json
import shlex
from os import fspath
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from ...discover.load_tokenizer import COUNTER_NAMES
from ...model.prompt.budget import Budget
from ...providers.render import list_native_tools, request
from ...providers.write.tools import order_tools
from ...session.session import get_parts
from ...session.session_setup import SessionSettings
from ..service.problems import refusing
from .simulate_prompt import SimulatedPrompt, Simulator, Wishes

PROGRAM = """import overture

found = overture.discover({discover})
given = {given}
state = overture.State.from_dict({{**found.state.to_dict(), **given}})
prompt = overture.build({build})
print(prompt.text)
"""


CopyForm = Literal[
    "text", "json", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama", "python", "command"
]


class CopyWishes(Wishes, frozen=True, kw_only=True):
    """The same, and the form in which it is wanted."""

    form: CopyForm = field(name="as")


class PromptRecipe(Struct, frozen=True, eq=False):
    """What makes a prompt: where it is discovered, the values of the caller, and how it is cut."""

    simulated: SimulatedPrompt
    settings: SessionSettings
    cwd: str
    budget: Budget | None = None

    @property
    def recipe(self) -> str:
        """Its name, or the path of its file if the caller named that."""
        source, recipe = self.settings.recipe, self.simulated.prompt.recipe
        is_file = isinstance(source, str) and any(path.endswith(source.rpartition("/")[2]) for path in recipe.files)
        return str(source) if is_file and str(source).endswith(".toml") else recipe.name

    @property
    def command(self) -> str:
        """`overture build opal --cwd /p --now …`."""
        words = ["overture", "build", self.recipe, "--cwd", self.cwd, *self._list_options()]
        return f"{shlex.join(words)} {self.simulated.words}".rstrip()

    def _list_options(self) -> list[str]:
        """The options of the command line that makes the shown prompt."""
        words = [word for name, path in self._list_given_folders().items() for word in (f"--{name}", path)]
        for key, value in (self.settings.config or {}).items():
            words += ["-c", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
        if (budget := self.budget) is not None:
            words += [] if budget.total is None else ["--budget", str(budget.total)]
            words += [word for name, limit in budget.sections.items() for word in ("--budget", f"{name}={limit}")]
            words += [] if budget.window is None else ["--window", str(budget.window)]
        return [*words, *(["--tokenizer", self._counter] if self._counter else [])]

    @property
    def python(self) -> str:
        """A short Python program that makes the shown prompt."""
        where: dict[str, Any] = {"cwd": self.cwd, **self._list_given_folders()}
        if self.settings.config:
            where["config"] = dict(self.settings.config)
        build: dict[str, Any] = {"state": SourceCode("state"), "cwd": self.cwd}
        if (budget := self.budget) is not None:
            plain = not budget.sections and budget.window is None
            build["budget"] = budget.total if plain else SourceCode(f"overture.{budget!r}")
        if self._counter:
            build["count"] = SourceCode(f"overture.counter({self._counter!r})")
        return PROGRAM.format(
            discover=_format_call_arguments(self.recipe, where),
            given=self.simulated.python,
            build=_format_call_arguments(self.recipe, build),
        )

    def _list_given_folders(self) -> dict[str, str]:
        """Home and root, if the caller set them."""
        folders = {"home": self.settings.home, "root": self.settings.root}
        return {name: fspath(path) for name, path in folders.items() if path is not None}

    @property
    def _counter(self) -> str | None:
        """The name of the counter that the copied command passes."""
        counter = self.settings.counter
        return counter.name if counter is not None and counter.name in COUNTER_NAMES else None


class SourceCode(str):
    """A word of a program, and no text in it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _format_call_arguments(recipe: str, named: dict[str, Any]) -> str:
    """The arguments of the call in the copied Python program."""
    return ", ".join([repr(recipe), *(f"{name}={value!r}" for name, value in named.items())])


def answer_copy(player: Simulator, changes: CopyWishes) -> dict[str, str]:
    """The prompt to be copied, in the form that is wanted, or what makes it."""
    prompt, simulated = player.play(changes)
    if changes.form == "text":
        return {"text": prompt.text}
    if changes.form in ("python", "command"):
        return {"text": getattr(make_prompt_recipe(player, changes, simulated), changes.form)}
    if changes.form == "json":
        return {"text": _dump_indented(prompt.to_dict())}
    with refusing("state", "state"):
        tools = order_tools(list_native_tools(prompt), prompt.recipe)
        written = request(changes.form, prompt, (), tools, models=player.live.models)[1]
    return {"text": _dump_indented(written.body)}


def make_prompt_recipe(player: Simulator, changes: Wishes, simulated: SimulatedPrompt) -> PromptRecipe:
    """What makes a simulated prompt, for a command line or a program."""
    settings = get_parts(player.live.session).setup.settings
    return PromptRecipe(simulated, settings, player.live.project.cwd, player.budget(changes))


def _dump_indented(value: Any) -> str:
    """A value as JSON for the copied Python program."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
