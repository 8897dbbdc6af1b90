"""The same text has the same number wherever it is shown: exact with a tokenizer, with a `~` without one."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.known_agents import AGENTS
from overture.recipes import BUILTIN
from overture.report.stats_and_cut_notes import sum_by_file
from overture.tokens.counter import ESTIMATE, format_tokens, name_unit
from tests.contract.cli.run import run

RULES = "# Häfen\n\n" + "Ein Satz über Krähen. 鳥が飛ぶ。 Run `make test` before you commit.\n" * 20
"""A text on which the estimate and o200k differ."""
LOG = Path(__file__).parent / "contract/tap/log_formats/samples/claude-code.jsonl"
PROGRAM = """
import contextlib, io, json, sys
if sys.argv[1] == "without":
    sys.modules["splintr"] = sys.modules["tiktoken"] = None
from overture.cli.main import main
printed = []
for words in json.loads(sys.argv[2]):
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    sys.argv = ["overture", *words]
    with contextlib.redirect_stdout(stream), contextlib.suppress(SystemExit):
        main()
    stream.flush()
    printed.append(stream.buffer.getvalue().decode())
print(json.dumps(printed))
"""
FILE_COMMANDS = {
    "": r"Codex +(\S+)  AGENTS\.md",
    "agents codex": r"(\S+)  AGENTS\.md  (?:in|at|between)",
    "agents codex --markdown": r"`AGENTS\.md` \| loaded \| (\S+) \|",
    "agents codex cursor": r"codex +(\S+)  AGENTS\.md",
    "agents codex cursor --markdown": r"Codex \| `AGENTS\.md` \| (\S+) \|",
    "agents --touching src/a.py codex": r"adds nothing \(at the start: (\S+) tokens\)",
    "context": r"AGENTS\.md  +(\S+)\n",
    "context --by file": r"AGENTS\.md +[\d,]+ +(\S+) ",
    "explain": r"loaded +(\S+)  \S*AGENTS\.md",
}
"""Commands that show the tokens of AGENTS.md, and where."""
PROMPT_COMMANDS = {
    "": r"`overture build` prints (\S+) tokens",
    "context": r"system prompt +(\S+) ",
    "context --by pace": r"characters, (\S+) tokens",
    "explain": r"^house: (\S+) tokens",
}
DATA_COMMANDS = (
    "agents codex --json", "agents --files codex --json", "context --json", "context --by file --json",
    "explain --json", "build --format json", "lock house codex --json", "serve house --save -",
)  # fmt: skip
TAP_COMMANDS = ("tap report", "tap report --markdown", "tap show", "tap report --json", "tap show --json")


class Printed:
    """What commands print in one folder, with a tokenizer or without."""

    def __init__(self, folder: Path, how: str) -> None:
        self.folder, self.count = folder, overture.counter() if how == "with" else ESTIMATE
        texts = (*FILE_COMMANDS, *PROMPT_COMMANDS, *DATA_COMMANDS)
        store = ["--store", str(folder.parent / f"{how}.db")]
        words = [
            *(each.split() for each in texts),
            ["tap", "import", str(LOG), *store],
            *([*each.split(), *store, "--since", "all"] if "report" in each else [*each.split(), *store]
              for each in TAP_COMMANDS),
        ]  # fmt: skip
        home = folder.parent / "home"
        place = {**os.environ, "HOME": str(home), "PYTHONPATH": str(Path(overture.__file__).parents[1])}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, how, json.dumps(words)],
            capture_output=True, text=True, env={**place, "TIKTOKEN_CACHE_DIR": str(home)}, cwd=folder, check=True,
        )  # fmt: skip
        self.by_command = dict(zip((*texts, "import", *TAP_COMMANDS), json.loads(done.stdout), strict=True))

    def find(self, command: str, pattern: str) -> str:
        """The number that a command shows."""
        found = re.search(pattern, self.by_command[command])
        assert found, (command, self.by_command[command])
        return found[1]

    def data(self, command: str) -> Any:
        """What a command prints as JSON."""
        text = self.by_command[command]
        return json.loads(text.partition('id="overture-data">')[2].partition("</script>")[0] or text)


@pytest.fixture(scope="module", params=["with", "without"])
def printed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """A repository with instructions and a tool's rules, and what every command says of it."""
    folder = tmp_path_factory.mktemp("same") / "p"
    (folder / "src").mkdir(parents=True)
    (folder.parent / "home").mkdir()
    (folder / "AGENTS.md").write_text(RULES, encoding="utf-8")
    (folder / "src/a.py").touch()
    git = ("git", "-c", "user.email=a@b.c", "-c", "user.name=A", "-C", folder)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    return Printed(folder, request.param)


