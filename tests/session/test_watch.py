import asyncio
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from overture import Message, Session
from overture.session.files.watch_files import Watcher, list_watched_folders
from overture.session.session import get_parts

SKILL = "---\nname: tow\ndescription: Tows ships.\n---\nPull.\n"


def project(tmp_path: Path) -> Path:
    """A project on disk."""
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Use tabs.")
    (folder / "main.py").write_text("x")
    return folder


@contextmanager
def watching(folder: Path) -> Iterator[tuple[Session, Queue[str]]]:
    """A session that is watched, and a queue that gets its prompt after each change that matters."""
    live = Session("opal", cwd=folder, home=folder.parent, root=folder)
    live.turn("Go")
    seen: Queue[str] = Queue()
    watcher = Watcher(get_parts(live), lambda: seen.put(live.turn("On").prompt.text))
    assert watcher.ready.wait(20)
    try:
        yield live, seen
    finally:
        watcher.stop()
    assert not watcher.thread.is_alive()


def until(seen: "Queue[str]", text: str) -> None:
    """Wait until a prompt holds a text."""
    while text not in seen.get(timeout=20):
        pass


def test_an_edit_is_seen(tmp_path: Path) -> None:
    """A file that is written is in the next prompt, and the record names it."""
    folder = project(tmp_path)
    with watching(folder) as (live, seen):
        (folder / "AGENTS.md").write_text("Use blanks.")
        until(seen, "Use blanks.")
        assert str(folder / "AGENTS.md") in live.record[-1].triggers[0].reason


@pytest.mark.slow
def test_an_editor_that_replaces_files_is_survived(tmp_path: Path) -> None:
    """Rename over the file, again and again: every version arrives."""
    folder = project(tmp_path)
    with watching(folder) as (_, seen):
        for number in range(3):
            beside = folder / f".AGENTS.md.{number}"
            beside.write_text(f"Version {number}.")
            beside.replace(folder / "AGENTS.md")
            until(seen, f"Version {number}.")


@pytest.mark.slow
def test_what_comes_into_being_is_seen(tmp_path: Path) -> None:
    """A first skill, in folders that were not there, and a second one beside it."""
    folder = project(tmp_path)
    with watching(folder) as (_, seen):
        for name in ("tow", "moor"):
            skill = folder / ".agents/skills" / name
            skill.mkdir(parents=True)
            (skill / "SKILL.md").write_text(SKILL.replace("tow", name))
            until(seen, f"**{name}**")


@pytest.mark.slow
def test_other_files_do_not_count(tmp_path: Path) -> None:
    """A change of a source file triggers nothing; the change after it does."""
    folder = project(tmp_path)
    with watching(folder) as (live, seen):
        (folder / "main.py").write_text("y")
        (folder / "AGENTS.md").write_text("Use blanks.")
        until(seen, "Use blanks.")
        assert "main.py" not in str([entry.to_dict() for entry in live.record])


@pytest.mark.slow
def test_many_changes_in_a_moment_are_few(tmp_path: Path) -> None:
    """Ten writes at once end in the last text, and not in ten rebuilds."""
    folder = project(tmp_path)
    with watching(folder) as (live, seen):
        for number in range(10):
            (folder / "AGENTS.md").write_text(f"Version {number}.")
        until(seen, "Version 9.")
        assert get_parts(live).turn_number < 10


@pytest.mark.slow
def test_a_watched_folder_may_go(tmp_path: Path) -> None:
    """A folder of skills that is deleted takes its skills with it, and the watch goes on."""
    folder = project(tmp_path)
    skill = folder / ".agents/skills/tow"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKILL)
    with watching(folder) as (_, seen):
        (skill / "SKILL.md").unlink()
        skill.rmdir()
        while "**tow**" in seen.get(timeout=20):
            pass
        (folder / "AGENTS.md").write_text("Use blanks.")
        until(seen, "Use blanks.")


@pytest.mark.slow
def test_a_session_watches_when_it_is_asked_to(tmp_path: Path) -> None:
    """`Session(watch=True)` watches inside `with`, and stops at its end."""
    folder = project(tmp_path)
    with Session("opal", cwd=folder, home=tmp_path, root=folder, watch=True) as live:
        assert get_parts(live).watcher.ready.wait(20)
        (folder / "AGENTS.md").write_text("Use blanks.")
        noticed = threading.Event()
        while not noticed.wait(0.01) and "Use blanks." not in live.prompt.text:
            pass
        thread = get_parts(live).watcher.thread
    assert not thread.is_alive()


def asked_to_watch(folder: Path, recipe: str = "opal") -> Session:
    """A session that watches; nobody enters it."""
    return Session(recipe, cwd=folder, home=folder.parent, root=folder, watch=True)


def follow(live: Session, text: str) -> None:
    """Take turns until a prompt holds a text."""
    pause = threading.Event()
    for _ in range(1000):
        if text in live.turn("On").prompt.text:
            return
        pause.wait(0.02)
    raise AssertionError(f"{text!r} was never seen")


