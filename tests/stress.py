"""Projects that are far too large, each in a process of its own: `make stress`.

Each is built on disk, read by `overture` and taken away again. What is measured is the process: seconds, the most
memory that it held, what it said on stderr. A part of the full size may be given: `python -m tests.stress 0.001`.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1 << 20
sys.setrecursionlimit(5000)  # for rmtree, which calls itself for every folder in a folder
SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\nHow to do {0}.\n"
PROGRAM = "import sys; from overture.cli.main import main; sys.exit(main())"
FILLED = """
import sys
from overture import OvertureError
from overture.session.prompt_templates import fill_prompt_template
try:
    fill_prompt_template("$@" * ({0} // 2), ["x" * 100])
except OvertureError as problem:
    sys.exit(str(problem))
"""


class Stress(NamedTuple):
    """What is made, what is run on it, and within which bounds."""

    name: str
    make: Callable[[Path, float], object]
    command: tuple[str, ...]
    seconds: float
    megabytes: int
    status: tuple[int, ...] = (0,)
    told: bool = True
    """Whether stderr has to say something: a file that is left out, say."""


class Measured(NamedTuple):
    """What came of it."""

    seconds: float
    megabytes: float
    status: int
    said: str

    def faults(self, stress: Stress) -> Iterator[str]:
        """What is not as it has to be."""
        if self.seconds > stress.seconds:
            yield f"more than {stress.seconds:g} s"
        if self.megabytes > stress.megabytes:
            yield f"more than {stress.megabytes} MB"
        if self.status not in stress.status:
            yield f"exit status {self.status}"
        if "Traceback" in self.said:
            yield "a traceback"
        if stress.told and not self.said.strip():
            yield "nothing is said"
        if len(self.said.splitlines()) > 40:
            yield f"{len(self.said.splitlines())} lines are said"


def skills(top: Path, part: float) -> None:
    """A hundred thousand skills."""
    for number in range(int(100_000 * part)):
        folder = top / ".agents" / "skills" / f"s{number:06}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(folder.name))


def huge_file(top: Path, part: float) -> None:
    """A project file of a gigabyte, of which the disk holds nothing."""
    with (top / "AGENTS.md").open("wb") as file:
        file.truncate(max(int(1024 * MEGABYTE * part), 65 * MEGABYTE))


def entries(top: Path, part: float) -> None:
    """A million files where skills are looked for."""
    folder = top / ".agents" / "skills"
    folder.mkdir(parents=True)
    for number in range(int(1_000_000 * part)):
        os.close(os.open(folder / f"f{number:07}", os.O_CREAT | os.O_WRONLY))


def links(top: Path, part: float) -> None:
    """A link to a link to a link, a thousand times."""
    last = max(50, int(1000 * part))
    (top / f"l{last}").write_text("Be brief.")
    for number in range(last):
        (top / f"l{number}").symlink_to(f"l{number + 1}")
    (top / "AGENTS.md").symlink_to("l0")


def loops(top: Path, part: float) -> None:
    """Folders that link to themselves and to each other."""
    (top / "AGENTS.md").symlink_to("AGENTS.md")
    folder = top / ".agents" / "skills"
    folder.mkdir(parents=True)
    for number in range(max(2, int(1000 * part))):
        (folder / f"s{number}").symlink_to("..")


def nested(top: Path, part: float) -> None:
    """Folders in folders, and a skill at the bottom."""
    here = top / ".agents" / "skills"
    here.mkdir(parents=True)
    depth = max(5, int(1000 * part))
    for _ in range(depth):
        here = here / "d"
        here.mkdir()


def frontmatter(top: Path, part: float) -> None:
    """A skill whose frontmatter has ten megabytes."""
    folder = top / ".agents" / "skills" / "big"
    folder.mkdir(parents=True)
    rows = int(10 * MEGABYTE * part) // 12
    (folder / "SKILL.md").write_text("---\nname: big\n" + "".join(f"k{i:07}: a\n" for i in range(rows)) + "---\nx")


def memories(top: Path, part: float) -> None:
    """JSON in which a late key is there twice."""
    count = int(200_000 * part) // 12
    (top / "agent.json").write_text(
        "{" + ",".join(f'"k{i:06}":1' for i in range(count)) + ',"identity":"a","identity":"b"}'
    )


def headings(top: Path, part: float) -> None:
    """A megabyte of headings."""
    (top / "AGENTS.md").write_text("# h\n" * (int(MEGABYTE * part) // 4))


def nothing(top: Path, part: float) -> None:
    """Only the program."""


BUILD = ("build", "house")
STRESSES = (
    Stress("100,000 skills", skills, BUILD, 240, 2500),
    Stress("100,000 skills, in 8,000 tokens", skills, (*BUILD, "--budget", "8000"), 300, 2500),
    Stress("a file of 1 GB", huge_file, BUILD, 5, 150),
    Stress("a million entries", entries, BUILD, 60, 900),
    Stress("1,000 levels of links", links, BUILD, 5, 150),
    Stress("1,000 links that loop", loops, BUILD, 20, 150),
    Stress("1,000 nested folders", nested, BUILD, 20, 150, told=False),
    Stress("10 MB of frontmatter", frontmatter, BUILD, 20, 500),
    Stress("1 MB of $@", nothing, ("-c", FILLED), 20, 500, (0, 1), told=False),
    Stress("200 kB of JSON, a late key twice", memories, ("build", "nova"), 10, 200, told=False),
    Stress("1 MB of headings, in 2,000 tokens", headings, (*BUILD, "--budget", "2000"), 60, 700),
)


def measured(stress: Stress, part: float) -> Measured:
    """Make it in a folder of its own, run the command there, and take all away again."""
    top = Path(tempfile.mkdtemp(prefix="overture-stress-"))
    try:
        (top / "home").mkdir()
        (top / "p" / ".git").mkdir(parents=True)
        stress.make(top / "p", part)
        return run(command_of(stress, part), top)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def measured_apart(name: str, part: float) -> Measured:
    """The same in a process of its own: a program begins with the memory of the one that starts it on its account."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measured_by_name, name, part).result()


def measured_by_name(name: str, part: float) -> Measured:
    """The one of that name."""
    return measured(next(stress for stress in STRESSES if stress.name == name), part)


def command_of(stress: Stress, part: float) -> list[str]:
    """What is run: `overture`, or a line of Python."""
    if stress.command[0] == "-c":
        return [sys.executable, "-c", stress.command[1].format(int(MEGABYTE * part))]
    return [sys.executable, "-c", PROGRAM, *stress.command]


def run(command: list[str], top: Path) -> Measured:
    """Run a command in a folder, and look at what its process took."""
    environment = {**os.environ, "HOME": str(top / "home")}
    with (top / "stderr").open("w+b") as aside:
        start = time.monotonic()
        child = subprocess.Popen(command, cwd=top / "p", env=environment, stdout=subprocess.DEVNULL, stderr=aside)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        took = time.monotonic() - start
        aside.seek(0)
        return Measured(took, peak(used), child.returncode, aside.read().decode("utf-8", "replace"))


def peak(used: resource.struct_rusage) -> float:
    """The most memory that a process held, in megabytes: Linux counts kilobytes, macOS bytes."""
    return used.ru_maxrss / (MEGABYTE if sys.platform == "darwin" else 1024)


def main() -> int:
    """Measure all, or those whose name holds a word that is given; how many are not as they have to be."""
    part = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    wanted = [s for s in STRESSES if all(word in s.name for word in sys.argv[2:])]
    print(f"{'what':34} {'seconds':>8} {'peak MB':>8} {'exit':>5}  what is said")
    wrong = 0
    for stress in wanted:
        found = measured_apart(stress.name, part)
        faults = ", ".join(found.faults(stress))
        wrong += bool(faults)
        lines = found.said.splitlines()
        said = f"{lines[0][:110]}{f' (and {len(lines) - 1} more lines)' if len(lines) > 1 else ''}" if lines else "-"
        print(f"{stress.name:34} {found.seconds:8.1f} {found.megabytes:8.0f} {found.status:5}  {said}", flush=True)
        if faults:
            print(f"  wrong: {faults}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
