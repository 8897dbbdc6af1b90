"""Paths that a page names and the project lacks."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

import overture

from ..look import findings, places

SOURCE = {
    "src/core/engine.py": "",
    "docs/guide.md": "# Guide",
    "web/src/app.ts": "",
    "web/src/lib/sail.test.ts": "",
    ".claude/hooks/format.py": "",
    ".gitignore": "dist/\n*.log\nlocal/\n/src/made/*\n!/src/made/kept.py\n",
}


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("The engine is `src/core/motor.py`.", 16),
        ("- `src/kernel/`: the kernel", 4),
        ("See `src/core/motor.py:12` first.", 6),
        ("Read `./src/core/motor.py`.", 7),
        ("> The engine is `docs/engine.md`.", 18),
        ("| `src/core/motor.py` | the motor |", 4),
        ("Follow the patterns established in `src/core/motor.py`:", 37),
        ("<!-- It is in `src/core/motor.py`. -->", 16),
        ("This is not so. See `src/core/motor.py`.", 22),
        ("It is `src/made/kept.py`.", 8),
    ],
)
def test_a_path_that_is_nowhere_is_found(line: str, column: int) -> None:
    """At its line and column, as a warning."""
    [found] = findings("missing-path", {**SOURCE, "AGENTS.md": f"# Where\n\n{line}\n", "src/made/x.py": ""})
    assert (found.path, found.line, found.column, found.severity) == ("/p/AGENTS.md", 3, column, "warning")


@pytest.mark.parametrize(
    "line",
    [
        "Create `src/core/motor.py` first.",
        "Never write to `src/core/motor.py`.",
        "For example `src/core/motor.py`.",
        "If `src/core/motor.py` is there, read it.",
        "Read `src/core/motor.py` if it exists.",
        "Each test mirrors its source, so `src/core/engine.py` has\n`src/core/motor.py`.",
        "TODO: `src/core/motor.py`",
        "In your repository it is `src/core/motor.py`.",
        "There was once `src/core/motor.py`.",
        "The hook is `.claude/hooks/check.py`.",
        "It is `src/kernel/motor.py`.",
        "It is `src/core/motor`.",
        "Run `./motor.py`.",
    ],
)
def test_what_may_not_have_to_exist_is_a_note(line: str) -> None:
    """Words of the same clause, a tool's own folder, a folder that is not there, a name without an ending."""
    [found] = findings("missing-path", {**SOURCE, "AGENTS.md": f"# Where\n\n{line}\n"})
    assert found.severity == "note"


@pytest.mark.parametrize(
    "line",
    [
        "The engine is `src/core/engine.py`.",
        "- `core/engine.py` holds it",
        "- `src/app.ts` starts it",
        "- `src/core/` holds it, `src/core` too",
        "The module is `web/src/app`, its test `web/src/lib/sail`.",
        "Put it into `src/core/*.py`.",
        "It is `src/<name>/index.ts`.",
        "It is `path/to/file.py`.",
        "It is `src/foo.py`.",
        "It is `src/my-component/index.ts`, `src/core/name.ts` or `src/ComponentName/index.ts`.",
        "It is imported from `web/src/app.js`.",
        "Create `src/kernel/motor.py` first.",
        "The build writes to `dist/main.js` and `src/run.log`.",
        "It is `local/settings.toml`, or `src/made/tide.py`.",
        "Use `application/json`, `feat/thing`, `owner/repo`, `and/or`.",
        "Use `@scope/package/index.js` and `react/jsx-runtime`.",
        "GET `/api/v1/users.json`, `https://x.org/a/b.md`.",
        "It is `../other/src/x.py`, `~/x/y.py`, `/etc/app/x.toml`.",
        "It is `lib/of/another.py`.",
        "It is `${ROOT}/src/motor.py` or `src/{a,b}/motor.py`.",
        "It is `node_modules/thing/index.js`.",
        "```\nThe engine is `src/core/motor.py`.\n```",
        "See [`src/core/motor.py`](docs/guide.md).",
    ],
)
def test_what_is_there_or_need_not_be_is_not_found(line: str) -> None:
    """Files that exist anywhere, stand-ins, what is ignored or elsewhere, what is no path, and code."""
    assert not places("missing-path", {**SOURCE, "AGENTS.md": f"# Where\n\n{line}\n"})


