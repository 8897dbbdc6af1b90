"""`overture audit` over a fleet, against `git ls-files` and `cat` of the same files; and a second time, unchanged.

Each repository has 20 source files, a README, an AGENTS.md with sections of its own and of a few templates, and some
have a CLAUDE.md, rules of Cursor or a skill. The reference lists and reads every tracked file, one repository after the
other; a second row lets it use as many processes as the audit does. Time is that of the clock, of all processes.
"""

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from commands import OVERTURE
from measure import Options, Row, collect, make_row

REPOSITORIES = 2_000
GROWTH = (100, 1_000, 10_000)
"""Sizes of which `--large` prints the time."""
TEMPLATES = 12
CORES = os.cpu_count() or 1
WORDS = ("use", "run", "test", "build", "deploy", "service", "never", "always", "prefer", "handler", "schema", "check")
READ_ALL = "cd {} && git ls-files -z | xargs -0 cat > /dev/null"


def rows(options: Options) -> Iterator[Row]:
    """The first audit, the same in as many processes, and the second."""
    with tempfile.TemporaryDirectory() as name:
        yield from _measure(Path(name), REPOSITORIES, options)
    if options.large:
        yield from print_growth()


def print_growth() -> Iterator[Row]:
    """Time and memory at each size, and how many times as long it takes as at the size before."""
    before: tuple[str, list[float]] | None = None
    for size in GROWTH:
        with tempfile.TemporaryDirectory() as name:
            top = Path(name)
            _write_fleet(top / "fleet", size)
            took, memory = _measure_command((OVERTURE, "audit", "fleet", "--out", "out.jsonl"), top)
            work = f"`overture audit`, {size:,} repositories"
            yield make_row("audit", work, "s", [took], before, note=f"{memory:,.0f} MB in the largest process")
            before = f"{size:,} repositories", [took]


def _measure(top: Path, size: int, options: Options) -> Iterator[Row]:
    _write_fleet(top / "fleet", size)
    _write_scripts(top)
    environ = _environment(top)

    def one_round(number: int) -> dict[str, float]:
        audit = (OVERTURE, "audit", str(top / "fleet"), "--out", str(top / f"out-{number}.jsonl"), "--resume")
        return {
            "cat": _wait_for(("sh", str(top / "one.sh")), top, environ),
            "parallel": _wait_for(("sh", str(top / "all.sh")), top, environ),
            "first": _wait_for(audit, top, environ),
            "second": _wait_for(audit, top, environ),
        }

    took = collect(one_round, options.count(2))
    work = f"`overture audit`, {size:,} repositories"
    yield make_row("audit", work, "s", took["first"], ("git ls-files, cat", took["cat"]), "ratio", 5)
    shared = f"{work}, against one `cat` per core"
    yield make_row("audit", shared, "s", took["first"], ("git ls-files, cat, in parallel", took["parallel"]), "ratio")
    yield make_row("audit", f"{work}, unchanged", "s", took["second"], ("first audit", took["first"]), "ratio", 0.1)


def _measure_command(command: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """Nanoseconds until a command has ended, and the megabytes of its largest process."""
    nothing, start = subprocess.DEVNULL, time.perf_counter_ns()
    process = subprocess.Popen(
        command, cwd=folder, env=_environment(folder), stdin=nothing, stdout=nothing, stderr=nothing
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.perf_counter_ns() - start, used.ru_maxrss / 1_000


def _wait_for(command: tuple[str, ...], folder: Path, environ: dict[str, str]) -> float:
    """Nanoseconds until a command has ended."""
    nothing, start = subprocess.DEVNULL, time.perf_counter_ns()
    subprocess.run(command, cwd=folder, env=environ, stdin=nothing, stdout=nothing, stderr=nothing, check=True)
    return time.perf_counter_ns() - start


def _environment(top: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(top), "XDG_CACHE_HOME": str(top / "cache")}


def _write_scripts(top: Path) -> None:
    read_all = READ_ALL.format('"$each"')
    loop = f'for each in "{top}"/fleet/*; do ({read_all}); done\n'
    (top / "one.sh").write_text(loop, encoding="utf-8")
    # Each core takes every second, third, … of the repositories.
    halves = "".join(
        f'i=0; for each in "{top}"/fleet/*; do [ $((i % {CORES})) -eq {core} ] && ({read_all}); i=$((i + 1)); done &\n'
        for core in range(CORES)
    )
    (top / "all.sh").write_text(f"{halves}wait\n", encoding="utf-8")


def _write_fleet(top: Path, size: int) -> None:
    """Repositories with one commit each; the same ones in every run."""
    chance = random.Random(1)
    templates = [_write_rules(chance, 30) for _ in range(TEMPLATES)]
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")
    for number in range(size):
        root = top / f"service-{number:05}"
        for path, text in _list_files(chance, number, templates).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "First")):
            subprocess.run(["git", *identity, *words], cwd=root, check=True)


def _list_files(chance: random.Random, number: int, templates: list[str]) -> dict[str, str]:
    files = {f"src/unit{file % 4}/file{file}.py": "value = 1\n" * chance.randint(5, 80) for file in range(20)}
    own = f"# Service {number}\n\nRun `make test`; start at `src/unit1/file1.py`.\n\n{_write_rules(chance, 12)}"
    files["AGENTS.md"] = f"{own}\n## For all\n\n{chance.choice(templates)}"
    files["README.md"] = f"# Service {number}\n\n{_write_rules(chance, 15)}"
    files["Makefile"] = "test:\n\tpytest\n"
    if number % 2:
        files["CLAUDE.md"] = "@AGENTS.md\n"
    if number % 5 == 0:
        files[".cursor/rules/style.mdc"] = f"---\nalwaysApply: true\n---\n{_write_rules(chance, 5)}"
    if number % 4 == 0:
        files[".claude/skills/release/SKILL.md"] = "---\nname: release\ndescription: Makes a release.\n---\nTag it.\n"
    return files


def _write_rules(chance: random.Random, count: int) -> str:
    lines = (" ".join(chance.choices(WORDS, k=chance.randint(6, 14))) for _ in range(count))
    return "".join(f"- {line}.\n" for line in lines)
