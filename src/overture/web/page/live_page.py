"""What the page shows of a project: prompts by agent and model, built again whenever a file behind them changes."""

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from ...discovery.configuration.config import USER_FILE
from ...discovery.discover import fill_wants
from ...discovery.paths import list_walk_folders
from ...errors import ConfigError, OvertureError
from ...fit.fit import fit
from ...known_models.model_facts import TableForm
from ...model.agent_rules import AgentWants, Skills
from ...model.diagnostic import Diagnostic
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...project.resolve import make_project_path_printer
from ...report.sheet.compare_sheets import make_turn_row, predict_cache_between
from ...report.sheet.sheet import Sheet, SheetDetails, SheetPlace, SheetWithTools
from ...terminal.gather_state import gather_silently
from ...terminal.option_values import budget_for
from ...terminal.options import CommandOptions
from ..service.problems import refusing
from .page_events import PageEvent, PageEvents
from .prompt_files import PromptBackground, find_roots
from .turn_history import TurnHistory, draw_sheet, find_model_facts

MAX_PROMPTS = 16
"""Agents and models whose turns are kept; of more, those that nobody looks at are forgotten."""
PAUSE_SECONDS = 0.25
"""Between two looks at the files, each of some hundred calls of stat."""
CONFIG_NAMES = ("overture.toml", "pyproject.toml")


class Choice(NamedTuple):
    """What an address of the page names: an agent or recipe, and a model; None: as the page was started."""

    recipe: str | None = None
    model: str | None = None


FileStamps = dict[str, tuple[int, int, int] | None]
"""Time, size and number of each path, by which a change is noticed; None: it is not there."""


def list_followed_paths(background: PromptBackground) -> frozenset[str]:
    """Every path whose change may change the prompt: files, settings, and the folders in which new files may appear."""
    project = background.project
    assert project is not None
    wants, home = fill_wants(project), project.home.rstrip("/")
    walk = [folder.rstrip("/") for folder in list_walk_folders(project.cwd, None)]
    paths = {look.path for look in background.found.looked_at if look.path.startswith("/")} | {*project.recipe.files}
    paths |= {f"{folder}/{name}" for folder in walk for name in CONFIG_NAMES} | {f"{home}/{USER_FILE}"}
    paths |= {path.rpartition("/")[0] or "/" for path in paths}
    places = wants.listed if isinstance(wants, AgentWants) else wants.skills
    if places is not None:
        levels = walk if isinstance(places, Skills) or places.ancestors else [project.cwd.rstrip("/")]
        skills = [f"{level}/{folder}" for level in levels for folder in places.project]
        for folder in (*skills, *(f"{home}/{folder}" for folder in places.home)):
            # A folder in it may get its SKILL.md later.
            paths |= {folder, *_list_folders(folder)}
    return frozenset(paths)


def _list_folders(path: str) -> Iterator[str]:
    try:
        with os.scandir(path) as entries:
            yield from (entry.path for entry in entries if entry.is_dir())
    except OSError:
        return


def read_stamps(paths: Collection[str]) -> FileStamps:
    """The stamps of these paths, as they are now."""
    stamps: FileStamps = {}
    for path in paths:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            stamps[path] = None
        else:
            stamps[path] = status.st_mtime_ns, status.st_size, status.st_ino
    return stamps


