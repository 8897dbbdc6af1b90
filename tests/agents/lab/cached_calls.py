"""`python -m tests.agents.lab.cached_calls [AGENT…]`: real agents through the tap, to a provider that caches.

Each agent makes ten calls, and then one or more for each miss that is provoked in the same session. Of every call of
its conversation, the predicted reads have to be those that the provider reports, within 5 %, and each miss has to get
its true cause. The tap's clock and the provider's are moved together, by libfaketime; without it nothing expires.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from overture.tap.judge.miss_causes import CallVerdict
from overture.tap.judge.report_data import make_report
from overture.tap.recorded_call import RecordedCall
from overture.tap.store.store import open_store
from tests.contract.agents.lab.folder import CHIP, LAB, NODE
from tests.contract.agents.lab.upstream import PORT

from .install import install_all
from .sandbox import PROJECT, run_inside

HERE = Path(__file__).parent
FOLDER = LAB / "cached"
CALLS = 10
WITHIN = 0.05
MAX_SECONDS = 1500
MAX_LINGER = 90
"""Seconds for one start of an agent."""
UPSTREAMS = ("anthropic=http://127.0.0.1:{}", "openai=http://127.0.0.1:{}/v1", "gemini=http://127.0.0.1:{}")
STEP = re.compile(r"step-(\w+)")
FUNCTIONS = """#!/bin/bash
unset LD_PRELOAD
evict() { touch "$KNOBS/evict"; }
later() { printf '%+d' $(( $(cat "$KNOBS/clock") + $1 )) > "$KNOBS/clock"; }
another_day() { [ "$(date -u +%-H)" -ge 10 ] && export TZ=Pacific/Kiritimati || export TZ=Etc/GMT+12; }
"""


def main() -> int:
    """Run, compare; 1 where a prediction is off, or a miss has another cause than the one that was provoked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--recorded", action="store_true", help="judge the last run again")
    asked = parser.parse_args()
    agents = tomllib.loads((HERE / "cached_calls.toml").read_text(encoding="utf-8"))
    names = asked.agents or list(agents)
    failed = install_all(tuple(agents[name].get("agent", name) for name in names))
    for name, why in failed.items():
        print(f"{name} is left out, since it can't be installed: {why}")
    wrong = 0
    for name in names:
        if agents[name].get("agent", name) not in failed:
            wrong += _judged(name, agents[name], FOLDER / name if asked.recorded else _run(name, agents[name]))
    return int(wrong > 0)


def _run(name: str, about: dict[str, Any]) -> Path:
    """One run of the tap: the folder in which its store is."""
    here = FOLDER / name
    shutil.rmtree(here, ignore_errors=True)
    work, home, knobs, programs = (here / each for each in ("w", "home", "knobs", "bin"))
    for folder in (work, home, knobs, programs):
        folder.mkdir(parents=True)
    files = _project(work)
    agent = about.get("agent", name)
    values = {
        "$AGENT": str(LAB / "agents" / agent),
        "$CHIP": CHIP,
        "$CWD": str(work),
        "$KEY": "sk-lab-0123456789abcdef",
    }
    for path, text in about.get("files", {}).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(_filled(text, values), encoding="utf-8")
    script = programs / about["program"]
    script.write_text(_script(about, values), encoding="utf-8")
    script.chmod(0o755)
    (knobs / "clock").write_text("+0", encoding="utf-8")
    tap = [str(Path(sys.executable).with_name("overture")), "tap", "--store", str(here / "store" / "calls.sqlite")]
    tap += [word for each in UPSTREAMS for word in ("--upstream", each.format(PORT))]
    env = {
        "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "TERM": "xterm", "USER": "ada",
        "PYTHONPATH": str(PROJECT / "src"), "KNOBS": str(knobs), **_clock(knobs),
        **{key: _filled(text, values) for key, text in about["env"].items()},
    }  # fmt: skip
    said = run_inside([*tap, "--", str(script)], work, env, here / "log.jsonl", files, MAX_SECONDS, knobs)
    if said:
        print(f"{name}: {said}")
    return here


