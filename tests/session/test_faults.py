import asyncio
import threading
import time
from pathlib import Path

import overture
from overture import Session, Turn
from overture.session.change_session import unregister_tools
from overture.session.session import get_parts
from tests.contract.session.worlds import project


def real(tmp_path: Path, recipe: str = "opal") -> Session:
    """A session on real files."""
    folder = tmp_path / "p"
    folder.mkdir(exist_ok=True)
    (folder / "AGENTS.md").write_text("Use tabs.")
    return Session(recipe, cwd=folder, home=tmp_path, root=folder)


def test_a_file_that_vanishes(tmp_path: Path) -> None:
    """A file that is gone is gone from the prompt."""
    live = real(tmp_path)
    live.turn("Go")
    (tmp_path / "p/AGENTS.md").unlink()
    live.refresh()
    turn = live.turn("On")
    assert "Use tabs." not in turn.prompt.text
    assert turn.prompt.diagnostics == ()


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """Whatever moment is caught, the text is one that the file had, and the last look has all of it."""
    live = real(tmp_path)
    live.turn("Go")
    path = tmp_path / "p/AGENTS.md"
    lines = [f"Line {number}.\n" for number in range(400)]
    written = ["".join(lines[: end + 1]).strip() for end in range(len(lines))]

    def grow() -> None:
        with path.open("w") as file:
            for line in lines:
                file.write(line)
                file.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    while writer.is_alive():
        live.refresh()
        files = live.prompt.state.context_files
        assert not files or files[0].content in written or files[0].content == "Use tabs."
    writer.join()
    live.refresh()
    assert live.prompt.state.context_files[0].content == written[-1]


def test_reloads_while_turns_are_built_in_threads(tmp_path: Path) -> None:
    """Turns, reloads, edits and tools from many threads: every prompt is that of one state, and none is lost."""
    live = real(tmp_path)
    live.turn("Go")
    path = tmp_path / "p/AGENTS.md"
    problems: list[BaseException] = []
    turns: list[Turn] = []

    def guarded(work: object) -> None:
        try:
            assert callable(work)
            for _ in range(30):
                work()
        except BaseException as problem:
            problems.append(problem)

    def edit() -> None:
        path.write_text(f"Now {time.perf_counter_ns()}.")
        live.reload()

    def churn() -> None:
        live.register({"name": "mcp"})
        unregister_tools(get_parts(live), ["mcp"])

    works = (
        lambda: turns.append(live.turn("On")),
        lambda: turns.append(live.turn()),
        edit,
        lambda: live.set_tools(["shell", "read_file"]),
        churn,
        lambda: live.send_message("news", when="next"),
        lambda: live.record,
    )
    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert sorted(turn.number for turn in turns) == list(range(2, 62))
    for turn in turns:
        assert turn.prompt.text == overture.build("opal", turn.prompt.state).text
    assert sum(message.text == "news" for message in live.turn("End").messages) == 30


class Slow:
    """A world whose every look takes a while."""

    def __init__(self) -> None:
        self.world = project()

    def look(self, path: str) -> object:
        time.sleep(0.002)
        return self.world.look(path)

    def __getattr__(self, name: str) -> object:
        return getattr(self.world, name)


def test_aturn_never_blocks_the_event_loop() -> None:
    """While a slow discovery and a slow hook run, the loop goes on turning."""
    live = Session("opal", world=Slow())  # type: ignore[arg-type]
    gate = threading.Event()
    live.hook("before_agent_start", lambda _: gate.wait(5) and None)
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while not gate.is_set():
            beats += 1
            if beats == 20:
                gate.set()
            await asyncio.sleep(0)

    async def go() -> None:
        turn, _ = await asyncio.gather(live.aturn("Go"), beat())
        assert turn.number == 1

    asyncio.run(go())
    assert beats == 20
    assert live.record[-1].diagnostics == ()