def test_a_path_begins_at_its_file_at_its_package_or_at_the_root() -> None:
    """The package of a file in a hidden folder is the folder that has that one."""
    text = "`lib/a.ts`, `web/lib/a.ts` and `docs/guide.md`, but not so `lib/b.ts`"
    files = {"web/lib/a.ts": "", "docs/guide.md": "", "lib/c.ts": ""}
    for path in ("web/AGENTS.md", "web/.claude/rules/a.md"):
        assert places("missing-path", {**files, path: text}) == [(path, 1)]


def test_a_section_speaks_of_the_folders_that_it_names() -> None:
    """A path may begin at one that is named above it, also by the only file that has that end; not after a heading."""
    files = {"tests/one/help/a.ts": "", "tests/one/tide.ts": "", "tests/two/b.ts": ""}
    text = "In `help/a.ts` is all.\n\nThe tide is `help/tide.ts`.\n\n# Then\n\nIt is `help/moon.ts`.\n"
    [found] = findings("missing-path", {**files, "AGENTS.md": text})
    assert (found.line, found.severity) == (3, "warning")
    assert not findings("missing-path", {**files, "AGENTS.md": "In `tests/one/` is `tide.ts` in `help/a.ts`."})


@pytest.mark.parametrize(
    ("target", "severity"), [("src/cli.ts", "note"), ("src/app.ts", None), ("src/own.ts", "warning")]
)
def test_a_package_has_its_own_files(target: str, severity: str | None) -> None:
    """That another package has a file of that name makes a note; at the root a short form means any."""
    files = {"web/src/app.ts": "", "cli/src/cli.ts": "", "web/AGENTS.md": f"It begins in `{target}`.\n"}
    assert [each.severity for each in findings("missing-path", files)] == [severity] * bool(severity)
    assert not findings("missing-path", {**files, "web/AGENTS.md": "", "AGENTS.md": "It is `src/cli.ts`."})


def test_a_file_of_the_same_name_elsewhere_is_named() -> None:
    """The only one, perhaps moved there; of two nobody knows which."""
    files = {**SOURCE, "AGENTS.md": "# Where\n\nThe engine is `src/engine.py`.\n"}
    [found] = findings("missing-path", files)
    assert "now at `src/core/engine.py`" in found.message
    [found] = findings("missing-path", {**files, "web/engine.py": ""})
    assert "now at" not in found.message


@pytest.mark.parametrize("target", ["SRC/Core/Engine.py", "src/core/Engine.py", "./Src/core/engine.py"])
def test_a_path_in_other_letter_case_names_the_file(target: str) -> None:
    """It works on some disks, and neither on Linux nor on GitHub."""
    [found] = findings("missing-path", {**SOURCE, "AGENTS.md": f"The engine is `{target}`.\n"})
    assert "the file is `src/core/engine.py`" in found.message and found.severity == "warning"


SKILL = "---\nname: a\ndescription: A.\n---\n"


def test_what_a_skill_may_have_beside_it_is_a_note() -> None:
    """Skills teach how to make skills: such a path may be an example, and a short one is of any project."""
    text = "Read `scripts/more.py`.\n\nIt is `src/x1.py`.\n\nIt is `src/core/x2.py`.\n"
    files = {".agents/skills/a/SKILL.md": f"{SKILL}{text}", "src/core/a.py": ""}
    found = findings("missing-path", {**files, ".agents/skills/a/scripts/run.py": ""})
    assert [(each.line, each.severity) for each in found] == [(5, "note"), (7, "note"), (9, "warning")]
    assert len(findings("missing-path", {**files, ".agents/skills/a/scripts/more.py": ""})) == 2


