"""Wishes -> the prompt that they make, over the newest turn. No path comes from a request, and nothing is read for one.

Another recipe looks for other files: those are discovered where the page was started, once for each recipe and turn.
"""

import threading
from collections import OrderedDict

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...assemble.build import build
from ...discover.disk.location import locate
from ...fit.fit import fit
from ...lazy import lazy
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.discovery import Discovery, Look
from ...model.state.state import State
from ...project.resolve import resolve
from ...session.files.session_files import overlay_fields
from ...session.session import get_parts
from ...session.toolbox import USE_SKILL, add_skill_loader
from ..service.offered_recipes import OfferedRecipes
from ..service.problems import refusing
from .live_page import CurrentPrompt, LivePage
from .play_values import StateOverrides, Wishes, wished

MAX_SIMULATIONS = 8
"""Wishes whose prompt is kept: a budget that is dragged over it only cuts."""


class SimulatedPrompt(Struct, frozen=True, dict=True, eq=False):
    """A prompt as it was wished for, before a budget cuts it, and what it was made from."""

    prompt: Prompt
    found: State
    """What discovery gives for that recipe."""
    looked: tuple[Look, ...]

    @lazy
    def given(self) -> StateOverrides:
        """What has to be given beside discovery to come to its state."""
        return StateOverrides(self.prompt.recipe, self.found, self.prompt.state)

    @lazy
    def state(self) -> msgspec.Raw:
        """Its state as JSON, without keys and tokens."""
        return msgspec.Raw(msgspec.json.encode(self.given.state))


class Simulator:
    """Plays wishes on a page."""

    def __init__(self, live: LivePage, offer: OfferedRecipes) -> None:
        self.live, self.offer = live, offer
        self._lock = threading.Lock()
        self._made: OrderedDict[tuple[int, bytes], SimulatedPrompt] = OrderedDict()
        self._found: dict[str, tuple[int, Discovery]] = {}

    def play(self, changes: Wishes) -> tuple[Prompt, SimulatedPrompt]:
        """The prompt within the budget, and the whole one with what it is made from."""
        now = self.live.now
        simulated = self._build_full(now, replace(changes, budget=None, provider=None))
        budget = self.budget(changes)
        with refusing("budget"):
            return simulated.prompt if budget is None else fit(simulated.prompt, budget), simulated

    def budget(self, changes: Wishes) -> Budget | None:
        """The budget that is wished for, or else that of the page."""
        own = self.live.budget
        if changes.budget is None:
            return own
        return Budget(changes.budget, own.sections if own else {}, own.window if own else None)

    def _build_full(self, now: CurrentPrompt, changes: Wishes) -> SimulatedPrompt:
        key = now.version, msgspec.json.encode(changes)
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        simulated = self._make(now, changes)
        with self._lock:
            self._made[key] = simulated
            while len(self._made) > MAX_SIMULATIONS:
                self._made.popitem(last=False)
        return simulated

    def _make(self, now: CurrentPrompt, changes: Wishes) -> SimulatedPrompt:
        sent = now.prompt.fitted.whole if now.prompt.fitted else now.prompt
        recipe, state, found = sent.recipe, sent.state, now.found
        if changes.recipe is not None and changes.recipe != sent.recipe.name:
            with refusing("recipe"):
                recipe = self.offer.recipe(changes.recipe)
                found = self._discover_for_recipe(recipe, now)
            state = self._overlay_session_state(recipe, found.state, state)
        with refusing("set", "state"):
            state = wished(state, changes)
        if state is sent.state and recipe is sent.recipe:
            return SimulatedPrompt(sent, found.state, found.looked_at)
        with refusing("state", "state"):
            prompt = build(recipe, state, since=sent, found=found.diagnostics, counting=sent.counting)
        return SimulatedPrompt(prompt, found.state, found.looked_at)

    def _discover_for_recipe(self, recipe: Recipe, now: CurrentPrompt) -> Discovery:
        """What the recipe looks for, where the page was started."""
        turn, known = self._found.get(recipe.name, (0, None))
        if known is None or turn != now.version:
            where = get_parts(self.live.session).setup.settings
            location = locate(where.cwd, where.home, where.root, where.config)
            project = resolve(recipe, location)
            known = project.find(known)
            self._found[recipe.name] = now.version, known
        return known

    def _overlay_session_state(self, recipe: Recipe, found: State, sent: State) -> State:
        """What was discovered, with what the session has: its time, its tools, and what was given to it."""
        setup = get_parts(self.live.session).setup
        state = overlay_fields(found, setup.given).replace(now=sent.now, session=sent.session)
        tools = state.tools if setup.requested_tools is None else sent.tools
        return state.replace(tools=add_skill_loader(tools, state.skills, recipe, USE_SKILL in setup.requested_names))
