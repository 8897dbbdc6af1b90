"""What a command printed is printed again, without the command, only where all that it asked has the same answers."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from overture.cli.recall_output import ask_again
from overture.discover.disk.real_world import RealWorld
from overture.discover.stored import recorded_questions
from overture.discover.stored.recorded_questions import QuestionRecord, record_into

from .test_second_run import place, run_all

__all__ = ["place"]

NEEDED = {
    *("agents", "check", "discover", "fit", "errors", "text", "text.lazy_pattern", "version"),
    *("cli", "cli.fail_and_end", "cli.main", "cli.recall_output"),
    *(f"discover.disk{name}" for name in ("", ".open_file", ".paths", ".real_world", ".scan_folders", ".world")),
    *("discover.disk.cached_world", "discover.disk.moment", "discover.stored", "discover.stored.recorded_questions"),
    *("discover.stored.code_stamps", "discover.stored.signed_result_store"),
}
"""What may be loaded to ask again and print; how old a folder is decides whether it is listed, by `scan_folders`."""
LOUD = """
import sys
from overture.discover.stored import recorded_questions
asked, opened = set(), set()
add = recorded_questions.QuestionRecord.add
def keep(self, question, answer):
    asked.add(str(question[1]) if question[1:] else "")
    add(self, question, answer)
recorded_questions.QuestionRecord.add = keep
def listen(event, words):
    if event in ("open", "os.scandir", "os.listdir", "subprocess.Popen"):
        opened.add(str(words[0]))
from overture.cli.main import main
sys.addaudithook(listen)
sys.argv = ["overture", *sys.argv[1:]]
try:
    main()
finally:
    sys.stderr.write(repr((sorted(asked), sorted(opened))))
