"""`Session(inspect=True)`: every turn is published, the user alone may read it, and the agent is never disturbed."""

import asyncio
import os
import stat
import time
from pathlib import Path

import pytest

import overture
from overture import Session
from overture.report.sheet.published_lines import LineReader, ShownTurn
from overture.session.publish import published_file
from overture.session.session import get_parts
from overture.testing import FakeWorld
from overture.text.normalize import first_difference
from overture.web.page.attached_page import find_published

from .agents_that_publish import agent, own_home, ran


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where sessions are published."""
    return own_home(monkeypatch, tmp_path)


def live(text: str = "Use tabs.", **more: object) -> Session:
    """A session on a small project."""
    return Session("house", world=FakeWorld({"/p/AGENTS.md": text}), count=len, inspect=True, **more)  # type: ignore[arg-type]


def read(path: str | Path) -> tuple[LineReader, list[ShownTurn]]:
    """All that a file holds."""
    reading = LineReader()
    return reading, reading.feed(Path(path).read_bytes())


def only(folder: Path) -> Path:
    """The one file there."""
    (found,) = folder.iterdir()
    return found


@pytest.mark.slow
def test_each_turn_is_there_with_what_changed_and_why(folder: Path) -> None:
    """The sheet says what was sent, the row what changed and because of what; the prompt is there before any turn."""
    with live() as session:
        first = session.turn("Go")
        session.update(memories=["It rains."])
        second = session.turn("On")
    reading, turns = read(only(folder))
    assert [each.row.turn for each in turns] == [0, 1, 2]
    assert [each.shown.sheet.text for each in turns[1:]] == [first.prompt.text, second.prompt.text]
    assert [change.because for change in turns[2].row.changed if change.name == "memories"] == [("memories",)]
    differs = first_difference(first.prompt.text, second.prompt.text)
    assert (turns[2].row.messages, turns[2].row.first) == (2, len(first.prompt.text[:differs].encode()))
    assert [(s.name, s.count) for s in turns[2].shown.sheet.context.messages] == [("prompt", 2), ("sections", 2)]
    assert turns[0].row.cause == "nothing is sent yet" and turns[1].row.cause == "the session begins"
    assert reading.trouble == []
    assert reading.header is not None and reading.header.pid == os.getpid() and reading.ended


@pytest.mark.slow
def test_nothing_is_published_unless_it_is_asked_for(folder: Path) -> None:
    """A session by itself writes nothing, and has no thread."""
    Session("house", world=FakeWorld({"/p/AGENTS.md": "Use tabs."})).turn("Go")
    assert not folder.exists()


@pytest.mark.slow
def test_an_async_turn_is_published(folder: Path) -> None:
    """`aturn` shows what it sends as `turn` does."""

    async def run() -> None:
        async with live() as session:
            await session.aturn("Go")
            await session.aturn("On")

    asyncio.run(run())
    assert [each.row.turn for each in read(only(folder))[1]] == [0, 1, 2]


@pytest.mark.slow
def test_a_sub_agent_has_a_file_of_its_own_that_names_its_parent(folder: Path) -> None:
    """Each session is one file; the sub-agent's is titled with its task."""
    with live() as session:
        session.turn("Go")
        with session.subagent("Count the boats") as child:
            child.turn()
            found = {each.who.title: each.who for each in find_published()}
    assert found["Count the boats"].parent is not None
    assert {each.id for each in found.values() if each.parent is None} == {found["Count the boats"].parent}


@pytest.mark.slow
def test_a_resumed_session_goes_on_in_a_file_of_its_own(folder: Path, tmp_path: Path) -> None:
    """It publishes where that is asked for again, and its turns are counted on."""
    session = live()
    session.turn("Go")
    session.save(tmp_path / "saved.json")
    session.close()
    with Session.resume(tmp_path / "saved.json", world=FakeWorld(), count=len, inspect=True) as again:
        again.turn("On")
    newest = max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert [each.row.turn for each in read(newest)[1]] == [1, 2] and len(list(folder.iterdir())) == 2


@pytest.mark.slow
def test_a_session_that_is_closed_and_goes_on_begins_another_file(folder: Path) -> None:
    """Nothing is written behind the end of a session."""
    session = live()
    for _ in range(2):
        session.turn("Go")
        session.close()
    assert sorted(len(read(path)[1]) for path in folder.iterdir()) == [1, 1]