def numbers_of_file(printed: Printed) -> Iterator[tuple[str, int]]:
    """The tokens of AGENTS.md in every command's data."""
    path = str(printed.folder / "AGENTS.md")
    (codex,) = printed.data("agents codex --json")["agents"]
    yield "agents", next(file["tokens"] for file in codex["files"] if file["path"] == path)
    row = next(row for row in printed.data("agents --files codex --json")["files"] if row["path"] == path)
    yield "agents --files", row["by"]["codex"]["tokens"]
    shares = [part for block in printed.data("context --json")["system"] for part in block["parts"]]
    yield "context", next(share["tokens"] for share in shares if share["name"] == path)
    stats = printed.data("context --by file --json")["sources"]
    yield "context --by file", next(each["tokens"] for each in stats if each["name"] == path)
    shares = [share for block in printed.data("explain --json")["blocks"] for share in block["shares"]]
    yield "explain", sum(share["tokens"] for share in shares if share["source"].get("path") == path)
    parts = [part for block in printed.data("build --format json")["blocks"] for part in block["parts"]]
    yield "build", sum(part["tokens"] for part in parts if part["source"].get("path") == path)
    for prompt in json.loads((printed.folder / "overture.lock").read_text())["prompts"]:
        yield f"lock of {prompt['recipe']}", next(f["tokens"] for f in prompt["files"] if f["path"] == "AGENTS.md")
    page = printed.data("serve house --save -")
    yield "files of the page", next(f["tokens"] for f in page["/page/files"]["files"] if f["path"] == path)


@pytest.mark.slow(unless=("with",))
def test_a_file_has_one_number(printed: Printed) -> None:
    """Agents, context, explain, build, lock and the page say the same of one file, and it is that of its text."""
    alone = printed.count(RULES.strip())
    assert dict.fromkeys(dict(numbers_of_file(printed)), alone) == dict(numbers_of_file(printed))
    shown = printed.count.shown(alone)
    assert shown.startswith("~") is not printed.count.exact
    assert {each: printed.find(each, where) for each, where in FILE_COMMANDS.items()} == dict.fromkeys(
        FILE_COMMANDS, shown
    )


def test_a_prompt_has_one_number(printed: Printed) -> None:
    """Build, context, explain, lock, the page and the summary count one prompt alike, each with its tokenizer."""
    count, built = printed.count, printed.data("build --format json")
    assert built["tokens"] == {"total": count(built["text"]), "tokenizer": count.name, "exact": count.exact}
    for command in ("context --by file --json", "explain --json"):
        told = printed.data(command)
        assert (told["tokens"], told["tokenizer"], told["exact"]) == (built["tokens"]["total"], count.name, count.exact)
    sheet, context = printed.data("serve house --save -")["/page/sheet"], printed.data("context --json")
    assert sheet["tokens"] == sum(share["tokens"] for share in context["system"]) == built["tokens"]["total"]
    assert context["tokens"] == sheet["context"]["tokens"]
    shown = count.shown(built["tokens"]["total"])
    assert {each: printed.find(each, where) for each, where in PROMPT_COMMANDS.items()} == dict.fromkeys(
        PROMPT_COMMANDS, shown
    )


