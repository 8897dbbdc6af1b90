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
from overture.tokens.counter import ESTIMATE, format_tokens, name_unit

RULES = "# Häfen\n\n" + "Ein Satz über Krähen. 鳥が飛ぶ。 Run `make test` before you commit.\n" * 20
"""A text on which the estimate and o200k differ."""
LOG = Path(__file__).parent / "contract/tap/log_formats/samples/claude-code.jsonl"
PROGRAM = """
import contextlib, io, json, sys
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
    "": r"Codex.*  (\S+) +AGENTS\.md",
    "agents codex": r"(\S+) +AGENTS\.md +in",
    "agents codex --markdown": r"\| (\S+) +\| `AGENTS\.md` \|",
    "agents codex cursor": r"Codex +(\S+) +AGENTS\.md",
    "agents codex cursor --markdown": r"Codex \| (\S+) +\| AGENTS\.md \|",
    "agents --touching src/a.py codex": r"adds nothing \(at the start: (\S+) tokens\)",
    "context codex": r"(\S+) +AGENTS\.md +in",
    "explain codex": r"(\S+) +AGENTS\.md +lines",
    "context house": r"AGENTS\.md  +(\S+)\n",
    "context house --by file": r"AGENTS\.md +[\d,]+ +(\S+) ",
    "explain house": r"loaded +(\S+)  \S*AGENTS\.md",
}
"""Commands that show the tokens of AGENTS.md, and where."""
PROMPT_COMMANDS = {
    "context house": r"system prompt +(\S+) ",
    "context house --by pace": r"characters, (\S+) tokens",
    "explain house": r"^house: (\S+) tokens",
}
DATA_COMMANDS = (
    "agents codex --json", "agents --files codex --json", "context codex --json", "context house --json",
    "context house --by file --json", "explain house --json",
    "build --format json", "lock house codex --json", "serve house --save -",
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


@pytest.fixture(scope="module", params=["with"])
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
    yield "agents", next(file["tokens"] for file in codex["files"] if file["path"] == "AGENTS.md")
    (row,) = (row for row in printed.data("agents --files codex --json")["files"] if row["path"] == "AGENTS.md")
    yield "agents --files", row["uses"][0]["tokens"]
    shares = [part for block in printed.data("context house --json")["system"] for part in block["parts"]]
    yield "context", next(share["tokens"] for share in shares if share["name"] == path)
    stats = printed.data("context house --by file --json")["sources"]
    yield "context --by file", next(each["tokens"] for each in stats if each["name"] == path)
    shares = [share for block in printed.data("explain house --json")["blocks"] for share in block["shares"]]
    yield "explain", sum(share["tokens"] for share in shares if share["source"].get("path") == path)
    parts = [part for block in printed.data("build --format json")["blocks"] for part in block["parts"]]
    yield "build", sum(part["tokens"] for part in parts if part["source"].get("path") == path)
    (request,) = printed.data("context codex --json")["agents"]
    yield "context codex", request["files"][0]["tokens"]
    lock = json.loads((printed.folder / "overture.lock").read_text())
    yield "lock", lock["agents"]["codex"]["."]["AGENTS.md"]["tokens"]
    page = printed.data("serve house --save -")
    yield "files of the page", next(f["tokens"] for f in page["/page/files"]["files"] if f["path"] == path)


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
    """Build, context, explain, lock and the page count one prompt alike, each with its tokenizer."""
    count, built = printed.count, printed.data("build --format json")
    assert built["tokens"] == {"total": count(built["text"]), "tokenizer": count.name, "exact": count.exact}
    for command in ("context house --by file --json", "explain house --json"):
        told = printed.data(command)
        assert (told["tokens"], told["tokenizer"], told["exact"]) == (built["tokens"]["total"], count.name, count.exact)
    sheet, context = printed.data("serve house --save -")["/page/sheet"], printed.data("context house --json")
    assert sheet["tokens"] == sum(share["tokens"] for share in context["system"]) == built["tokens"]["total"]
    assert context["tokens"] == sheet["context"]["tokens"]
    shown = count.shown(built["tokens"]["total"])
    assert {each: printed.find(each, where) for each, where in PROMPT_COMMANDS.items()} == dict.fromkeys(
        PROMPT_COMMANDS, shown
    )


def test_an_estimate_has_a_mark_and_nothing_else() -> None:
    """`~` stands before estimates; no text has no tokens, whatever counts; another tokenizer than usual is named."""
    assert [format_tokens(1234, exact=exact) for exact in (True, False)] == ["1,234", "~1,234"]
    assert format_tokens(0, exact=False) == "0"
    assert [format_tokens(n, exact=False, signed=True) for n in (12, -3)] == ["~+12", "~-3"]
    assert [*map(name_unit, ("o200k", "estimate", "cl100k"))] == ["tokens", "tokens", "tokens (cl100k)"]
