"""Whatever files, names and values hold, no command writes what a terminal would obey."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from .on_a_terminal import on_a_terminal
from .run import assert_refused, run

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
NASTY = "\x1b[31m\x07\x08\x00\x9b1m\x85\x7f"
NAME = "a\x1b]0;owned\x07\nb\tc"
"""The name of a folder: it sets a terminal's title, and breaks a line."""
NOW = ("--now", "2026-03-07T08:55:05-06:00")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A project in a folder of that name, in which every text and many a name hold control characters."""
    here = tmp_path / NAME
    skills = here / ".agents" / "skills"
    for folder in (skills / "evil\x1b", skills / "raw", here / ".sf" / "prompts", tmp_path / "home"):
        folder.mkdir(parents=True)
    (here / "AGENTS.md").write_text(f"One.\n{NASTY}\rThree.\n", encoding="utf-8", newline="")
    front = 'name: "e\\u001Bvil"\ndescription: "Does\\u0007 it.\\u009b"'
    (skills / "evil\x1b" / "SKILL.md").write_text(f"---\n{front}\n---\nBody.\n", encoding="utf-8")
    (skills / "raw" / "SKILL.md").write_text("---\nname: raw\ndescription: a\x1bb\n---\n", encoding="utf-8")
    (here / ".sf" / "SYSTEM.md").write_text("Be\x1b[2J.\n\n{{tools}}\n", encoding="utf-8")
    (here / ".sf" / "prompts" / "x\x1b.md").write_text("Do\x07.", encoding="utf-8")
    tools = [{"name": "read", "description": "Reads\x1b.", "snippet": "Reads\x9b."}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    state = {"memories": ["a\x00b"], "agent": {"name": "A\x1bda"}, "user": {"name": "R\x7f"}, "channel": "x\x1b"}
    (tmp_path / "state.json").write_text(json.dumps(state), encoding="utf-8")
    return here


def at(hostile: Path) -> list[str | Path]:
    top = hostile.parent
    where: list[str | Path] = ["--cwd", hostile, "--root", top, "--home", top / "home"]
    return [*where, "--tools", top / "tools.json", "--state", top / "state.json", *NOW]


def harmless(result: "subprocess.CompletedProcess[str]") -> None:
    """Neither of the two streams holds a control character; each diagnostic is one line."""
    assert result.returncode in (0, 1), result.stderr
    assert not RAW.search(result.stdout), repr(RAW.search(result.stdout))
    assert not RAW.search(result.stderr)
    assert all(line.startswith(("warning: ", "error: ")) for line in result.stderr.splitlines()), result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "nova", "house"])
@pytest.mark.parametrize(
    "words",
    [
        ("build",), ("build", "--format", "json"), ("build", "--format", "anthropic"), ("explain",),
        ("explain", "--all"), ("explain", "--json"), ("explain", "--why", "AGENTS.md"), ("context",),
        ("context", "--by", "file"), ("context", "--by", "file", "--json"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_commands_that_build(hostile: Path, recipe: str, words: tuple[str, ...]) -> None:
    """Prompt, JSON, request, explanation, measures: none of them plays with the terminal."""
    command, *options = words
    harmless(run(command, recipe, *options, *at(hostile)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("check", "opal"), ("check", "opal", "--json"), ("state", "house"),
        ("diff", "pi", "opal"), ("diff", "pi", "opal", "--json"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_other_commands(hostile: Path, words: tuple[str, ...]) -> None:
    """Neither do the others that look at the project."""
    only_finds = words[0] in ("check", "state")
    harmless(run(*words, *(at(hostile)[:6] if only_finds else at(hostile))))


@pytest.mark.slow
def test_config_prints_no_control_character(tmp_path: Path) -> None:
    """A setting and the file that it came from are shown."""
    here = tmp_path / "x\x1by"
    here.mkdir()
    (here / "overture.toml").write_text('[features]\ncontext.filenames = ["A\\u001b\\u009b.md"]\n', encoding="utf-8")
    for words in ((), ("--json",)):
        result = run("config", "--cwd", here, "--home", tmp_path, *words)
        harmless(result)
        assert "9b" in result.stdout.lower()


@pytest.mark.slow
def test_what_is_shown_is_reported_with_file_and_line(hostile: Path) -> None:
    """The prompt spells the characters, and standard error names the file, on one line, and the line in it."""
    result = run("build", "pi", *at(hostile))
    shown = r"\u{001B}[31m\u{0007}\u{0008}\u{0000}\u{009B}1m\u{0085}\u{007F}"
    assert f"One.\n{shown}\nThree." in result.stdout
    assert r"## " + str(hostile.parent) + r"/a\u{001B}]0;owned\u{0007}\u{000A}b\u{0009}c/AGENTS.md" in result.stdout
    path = str(hostile.parent) + r"/a\u{001B}]0;owned\u{0007}\u{000A}b\u{0009}c"
    assert (
        f"warning: {path}/AGENTS.md: line 2, column 1: a control character: it is written as `\\u{{…}}` (7 times)\n"
        in result.stderr
    )
    assert f"warning: {path}/.sf/SYSTEM.md: line 1: a control character: " in result.stderr
    assert f"error: {path}/.agents/skills/raw/SKILL.md: line 3: " in result.stderr
    assert f"warning: {path}/.agents/skills/evil\\u{{001B}}/SKILL.md: line 3: a control character: " in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("build", "re\x1bcipe\nx"), ("build", "--set", "a\x1b\nb=1"), ("build", "--state", "no\x1b\nfile"),
        ("build", "--format", "\x1b\n"), ("\x1bcommand",), ("build", "--now", "\x1b\n"), ("explain", "--\x1bx"),
        ("build", "-c", "x\x1b\n=1"), ("build", "--budget", "\x1b\n"), ("diff", "a\x1b\nb", "pi"),
        ("build", "--tokenizer", "x\x1b"), ("build", "x\x9b.toml"),
    ],
    ids=repr,
)  # fmt: skip
def test_an_error_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Whatever value it names."""
    result = run(*words, cwd=tmp_path)
    assert_refused(result)
    assert not RAW.search(result.stderr)


