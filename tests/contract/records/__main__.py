"""What the commands printed before the rebuilding began, and what they print now.

`python -m tests.contract.records compare [KIND…]` prints each difference, `record [KIND…]` writes the records again.
Kinds: `worlds` (marked trees), `trees` (small trees), `states` (random states through all recipes), `tap` (recorded
conversations), `repositories` (public repositories, checked out below the folder in RECORDED_REPOSITORIES at the
commits that the record names).
"""

import difflib
import fcntl
import json
import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from posixpath import join
from typing import Any

import overture

from ..agents.trees import trees
from ..agents.worlds import WORLDS, make_world
from ..cli.forked import run_overture, run_process
from ..recipes.full_state import RECIPES

HERE = Path(__file__).parent
ROOT = Path("/tmp/overture-records")
"""Outputs name paths, so all is done in one place."""
NOW = "2026-03-07T08:55:05-06:00"
SAMPLES = HERE.parent / "tap/log_formats/samples"
LOGS = ("claude-code.jsonl", "claude-code-agent.jsonl", "claude-code-older.jsonl", "codex.jsonl", "codex-older.jsonl",
        "mitmproxy.har")  # fmt: skip
MAX_TEXT = 4_000
MAX_LINES = 40
"""Of one difference."""
Record = dict[str, Any]


def main() -> int:
    """Write or compare; 1 where something differs."""
    verb, *kinds = sys.argv[1:] or ["compare"]
    os.environ.update(PATH="/usr/bin:/bin", TZ="UTC", COLUMNS="100")
    differing = 0
    for kind in kinds or KINDS:
        with Path(f"{ROOT}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two runs would share the folder
            now: Record = dict(KINDS[kind]())
        if verb == "record":
            write_record(kind, now)
        else:
            differing += compare(kind, read_record(kind), now)
    print(f"{differing} differ")
    return int(differing > 0)


def write_record(kind: str, record: Record) -> None:
    """Write it as compressed JSON."""
    data = json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True).encode()
    (HERE / f"{kind}.json.xz").write_bytes(lzma.compress(data, preset=6))


def read_record(kind: str) -> Record:
    """A record as it was written."""
    record: Record = json.loads(lzma.decompress((HERE / f"{kind}.json.xz").read_bytes()))
    return record


def compare(kind: str, before: Record, now: Record) -> int:
    """Print the lines in which entries differ; how many entries do."""
    names = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    for name in names:
        print(f"== {kind} {name}")
        old, new = (json.dumps(each.get(name), ensure_ascii=False, indent=1).splitlines() for each in (before, now))
        lines = [
            line for line in difflib.unified_diff(old, new, lineterm="", n=1) if not line.startswith(("---", "+++"))
        ]
        print(*(line[:300] for line in lines[:MAX_LINES]), sep="\n")
        if len(lines) > MAX_LINES:
            print(f"… {len(lines) - MAX_LINES} more lines")
    print(f"{kind}: {len(names)} of {len({*before, *now})} differ")
    return len(names)


def run(cwd: Path, *words: str, alone: bool = False, environment: Mapping[str, str] | None = None) -> Any:
    """What a command prints: its JSON, or its text with its exit code where that is not 0."""
    execute = run_process if alone else run_overture
    done = execute(
        words, b"", cwd, {"HOME": str(ROOT / "home"), "XDG_DATA_HOME": str(ROOT / "data"), **(environment or {})}
    )
    text = done.stdout.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except ValueError:
        value = shorten(text)
    errors = done.stderr.decode("utf-8", "replace")
    return value if done.returncode in (0, 1) and not errors else [done.returncode, value, shorten(errors)]


