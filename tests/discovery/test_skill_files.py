import subprocess
import sys
from pathlib import Path

import pytest

import overture
from overture.model.state.files import Skill
from tests.contract.discovery.disk import came_of, find, lines, names, put, put_skill, said


def the_skill(top: Path, text: str | bytes, folder: str = "tidy", recipe: str = "pi") -> tuple[Skill | None, list[str]]:
    """The skill that one SKILL.md gives, and the lines on it, in a recipe that loads what can be loaded."""
    path = put(top / "p/.agents/skills" / folder / "SKILL.md", text)
    found = find(top, recipe)
    skill = found.state.skills[0] if found.state.skills else None
    outcome, detail = came_of(found, path, "skill")
    assert outcome == ("loaded" if skill else "skipped")
    assert skill is not None or any(detail in line for line in lines(found, path))
    return skill, lines(found, path)


def test_a_good_skill_has_nothing_said_of_it(tmp_path: Path) -> None:
    """A skill that keeps every rule is loaded with all its fields and without a line."""
    front = (
        "name: tidy\ndescription: Tidies up.\nlicense: MIT\ncompatibility: any\n"
        "allowed-tools: read bash\nmetadata:\n  author: Ada\n  version: '1.0'\nunknown: fine"
    )
    skill, wrong = the_skill(tmp_path, f"---\n{front}\n---\nBody.\n")
    assert wrong == []
    assert skill is not None
    assert (skill.name, skill.description, skill.line) == ("tidy", "Tidies up.", 3)
    assert (skill.license, skill.compatibility, skill.allowed_tools) == ("MIT", "any", ("read", "bash"))
    assert skill.metadata == {"author": "Ada", "version": "1.0"}
    assert "- **tidy**: Tidies up." in overture.build("opal", find(tmp_path).state).text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "error: line 1: it has no frontmatter: begin the file with a line `---`"),
        ("# Tidy\n", "error: line 1: it has no frontmatter: begin the file with a line `---`"),
        ("\n\n# Tidy\n", "error: line 3: it has no frontmatter: begin the file with a line `---`"),
        ("---\nname: tidy\n", "error: line 1: its frontmatter is not closed: put a line `---` after it"),
        ("---", "error: line 1: its frontmatter is not closed: put a line `---` after it"),
        ("---\n- a\n- b\n---\n", "error: line 2: its frontmatter is not a map of `key: value` lines"),
        ("---\njust text\n---\n", "error: line 2: its frontmatter is not a map of `key: value` lines"),
    ],
)
def test_a_file_without_usable_frontmatter_is_skipped(tmp_path: Path, text: str, line: str) -> None:
    """A SKILL.md without a map at its head is skipped with one error that says what to do."""
    assert the_skill(tmp_path, text) == (None, [line])


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("", "line 1: it has no description"),
        ("name: tidy", "line 1: it has no description"),
        ("name: tidy\ndescription:", "line 3: description is empty"),
        ("name: tidy\ndescription: ~", "line 3: description is empty"),
        ('name: tidy\ndescription: "  "', "line 3: description is empty"),
        ("name: tidy\ndescription: [a, 1]", "line 3: description is written as a list, `[a, 1]`, not as a string"),
        ("name: tidy\ndescription: {a: b}", "line 3: description is written as a map, `{a: b}`, not as a string"),
    ],
)
def test_a_skill_without_description_is_skipped(tmp_path: Path, front: str, said: str) -> None:
    """Without a description there is no skill, and an error names the value, its line, and why one is needed."""
    skill, wrong = the_skill(tmp_path, f"---\n{front}\n---\n")
    assert skill is None
    assert f"error: {said}: agents can't tell when to load it" in wrong


def test_a_line_of_hyphens_inside_a_value_ends_nothing(tmp_path: Path) -> None:
    """`---` inside a line or indented in a block does not end the frontmatter."""
    front = "name: tidy\ndescription: |\n  Before --- after.\n  ---\n  The end."
    skill, wrong = the_skill(tmp_path, f"---\n{front}\n---\nBody.\n")
    assert wrong == []
    assert skill is not None
    assert skill.description == "Before --- after.\n---\nThe end."
    assert "- **tidy**: Before --- after. --- The end.\n" in overture.build("opal", find(tmp_path).state).text