def _clock(knobs: Path) -> dict[str, str]:
    """The variables by which a process takes its time from a file."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        print("libfaketime is not installed: nothing can be made to expire")
        return {}
    return {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(knobs / "clock"), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DISABLE_SHM": "1"}  # fmt: skip


def _project(work: Path) -> list[str]:
    """A project with instructions, and parts to read."""
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
        (work / name).write_text("".join(f"- Rule {n}: count to {n * 7}.\n" for n in range(1, 61)), encoding="utf-8")
    parts = [work / f"part-{n}.txt" for n in range(1, CALLS)]
    for n, part in enumerate(parts, 1):
        lines = (f"Line {i} of part {n}: the tide turns at {i * 7 % 24} o'clock.\n" for i in range(40))
        part.write_text("".join(lines), encoding="utf-8")
    return [str(part) for part in parts]


def _script(about: dict[str, Any], values: dict[str, str]) -> str:
    """What stands in for the program: it runs the agent, step by step."""
    # Some agents linger after their answer.
    binary = f"timeout -k 5 {MAX_LINGER} {shlex.quote(_filled(about['binary'], values))}"
    first = about["first"].replace("$PROMPT", "'Read the parts.'")
    again = about["again"].replace("$PROMPT", "'Go on.'")
    lines = [FUNCTIONS, f"{binary} {first}", *[f"{binary} {again}"] * about.get("turns", 0)]
    for step, each in about["steps"].items():
        asked = about["again"].replace("$PROMPT", f"'Go on: step-{step}.'")
        lines += [_filled(each.get("before", ":"), values), f"{binary} {asked} {each.get('more', '')}"]
    return "\n".join(lines) + "\n"


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _judged(name: str, about: dict[str, Any], here: Path) -> int:
    """How many calls are predicted or explained wrongly."""
    with open_store(here / "store" / "calls.sqlite") as store:
        calls = [call.read_call() for call in store.list_calls()]
    by_id = {call.id: call for call in calls}
    judged = [(by_id[each.id], each.verdict) for talk in make_report(calls).conversations for each in talk.calls]
    judged.sort(key=lambda pair: pair[0].at)
    steps: dict[str, tuple[RecordedCall, CallVerdict]] = {}
    for call, told in judged:
        if call.select_pieces("tool"):
            steps.setdefault(_step(call), (call, told))
    wrong = [line for call, told in judged if (line := _is_off(call, told))]
    for step, each in about["steps"].items():
        wrong += _explained(step, each, steps)
    print(f"{name}: {len(judged)} calls, {len(wrong)} wrong")
    for line in wrong:
        print(f"  {line}")
    return len(wrong)


def _step(call: RecordedCall) -> str:
    """The step that a call belongs to: the last that its messages name."""
    named = [
        found for piece in call.select_pieces("message") if piece.name == "user" for found in STEP.findall(piece.text)
    ]
    return named[-1] if named else "first"


def _is_off(call: RecordedCall, told: CallVerdict) -> str:
    """What is wrong with a prediction; a call that lost something is judged by its cause."""
    if told.read is None or told.reason in ("evicted", "unknown"):
        return "" if told.read is not None else f"{call.id}: the provider's usage was not read"
    off = abs(told.predicted - told.read)
    say = f"{call.id} ({_step(call)}): {told.predicted} predicted, {told.read} read, {told.reason}: {told.cause}"
    return say if off > WITHIN * max(told.read, told.predicted) else ""


def _explained(step: str, about: dict[str, Any], steps: dict[str, tuple[RecordedCall, CallVerdict]]) -> list[str]:
    if step not in steps:
        return [f"step {step}: no call came"]
    told = steps[step][1]
    if about.get("reason", "hit") == told.reason and about.get("cause", "") in told.cause:
        return []
    return [f"step {step}: {told.reason}: {told.cause}; {told.predicted} predicted, {told.read} read"]


if __name__ == "__main__":
    sys.exit(main())