@pytest.mark.slow
def test_the_user_alone_may_read_it(folder: Path) -> None:
    """What an agent is told may be private: folder and file are the user's own, whatever the umask."""
    before = os.umask(0)
    try:
        with live() as session:
            session.turn("Go")
    finally:
        os.umask(before)
    assert stat.S_IMODE(only(folder).stat().st_mode) == 0o600
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder.parent)] == [0o700, 0o700]


def test_the_turns_of_a_program_that_just_ends_are_there(folder: Path, tmp_path: Path) -> None:
    """Whoever forgets to close a session loses no turn, and its end is told."""
    ran("s = session(); s.turn('Go'); s.turn('On')", tmp_path)
    reading, turns = read(only(folder))
    assert [each.row.turn for each in turns] == [1, 2] and reading.ended


@pytest.mark.slow
def test_a_session_that_everybody_forgot_ends(folder: Path) -> None:
    """Nothing that publishes keeps a session alive."""
    session = live()
    session.turn("Go")
    publisher = get_parts(session).publisher
    assert publisher is not None
    thread = publisher._thread
    del session, publisher
    import gc

    gc.collect()
    assert thread is not None
    thread.join(10)
    assert read(only(folder))[0].ended


def failures(session: Session) -> list[str]:
    """What the record says went wrong with publishing."""
    return [str(note) for entry in session.record for note in entry.diagnostics if note.code == "inspect-failed"]


@pytest.mark.slow
def test_a_folder_that_others_may_write_to_is_refused(folder: Path) -> None:
    """The turn goes on, nothing is written, and the record says once what to do."""
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    session = live()
    assert session.turn("Go").prompt.text and session.turn("On").prompt.text
    assert list(folder.iterdir()) == []
    assert len(failures(session)) == 1 and "chmod go-w" in failures(session)[0]


@pytest.mark.slow
def test_a_link_in_place_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    """Nobody can have it written elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    folder.parent.mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    session = live()
    session.turn("Go")
    assert len(failures(session)) == 1 and list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.slow
def test_a_file_in_place_of_the_folder_is_told(folder: Path) -> None:
    """Whatever is wrong there is a line in the record."""
    folder.parent.mkdir()
    folder.write_text("no folder")
    session = live()
    session.turn("Go")
    assert len(failures(session)) == 1


@pytest.mark.slow
def test_a_disk_that_can_not_be_written_is_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder can be made, the agent goes on."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", "relative")
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/self")
    session = live()
    session.turn("Go")
    assert len(failures(session)) == 1


@pytest.mark.slow
def test_a_full_disk_leaves_whole_lines_and_one_line_in_the_record(folder: Path, tmp_path: Path) -> None:
    """What no longer fits leaves nothing behind; every turn is taken, and the record says so once."""
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
s = session()
for number in range(6):
    s.update(memories=[f"{number}" * 9_000])
    s.turn("Go")
    time.sleep(0.2)
say([str(note) for entry in s.record for note in entry.diagnostics if note.code == "inspect-failed"])
say(len(s.record))
"""
    said, turns = ran(code, tmp_path).splitlines()
    assert turns == "6" and said.count("inspect-failed") == 0 and said.count("the session is not published") == 1
    assert "omit inspect=True" in said
    data = only(folder).read_bytes()
    assert data.endswith(b"\n") and 0 < len(data) <= 60_000
    assert read(only(folder))[1][0].row.turn == 1


@pytest.mark.slow
def test_a_turn_that_can_not_be_drawn_is_told_and_the_next_is_published(folder: Path) -> None:
    """A counter that fails costs one turn of what is shown, and nothing of what is sent."""
    fails = [True]

    def count(text: str) -> int:
        if fails[0]:
            raise ValueError("no idea")
        return len(text)

    session = Session("house", world=FakeWorld({"/p/AGENTS.md": "Use tabs."}), count=count, inspect=True)
    session.turn("Go")
    end = time.monotonic() + 10
    publisher = get_parts(session).publisher
    while publisher is not None and publisher.problem is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    fails[0] = False
    session.turn("On")
    session.close()
    assert "no idea" in failures(session)[0] and len(failures(session)) == 1
    assert [each.row.turn for each in read(only(folder))[1]] == [2]


