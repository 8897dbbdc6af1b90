"""The play view: what it changes, as data, and the prompt that this makes. No path comes from a request."""

import re
import shlex
import threading
from collections import OrderedDict
from pprint import pformat
from typing import Annotated, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...assemble.build import build
from ...errors import StateError, explain_unknown
from ...fit.fit import fit
from ...lazy import lazy
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Look
from ...model.state.field_paths import FREE_FIELDS, merge_fields, put_value
from ...model.state.state import FIELDS, State
from ...model.struct import Frozen, note
from ...terminal.output import map_texts
from ...text.secrets.find_and_hide import hide_secrets
from ...text.secrets.quick_check import may_hold_secret
from ..service.answers import Tokens
from ..service.problems import RefusedError, problem_of, refusing
from .live_page import LivePage
from .prompt_files import PromptBackground

MAX_SIMULATIONS = 8
"""Simulations whose prompt is cached: dragging the budget only cuts it again."""


PLAIN = re.compile(r"[^.\[\]=\s]+")

LONG = 2_000
"""Characters of options beyond which values are passed as JSON, on standard input."""


class Wishes(Frozen, frozen=True):
    """The changes to simulate on the prompt that is sent."""

    budget: Tokens | None = None
    tools_off: Annotated[tuple[str, ...], note("names of tools to remove; unknown names are ignored")] = ()
    skills_off: tuple[str, ...] = ()
    set: Annotated[dict[str, Any], note("fields of the state by their paths, e.g. task.title")] = {}


class SimulatedPrompt(Struct, frozen=True, dict=True, eq=False):
    """A prompt as it was wished for, before a budget cuts it, and what it was made from."""

    prompt: Prompt
    found: State
    """What discovery gave."""
    looked: tuple[Look, ...]

    @lazy
    def fields(self) -> tuple[str, ...]:
        """The fields that differ from what was found. The session's id is ignored if no section renders it."""
        reads = {field for section in self.prompt.recipe.sections for field in section.reads}
        ignored = {"origins"} if "session" in reads else {"origins", "session"}
        found, now = self.found, self.prompt.state
        return tuple(name for name in FIELDS if name not in ignored and getattr(found, name) != getattr(now, name))

    @lazy
    def state(self) -> dict[str, Any]:
        """Its whole state, without keys and tokens."""
        return hidden(self.prompt.state)

    @lazy
    def words(self) -> str:
        """The differing fields as options for a command line; of what is long, a document on standard input."""
        discovered = hidden(self.found)
        old, new = ({name: data[name] for name in self.fields if name in data} for data in (discovered, self.state))
        words = [
            word for path, value in _list_differing_values(old, new, "") for word in _make_option_words(path, value)
        ]
        if sum(map(len, words)) <= LONG:
            return shlex.join(words)
        over = msgspec.json.encode({name: self.state.get(name) for name in self.fields})
        return f"--state - <<'END'\n{msgspec.json.format(over, indent=2).decode()}\nEND"

    @lazy
    def python(self) -> str:
        """The differing fields as a dict, as a program has it."""
        empty = State()
        values = {name: self.state.get(name, msgspec.to_builtins(getattr(empty, name))) for name in self.fields}
        return pformat(values, width=100, sort_dicts=False)


class Simulator:
    """Plays wishes on a page."""

    def __init__(self, live: LivePage) -> None:
        self.live = live
        self._lock = threading.Lock()
        self._simulations: OrderedDict[tuple[int, bytes], SimulatedPrompt] = OrderedDict()

    def play(self, changes: Wishes) -> tuple[Prompt, SimulatedPrompt]:
        """The prompt within the budget, and the whole one with what it is made from."""
        now = self.live.background()
        simulated = self._build_full(now, replace(changes, budget=None))
        budget = self.budget(changes)
        with refusing("budget"):
            return simulated.prompt if budget is None else fit(simulated.prompt, budget), simulated

    def budget(self, changes: Wishes) -> Budget | None:
        """The budget that is wished for, or else that of the page."""
        own = self.live.budget
        if changes.budget is None:
            return own
        return Budget(changes.budget, own.sections if own else {}, own.window if own else None)

    def _build_full(self, now: PromptBackground, changes: Wishes) -> SimulatedPrompt:
        """The simulated prompt of these wishes, cached."""
        key = now.version, msgspec.json.encode(changes)
        with self._lock:
            if key in self._simulations:
                self._simulations.move_to_end(key)
                return self._simulations[key]
        simulated = self._make(now, changes)
        with self._lock:
            self._simulations[key] = simulated
            while len(self._simulations) > MAX_SIMULATIONS:
                self._simulations.popitem(last=False)
        return simulated

    def _make(self, now: PromptBackground, changes: Wishes) -> SimulatedPrompt:
        """Build the prompt with these wishes."""
        sent = now.prompt.fitted.whole if now.prompt.fitted else now.prompt
        with refusing("set", "state"):
            state = wished(sent.state, changes)
        if state is sent.state:
            return SimulatedPrompt(sent, now.found.state, now.found.looked_at)
        with refusing("state", "state"):
            prompt = build(sent.recipe, state, since=sent, found=now.found.diagnostics, counting=sent.counting)
        return SimulatedPrompt(prompt, now.found.state, now.found.looked_at)


