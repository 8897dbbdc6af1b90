"""`python -m tests.agents.lab.cached_calls [AGENT…]`: real agents through the tap, to a provider that caches."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from overture.report.tap.told import tell
from overture.tap.store.open_store import open_store

from .folder import CHIP, LAB, NODE
from .install import install_all
from .sandbox import PROJECT, run_inside
from .upstream import PORT

HERE = Path(__file__).parent
FOLDER = LAB / "cached"
CALLS = 10
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


def run(name: str, about: dict[str, Any], step: str) -> Path:
    here = FOLDER / name / step
    shutil.rmtree(here, ignore_errors=True)
    work, home, knobs = here / "w", here / "home", here / "knobs"
    for each in (work, home, knobs):
        each.mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    files = []
    for n in range(1, CALLS):
        p = work / f"part-{n}.txt"
        p.write_text("".join(f"Line {i} of part {n}: the tide turns at {i * 7 % 24} o'clock.\n" for i in range(40)))
        files.append(str(p))
    for f in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
        (work / f).write_text("".join(f"- Rule {i}: count to {i * 7}.\n" for i in range(60)))
    values = {
        "$AGENT": str(LAB / "agents" / name),
        "$CHIP": CHIP,
        "$CWD": str(work),
        "$KEY": "sk-lab-0123456789abcdef",
        "$KNOBS": str(knobs),
    }

    def filled(t: str) -> str:
        for k, v in values.items():
            t = t.replace(k, v)
        return t

    for path, text in about.get("files", {}).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(filled(text))
    store = here / "store" / "calls.sqlite"
    tap = [str(Path(sys.executable).with_name("overture")), "tap", "--store", str(store)]
    for fam in ("anthropic", "openai", "gemini"):
        tap += ["--upstream", f"{fam}=http://127.0.0.1:{PORT}" + ("/v1" if fam == "openai" else "")]
    env = {
        "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "TERM": "xterm",
        "USER": "ada",
        "PYTHONPATH": str(PROJECT / "src"),
        **{k: filled(t) for k, t in about["env"].items()},
    }
    said = run_inside([*tap, "--", *map(filled, about["run"])], work, env, here / "log.jsonl", files, 240, knobs)
    print(name, "said:", said)
    return store


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs="*")
    asked = parser.parse_args()
    agents = tomllib.loads((HERE / "cached_calls.toml").read_text(encoding="utf-8"))
    for name in asked.agents or agents:
        store = run(name, agents[name], "plain")
        with open_store(store) as s:
            calls = [c.whole() for c in s.calls()]
        for talk in tell(calls).conversations:
            print(" ", talk.name)
            for each in talk.calls:
                v = each.verdict
                print("   ", each.model, v.tokens, "predicted", v.predicted, "read", v.read, v.reason, v.cause[:100])
    return 0


if __name__ == "__main__":
    sys.exit(main())
