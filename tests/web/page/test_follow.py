"""Looking on from another process: turns as they happen, the end as it was, and nothing that harms the onlooker."""

import os
import signal
from pathlib import Path
from threading import Event

import pytest

from overture import Session
from overture.errors import ConfigError
from overture.report.sheet.published_lines import PublishedHeader, write_header
from overture.testing import FakeWorld
from overture.web.page.attached_page import KILLED, OVER, find_published, find_running, follow

from ...session.publish.agents_that_publish import agent, looking, own_home

pytestmark = pytest.mark.slow


ASKED = """
s = session()
for line in sys.stdin:
    s.update(memories=[line]); say(s.turn(line).prompt.fingerprint)
s.close()
"""
"""An agent that takes a turn for each line that it is given."""
DIES = "s = session(); s.turn('Go'); time.sleep(0.5); say('ready'); sys.stdin.readline()"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where sessions are published."""
    return own_home(monkeypatch, tmp_path)


def test_turns_are_seen_as_they_happen_and_the_end_is_told(folder: Path, tmp_path: Path) -> None:
    """Each turn of a running agent is seen while it runs, letter for letter; then that it has ended."""
    with agent(ASKED, tmp_path) as running:
        assert running.stdin and running.stdout
        sent = []
        for number in range(3):
            print(f"turn {number}", file=running.stdin, flush=True)
            sent.append(running.stdout.readline().strip())
            if number == 0:
                found = find_running()
                assert found is not None and found.running and found.who.pid == running.pid
                seen = looking(found.path)
                onlooker = seen.__enter__()
            onlooker.until(lambda each, want=number + 1: each.numbers == [*range(1, want + 1)])  # type: ignore[misc]
        assert [shown.sheet.fingerprint for shown, _ in onlooker.turns] == sent
        assert "turn 2" in onlooker.turns[-1][0].sheet.text + str(onlooker.turns[-1][0].sheet.messages)
        running.stdin.close()
        onlooker.until(lambda each: each.ended)
        seen.__exit__(None, None, None)
    assert onlooker.ended == [OVER] and onlooker.trouble == []


def test_a_killed_agent_loses_no_turn_that_was_taken_before_and_is_told_gone(folder: Path, tmp_path: Path) -> None:
    """After kill -9 its turns are all there, and the onlooker knows that there will be no more."""
    with agent(DIES, tmp_path) as running:
        assert running.stdout and running.stdout.readline() == "ready\n"
        (found,) = find_published()
        with looking(found.path) as onlooker:
            onlooker.until(lambda each: each.numbers == [1])
            os.kill(running.pid, signal.SIGKILL)
            onlooker.until(lambda each: each.ended)
    assert onlooker.ended == [KILLED] and onlooker.trouble == []
    assert find_running() is None and not find_published()[0].running


def test_a_program_that_an_agent_starts_does_not_keep_it_alive(folder: Path, tmp_path: Path) -> None:
    """What an agent's tools leave running has nothing of its session."""
    code = DIES.replace("say('ready')", "import subprocess; p = subprocess.Popen(['sleep', '30']); say(p.pid)")
    with agent(code, tmp_path) as running:
        assert running.stdout
        left = int(running.stdout.readline())
        try:
            os.kill(running.pid, signal.SIGKILL)
            running.wait()
            assert [each.running for each in find_published()] == [False]
        finally:
            os.kill(left, signal.SIGKILL)


def test_a_process_of_the_same_number_is_not_taken_for_it(folder: Path) -> None:
    """Whether a session runs is told by the hold on its file, never by the number of a process."""
    folder.mkdir(parents=True, mode=0o700)
    (folder / "20260101T000000-1-x.jsonl").write_bytes(write_header(PublishedHeader(1, "x", os.getpid(), "2026")))
    assert [each.running for each in find_published()] == [False]


def write(folder: Path, data: bytes, name: str = "20260101T000000-1-x.jsonl") -> str:
    """A file as nobody published it."""
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    (folder / name).write_bytes(data)
    return str(folder / name)


def told(path: str) -> tuple[list[str], list[str], list[int]]:
    """What following a file says to its end."""
    with looking(path) as onlooker:
        onlooker.until(lambda each: each.ended)
    return onlooker.ended, onlooker.trouble, onlooker.numbers


def test_a_later_version_says_what_to_do(folder: Path) -> None:
    """An agent with a newer Overture is told apart from one that is broken."""
    path = write(folder, b'{"version": 9, "id": "x", "pid": 1, "started": "2026", "by": "9.0"}\n{"any": 1}\n')
    ended, trouble, _ = told(path)
    assert "version 9, by Overture 9.0" in ended[0] and "Use the same Overture" in ended[0] and trouble == []


