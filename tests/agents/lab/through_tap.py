"""`python -m tests.agents.lab.through_tap [AGENT…] [--update]`: real agents through the tap, each line traced.

Each agent is run once, as it comes, in a project whose files have marked lines. Every mark in what the tap recorded has
to be attributed to the file and the line that it names; what came is compared with tests/agents/tapped.toml.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from overture.tap.attribute.agent_sources import find_sources
from overture.tap.attribute.attribute_call import find_call_files
from overture.tap.attribute.files_of_call import TextSpan
from overture.tap.store.store import open_store
from tests.contract.agents.lab.folder import CHIP, LAB, NODE
from tests.contract.agents.lab.upstream import PORT

from .install import install_all, installed_version
from .packages import PACKAGES
from .sandbox import PROJECT, run_inside

HERE = Path(__file__).parent
RECORDED = HERE.parent / "tapped.toml"
FOLDER = LAB / "tapped"
FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CONVENTIONS.md")
MARK = re.compile(r"MARK-([A-Z]+\.md)-(\d+)")


def main() -> int:
    """Run, tell, compare; 1 where an agent sent something that is attributed wrongly, or has changed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--update", action="store_true")
    asked = parser.parse_args()
    agents = tomllib.loads((HERE / "through_tap.toml").read_text(encoding="utf-8"))
    names = asked.agents or list(agents)
    failed = install_all(tuple(names))
    for name, why in failed.items():
        print(f"{name} is left out, since it can't be installed: {why}")
    known = tomllib.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    found = {name: _seen(name, agents[name]) for name in names if name not in failed}
    for name, seen in found.items():
        print(name, json.dumps(seen))
    if asked.update:
        RECORDED.write_text(_toml({**known, **found}), encoding="utf-8")
        return 0
    return int(any(seen["wrong"] or _plain(seen) != _plain(known.get(name, {})) for name, seen in found.items()))


def _plain(seen: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in seen.items() if key in ("sent", "wrong")}


def _seen(name: str, about: dict[str, Any]) -> dict[str, Any]:
    """What one agent sent, and whether each line of it was traced back."""
    package = next(each for each in PACKAGES if each.agent == name)
    here = FOLDER / name
    shutil.rmtree(here, ignore_errors=True)
    work, home = here / "w", here / "home"
    _project(work)
    values = {"$AGENT": str(LAB / "agents" / name), "$CHIP": CHIP, "$CWD": str(work), "$KEY": "sk-lab-0123456789abcdef"}
    for path, text in about.get("files", {}).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(_filled(text, values), encoding="utf-8")
    home.mkdir(exist_ok=True)
    store = here / "store" / "calls.sqlite"
    tap = [str(Path(sys.executable).with_name("overture")), "tap", "--store", str(store)]
    command = [*tap, "--upstream", f"http://127.0.0.1:{PORT}", "--", *(_filled(word, values) for word in about["run"])]
    env = {
        "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "TERM": "xterm", "USER": "ada",
        "PYTHONPATH": str(PROJECT / "src"), **{key: _filled(text, values) for key, text in about["env"].items()},
    }  # fmt: skip
    said = run_inside(command, work, env, here / "log.jsonl", ())
    seen = _traced(store, work, home)
    return {"version": installed_version(package) or "?", **seen, **({"said": said} if said else {})}


def _project(work: Path) -> None:
    work.mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    for name in FILES:
        lines = (f"- MARK-{name}-{n}: rule {n} is that {name[:-3].lower()} counts to {n * 7}.\n" for n in range(1, 13))
        (work / name).write_text("".join(lines), encoding="utf-8")


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _traced(path: Path, work: Path, home: Path) -> dict[str, Any]:
    """The marks in all calls by file, and those that are not attributed to their file and line."""
    with open_store(path) as store:
        calls = [call.read_call() for call in store.list_calls()]
    sent: dict[str, set[int]] = {}
    wrong: list[str] = []
    for call in calls:
        spans = find_call_files(call, find_sources(call.program, cwd=work, home=home)).spans
        for number, piece in enumerate(call.pieces):
            for mark in MARK.finditer(piece.text):
                sent.setdefault(mark[1], set()).add(int(mark[2]))
                held = [each for each in spans.get(number, ()) if each.start <= mark.start() and mark.end() <= each.end]
                if not any(_names(each, work / mark[1], int(mark[2])) for each in held):
                    wrong.append(mark[0])
    return {"calls": len(calls), "sent": {name: len(lines) for name, lines in sorted(sent.items())}, "wrong": wrong}


def _names(span: TextSpan, path: Path, line: int) -> bool:
    """Whether a span is from that line of that file."""
    return span.path == str(path) and (span.line or 0) <= line <= (span.last_line or 0)


def _toml(found: dict[str, dict[str, Any]]) -> str:
    """The results, as they are kept."""
    told = (
        "# Real agents through the tap: how many of the twelve lines of each file came, and what was traced wrongly.\n"
    )
    for name, seen in sorted(found.items()):
        sent = ", ".join(f'"{path}" = {lines}' for path, lines in seen["sent"].items())
        told += f'\n[{name}]\nversion = "{seen["version"]}"\ncalls = {seen["calls"]}\n'
        told += f"sent = {{ {sent} }}\nwrong = {json.dumps(seen['wrong'])}\n"
    return told


if __name__ == "__main__":
    sys.exit(main())