def test_a_lock_counts_the_tools_as_the_context_does(printed: Printed) -> None:
    """The lock's tools are the list that is sent; the context's tools, one by one, add up to it."""
    lock = json.loads((printed.folder / "overture.lock").read_text())
    house = next(prompt for prompt in lock["prompts"] if prompt["recipe"] == "house")
    assert house["tokenizer"] == printed.count.name
    tools = next(each["tokens"] for each in house["sections"] if each["place"] == "tools")
    assert tools == sum(tool["tokens"] for tool in printed.data("context --json")["tools"])
    (outcome, *_) = printed.data("lock house codex --json")["prompts"]
    assert (outcome["tokenizer"], outcome["exact"]) == (printed.count.name, printed.count.exact)


def test_the_tap_counts_as_all_others_do(printed: Printed) -> None:
    """Reports of recorded calls name the same tokenizer, and mark its numbers alike."""
    for command in ("tap report --json", "tap show --json"):
        assert printed.data(command)["tokenizer"] == printed.count.name
    for command in ("tap report", "tap report --markdown", "tap show"):
        assert ("~" in printed.by_command[command]) is not printed.count.exact


@pytest.mark.parametrize("name", [*BUILTIN, *AGENTS])
def test_a_file_has_the_tokens_of_its_text_in_every_recipe(name: str, tmp_path: Path) -> None:
    """Whatever a recipe writes around a file, the file's words count as they do alone, and all adds up."""
    (tmp_path / "AGENTS.md").write_text(RULES, encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("Only for Claude: keep quiet about tides.\n")
    prompt = overture.build(name, cwd=tmp_path, home=tmp_path, root=tmp_path)
    files = sum_by_file(prompt, prompt.counted_blocks)
    for file in prompt.state.context_files:
        assert files[file.path] == prompt.counter(file.content)
    for block, tokens in prompt.counted_blocks:
        assert sum(count for _, count in prompt.count_spans(block, tokens)) == tokens


def test_files_never_cost_more_than_their_block() -> None:
    """Where counts of parts are more than that of the whole, the parts share it, and none is below zero."""
    rounded = overture.Counter("tens", lambda text: -(-len(text) // 10) * 10 + 500)
    texts = [{"path": f"/p/{name}", "content": f"one{name}"} for name in ("a", "b", "c")]
    prompt = overture.build("pi", {"context_files": texts}).counted(rounded)
    for block, tokens in prompt.counted_blocks:
        counts = [count for _, count in prompt.count_spans(block, tokens)]
        assert sum(counts) == tokens and min(counts) >= 0


def test_an_estimate_has_a_mark_and_nothing_else() -> None:
    """`~` stands before estimates; no text has no tokens, whatever counts; another tokenizer than usual is named."""
    assert [format_tokens(1234, exact=exact) for exact in (True, False)] == ["1,234", "~1,234"]
    assert format_tokens(0, exact=False) == "0"
    assert [format_tokens(n, exact=False, signed=True) for n in (12, -3)] == ["~+12", "~-3"]
    assert [*map(name_unit, ("o200k", "estimate", "cl100k"))] == ["tokens", "tokens", "tokens (cl100k)"]


@pytest.mark.slow
def test_a_lock_is_checked_where_its_tokenizer_is_missing(tmp_path: Path) -> None:
    """What was locked with a tokenizer is as locked without it, with a `~`; writing asks for it."""
    folder, home, block = (tmp_path / name for name in ("p", "home", "block"))
    for each in (folder, home, block):
        each.mkdir()
    (folder / "AGENTS.md").write_text(RULES, encoding="utf-8")
    (block / "sitecustomize.py").write_text("import sys\nsys.modules['splintr'] = sys.modules['tiktoken'] = None\n")
    where = ("--cwd", folder, "--home", home, "--root", folder)
    assert re.search(r"codex: locked \([\d,]+ tokens\)", run("lock", "codex", *where).stdout)
    done = run("lock", "--check", *where, PYTHONPATH=str(block))
    assert done.returncode == 0 and re.search(r"codex: unchanged \(~[\d,]+ tokens\)", done.stdout)
    done = run("lock", *where, PYTHONPATH=str(block))
    assert done.returncode == 2 and "--tokenizer estimate" in done.stderr
