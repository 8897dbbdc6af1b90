"""A prompt that is shown -> the command line and the Python program that make it, to the byte."""

import json
import re
import shlex
from os import fspath
from pprint import pformat
from typing import Any

import msgspec
from msgspec import Struct

from ....discover.load_tokenizer import NAMES
from ....lazy import lazy
from ....model.prompt.budget import Budget
from ....model.recipe.recipe import Recipe
from ....model.state.state import FIELDS, State
from ....model.state_path import FREE
from ....session.options import Options
from .hidden_keys import hidden
from .played import Played

PLAIN = re.compile(r"[^.\[\]=\s]+")
LONG = 2_000
"""Characters of options beyond which what is given goes in as JSON, on standard input."""


class MadeBy(Struct, frozen=True, dict=True, eq=False):
    """What makes a prompt: where it is discovered, and what is given beside that."""

    played: Played
    options: Options
    cwd: str
    budget: Budget | None = None

    @property
    def recipe(self) -> str:
        """Its name, or the path of its file where that was given."""
        asked, recipe = self.options.recipe, self.played.prompt.recipe
        is_file = isinstance(asked, str) and asked.endswith(".toml") and any(asked in path for path in recipe.files)
        return str(asked) if is_file else recipe.name

    @lazy
    def fields(self) -> tuple[str, ...]:
        """The fields of the state in which it differs from what is discovered; the time always does."""
        found, now = self.played.found, self.played.prompt.state
        left = {"origins", *(() if _reads(self.played.prompt.recipe, "session") else ("session",))}
        return tuple(name for name in FIELDS if name not in left and getattr(found, name) != getattr(now, name))

    @lazy
    def values(self) -> tuple[tuple[str, Any], ...]:
        """What is given, as paths of the state and values; None takes a field away."""
        found, now = hidden(self.played.found), hidden(self.played.prompt.state)
        return tuple(_differing(_only(found, self.fields), _only(now, self.fields), ""))

    @property
    def command(self) -> str:
        """`overture build opal --cwd /p --now …`."""
        words = ["overture", "build", self.recipe, "--cwd", self.cwd, *self._options()]
        given = [word for path, value in self.values for word in _word(path, value)]
        if sum(map(len, given)) <= LONG:
            return shlex.join([*words, *given])
        over: dict[str, Any] = {name: hidden(self.played.prompt.state).get(name) for name in self.fields}
        text = msgspec.json.format(msgspec.json.encode(over), indent=2).decode()
        return f"{shlex.join(words)} --state - <<'END'\n{text}\nEND"

    def _options(self) -> list[str]:
        options = self.options
        words = [*_path("--home", options.home), *_path("--root", options.root)]
        for key, value in (options.config or {}).items():
            words += ["-c", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
        if (budget := self.budget) is not None:
            words += [] if budget.total is None else ["--budget", str(budget.total)]
            words += [word for name, limit in budget.sections.items() for word in ("--budget", f"{name}={limit}")]
            words += [] if budget.window is None else ["--window", str(budget.window)]
        return [*words, *(["--tokenizer", counter] if (counter := self._counter) else [])]

    @property
    def _counter(self) -> str | None:
        counter = self.options.counter
        return counter.name if counter is not None and counter.name in NAMES else None

    @property
    def python(self) -> str:
        """A short program."""
        state = hidden(self.played.prompt.state)
        given = {name: state.get(name, _default(name)) for name in self.fields}
        where = {"cwd": self.cwd, **_named("home", self.options.home), **_named("root", self.options.root)}
        if self.options.config:
            where["config"] = dict(self.options.config)
        lines = [
            "import overture",
            "",
            f"found = overture.discover({_call(self.recipe, where)})",
            f"given = {pformat(given, width=100, sort_dicts=False)}",
            "state = overture.State.from_dict({**found.state.to_dict(), **given})",
            f"prompt = overture.build({_call(self.recipe, {'state': None, 'cwd': self.cwd, **self._kept()})})",
            "print(prompt.text)",
        ]
        return "\n".join(lines).replace("state=None", "state=state") + "\n"

    def _kept(self) -> dict[str, Any]:
        budget, more = self.budget, {}
        if budget is not None:
            plain = not budget.sections and budget.window is None
            more["budget"] = budget.total if plain else Code(f"overture.{budget!r}")
        if self._counter:
            more["count"] = Code(f"overture.counter({self._counter!r})")
        return more


class Code(str):
    """A word of a program, and no text in it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _call(recipe: str, named: dict[str, Any]) -> str:
    return ", ".join([repr(recipe), *(f"{name}={value!r}" for name, value in named.items())])


def _reads(recipe: Recipe, field: str) -> bool:
    return any(field in section.reads for section in recipe.sections)


def _only(data: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: data[name] for name in names if name in data}


def _default(name: str) -> Any:
    """A field that JSON leaves out, because nothing is in it."""
    return msgspec.to_builtins(getattr(State(), name))


def _differing(found: dict[str, Any], now: dict[str, Any], at: str) -> list[tuple[str, Any]]:
    """The values that differ, as deep as a path leads to them."""
    rows: list[tuple[str, Any]] = []
    for key in dict.fromkeys((*found, *now)):
        old, new = found.get(key), now.get(key)
        path = f"{at}.{key}" if at else key
        if old == new:
            continue
        deeper = isinstance(old, dict) and isinstance(new, dict) and key not in FREE
        if deeper and all(map(PLAIN.fullmatch, (*old, *new))):  # type: ignore[misc]
            rows += _differing(old, new, path)  # type: ignore[arg-type]
        else:
            rows.append((path, new))
    return rows


def _word(path: str, value: Any) -> tuple[str, str]:
    if path == "now" and value is not None:
        return "--now", value
    if isinstance(value, str) and not _is_json(value):
        return "--set", f"{path}={value}"
    return "--set", f"{path}={msgspec.json.encode(value).decode()}"


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _path(option: str, path: Any) -> list[str]:
    return [] if path is None else [option, fspath(path)]


def _named(name: str, path: Any) -> dict[str, str]:
    return {} if path is None else {name: fspath(path)}