@pytest.mark.slow
def test_a_file_that_grew_too_large_begins_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session may go on for weeks: its file stays within bounds, and can be read from its start."""
    monkeypatch.setattr("overture.session.publish.publisher.MAX_SESSION_FILE_BYTES", 60_000)
    with live() as session:
        for number in range(12):
            session.update(memories=[f"{number % 10}" * 9_000])
            session.turn("Go")
    reading, turns = read(only(folder))
    assert only(folder).stat().st_size < 61_000
    assert turns[-1].row.turn == 12 and turns[0].row.turn > 1 and reading.trouble == []


@pytest.mark.slow
def test_old_files_are_cleared_away_and_running_ones_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sessions that are over the newest are kept, up to a size in all; of those that run, every one."""
    monkeypatch.setattr(published_file, "MAX_KEPT_BYTES", 3 * len("{}\n"))
    running = live()
    running.turn("Go")
    held = only(folder)
    for number in range(6):
        old = folder / f"2020010{number}T000000-1-old.jsonl"
        old.write_text("{}\n")
    (folder / "20180101T000000-1-link.jsonl").symlink_to("/etc/passwd")
    published_file.remove_old_files()
    left = sorted(path.name for path in folder.iterdir())
    assert held.name in left and "20180101T000000-1-link.jsonl" in left
    assert [name for name in left if "old" in name] == [f"2020010{n}T000000-1-old.jsonl" for n in (3, 4, 5)]
    running.close()


@pytest.mark.slow
def test_a_forked_process_publishes_only_its_own_sessions(folder: Path, tmp_path: Path) -> None:
    """A fork writes nothing into its parent's file, and what it begins itself has a file of its own."""
    code = """
import warnings; warnings.simplefilter("ignore")
s = session(); s.turn("Go")
child = os.fork()
s.turn("in the child" if child == 0 else "in the parent")
if child == 0:
    s.close(); own = session(); own.turn("one"); own.turn("two"); own.close(); os._exit(0)
os.waitpid(child, 0); s.turn("again"); s.close()
"""
    ran(code, tmp_path)
    assert sorted([each.row.turn for each in read(path)[1]] for path in folder.iterdir()) == [[1, 2], [1, 2, 3]]


@pytest.mark.slow
def test_a_forked_process_does_not_keep_its_parents_session_running(folder: Path, tmp_path: Path) -> None:
    """A session is over once the process is gone that began it, though a child of that process goes on."""
    code = """
import signal, warnings; warnings.simplefilter("ignore")
s = session(); s.turn("Go")
if os.fork() == 0:
    say("child"); sys.stdin.readline(); os._exit(0)
signal.pause()
"""
    with agent(code, tmp_path) as process:
        assert process.stdout and process.stdout.readline() == "child\n"
        assert [each.running for each in find_published()] == [True]
        process.kill()
        process.wait()
        assert [each.running for each in find_published()] == [False]


@pytest.mark.slow
def test_two_agents_at_once_are_two_sessions(folder: Path, tmp_path: Path) -> None:
    """Agents side by side do not meet; each is listed while it runs, the newest first."""
    code = "s = session(); s.turn('Go'); say(os.getpid()); sys.stdin.readline()"
    with agent(code, tmp_path) as one, agent(code, tmp_path) as two:
        assert one.stdout and two.stdout
        pids = {int(one.stdout.readline()), int(two.stdout.readline())}
        found = find_published()
        assert {each.who.pid for each in found} == pids and all(each.running for each in found)
    assert [each.running for each in find_published()] == [False, False]


@pytest.mark.slow
def test_an_id_can_lead_nowhere_else(folder: Path) -> None:
    """A session may have any id; the name of its file has none of what would lead out of the folder."""
    with live(state={"session": {"id": "../../../etc/\x00passwd"}}) as session:
        session.turn("Go")
    assert only(folder).parent == folder and find_published()[0].who.id == "../../../etc/\x00passwd"


@pytest.mark.slow
def test_inspecting_is_off_by_default() -> None:
    """`inspect` is off unless it is given."""
    assert overture.SessionOptions().inspect is False