BEGINNINGS: dict[str, Callable[[Session], object]] = {
    "turn": lambda live: live.turn("Go"),
    "aturn": lambda live: asyncio.run(live.aturn("Go")),
    "request": lambda live: live.framework.prepare_request([Message("user", "Go")]),
    "arequest": lambda live: asyncio.run(live.framework.aprepare_request([Message("user", "Go")])),
    "prompt": lambda live: live.prompt,
    "with": lambda live: live.__enter__(),
}


@pytest.mark.slow
@pytest.mark.parametrize("begin", BEGINNINGS)
def test_a_session_watches_from_its_first_turn(begin: str, tmp_path: Path) -> None:
    """With or without `with`: a file that changes is in a later prompt, and `close` ends the watch."""
    folder = project(tmp_path)
    live = asked_to_watch(folder)
    assert not get_parts(live).watcher
    BEGINNINGS[begin](live)
    watcher = get_parts(live).watcher
    (folder / "AGENTS.md").write_text("Use blanks.")
    follow(live, "Use blanks.")
    assert get_parts(live).watcher is watcher
    live.close()
    assert not watcher.thread.is_alive()
    live.turn("On")
    assert get_parts(live).watcher is None


@pytest.mark.slow
def test_what_changes_before_the_watch_is_set_up_is_seen(tmp_path: Path) -> None:
    """The moment after the first turn is not lost, and a quiet one triggers nothing."""
    folder = project(tmp_path)
    live = asked_to_watch(folder)
    live.turn("Go")
    (folder / "AGENTS.md").write_text("Use blanks.")
    follow(live, "Use blanks.")
    reasons = [trigger.reason for entry in live.record[1:] for trigger in entry.triggers]
    assert reasons and all(str(folder / "AGENTS.md") in reason for reason in reasons)
    live.close()
    quiet = asked_to_watch(folder)
    quiet.turn("Go")
    assert get_parts(quiet).watcher.ready.wait(20)
    assert quiet.turn("On").entry.triggers == ()
    quiet.close()


@pytest.mark.slow
def test_turns_at_once_start_one_watch(tmp_path: Path) -> None:
    """However many threads take the first turn, one thread watches."""
    live = asked_to_watch(project(tmp_path))
    threads = [threading.Thread(target=live.turn, args=("Go",)) for _ in range(8)]
    before = {thread.ident for thread in threading.enumerate() if thread.name == "overture watch"}
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    watching = [t for t in threading.enumerate() if t.name == "overture watch" and t.ident not in before]
    assert len(watching) == 1
    live.close()


@pytest.mark.slow
def test_a_forgotten_session_ends_its_watch(tmp_path: Path) -> None:
    """The watch does not keep the session alive: when nobody has it any more, the thread ends."""
    live = asked_to_watch(project(tmp_path))
    live.turn("Go")
    thread = get_parts(live).watcher.thread
    assert get_parts(live).watcher.ready.wait(20)
    gone = weakref.ref(live)
    del live
    for _ in range(200):
        gc.collect()
        if gone() is None:
            break
        thread.join(0.05)  # it may have the session in hand at this very moment
    assert gone() is None
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.slow
def test_a_program_ends_although_its_session_watches(tmp_path: Path) -> None:
    """Without `with` and without `close`, the program ends as soon as it is done, in peace."""
    folder = project(tmp_path)
    code = "import overture, threading; "
    code += f"s = overture.Session('opal', cwd={str(folder)!r}, home={str(tmp_path)!r}, watch=True); "
    code += "s.turn('Go'); print('overture watch' in [t.name for t in threading.enumerate()])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


@pytest.mark.slow
def test_a_session_that_is_not_asked_to_does_not_watch(tmp_path: Path) -> None:
    """Neither does a sub-agent: it shares what its parent found, and the parent watches."""
    folder = project(tmp_path)
    live = Session("opal", cwd=folder, home=tmp_path, root=folder)
    live.turn("Go")
    assert get_parts(live).watcher is None
    with asked_to_watch(folder) as watched:
        child = watched.subagent("Count.")
        child.turn()
        assert get_parts(child).watcher is None


@pytest.mark.slow
def test_a_session_can_be_entered_again(tmp_path: Path) -> None:
    """After its end a session watches again when it is entered again."""
    folder = project(tmp_path)
    live = asked_to_watch(folder)
    for text in ("One.", "Two."):
        with live:
            (folder / "AGENTS.md").write_text(text)
            follow(live, text)
    assert get_parts(live).watcher is None


@pytest.mark.slow
def test_folders_are_watched_not_files(tmp_path: Path) -> None:
    """Only folders that are there are watched, the project's own among them."""
    folder = project(tmp_path)
    live = Session("opal", cwd=folder, home=tmp_path, root=folder)
    live.turn("Go")
    folders = list_watched_folders(get_parts(live))
    assert str(folder) in folders
    assert all(Path(path).is_dir() for path in folders)
