"""Commands as they are typed: processor time above a bare Python, and their memory.

With `--repositories FOLDER` each command also runs in every folder of it, and the slowest one is the figure; nothing is
written there.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import Options, Row, collect, make_row, run_command

HARBOR = Path(__file__).parents[1] / "examples" / "harbor"
OVERTURE = str(Path(sys.executable).with_name("overture"))
BARE = (sys.executable, "-c", "pass")
BUILD = "import overture; overture.build('pi', overture.State()).text"
COMMANDS = ("", "build", "agents", "agents codex", "explain", "check")
PEAK = """import atexit, sys
atexit.register(lambda: print(open("/proc/self/status").read(), file=sys.stderr))
sys.argv = ["overture", "build"]
from overture.cli.main import main
main()"""
"""`overture build`, which at its end says how much memory it has had."""


def rows(options: Options) -> Iterator[Row]:
    """Import and build; commands in the example; commands in repositories; memory."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        yield _import_and_build(options, home)
        took = _measure_folder(HARBOR / "services" / "berths", HARBOR / "home", home, options.count(5))
        bare = ("bare Python", took["bare"])
        for command in COMMANDS:
            work = f"`{f'overture {command}'.strip()}` in the example"
            yield make_row("commands", work, "ms", took[command], bare, "above")
        folders = (
            sorted(each for each in options.repositories.iterdir() if each.is_dir()) if options.repositories else []
        )
        if folders:
            yield from _in_repositories(folders, home, options)
        yield _measure_memory([HARBOR, *folders], home)


def _import_and_build(options: Options, home: Path) -> Row:
    environ = make_environ(home, str(home / "build"))

    def one_round(_: int) -> dict[str, float]:
        ours = run_command((sys.executable, "-c", BUILD), HARBOR, environ)
        return {"bare": run_command(BARE, HARBOR, environ), "ours": ours}

    one_round(0)
    took = collect(one_round, options.count(10))
    work = "import overture, build from a State"
    return make_row("commands", work, "ms", took["ours"], ("bare Python", took["bare"]), "above", 60)


def _measure_folder(cwd: Path, home: Path, caches: Path, rounds: int) -> dict[str, list[float]]:
    """Each command and a bare Python, in turn."""

    def one_round(_: int) -> dict[str, float]:
        cache = tempfile.mkdtemp(dir=caches)
        took = {"bare": run_command(BARE, cwd, make_environ(home, cache))}
        for command in COMMANDS:
            environ = make_environ(home, f"{cache}/{command or 'overture'}")
            took[command] = run_command((OVERTURE, *command.split()), cwd, environ)
        return took

    return collect(one_round, rounds)


def _in_repositories(folders: list[Path], home: Path, options: Options) -> Iterator[Row]:
    """Of each command the repository in which it takes longest."""
    (home / "empty").mkdir()
    found = {each.name: _measure_folder(each, home / "empty", home, options.count(3)) for each in folders}
    for command in COMMANDS:
        work = f"`{f'overture {command}'.strip()}` in {len(folders)} repositories"
        each = []
        for name, took in found.items():
            bare = ("bare Python", took["bare"])
            each.append(make_row("commands", work, "ms", took[command], bare, "above", 1200, f"slowest: {name}"))
        yield max(each, key=lambda row: row.value or 0)


def _measure_memory(folders: list[Path], home: Path) -> Row:
    """The most memory that `overture build` holds, in the folder where it holds most."""
    peaks = {folder.name: [_peak(folder, home) for _ in range(2)] for folder in folders}
    name = max(peaks, key=lambda name: min(peaks[name]))
    where = f"{len(folders) - 1} repositories" if folders[1:] else "the example"
    return make_row(
        "commands", f"memory of `overture build` in {where}", "MB", peaks[name], goal=60, note=f"most: {name}"
    )


def _peak(folder: Path, home: Path) -> float:
    """Megabytes; the kernel's own figure, which a larger process that started this one does not raise."""
    environ = make_environ(home, str(home / "peak"))
    done = subprocess.run(
        [sys.executable, "-c", PEAK], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    found = re.search(r"VmHWM:\s*(\d+) kB", done.stderr)
    assert found is not None, done.stderr
    return int(found[1]) * 1024 / 1e6


def make_environ(home: Path, cache: str) -> dict[str, str]:
    """Nothing of the user's own; all that is written goes into the cache folder, and nothing into the home."""
    folders = {f"XDG_{name}_HOME": f"{cache}/{name}" for name in ("CACHE", "STATE", "DATA")}
    return {"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1", **folders}
