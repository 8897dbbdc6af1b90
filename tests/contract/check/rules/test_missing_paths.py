"""Paths that a page names and the project lacks."""

import pytest

from ..look import findings, places

SOURCE = {
    "src/core/engine.py": "",
    "docs/guide.md": "# Guide",
    "web/src/app.ts": "",
    ".claude/hooks/format.py": "",
    ".gitignore": "dist/\n*.log\nlocal/\n",
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
        ("The hook is `.claude/hooks/check.py`.", 14),
    ],
)
def test_a_path_that_is_nowhere_is_found(line: str, column: int) -> None:
    """At its line and column, as a warning."""
    [found] = findings("missing-path", {**SOURCE, "AGENTS.md": f"# Where\n\n{line}\n"})
    assert (found.path, found.line, found.column, found.severity) == ("/p/AGENTS.md", 3, column, "warning")


@pytest.mark.parametrize(
    "line",
    [
        "The engine is `src/core/engine.py`.",
        "- `core/engine.py` holds it",
        "- `p/src/core/engine.py` holds it",
        "- `src/app.ts` starts it",
        "- `SRC/Core/Engine.py` on some disks",
        "- `src/core/` holds it, `src/core` too",
        "Put it into `src/core/*.py`.",
        "It is `src/<name>/index.ts`.",
        "It is `path/to/file.py`.",
        "It is `src/foo.py`.",
        "It is `src/my-component/index.ts`.",
        "Create `src/core/motor.py` first.",
        "For example `src/core/motor.py`.",
        "The pattern is `src/core/motor.py`.",
        "There was once `src/core/motor.py`, which is no longer there.",
        "The build writes to `dist/main.js` and `src/run.log`.",
        "It is `local/settings.toml`.",
        "Use `application/json`, `feat/thing`, `owner/repo`, `and/or`.",
        "Use `@scope/package/index.js` and `react/jsx-runtime`.",
        "GET `/api/v1/users.json`, `https://x.org/a/b.md`.",
        "It is `../other/src/x.py`, `~/x/y.py`, `/etc/app/x.toml`.",
        "It is `lib/of/another.py`.",
        "It is `${ROOT}/src/motor.py` or `src/{a,b}/motor.py`.",
        "Tools read `.github/copilot-instructions.md`.",
        "Hooks are in `.claude/settings.json` or `.claude/settings.local.json`.",
        "There are many examples, and they\nare `src/core/motor.py` and others.",
        "It is `node_modules/thing/index.js`.",
    ],
)
def test_what_is_there_or_need_not_be_is_not_found(line: str) -> None:
    """Files that lie anywhere, stand-ins, examples, what is made, ignored or elsewhere, and what is no path."""
    assert not places("missing-path", {**SOURCE, "AGENTS.md": f"# Where\n\n{line}\n"})


def test_a_file_of_the_same_name_elsewhere_is_named() -> None:
    """The only one, perhaps moved there; of two nobody knows which."""
    files = {**SOURCE, "AGENTS.md": "# Where\n\nThe engine is `src/engine.py`.\n"}
    [found] = findings("missing-path", files)
    assert found.message.endswith("remove it; the only file of that name is 'src/core/engine.py'")
    [found] = findings("missing-path", {**files, "web/engine.py": ""})
    assert found.message.endswith("does not exist in the project: fix the path or remove it")


def test_code_names_no_paths() -> None:
    """What stands in a block of code is an example or a program."""
    assert not places("missing-path", {**SOURCE, "AGENTS.md": "```\nThe engine is `src/core/motor.py`.\n```\n"})


def test_a_skill_speaks_of_what_lies_beside_it() -> None:
    """A skill may be for any project: what it names in its own folders has to be there."""
    head = "---\nname: a\ndescription: A.\n---\n"
    files = {".agents/skills/a/SKILL.md": f"{head}Read `references/more.md`.\n\nIt is `lib/x1.py`.\n"}
    assert places("missing-path", files) == [(".agents/skills/a/SKILL.md", 5)]
    assert not places("missing-path", {**files, ".agents/skills/a/references/more.md": ""})


def test_a_name_is_found_once_a_page() -> None:
    """The second mention says nothing new."""
    text = "The engine is `src/core/motor.py`.\n\nMind `src/core/motor.py`.\n"
    assert places("missing-path", {**SOURCE, "AGENTS.md": text}) == [("AGENTS.md", 1)]