def shorten(text: str) -> str:
    """A text, or the digest of a long one with its beginning."""
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:200]} … {len(text)} characters, sha256:{sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def tabulate(value: Any) -> Any:
    """The JSON of `agents` as lines: what each agent does with each file that it does not just pass by."""
    if not isinstance(value, dict) or "agents" not in value or "root" not in value:
        return value

    def locate(path: str) -> str:
        return join(value["root"], path).removeprefix(f"{ROOT}/")

    if "files" not in value:
        return {
            agent["name"]: [
                agent["version"], agent["tokens"],
                *(f"{locate(use['path'])} {use['kind']} {show(use)}" for use in agent["files"] if is_answer(use)),
            ]
            for agent in value["agents"]
        }  # fmt: skip
    return {
        locate(file["path"]): [
            f"{use['agent']} in {locate(use['start'])}: {show(use)}" for use in file["uses"] if is_answer(use)
        ]
        for file in value["files"]
    }


def is_answer(use: dict[str, Any]) -> bool:
    """Whether an agent reads a file, or skips it for a reason of its own."""
    return bool(use["how"] != "skipped" or use["reason"].get("code") != "unknown")


def show(use: dict[str, Any]) -> str:
    """What an agent does with a file, in a line."""
    return f"{use['how']} {use.get('last_line', '')} {use['tokens']} {use['text']}"


def record_worlds() -> Iterator[tuple[str, Any]]:
    """Marked trees: the agents' tables, findings, and the prompts of all recipes."""
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for found in pool.imap(record_world, WORLDS):
            yield from found


def record_world(name: str) -> list[tuple[str, Any]]:
    """One of them, in a process of its own: some are large."""
    fresh(home=False)
    world = make_world(name, ROOT)
    cwd = ROOT / world.cwd
    env = {key: value.replace("{folder}", str(ROOT)) for key, value in world.env.items()}
    tables = ("agents", "--all", "--json"), ("agents", "--all", "--files", "--json"), ("check", "--json")
    found = [(f"{name}: {' '.join(words)}", tabulate(run(cwd, *words, environment=env))) for words in tables]
    for recipe in RECIPES:
        built = run(cwd, "build", recipe, "--format", "json", "--now", NOW, environment=env)
        found.append((f"{name}: build {recipe}", describe(built)))
    return found


def record_trees() -> Iterator[tuple[str, Any]]:
    """Small trees, each a question about one agent."""
    for tree in trees():
        fresh(home=False)
        tree.build(ROOT)
        touching = ["--touching", str(ROOT / tree.table["touching"])] if "touching" in tree.table else []
        env = {key: value.replace("@", str(ROOT)) for key, value in tree.table.get("environment", {}).items()}
        words = ("agents", tree.agent, "--json", "--read-outside", *touching)
        yield f"{tree}", tabulate(run(ROOT / tree.cwd, *words, environment=env))
        yield f"{tree}: check", run(ROOT / tree.cwd, "check", "--json", environment=env)


def record_states() -> Iterator[tuple[str, Any]]:
    """Random states, which the record itself holds, through every recipe, whole and fitted."""
    states = read_record("random_states")
    for seed, data in states.items():
        for recipe in RECIPES:
            try:
                prompt = overture.build(recipe, overture.State.from_dict(data))
                value = describe(prompt.to_dict(), whole=int(seed) < 40)
                small = overture.fit(prompt, budget=max(200, prompt.tokens * 2 // 3))
                value["fitted"] = [shorten(small.text) if int(seed) < 40 else digest(small.text), small.tokens]
            except overture.OvertureError as problem:
                value = str(problem)
            yield f"{seed} {recipe}", value


def record_tap() -> Iterator[tuple[str, Any]]:
    """Recorded conversations: list, report and the last call."""
    for name in (*LOGS, "demo"):
        fresh()
        (ROOT / "w").mkdir()
        cwd, store = ROOT / "w", f"{ROOT}/calls.sqlite"
        if name == "demo":
            yield "demo", run(cwd, "tap", "--demo", alone=True)
            continue
        log = ROOT / name
        log.write_text((SAMPLES / name).read_text().replace('"/garden"', f'"{cwd}"'))
        run(cwd, "tap", "import", str(log), "--store", store, alone=True)
        yield f"{name}: list", run(cwd, "tap", "list", "--json", "--since", "all", "--store", store, alone=True)
        yield f"{name}: report", run(cwd, "tap", "report", "--json", "--since", "all", "--store", store, alone=True)
        yield f"{name}: show", run(cwd, "tap", "show", "--json", "--store", store, alone=True)


def record_repositories() -> Iterator[tuple[str, Any]]:
    """Public repositories: what agents load there, and what is found."""
    place = Path(os.environ["RECORDED_REPOSITORIES"])
    for folder in sorted(each for each in place.iterdir() if (each / ".git").exists()):
        fresh()
        head = ["git", "-C", str(folder), "rev-parse", "HEAD"]
        commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
        for words in (("agents", "--all", "--json"), ("agents", "--all", "--files", "--json"), ("check", "--json"),
                      ("--json",)):  # fmt: skip
            yield f"{folder.name} at {commit[:12]}: {' '.join(words)}", tabulate(run(folder, *words))


def fresh(*, home: bool = True) -> None:
    """An empty folder, with a home where that is not part of what is built there."""
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir()
    if home:
        (ROOT / "home").mkdir()


def describe(prompt: Any, *, whole: bool = False) -> Any:
    """A prompt as JSON with less: its text, the places of its blocks, what it omits and reports."""
    if not isinstance(prompt, dict):
        return prompt
    text = prompt["text"]
    return {
        "text": text if whole else shorten(text),
        "tokens": prompt["tokens"]["total"],
        "blocks": [[block["name"], block["start"], block["end"], block["tokens"]] for block in prompt["blocks"]],
        "messages": [shorten(json.dumps(each, ensure_ascii=False)) for each in prompt["messages"]],
        "omitted": prompt["omitted"],
        "diagnostics": [
            [each.get("level"), each.get("code"), shorten(each["message"])] for each in prompt["diagnostics"]
        ],
    }


def digest(text: str) -> str:
    """A text's digest."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


KINDS: dict[str, Callable[[], Iterator[tuple[str, Any]]]] = {
    "worlds": record_worlds, "trees": record_trees, "states": record_states, "tap": record_tap,
    "repositories": record_repositories,
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