@pytest.mark.parametrize(("written", "kind"), [("on", "bool"), ("1_000", "number"), ("2026-01-01", "date")])
def test_a_name_that_yaml_takes_for_something_else_keeps_its_letters(tmp_path: Path, written: str, kind: str) -> None:
    """A name such as `on` keeps its letters, and a warning asks for quotes."""
    skill, wrong = the_skill(tmp_path, f"---\nname: {written}\ndescription: D.\n---\n", folder=written)
    assert skill is not None
    assert skill.name == written
    message = f"name is written {written!r}, which YAML reads as a {kind}: put quotes around it"
    assert wrong[0] == f"warning: line 2: {message}"


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("description: D.", "line 1: it has no name"),
        ("name:\ndescription: D.", "line 2: name is empty"),
        ("name: ''\ndescription: D.", "line 2: name is empty"),
        ("name: [x]\ndescription: D.", "line 2: name is written as a list, `[x]`, not as a string"),
        ("name: {x: [y]}\ndescription: D.", "line 2: name is written as a map, `{x: …}`, not as a string"),
    ],
)
def test_without_a_name_its_folder_gives_it(tmp_path: Path, front: str, said: str) -> None:
    """A skill without a name is called as its folder, with a warning that says what stands there instead."""
    skill, wrong = the_skill(tmp_path, f"---\n{front}\n---\n")
    assert skill is not None
    assert skill.name == "tidy"
    [line] = wrong
    assert line == f"warning: {said}: the name of its folder, 'tidy', is used"


@pytest.mark.parametrize("name", ["Tidy", "a--b", "-a", "a-", "a_b", "a b", "é", "a" * 65])
def test_a_name_that_breaks_the_rules_is_a_warning(tmp_path: Path, name: str) -> None:
    """A name with other characters, or too long, is loaded with one warning."""
    skill, wrong = the_skill(tmp_path, f"---\nname: {name}\ndescription: D.\n---\n", folder=name)
    assert skill is not None
    assert skill.name == name
    [line] = wrong
    assert line.startswith("warning: line 2: name ")


def test_a_long_description_is_a_warning(tmp_path: Path) -> None:
    """A description of 2,000 characters is kept whole, with a warning; a menu shows 1,024 of them."""
    text = "word " * 399 + "words"
    skill, wrong = the_skill(tmp_path, f"---\nname: tidy\ndescription: {text}\n---\n")
    assert skill is not None
    assert skill.description == text
    assert wrong == [
        "warning: line 3: description has 2,000 characters, over the limit of 1,024, "
        "and lists of skills show no more of it"
    ]
    assert f"<description>{text[:1024]}…</description>" in overture.build("pi", find(tmp_path, "pi").state).text


def test_bom_and_crlf_in_a_skill_go(tmp_path: Path) -> None:
    """A BOM and CRLF do not hide the frontmatter; that the BOM does so for some agents is reported."""
    skill, wrong = the_skill(tmp_path, b"\xef\xbb\xbf---\r\nname: tidy\r\ndescription: D.\r\n---\r\nBody\r\n")
    assert wrong == ["warning: line 1: it begins with a byte order mark, which hides the frontmatter from some agents"]
    assert skill is not None
    assert (skill.name, skill.description) == ("tidy", "D.")


def test_invalid_utf8_in_a_skill_is_reported(tmp_path: Path) -> None:
    """Undecodable bytes in a skill become U+FFFD, and are reported."""
    skill, wrong = the_skill(tmp_path, b"---\nname: tidy\ndescription: D\xff.\n---\n")
    assert skill is not None
    assert skill.description == "D\ufffd."
    assert wrong[0].startswith("warning: line 3: byte 0xff is not UTF-8")


def test_an_unquoted_colon_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """`description: Use when: asked` is skipped, and the line says to put quotes around it."""
    skill, wrong = the_skill(tmp_path, "---\nname: tidy\ndescription: Use when: asked\n---\n")
    assert skill is None
    [line] = wrong
    assert line.startswith("error: line 3: its frontmatter is not YAML: ")
    assert line.endswith("; put quotes around a value that contains `: `")


@pytest.mark.parametrize(
    "front", ["name: tidy\n\tdescription: D.", "name: 'tidy\ndescription: D.", "a: *b", "a: \x07", "%YAML 9.9", "@a: b"]
)
def test_broken_yaml_is_one_error(tmp_path: Path, front: str) -> None:
    """YAML that can't be parsed is one error on one line."""
    skill, wrong = the_skill(tmp_path, f"---\n{front}\n---\n")
    assert skill is None
    [line] = wrong
    assert line.startswith("error: line ")
    assert "\n" not in line