class LivePrompt:
    """One prompt of the page, with its turns. Any thread may ask: the first to notice a change builds again."""

    def __init__(self, options: CommandOptions, models: TableForm, events: PageEvents, choice: Choice) -> None:
        """Show the prompt that these options lead to."""
        self.options, self.models, self.events, self.choice = options, models, events, choice
        self.history = TurnHistory()
        self._lock = threading.Lock()
        self._background: PromptBackground | None = None
        self._good: PromptBackground | None = None
        """The newest without a file that an edit broke."""
        self._stamps: FileStamps = {}
        self._hidden: dict[str, str] | None = None
        """The inputs of a prompt that was built while a file was broken, and is not shown."""

    def look(self) -> PromptBackground:
        """The prompt and what it was made from, built again if a file has changed since."""
        with self._lock:
            stamps = read_stamps(self._stamps)
            changed = [path for path, stamp in stamps.items() if stamp != self._stamps[path]]
            if self._background is None or changed:
                self._build(stamps, changed)
            assert self._background is not None
            return self._background

    def sheet(self, turn: int | None, budget: int | None) -> Sheet:
        """A turn by its number, or the newest; or the newest within a budget."""
        background = self.look()
        shown = self.history.get(None if budget is not None else turn, "turn")
        if budget is None:
            return shown.sheet
        own, prompt = budget_for(self.options) or Budget(), background.prompt
        with refusing("budget"):
            prompt = fit(prompt, Budget(budget, own.sections, own.window))
        return self._draw(prompt, background, shown.sheet.turn, shown.sheet.at, shown.sheet.broken).sheet

    def _build(self, stamps: FileStamps, changed: list[str]) -> None:
        """Build the prompt, and add a turn if a difference is visible."""
        before = self._background
        self._stamps = stamps
        try:
            background = self._gather()
        except OvertureError as problem:
            if before is None:
                raise
            self._report(str(problem))
            return
        # Of paths that were followed before, the stamps from before the build: a file may change meanwhile.
        paths = list_followed_paths(background)
        self._stamps = read_stamps(paths - stamps.keys()) | {p: s for p, s in stamps.items() if p in paths}
        new_problem = _find_new_problem(self._good, background)
        if new_problem is not None and before is not None:
            # A file stays broken while another is edited: that one's text is shown, and what is wrong beside it.
            inputs = _list_inputs(background.prompt)
            is_hidden = self._hidden in (None, inputs)
            self._hidden = inputs
            self._report(new_problem)
            if is_hidden or inputs == _list_inputs(before.prompt):
                return
        else:
            self._good, self._hidden = background, None
            self._report(None)
        self._show(background, changed)

    def _gather(self) -> PromptBackground:
        """The prompt of the options as files are now."""
        gathered = gather_silently(self.options)
        if gathered.project is None:
            raise ConfigError(
                "The page shows a project, and these options name none.",
                hint="Omit --no-discover and saved files, or write one page with --save.",
            )
        # What looks at the files later must not see what a build remembered of their folders.
        location = gathered.project.location._replace(world=self.options.world)
        return PromptBackground(gathered.build(), gathered.found, gathered.project._replace(location=location))

    def _report(self, problem: str | None) -> None:
        """Set what is wrong, and tell browsers if that is new."""
        known, self.history.broken = self.history.broken, problem
        if problem is not None and known != problem:
            self.events.publish(PageEvent("broken", {"message": problem}), self.choice)
        elif problem is None and known is not None:
            self.events.publish(PageEvent("mended"), self.choice)

    def _show(self, background: PromptBackground, changed: list[str]) -> None:
        """Take a rebuilt prompt, and add it to the history if it looks different."""
        before, was = self.history.turn(), self._background
        at, prompt = datetime.now(UTC).isoformat(timespec="milliseconds"), background.prompt
        shown = self._draw(prompt, background, self.history.next, at, self.history.broken)
        self._background = background
        if before is None or was is None:
            cause = "the page was opened"
        else:
            edited = _list_edited_files(was, background, changed)
            if _looks_same(before.sheet, shown.sheet, is_edited=bool(edited)):
                return
            printed = background.shown
            cause = f"{', '.join(map(printed, edited))} changed" if edited else "the project changed"
        note = predict_cache_between(before, shown, find_model_facts(prompt, self.models), cache(prompt.counter))
        self.history.add(shown, make_turn_row(shown.sheet, before.sheet if before else None, note, cause))
        self.events.publish(self.newest_turn, self.choice)

    @property
    def newest_turn(self) -> PageEvent:
        """The event about the newest turn."""
        return PageEvent("turn", {"turn": self.history.next - 1})

    def list_standing_events(self) -> list[PageEvent]:
        """What a browser that begins to listen is told first."""
        broken = self.history.broken
        return [self.newest_turn, *([PageEvent("broken", {"message": broken})] if broken is not None else [])]

    def _draw(
        self, prompt: Prompt, background: PromptBackground, turn: int, at: str, broken: str | None
    ) -> SheetWithTools:
        """A prompt as a sheet of this project."""
        assert background.project is not None
        place = SheetPlace(background.project.cwd, make_project_path_printer(background.project))
        details = SheetDetails(turn, at, broken).with_looks(background.found.looked_at)
        return draw_sheet(prompt, place, self.models, details)