def test_the_other_texts_of_a_skill_are_read_too() -> None:
    """Agents read them with the skill; what is to be copied elsewhere makes notes, and fixtures are nobody's."""
    skill = {"src/core/a.py": "", ".agents/skills/a/SKILL.md": SKILL}
    files = {
        ".agents/skills/a/more/b.md": "See `src/core/b.py`.\n",
        ".agents/skills/a/assets/page.md": "See `src/core/c.py`.\n",
    }
    found = findings("missing-path", {**skill, **files, "test/fixtures/AGENTS.md": "See `src/d.py`.\n"})
    assert [(each.path, each.severity) for each in found] == [
        ("/p/.agents/skills/a/assets/page.md", "note"),
        ("/p/.agents/skills/a/more/b.md", "warning"),
    ]


def test_a_file_is_found_once_a_page() -> None:
    """At the first place that is sure; the message has the other lines."""
    text = "Create `src/core/motor.py`.\n\nThe engine is `src/core/motor.py`.\n\nMind `./src/core/motor.py`.\n"
    [found] = findings("missing-path", {**SOURCE, "AGENTS.md": text})
    assert (found.line, found.severity) == (3, "warning") and found.message.endswith("also on line 1, 5")


def test_many_of_one_file_are_one() -> None:
    """They have one cause."""
    text = "".join(f"- `src/core/part{at}.py`\n" for at in range(9))
    [found] = findings("missing-path", {**SOURCE, "AGENTS.md": text})
    assert found.message.startswith("9 paths of this file lead to nothing, such as `src/core/part0.py`")
    files = {f".agents/skills/a/{at}.md": f"[x](gone{at}.md)\n[y](lost{at}.md)\n" for at in range(5)}
    [found] = findings("broken-link", {".agents/skills/a/SKILL.md": SKILL, **files})
    assert found.message.startswith("10 links in 5 files of this skill lead to nothing")


def make_repository(folder: Path, files: Mapping[str, str | bytes], *, commit: bool = True) -> Path:
    """A real git repository."""
    for name, text in files.items():
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).write_bytes(text if isinstance(text, bytes) else text.encode())
    git(folder, "init", "-q")
    if commit:
        git(folder, "add", "-A", "--force")
        git(folder, "commit", "-qm", "one")
    return folder


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@harbor.invalid", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


def check(folder: Path) -> list[tuple[str, int | None, str]]:
    """What is found there of all codes that look for files."""
    codes = ["missing-path", "broken-link", "broken-import"]
    found = overture.check(cwd=folder, home=folder / "no home", select=codes).findings
    return [((each.path or "").removeprefix(f"{folder.resolve()}/"), each.line, each.severity) for each in found]


TEXT = "The engine is `src/motor.py`.\n"


def test_git_says_what_is_ignored(tmp_path: Path) -> None:
    """Its rules apply where they are written, and nowhere else; so do those of a folder that it does not track."""
    files = {"AGENTS.md": TEXT, "src/a.py": "", "bench/.gitignore": "src/\n", "lib/.gitignore": "*\n!.gitignore\n"}
    text = "It is `lib/made.py`, or `out.d/x.py`.\n"
    make_repository(tmp_path, {**files, "docs/AGENTS.md": text, ".gitignore": "/out.d\n", "lib/b.py": ""})
    assert check(tmp_path) == [("AGENTS.md", 1, "warning")]


def test_what_git_does_not_track_is_there(tmp_path: Path) -> None:
    """A new file exists, and one that was deleted is missing before anybody commits that."""
    make_repository(tmp_path, {"AGENTS.md": "It is `src/old.py` and `src/new.py`.\n", "src/old.py": "", "src/a.py": ""})
    (tmp_path / "src/new.py").touch()
    assert check(tmp_path) == []
    (tmp_path / "src/old.py").unlink()
    assert check(tmp_path) == [("AGENTS.md", 1, "warning")]


def test_a_rename_that_git_knows_is_named(tmp_path: Path) -> None:
    """Also if the file has another name now."""
    make_repository(tmp_path, {"AGENTS.md": TEXT, "src/motor.py": "print('go')\n" * 9, "src/a.py": ""})
    git(tmp_path, "mv", "src/motor.py", "src/engine.py")
    git(tmp_path, "commit", "-qm", "two")
    [found] = overture.check(cwd=tmp_path, home=tmp_path / "h", select=["missing-path"]).findings
    assert found.message == "`src/motor.py` does not exist in the project: now at `src/engine.py`"