@pytest.mark.slow
def test_a_broken_file_is_named_on_one_line(tmp_path: Path) -> None:
    """A state whose file name, key or value holds control characters."""
    path = tmp_path / "s\x1b\n.json"
    for data in ({"a\x1b\nb": 1}, {"agent": {"na\x1b\nme": 1}}, {"channel": ["\x1b"]}):
        path.write_text(json.dumps(data), encoding="utf-8")
        result = run("build", "pi", "--no-discover", "--state", path)
        assert_refused(result)
        assert not RAW.search(result.stderr)
    path.write_text('{"a": "\x1b"', encoding="utf-8")
    assert_refused(run("build", "pi", "--no-discover", "--state", path))


@pytest.mark.slow
@pytest.mark.parametrize("words", [("explain", "pi"), ("context", "house", "--by", "file"), ("build", "opal")])
def test_on_a_terminal_the_only_escapes_are_our_colours(hostile: Path, words: tuple[str, ...]) -> None:
    """Colours are written, and they are Overture's own: each is of its small palette, and ends on its line."""
    said = on_a_terminal(*words, *at(hostile), columns=1000)
    plain = re.sub("\x1b\\[(?:0|1|3[0-7]|9[0-7])m", "", said)
    assert not RAW.search(plain), repr(plain[:2000])
    if words[0] != "build":
        assert "\x1b[1m" in said or "\x1b[32m" in said
    assert "\x1b[31m" not in said.replace("\x1b[31merror", "")
    assert all(line.count("\x1b[0m") >= bool("\x1b" in line) for line in said.split("\n"))


@pytest.mark.slow
def test_a_recipe_can_not_colour_its_own_name(tmp_path: Path) -> None:
    """Neither by an escape of its own nor by the mark that stands for ours until it is written."""
    for sign in ("\x1b[31m", "\ufdd0[31m"):
        text = f"name={json.dumps('x' + sign + 'y')}\n[[sections]]\nname='a'\ntext={json.dumps(sign + 'b')}\n"
        (tmp_path / "r.toml").write_text(text, encoding="utf-8")
        for command in ("explain", "recipes", "context"):
            assert "\x1b[31m" not in on_a_terminal(command, tmp_path / "r.toml", "--cwd", tmp_path)


@pytest.mark.slow
def test_a_terminal_without_escape_codes_gets_no_colours() -> None:
    """`TERM=dumb` is such a terminal; the second answer, which is known, has the colours of the terminal, too."""
    words = ("recipes",)
    assert "\x1b[" in on_a_terminal(*words) and "\x1b[" not in on_a_terminal(*words, term="dumb")