def _find_new_problem(good: PromptBackground | None, now: PromptBackground) -> str | None:
    """What an edit broke: an error in a file that was loaded before it."""
    if good is None or good.prompt.recipe.name != now.prompt.recipe.name:
        return None
    known = {_make_fault_key(note) for note in good.prompt.diagnostics if note.level == "error"}
    loaded = {look.path for look in good.found.looked_at if look.outcome == "loaded"}
    errors = (note for note in now.prompt.diagnostics if note.level == "error" and note.path in loaded)
    new = next((note for note in errors if _make_fault_key(note) not in known), None)
    return f"{now.shown(new.path or '')}:{new.line or 1}: {new.message}" if new else None


def _list_inputs(prompt: Prompt) -> dict[str, str]:
    """Digests of all that a prompt is made of, but for the clock."""
    return {name: digest for name, digest in prompt.inputs.items() if name != "now"}


def _make_fault_key(note: Diagnostic) -> tuple[str | None, str]:
    """The identity of a problem: the same after its line has moved."""
    return note.path, note.message


def _list_edited_files(before: PromptBackground, now: PromptBackground, changed: list[str]) -> list[str]:
    """The files behind a rebuilt prompt that were saved, added or removed."""
    old, new = ({look.path for look in each.found.looked_at if look.outcome == "loaded"} for each in (before, now))
    files = {path for path in changed if os.path.isfile(path)} | (old ^ new)
    return sorted(files)


def _looks_same(a: Sheet, b: Sheet, *, is_edited: bool) -> bool:
    """Whether no difference is visible. The clock alone makes none, unless a file was edited."""
    same = all(getattr(a, name) == getattr(b, name) for name in ("tools", "problems", "recipe"))
    if not (same and a.price.model == b.price.model):
        return False
    if not is_edited and {**a.inputs, "now": ""} == {**b.inputs, "now": ""}:
        return True
    return a.fingerprint == b.fingerprint and [m.text for m in a.messages] == [m.text for m in b.messages]


class LivePage:
    """The prompts of one project, and the thread that looks at their files while a browser listens."""

    def __init__(self, options: CommandOptions, models: TableForm) -> None:
        """Show what these options lead to; what can't be built is an error."""
        self.options, self.models, self.events = options, models, PageEvents()
        self._prompts: OrderedDict[Choice, LivePrompt] = OrderedDict()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.first = LivePrompt(options, models, self.events, Choice())
        background = self.first.look()
        assert background.project is not None
        self.project, self.roots = background.project, find_roots(background)

    def prompt(self, choice: Choice) -> LivePrompt:
        """The prompt that an address names."""
        if choice.recipe == self.project.recipe.name:
            choice = choice._replace(recipe=None)
        if choice == Choice():
            return self.first
        options = self.options
        if choice.recipe is not None:
            options = options._replace(recipe=choice.recipe)
        if choice.model is not None:
            options = options._replace(sets=(*options.sets, f"runtime.model={json.dumps(choice.model)}"))
        with self._lock:
            found = self._prompts.pop(choice, None) or LivePrompt(options, self.models, self.events, choice)
            self._prompts[choice] = found
            unwatched = [each for each in self._prompts if each != choice and not self.events.is_watched(each)]
            for each in unwatched[: max(len(self._prompts) - MAX_PROMPTS, 0)]:
                del self._prompts[each]
        return found

    def start(self) -> None:
        """Follow the files, on a thread."""
        threading.Thread(target=self._follow, name="overture page", daemon=True).start()

    def _follow(self) -> None:
        """Look at what browsers look at, again and again."""
        while not self._ended.is_set():
            self.events.attended.wait()
            with self._lock:
                prompts = [self.first, *self._prompts.values()]
            for prompt in prompts:
                if self.events.is_watched(prompt.choice):
                    self._look(prompt)
            self._ended.wait(PAUSE_SECONDS)

    def _look(self, prompt: LivePrompt) -> None:
        """Look once, and never raise: the thread goes on."""
        try:
            prompt.look()
        except Exception as problem:
            message = f"The page could not build the prompt ({type(problem).__name__}). Save the file again."
            prompt.history.broken = message
            self.events.publish(PageEvent("broken", {"message": message}), prompt.choice)

    def end(self) -> None:
        """Stop following, and end all streams."""
        self._ended.set()
        self.events.attended.set()
        self.events.publish(PageEvent("end"))