"""


def test_an_unchanged_folder_needs_no_command(place: Path) -> None:
    """The second time the same bytes and exit code come without click, msgspec, a recipe, an agent or a rule."""
    commands = (
        *((), ("--json",), ("agents",), ("agents", "codex", "--json"), ("agents", "--files"), ("check",)),
        *(("check", "--json"), ("build",), ("explain",), ("explain", "opal", "--all"), ("context", "codex")),
    )
    first, _ = run_all(place, *commands)
    second, loaded = run_all(place, *commands)
    assert second == first
    own = {name.removeprefix("overture.") for name in loaded if name.startswith("overture.")}
    assert not {"click", "msgspec", "yaml"} & loaded and own <= NEEDED, sorted(own - NEEDED)


def test_a_command_opens_nothing_that_it_does_not_ask_for(place: Path) -> None:
    """No file or folder outside Python, the package and the store is opened without a question that is recorded."""
    home = str(place.parents[2] / "home")
    for words in ((), ("agents",), ("check",), ("build",), ("explain", "opal"), ("context", "moltis")):
        env = {**os.environ, "HOME": home, "OVERTURE_CACHE": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""}
        command = [sys.executable, "-c", LOUD, *words]
        done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, check=True)
        asked, opened = eval(done.stderr)
        known = (sys.prefix, sys.base_prefix, str(Path(RealWorld.look.__code__.co_filename).parents[2]), home)
        outside = [path for path in opened if not path.startswith((*known, "/usr", "/proc", "/dev", "/etc"))]
        unasked = [path for path in outside if path.startswith("/") and path not in asked]
        assert [path for path in unasked if not path.startswith(("/tmp/.", "/tmp/data-gym-cache"))] == []
        assert any(path.endswith("berths/AGENTS.md") for path in asked)


def test_secrets_that_are_shown_are_not_kept(place: Path) -> None:
    """Somebody wants to see a key on the screen: the file of results does not get it."""
    key = (
        "sk-ant-"
        + "api03-"
        + "MTX6T5bC6O3hDpHJanr4VjXiMha2mn82r7HQm6Q73swkjesLaQutYDtDRd8bU0bWwJacl7mU56vvGWgUX1c6fvL4v5HttAA"
    )
    (place / "AGENTS.md").write_text(f"Use {key}.\n")
    for secrets, again in (("show", True), ("redact", False)):
        printed, _ = run_all(place, ("build", "opal"), OVERTURE_SECRETS=secrets)
        assert (key in printed[1]) is again
        _, loaded = run_all(place, ("build", "opal"), OVERTURE_SECRETS=secrets)
        assert ("click" in loaded) is again


def write(path: Path, text: str) -> None:
    """The same size and time as before: only the content says that it was written."""
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace_by_folder(path: Path) -> None:
    """The same name, and another kind."""
    path.unlink()
    path.mkdir()


def lead_elsewhere(link: Path, target: str) -> None:
    """The same link, and another target."""
    link.unlink()
    link.symlink_to(target)


def move_clock(zone: str) -> None:
    """Another time zone: at any hour one of the two has another offset."""
    os.environ["TZ"] = zone
    time.tzset()


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda top: write(top / "AGENTS.md", "Moor at quay 5.\n"),
    "new file": lambda top: (top / "skills/two.md").write_text("two"),
    "gone": lambda top: (top / "skills/one.md").unlink(),
    "another kind": lambda top: replace_by_folder(top / "skills/one.md"),
    "another name": lambda top: (top / "skills/one.md").rename(top / "skills/1.md"),
    "link": lambda top: lead_elsewhere(top / "CLAUDE.md", "skills"),
    "no longer absent": lambda top: (top / "GEMINI.md").write_text(""),
    "folder no longer absent": lambda top: (top / ".cursor").mkdir(),
    "variable": lambda top: os.environ.update(HARBOR="pier"),
    "new variable": lambda top: os.environ.update(OVERTURE_RECIPE="pi"),
    "day": lambda top: move_clock("Etc/GMT+12"),
    "working directory": lambda top: os.chdir(top / "skills"),
}


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small project, in which the process works."""
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/one.md").write_text("one")
    (tmp_path / "AGENTS.md").write_text("Moor at quay 4.\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    for name, value in {"HARBOR": "quay", "TZ": "UTC", "OVERTURE_RECIPE": "gone when the test ends"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("OVERTURE_RECIPE")
    monkeypatch.chdir(tmp_path)
    time.tzset()
    yield tmp_path
    monkeypatch.undo()
    time.tzset()


def ask_all(top: Path, recording: QuestionRecord) -> QuestionRecord:
    """What a command could ask."""
    world = RealWorld()
    with record_into(recording):
        for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "skills"):
            with suppress(OSError):
                world.look(f"{top}/{name}")
                world.real(f"{top}/{name}")
                world.read(f"{top}/{name}")
        for folder in ("skills", ".cursor"):
            with suppress(OSError):
                world.names(f"{top}/{folder}")
        world.target(f"{top}/CLAUDE.md")
        variables = world.environment()
        assert variables.get("HARBOR") == "quay" and [*variables]
        assert world.cwd() == str(top) and world.now().tzinfo and world.timezone() and world.host() and world.platform()
    return recording


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("old", [False, True])
def test_every_change_is_another_answer(
    top: Path, change: str, old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Of a folder that has just been written and of one that is old, of a file of the same size and time."""
    monkeypatch.setattr(recorded_questions, "STABLE_NS", 0 if old else recorded_questions.STABLE_NS)
    recording = ask_all(top, QuestionRecord())
    kinds = {question[0] for question in recording.questions if question[1:] == (f"{top}/skills",)}
    assert ("folder" in kinds) is old
    assert ask_again([*recording.questions]).digest == recording.digest
    time.sleep(0.02 if old else 0)
    CHANGES[change](top)
    assert ask_again([*recording.questions]).digest != recording.digest


def test_a_reader_who_leaves_keeps_nothing_from_the_next(place: Path) -> None:
    """`overture agents | head -1` is no reason to print one line the next time."""
    env = {**os.environ, "HOME": str(place.parents[2] / "home"), "OVERTURE_CACHE": ""}
    program = f"{sys.executable} -m overture"
    subprocess.run(f"{program} agents --json | true", shell=True, cwd=place, env=env, check=True)
    whole = subprocess.run([*program.split(), "agents", "--json"], cwd=place, env=env, capture_output=True, check=True)
    assert json.loads(whole.stdout)["agents"]


ENDING = """
import atexit, sys, threading, time
atexit.register(print, "at exit")
if sys.argv.pop(1) == "thread":
    threading.Thread(target=lambda: (threading.main_thread().join(), print("thread"))).start()
from overture.cli.main import run_program
try:
    run_program()
finally:
    print("taken apart")
"""


@pytest.mark.parametrize("command", ["", "build --json", "check", "agents codex", "agents nobody", "explain"])
def test_the_end_of_the_program_loses_nothing(place: Path, command: str) -> None:
    """All output, what is to be done at the end, and the code, of a first run and a second one; threads go on."""
    env = {**os.environ, "HOME": str(place.parents[2] / "home"), "OVERTURE_CACHE": "off"}

    def run(*program: str, **variables: str) -> tuple[str, str, int]:
        words = [sys.executable, *program, *command.split()]
        done = subprocess.run(words, cwd=place, env=env | variables, capture_output=True, text=True, check=False)
        return done.stdout, done.stderr, done.returncode

    output, errors, code = run("-m", "overture")
    assert run("-c", ENDING, "none") == (output + "taken apart\nat exit\n", errors, code)  # nobody says what it did
    for _ in range(2):
        assert run("-c", ENDING, "none", OVERTURE_CACHE="") == (output + "at exit\n", errors, code)
    threaded = run("-c", ENDING, "thread", OVERTURE_CACHE="")
    assert threaded == (output + "taken apart\nthread\nat exit\n", errors, code)