def test_without_an_answer_of_git_the_folders_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No commits, no repository, no git: the same findings."""
    files = {"AGENTS.md": f"{TEXT}\nIt makes `src/x.log`.\n", "src/a.py": "", ".gitignore": "*.log\n"}
    make_repository(tmp_path, files, commit=False)
    assert check(tmp_path) == [("AGENTS.md", 1, "warning")]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check(tmp_path) == [("AGENTS.md", 1, "warning")]


def test_names_that_are_not_utf_8_are_names(tmp_path: Path) -> None:
    """They are listed, and nothing of them fails."""
    odd = os.fsdecode(b"src/m\xf6tor.py")
    make_repository(
        tmp_path, {"AGENTS.md": TEXT.encode() + b"\nAnd `src/m\xf6tor.py`, [x](m\xf6.md).\n", odd: "", "src/a.py": ""}
    )
    assert ("AGENTS.md", 1, "warning") in check(tmp_path)


def test_worktrees_and_submodules(tmp_path: Path) -> None:
    """A worktree is a project; in a submodule that is not there, anything may be."""
    text = f"{TEXT}\nThe library is `lib/deep/x.py`, [its page](lib/README.md).\n"
    inner = make_repository(tmp_path / "inner", {"deep/a.py": ""})
    main = make_repository(tmp_path / "main", {"AGENTS.md": text, "src/a.py": ""})
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    git(main, "commit", "-qm", "two")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert not [*(tmp_path / "tree/lib").iterdir()]
    assert check(main) == check(tmp_path / "tree") == [("AGENTS.md", 1, "warning")]


def test_nothing_outside_the_project_is_looked_at(tmp_path: Path) -> None:
    """What leads out through a link, or through `..`, is neither there nor missing."""
    (tmp_path / "outside").mkdir()
    text = "[a](../outside/gone.md), [b](way/gone.md), `way/gone.py`, [c](loop/x.md), [d](in/a.py), [e](in/b.py)\n"
    project = make_repository(tmp_path / "p", {"AGENTS.md": text, "src/a.py": ""})
    for name, target in {"way": "../outside", "loop": "loop", "in": "src"}.items():
        (project / name).symlink_to(target)
    git(project, "add", "-A")
    assert check(project) == [("AGENTS.md", 1, "error")]


def test_the_configuration_of_a_project_runs_nothing(tmp_path: Path) -> None:
    """Neither a monitor of files, nor a filter, nor a file of rules elsewhere."""
    mark, rules = tmp_path / "ran", tmp_path / "rules"
    rules.write_text("*.py\n")
    project = make_repository(tmp_path / "p", {"AGENTS.md": TEXT, "src/a.py": "", ".gitattributes": "* filter=x\n"})
    for key, value in {
        "core.fsmonitor": f"touch {mark}",
        "filter.x.clean": f"touch {mark}",
        "core.excludesFile": str(rules),
    }.items():
        git(project, "config", key, value)
    assert check(project) == [("AGENTS.md", 1, "warning")] and not mark.exists()


@pytest.mark.parametrize("text", ["[", "a" * 10_000 + "/", "!", "\\", "[z-a]", "{a,b"])
def test_a_broken_gitignore_ignores_nothing_more(tmp_path: Path, text: str) -> None:
    """With git and without."""
    files = {"AGENTS.md": TEXT, "src/a.py": "", ".gitignore": f"{text}\n"}
    assert check(make_repository(tmp_path / "p", {**files})) == [("AGENTS.md", 1, "warning")]
    assert places("missing-path", files) == [("AGENTS.md", 1)]


@pytest.mark.slow
def test_a_hundred_thousand_files(tmp_path: Path) -> None:
    """They are listed, and what is missing is found."""
    make_repository(tmp_path, {"AGENTS.md": TEXT, **{f"src/{at % 300}/{at}.py": "" for at in range(100_000)}})
    assert check(tmp_path) == [("AGENTS.md", 1, "warning")]