@pytest.mark.parametrize("value", ["true", "True", "yes", "on"])
def test_a_hidden_skill_is_in_no_menu(tmp_path: Path, value: str) -> None:
    """disable-model-invocation keeps a skill out of both menus; it is still found."""
    skill, wrong = the_skill(tmp_path, f"---\nname: tidy\ndescription: D.\ndisable-model-invocation: {value}\n---\n")
    assert wrong == []
    assert skill is not None
    assert skill.disable_model_invocation
    for recipe in ("opal", "pi"):
        assert "tidy" not in overture.build(recipe, find(tmp_path, recipe).state).text


@pytest.mark.parametrize(
    ("value", "tools"),
    [
        ("read bash", ("read", "bash")),
        ("read, bash", ("read", "bash")),
        ("[read, bash]", ("read", "bash")),
        ("\n  - read\n  - bash", ("read", "bash")),
        ("read,bash , edit", ("read", "bash", "edit")),
        ("Bash(git:*) Bash(jq:*) Read", ("Bash(git:*)", "Bash(jq:*)", "Read")),
        ("Bash(git add:*), Read", ("Bash(git add:*)", "Read")),
        ("", None),
    ],
)
def test_allowed_tools_in_every_form(tmp_path: Path, value: str, tools: tuple[str, ...] | None) -> None:
    """allowed-tools may be a text with blanks or commas, or a list; what stands in parentheses stays together."""
    skill, wrong = the_skill(tmp_path, f"---\nname: tidy\ndescription: D.\nallowed-tools: {value}\n---\n")
    assert skill is not None
    assert skill.allowed_tools == tools
    assert wrong == ([] if tools else ["warning: line 4: allowed-tools is empty: remove the line"])


LAUGHS = "\n".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi"))
DEEP_LIST = "".join(" " * n + "-\n" for n in range(1, 700))
DEEP_MAP = "".join(" " * n + "a: \n" for n in range(1, 700))


@pytest.mark.slow
@pytest.mark.parametrize(
    "front",
    [
        pytest.param("a: &a [x, x, x, x, x, x, x, x, x]\n" + LAUGHS, id="a billion laughs"),
        pytest.param("a: &a [x, x, x, x, x, x, x, x, x]\n" + LAUGHS + "\n? *i\n: key", id="laughs as a key"),
        pytest.param("a: &a [*a]\nb: &b {c: *b}", id="aliases of themselves"),
        pytest.param("a: " + "[" * 100_000, id="open brackets"),
        pytest.param("a: " + "[" * 100_000 + "]" * 100_000, id="closed brackets"),
        pytest.param("a: " + "{a: " * 100_000, id="braces"),
        pytest.param("a: \n  " + "- " * 100_000 + "x", id="hyphens"),
        pytest.param("a: \n  " + "? " * 100_000 + "x", id="question marks"),
        pytest.param("a: \n" + DEEP_LIST, id="a deep list"),
        pytest.param("a: \n" + DEEP_MAP, id="a deep map"),
    ],
)
def test_hostile_yaml_ends_soon_and_does_no_harm(tmp_path: Path, front: str) -> None:
    """YAML made to exhaust a parser ends within a second's work and little memory, and the next skill is loaded.

    In a process of its own, with bounds: without them, a failure would take the test run with it.
    """
    put(tmp_path / "p/.agents/skills/a-bad/SKILL.md", f"---\nname: a-bad\ndescription: D.\n{front}\n---\n")
    put_skill(tmp_path / "p/.agents/skills/good")
    program = (
        "import resource, sys, overture\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (3, 3))\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "found = overture.discover('opal', cwd=sys.argv[1], home=sys.argv[2], root=sys.argv[1])\n"
        "print('good' in [skill.name for skill in found.state.skills])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "p", tmp_path / "home"], capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr[-300:]) == (0, "True\n", "")


def test_a_skill_folder_that_cannot_be_listed_is_reported() -> None:
    """A skill folder that may not be listed is one warning; the other places are searched."""
    from overture.testing import FakeWorld

    text = "---\nname: tidy\ndescription: D.\n---\n"
    world = FakeWorld(
        {"/p/.agents/skills/a/SKILL.md": text, "/p/.github/skills/tidy/SKILL.md": text},
        unreadable=("/p/.agents/skills",),
    )
    found = overture.discover("opal", world=world)
    assert names(found) == ["tidy"]
    assert came_of(found, "/p/.agents/skills", "skill") == ("unreadable", "permission denied")
    assert said(found, "/p/.agents/skills") == "warning: skipped: permission denied"