def wished(state: State, changes: Wishes) -> State:
    """The state with these wishes. Without any it is the same object."""
    result = _set_state_values(state, changes.set) if changes.set else state
    if changes.tools_off:
        result = result.replace(tools=tuple(each for each in result.tools if each.name not in changes.tools_off))
    if changes.skills_off:
        result = result.replace(skills=tuple(each for each in result.skills if each.name not in changes.skills_off))
    _check_withheld(state, result)
    return result


def _set_state_values(state: State, values: dict[str, Any]) -> State:
    """Values at their paths; the other fields stay the same objects, so that their blocks need not be built anew."""
    data, changed = state.to_dict(), set[str]()
    for path, value in values.items():
        changed.add(_find_state_field(path))
        try:
            put_value(data, path, value)
        except StateError as problem:
            raise RefusedError(problem_of("invalid", f"state.{path}: {problem}", f"state.{path}")) from None
    new = State.from_dict(merge_fields({}, data))
    return state.replace(**{name: getattr(new, name) for name in changed})


def _find_state_field(path: str) -> str:
    """The field of the state that a path leads to."""
    name = path.replace("[", ".").partition(".")[0]
    if name not in FIELDS:
        raise RefusedError(problem_of("invalid", explain_unknown("State field", name, FIELDS), f"state.{name}"))
    return name


def _check_withheld(state: State, requested: State) -> None:
    """Refuses a request for what the page's starter withholds from its readers."""
    if requested.secrets == "show" and state.secrets != "show":
        raise StateError(
            "secrets: keys and tokens are not shown here.", hint="Start `overture serve` with --no-redact."
        )
    if requested.audience == "private" and state.audience == "public":
        raise StateError(
            "audience: the page was started with --audience public.", hint="Start `overture serve` without --audience."
        )


def hidden(state: State) -> dict[str, Any]:
    """The JSON form of a state. Secrets are replaced as in a prompt: a key is written `[secret: …]`."""
    data = state.to_dict()
    shown = state.secrets == "show" or not may_hold_secret(msgspec.json.encode(data).decode())
    return data if shown else dict(map_texts(data, hide_secrets))


def _list_differing_values(discovered: dict[str, Any], now: dict[str, Any], at: str) -> list[tuple[str, Any]]:
    """The values that differ, as deep as a path leads to them; None removes one."""
    rows: list[tuple[str, Any]] = []
    for key in dict.fromkeys((*discovered, *now)):
        old, new = discovered.get(key), now.get(key)
        path = f"{at}.{key}" if at else key
        if old == new:
            continue
        is_plain = all(PLAIN.fullmatch(each) for side in (old, new) if isinstance(side, dict) for each in side)
        if isinstance(old, dict) and isinstance(new, dict) and key not in FREE_FIELDS and is_plain:
            rows += _list_differing_values(old, new, path)
        else:
            rows.append((path, new))
    return rows


def _make_option_words(path: str, value: Any) -> tuple[str, str]:
    """The option of a command line that sets a value of the state."""
    if path == "now" and value is not None:
        return "--now", value
    if isinstance(value, str) and not _is_json(value):
        return "--set", f"{path}={value}"
    return "--set", f"{path}={msgspec.json.encode(value).decode()}"


def _is_json(text: str) -> bool:
    """Whether `--set` would read a text as JSON."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
