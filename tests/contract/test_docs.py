"""The README, the pages of docs/ and that of examples/ are run: what they show is what comes out."""

import doctest
import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .cli.forked import run_line, run_overture

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "examples/README.md"])
FENCE = re.compile(r"^```(\w*) ?([^\s`]*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = ("python", "pycon", "console")
COUNTS = re.compile(
    r"~?\d[\d,]*(?= tokens| → )"  # 783 → 790 tokens
    r"|(?<=~)\d[\d,]*"
    r"|\d[\d,]*(?= characters| paths| more\b)"  # 2,936 characters
    r"|(?<=(?:rom|.at) character )\d[\d,]*"  # from character 1,772 on
    r"|^ +\d[\d,]*(?=  \S)"  # the first column of a block's sources
    r"| +~?\d[\d,]*(?=  +\S)"  # a column of counts
    r"|[█▏▎▍▌▋▊▉]+"
    r"|sha256:[0-9a-f]+",
    re.MULTILINE,
)
"""The prompt names the folder that it was built in, so these depend on where the example lies."""


class Block(NamedTuple):
    """One fenced block of a page."""

    page: Path
    line: int
    language: str
    file: str  # the name behind the language: the text is that file's
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield Block(page, 1 + text.count("\n", 0, found.start()), *found.groups())


BLOCKS = [block for page in PAGES for block in blocks(page)]


def runnable(page: Path) -> list[Block]:
    """The blocks of a page that are run."""
    return [block for block in blocks(page) if block.language in RUN or block.file]


class Checker(doctest.OutputChecker):
    """Compares as the console blocks are compared: the example lies at /harbor."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether the block shows what came out."""
        return super().check_output(want, shown(got, self.folder), optionflags)


class Reader:
    """Reads one page from the top, trying everything in a copy of the example that is its own.

    A tutorial begins with nothing: an empty folder, and a home with nothing but a name for git.
    """

    def __init__(self, page: Path, folder: Path) -> None:
        self.blocks = runnable(page)
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": page.stem}
        self.tutorial = page.parent.name == "tutorials"
        self.cwd, self.home = folder / "harbor/services/berths", folder / "harbor/home"
        if self.tutorial:
            self.cwd, self.home = folder / "tutorial", folder / "home"
            self.cwd.mkdir()
            self.home.mkdir()
            (self.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.com\n")
        else:
            shutil.copytree(ROOT / "examples/harbor", folder / "harbor")
            (folder / "harbor/.git").mkdir()  # it is a project of its own

    def outcome(self, block: Block) -> BaseException | None:
        """Run a block; what it raised."""
        runs = {"python": self._run_python, "pycon": self._run_prompts, "console": self._run_console}
        run = self._write_file if block.file else runs[block.language]
        with chdir(self.cwd), pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(self.home))
            if self.tutorial:  # no agent of this machine
                patch.setenv("PATH", "/usr/bin:/bin")
            patch.setenv("TZ", "America/Chicago")
            patch.setenv("COLUMNS", "110")
            try:
                run(block)
            except Exception as problem:
                return problem
        return None

    def _write_file(self, block: Block) -> None:
        Path(block.file).parent.mkdir(parents=True, exist_ok=True)
        Path(block.file).write_text(block.text, "utf-8")

    def _run_python(self, block: Block) -> None:
        exec(compile("\n" * block.line + block.text, str(block.page), "exec"), self.names)

    def _run_prompts(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, str(block), str(block.page), block.line)
        said: list[str] = []
        runner = doctest.DocTestRunner(Checker(self.folder), verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, out=said.append, clear_globs=False)
        self.names.update(test.globs)
        assert not said, "".join(said)

    def _run_console(self, block: Block) -> None:
        for command, expected in commands(block):
            if re.fullmatch(r"cd \S+", command):
                os.chdir(command.removeprefix("cd "))
                self.cwd = Path.cwd()
                continue
            printed = shown(run_line(command), self.folder)
            assert "Traceback" not in printed
            if not pattern(expected).fullmatch(counted(printed)):
                raise AssertionError(f"{block}: `{command}` printed\n{printed}")


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a console block, and what the block shows under it. `> ` goes on with a command."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *lines = part.splitlines()
        while lines and (command.endswith("\\") or lines[0].startswith("> ")):
            command += "\n" + lines.pop(0).removeprefix("> ")
        yield command, "".join(f"{line}\n" for line in lines)


def shown(text: str, folder: Path) -> str:
    """What was printed, as a page shows it: the example lies at /harbor, and no line ends in blanks."""
    return re.sub(r"[ \t]+$", "", text.replace(str(folder), ""), flags=re.MULTILINE)


def counted(text: str) -> str:
    """The text with its counts taken out, and with columns as wide as any: the example's folder makes them wider."""
    return re.sub(r"(?<=\S) {2,}(?=\S)", "  ", COUNTS.sub("N", text))


def pattern(expected: str) -> re.Pattern[str]:
    """What a block shows, as a pattern: a line `…` stands for any lines."""
    lines = counted(expected).splitlines()
    return re.compile("".join(r"(?:.*\n)*" if line.strip() == "…" else re.escape(line) + r"\n" for line in lines))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if runnable(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_block_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    """From the top of a page to its end: Python runs, prompts answer, commands print it, files are written."""
    reader = Reader(page, tmp_path.resolve())
    wrong = [f"{block}: {problem}" for block in reader.blocks if (problem := reader.outcome(block))]
    assert not wrong, "\n\n".join(wrong)


def test_every_block_says_what_it_is() -> None:
    """A block is run, or is marked as something that can't be: there is no third kind."""
    bare = [str(block) for block in BLOCKS if not block.language]
    assert bare == [], "Give the block a language; `text` is for what can't be run."
    shell = [str(block) for block in BLOCKS if block.language in ("sh", "bash", "shell")]
    assert shell == [], "Write `console` to have it run, or `text`."


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.page.stem == "configuration"], ids=str)
def test_every_configuration_that_is_shown_loads(block: Block, tmp_path: Path) -> None:
    """What the page on configuration shows can be pasted into overture.toml or pyproject.toml."""
    if block.language == "toml":
        tables = tomllib.loads(block.text)
        name = "pyproject.toml" if "tool" in tables else "overture.toml"
        (tmp_path / ".git").mkdir()
        (tmp_path / name).write_text(block.text, "utf-8")
        done = run_overture(["config", "--json", "--home", tmp_path / "home"], b"", tmp_path, {})
        assert done.returncode == 0 and name in done.stdout.decode(), done.stderr.decode()
        assert not [line for line in done.stderr.decode().splitlines() if "does not exist" not in line]


def test_every_link_leads_somewhere() -> None:
    """A link to a file of the project leads to a file that is there."""
    link = re.compile(r"\]\(([^)#\s]+)")
    links = [(page, target) for page in PAGES for target in link.findall(FENCE.sub("", page.read_text("utf-8")))]
    dead = [each for each in links if "://" not in each[1] and not (each[0].parent / each[1]).exists()]
    assert [f"{page.relative_to(ROOT)} links to {target}" for page, target in dead] == []
