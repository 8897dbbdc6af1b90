"""Session: all that the model sees, turn after turn. The one object that changes."""

from collections.abc import Iterable, Mapping
from os import fspath
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from ..discover.world import RealWorld, World
from ..model.budget import Budget, Limit, checked
from ..model.counter import Count, as_counter
from ..model.message import Message
from ..model.prompt import Prompt
from ..model.recipe import Recipe
from ..model.state import State
from ..model.tool_forms import tools_from
from ..model.work import SessionInfo
from ..settle import Path
from . import steps
from .changing import Changing
from .current import Current
from .delta import OnChange
from .ground import Memories, given_fields
from .options import Options
from .record import Entry
from .take import atake, take
from .talking import Talking
from .triggers import Resources
from .turn import Turn
from .watch import begin, begun, library


class Session(Changing, Talking):
    """A live prompt: discovered once, built again when something changes, with the messages around it.

    Every method may be called from any thread. What changes takes effect with the next turn; a turn that is being
    built is not disturbed.
    """

    def __init__(
        self,
        recipe: str | Recipe | None = None,
        *,
        cwd: Path | None = None,
        home: Path | None = None,
        root: Path | None = None,
        tools: Iterable[Any] | None = None,
        state: State | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        memories: Memories | None = None,
        on_change: OnChange = "rewrite",
        resources: Resources | None = None,
        hook_limit: float | None = 10.0,
        max_depth: int = 1,
        keep: int = 1000,
        budget: Limit | Budget | None = None,
        count: Count | None = None,
        watch: bool = False,
        world: World | None = None,
    ) -> None:
        """`tools` are names of the recipe's own, or definitions; `state` wins over what is discovered.

        `budget` is the most tokens that the system prompt may have, by `count`; without it, an estimate counts.
        """
        given = given_fields(state or {})
        options = Options(
            recipe, cwd, home, root, config, world or RealWorld(), memories, on_change, hook_limit, max_depth, keep,
            checked(budget), None if count is None else as_counter(count),
        )  # fmt: skip
        info = given.get("session") or SessionInfo(uuid4().hex[:12])
        asked = tools if tools is not None else given.pop("tools", None)
        current = Current(options, given, None if asked is None else tuple(tools_or_names(asked)), info)
        super().__init__(current, resources or Resources(), keep=keep, watch=watch)

    def __enter__(self) -> Self:
        self.watching = self.watches
        self.prepare()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        import asyncio

        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Stop watching files. Nothing else needs to be given back."""
        with self.lock:
            watcher, self.watcher, self.watching = self.watcher, None, False
        if watcher is not None:
            watcher.stop()

    def turn(self, text: str | None = None) -> Turn:
        """Everything that the model sees now. Without a text, the turn that is going on is continued."""
        return begun(self, lambda: take(self, text)) if self._unwatched else take(self, text)

    async def aturn(self, text: str | None = None) -> Turn:
        """As `turn`, without ever blocking the event loop."""
        if not self._unwatched:
            return await atake(self, text)
        import asyncio

        await asyncio.to_thread(library)
        turn = await atake(self, text)
        await asyncio.to_thread(begin, self)
        return turn

    def prepare(self, *, record: bool = False) -> Prompt:
        """Bring the prompt up to date without a turn; with `record`, an entry of turn 0 says what was triggered."""
        if self._unwatched:
            return begun(self, lambda: steps.prepare(self, record=record))
        return steps.prepare(self, record=record)

    @property
    def _unwatched(self) -> bool:
        """Whether files are to be watched, and are not yet."""
        return self.watching and self.watcher is None

    @property
    def prompt(self) -> Prompt:
        """The prompt as it is now, without the edits of hooks."""
        return self.prepare()

    @property
    def state(self) -> State:
        """The state of which the prompt is made."""
        self.prepare()
        assert self.current.state is not None
        return self.current.state

    @property
    def recipe(self) -> Recipe:
        """The recipe in which it is said."""
        return self.prepare().recipe

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, those that are not sent included."""
        with self.lock:
            return tuple(self.talk.all)

    @property
    def record(self) -> tuple[Entry, ...]:
        """What is known about each turn, the oldest first."""
        with self.lock:
            return tuple(self.entries)

    def subagent(self, task: str, *, tools: Iterable[str] | None = None, prompt: str | None = None) -> "Session":
        """A session of its own for a task: the same context and skills, no planning, no `sub_agent` or `ask_user`.

        Its first `turn()` begins with the task.
        """
        from .subagent import subagent

        return subagent(type(self), self, task, tools, prompt)

    def save(self, path: Path) -> None:
        """Write the session to a JSON file; if that fails, the file stays as it was."""
        from .resume import saved
        from .save import save, written

        save(fspath(path), written(saved(self)))

    @classmethod
    def resume(
        cls,
        path: Path,
        *,
        recipe: str | Recipe | None = None,
        world: World | None = None,
        count: Count | None = None,
    ) -> "Session":
        """The session of a file, with the same bytes, whatever became of the project. Hooks are added anew.

        A `count` of your own has to be given again; a tokenizer is found by its name.
        """
        from .resume import resumed
        from .save import read_save

        return resumed(cls, read_save(fspath(path)), recipe, world, count)


def tools_or_names(tools: Any) -> Iterable[Any]:
    """Tools as a list, an MCP result with its envelope, or names."""
    return tools_from(tools) if isinstance(tools, Mapping) else tools
