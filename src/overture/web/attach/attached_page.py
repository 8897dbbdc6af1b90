"""What the page shows of a session in another process: its turns as they happen, and nothing that only that one has."""

import threading
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...known_models.model_facts import TableForm
from ..guard.limits import Turns
from ..page.history import History, News
from ..service.problems import RefusedError, problem_of
from .follow import follow
from .published import HOW, Published, find_running

NOBODY = f"No agent shows its session yet. Have one begin with {HOW}; the page follows by itself."
ELSEWHERE = ("state", "play", "copy", "files", "file/{id}", "check", "agents")
"""What is asked of a project, and not of a session that runs elsewhere."""

PAUSE = 0.5
"""Seconds between two looks for a session to follow."""

Tell = Callable[[str], object]


class AttachedPage:
    """The history of a session that is published; where none is named, of the one that runs, and then of the next."""

    def __init__(self, asked: str | None, models: TableForm, say: Tell = lambda _: None) -> None:
        self.asked, self.models, self.say = asked, models, say
        self.found = find_running(asked)
        self.history = History("session", self.found.title if self.found else "")
        self.follows = True
        self.waits_for, self.patience = NOBODY, 1.0
        self._stop = threading.Event()

    def start(self) -> None:
        """Follow it on a thread, or wait for one."""
        threading.Thread(target=self._run, name="overture attach", daemon=True).start()

    def end(self) -> None:
        """Follow nothing any more, and let nobody wait for news."""
        self._stop.set()
        self.history.tell(News("end"))

    def _run(self) -> None:
        found, seen = self.found, ""
        if found is None:
            self.say(NOBODY)
        while not self._stop.is_set():
            if found is not None and found.path != seen:
                seen = found.path
                self._follow(found)
                if self.asked is not None:
                    return
            self._stop.wait(PAUSE)
            found = find_running()

    def _follow(self, found: Published) -> None:
        self.say(f"attached to {found.title}")
        self.history.begin_again(found.title)
        follow(found.path, self.history.add, self._ended, self._stop, self.say)

    def _ended(self, why: str) -> None:
        self.say(why)
        self.history.leave(why)


def refused_routes(turns: Turns) -> list[Route]:
    """What can't be answered here, each with where it is."""
    return [Route(f"/page/{name}", _elsewhere(turns), methods=["GET", "POST"]) for name in ELSEWHERE]


def _elsewhere(turns: Turns) -> Callable[[Request], object]:
    async def handle(_: Request) -> Response:
        async with turns.turn():
            said = "The page is attached to a session of another process, which shows its turns alone. "
            raise RefusedError(problem_of("not-found", said + "Run `overture serve` in its folder for this."))

    return handle
