"""What the page shows of a project: a session on it, whose prompt is built again whenever a file of it changes."""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec

from msgspec import structs

from ...discover.discover import MAIN_SESSION
from ...errors import OvertureError
from ...fit.fit import fit
from ...known_models.model_facts import TableForm
from ...model.diagnostic import Diagnostic
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.state.agent_and_runtime import Runtime
from ...project.resolve import make_project_path_printer
from ...report.sheet.compare_sheets import make_turn_row, predict_cache_between
from ...report.sheet.sheet import SheetDetails, SheetPlace, SheetWithTools
from ...session.bring_up_to_date import prepare_prompt
from ...session.current_files import get_session_files
from ...session.record_entry import Entry
from ...session.session import Session, get_parts
from ..service.problems import RefusedError, problem_of
from .draw_sheet import draw_sheet, find_model_facts, find_provider, list_changed
from .prompt_files import PromptBackground
from .turn_history import PageEvent, TurnHistory
from .watch_session import Watcher

NOT_FOLLOWING = "The page does not update after edits: that needs watchfiles. pip install 'overture[watch]'"


class LivePage:
    """A session, its history, and the thread that follows the files. Everything here may be called from any thread."""

    def __init__(self, make_session: Callable[[], Session], models: TableForm, budget: Budget | None = None) -> None:
        """Begin to follow the files of a session, which `make_session` also makes anew."""
        self._make_session, self.models, self.budget = make_session, models, budget
        self.session = make_session()
        self._parts = get_parts(self.session)
        self._initial_recipe = self._parts.setup.settings.recipe
        self._initial_runtime: Runtime | None = self._parts.setup.fields.get("runtime")
        if self._parts.setup.info is not None:
            # The page shows what `overture build` prints, and that has no id of its own.
            self._parts.setup.info = MAIN_SESSION
        self._fit_to_budget(prepare_prompt(self._parts, record=True))
        files = get_session_files(self._parts)
        assert files is not None
        self.project = files.project
        self.first_recipe = files.project.recipe.name
        self.model: str | None = None
        """The model that a reader of the page chose."""
        self.place = SheetPlace(self.project.cwd, make_project_path_printer(self.project))
        self.history = TurnHistory("files", self.place.shown(self.project.cwd) or self.project.cwd)
        self.follows = bool(find_spec("watchfiles"))
        """Whether edits are followed."""
        self.waits_for, self.patience = "The first prompt is still being built.", 25.0
        """What the first question waits for, and for how many seconds."""
        self._now: PromptBackground | None = None
        self._version = 0
        self._hidden_text: str | None = None
        """The text that was built while a file was broken, and is not shown."""
        self._watcher: Watcher | None = None
        self._building = threading.Lock()
        self._forks: list[LivePage] = []

    def start(self) -> None:
        """Shows the first turn and follows the files, on a thread: counting has to load a tokenizer."""
        threading.Thread(target=self._begin, name="overture page", daemon=True).start()

    def _begin(self) -> None:
        """Show the first turn of the live page, and follow its files."""
        self.follow()
        if self.follows:
            self._watcher = Watcher(self._parts, self.follow)

    def end(self) -> None:
        """Stops following, and ends all subscriptions."""
        if self._watcher is not None:
            self._watcher.ended.set()
        for each in self._forks:
            each.end()
        self.history.publish(PageEvent("end"))

    def fork(self) -> "LivePage":
        """A page that shows the same turns, and from then on follows the files and chooses by itself."""
        now = self.background()  # before the first turn there is nothing to show
        other = LivePage(self._make_session, self.models, self.budget)
        other._parts.entries.clear()
        other.history, other.follows = self.history.fork(), self.follows
        other._now, other._version, other._hidden_text = now, now.version, self._hidden_text
        self._forks.append(other)
        return other

    def end_fork(self, fork: "LivePage") -> None:
        """Ends a page without any viewer."""
        self._forks.remove(fork)
        fork.end()

    @property
    def watching(self) -> bool:
        """Whether the page notices a new edit."""
        return self._watcher is not None and self._watcher.ready.is_set()

    def background(self) -> PromptBackground:
        """The prompt of the newest turn, and what it was made from. Waits for the first, with a timeout."""
        if not self.history.ready.wait(self.patience) or self._now is None:
            raise RefusedError(problem_of("not-ready", self.waits_for), {"Retry-After": "1"})
        return self._now

    @property
    def version(self) -> int:
        """Another number after every look at the files. It waits for nothing: the event loop asks for it."""
        return self._now.version if self._now else 0

    def follow(self) -> None:
        """Builds again, and never raises: the thread that follows the files goes on."""
        try:
            self.rebuild()
        except Exception as problem:
            message = f"The page could not build the prompt ({type(problem).__name__}). Save the file again."
            self.history.break_off(message)

    def choose(self, recipe: str, model: str | None) -> None:
        """Show another agent or recipe, or price another model; None: the given model."""
        parts, now = self._parts, self.background().prompt.recipe.name
        setup = parts.setup
        with parts.lock:
            if recipe != now:
                # The recipe of the start may be a file, or be named in the configuration: its name does not lead there.
                source = self._initial_recipe if recipe == self.first_recipe else recipe
                setup.settings = setup.settings._replace(recipe=source)
                parts.add_trigger("reload", f"{recipe} was chosen")
            if model != self.model:
                runtime = self._initial_runtime
                setup.fields["runtime"] = structs.replace(runtime or Runtime(), model=model) if model else runtime
                if setup.fields["runtime"] is None:
                    del setup.fields["runtime"]
                parts.add_trigger("model", f"{model or 'the default model'} was chosen")
            self.model = model
        self.follow()

    def rebuild(self) -> None:
        """Rebuilds the prompt, and adds a turn if a difference is visible."""
        with self._building:
            try:
                prompt = self._fit_to_budget(prepare_prompt(self._parts, record=True))
            except OvertureError as problem:  # a budget that can't be met any more
                self._parts.entries.clear()
                self.history.break_off(str(problem))
                return
            entries = self.session.record
            self._parts.entries.clear()
            self._take(prompt, entries)

    def _fit_to_budget(self, prompt: Prompt) -> Prompt:
        """Within the budget, as `overture build` cuts it; an agent's own session cuts with room for turns to come."""
        return prompt if self.budget is None else fit(prompt, self.budget)

    def _take(self, prompt: Prompt, entries: Sequence[Entry]) -> None:
        """Show a rebuilt prompt, or what is wrong with the edit."""
        wrong = self._find_edit_problem(prompt, entries)
        shown = self._now.prompt.text if self._now else None
        # A file stays broken while another is edited: that one's text is shown, and what is wrong beside it.
        hides = wrong is not None and (self._hidden_text in (None, prompt.text) or shown == prompt.text)
        if wrong is None:
            self._hidden_text = None
            self.history.recover()
        else:
            self._hidden_text = prompt.text
            self.history.break_off(wrong)
        if not hides:
            self._show(prompt, entries)

    def _find_edit_problem(self, prompt: Prompt, entries: Sequence[Entry]) -> str | None:
        """What went wrong with an edit: a reload that failed, or a file that can't be used any more."""
        failed = [note for entry in entries for note in entry.diagnostics if note.code == "reload-failed"]
        if failed:
            with self._parts.lock:  # it stays broken until it was read again, whichever file changes next
                self._parts.queue.config_changed = True
            return failed[-1].message
        if self._now is None or self._now.prompt.recipe.name != prompt.recipe.name:
            return None  # the user chose another agent or recipe: no edit broke its files
        before = {_make_fault_key(note) for note in self._now.prompt.diagnostics if note.level == "error"}
        loaded = {look.path for look in self._now.found.looked_at if look.outcome == "loaded"}
        new = [
            n
            for n in prompt.diagnostics
            if n.level == "error" and _make_fault_key(n) not in before and n.path in loaded
        ]
        return f"{self.place.shown(new[0].path or '')}:{new[0].line or 1}: {new[0].message}" if new else None

    def _show(self, prompt: Prompt, entries: Sequence[Entry]) -> None:
        """Draw a rebuilt prompt, and add it to the history if it looks different."""
        files, history = get_session_files(self._parts), self.history
        assert files is not None
        looked = (*files.discovery.looked_at, *files.extra.looked_at)
        details = SheetDetails(history.next, datetime.now(UTC).isoformat(timespec="milliseconds"), history.broken)
        shown = draw_sheet(prompt, self.place, self.models, details.with_looks(looked))
        before = history.turn()
        self.project, self._version = files.project, self._version + 1
        discovery = structs.replace(files.discovery, looked_at=looked)
        self._now = PromptBackground(prompt, discovery, files.project, self._version)
        if before is not None and _looks_same(before, shown):
            return
        facts = find_model_facts(prompt, self.models, find_provider(prompt, self.models))
        cache = predict_cache_between(before, shown, facts, prompt.counter)
        # The record describes one change; several need both sheets.
        changed = list_changed(entries[0]) if before and len(entries) == 1 else None
        cause = self._describe_cause(entries)
        history.add(shown, make_turn_row(shown.sheet, before.sheet if before else None, cache, cause, changed))

    def _describe_cause(self, entries: Sequence[Entry]) -> str:
        """Why the prompt was built again, in words."""
        if self.history.next == 1:
            return "the page was opened"
        causes: list[str] = []
        for trigger in (each for entry in entries for each in entry.triggers):
            files = ", ".join(map(self.place.shown, trigger.reason.split(", ")))
            causes.append(f"{files} changed" if trigger.name == "file" else trigger.reason)
        return "; ".join(dict.fromkeys(causes))


def _make_fault_key(note: Diagnostic) -> tuple[str | None, str]:
    """The identity of a problem: the same after its line has moved."""
    return note.path, note.message


def _looks_same(before: SheetWithTools, now: SheetWithTools) -> bool:
    """Whether no difference is visible."""
    a, b = before.sheet, now.sheet
    same = all(getattr(a, name) == getattr(b, name) for name in ("fingerprint", "tools", "problems", "recipe"))
    return (same and a.price.model == b.price.model) and (
        [block.text for block in a.messages] == [block.text for block in b.messages]
    )