@pytest.mark.parametrize("data", [b"", b"\n", b"\x00" * 5000, b"{" * 100_000 + b"\n", b'"\xff"\n[]\n', b"null\n" * 50])
def test_garbage_is_told_and_ends_nothing_but_itself(folder: Path, data: bytes) -> None:
    """Whatever lies there, the onlooker comes to an end."""
    assert told(write(folder, data))[0] == [KILLED]
    assert find_published() == ()


def test_a_link_a_fifo_and_somebody_elses_file_are_not_read(folder: Path, tmp_path: Path) -> None:
    """A file that was replaced by something else is none: not in the list, and not when it is asked for."""
    secret = tmp_path / "secret"
    secret.write_bytes(write_header(PublishedHeader(1, "secret", 1, "2026")))
    folder.mkdir(parents=True, mode=0o700)
    (folder / "link.jsonl").symlink_to(secret)
    os.mkfifo(folder / "fifo.jsonl")
    (folder / "folder.jsonl").mkdir()
    open_to_all = write(folder, write_header(PublishedHeader(1, "x", 1, "2026")), "open.jsonl")
    os.chmod(open_to_all, 0o666)
    assert find_published() == ()
    for name in ("link", "fifo", "folder", "open", "absent", "nul\x00"):
        ended, _, numbers = told(str(folder / f"{name}.jsonl"))
        assert "can't be read" in ended[0] and numbers == []


def test_a_folder_that_others_may_write_to_is_not_read(folder: Path) -> None:
    """Nobody else can have a session shown."""
    path = write(folder, write_header(PublishedHeader(1, "x", 1, "2026")))
    folder.chmod(0o777)
    assert find_published() == () and "chmod go-w" in told(path)[0][0]


def test_a_hundred_megabytes_are_read_within_bounds(folder: Path) -> None:
    """A file that is far larger than any session's gives all its turns, and takes little memory."""
    import tracemalloc

    world = FakeWorld({"/p/AGENTS.md": "Use tabs."})
    with Session("house", world=world, count=len, inspect=True) as session:
        session.turn("Go")
    (found,) = find_published()
    *begin, turn, _ = Path(found.path).read_bytes().splitlines(keepends=True)
    long = b"x" * 250_000
    with Path(found.path).open("wb") as file:
        file.writelines(begin)
        for number in range(2, 402):
            file.write(
                turn.replace(b'{"turn":1,', b'{"turn":%d,' % number).replace(b'"tools":"', b'"tools":"' + long, 1)
            )
    assert Path(found.path).stat().st_size > 100_000_000
    ended, trouble, numbers = list[str](), list[str](), list[int]()
    tracemalloc.start()
    follow(found.path, lambda _, row: numbers.append(row.turn), ended.append, Event(), trouble.append)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ended == [KILLED] and trouble == [] and numbers == [0, *range(2, 402)]
    assert most < 20_000_000


def test_a_file_that_begins_anew_is_followed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session whose file grew too large goes on for the onlooker as if nothing had been."""
    monkeypatch.setattr("overture.session.publish.publisher.MAX_SESSION_FILE_BYTES", 50_000)
    with Session("house", world=FakeWorld({"/p/AGENTS.md": "x"}), count=len, inspect=True) as session:
        session.turn("Go")
        with looking(find_published()[0].path) as onlooker:
            onlooker.until(lambda each: each.numbers == [0, 1])
            for number in range(2, 9):
                session.update(memories=[f"{number}" * 9_000])
                session.turn("Go")
                onlooker.until(lambda each, want=number: each.numbers[-1] == want)  # type: ignore[misc]
            session.close()
            onlooker.until(lambda each: each.ended)
    assert onlooker.numbers == [*range(9)] and onlooker.trouble == []


def test_the_newest_session_that_runs_is_attached_to_and_sub_agents_last(folder: Path) -> None:
    """Without an id it is the agent itself that one sees; an id, or how it begins, names any, also one that is over."""
    world = FakeWorld({"/p/AGENTS.md": "Use tabs."})
    over = Session("house", world=world, count=len, inspect=True, state={"session": {"id": "over-1"}})
    over.turn("Go")
    over.close()
    main = Session("house", world=world, count=len, inspect=True, state={"session": {"id": "main-1"}})
    with main as session, session.subagent("Count the boats") as child:
        child.turn()
        found = find_running()
        assert found is not None and found.who.id == "main-1"
        assert [each.who.id for each in find_published()][-1] == "over-1"
        named = find_running("over")
        assert named is not None and named.who.id == "over-1" and not named.running
        with pytest.raises(ConfigError, match="No session 'nobody' is published here"):
            find_running("nobody")
