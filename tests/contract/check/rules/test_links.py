"""Imports and links that lead nowhere."""

import pytest

from ..look import findings, places

DOCS = {"docs/guide.md": "# Guide\n\n## Set up: first\n\n## Set up: first\n", "docs/my notes.md": "x"}


@pytest.mark.parametrize("line", ["@docs/gone.md", "- @docs/gone.md", "@gone.md", "@./docs/gone.md"])
def test_an_import_of_nothing_is_an_error(line: str) -> None:
    """Agents drop it without a word."""
    [found] = findings("broken-import", {**DOCS, "AGENTS.md": f"# A\n\n{line}\n"})
    assert (found.path, found.line, found.severity) == ("/p/AGENTS.md", 3, "error")


def test_an_import_within_a_sentence_is_a_warning() -> None:
    """It may be an import, or just a way to write."""
    [found] = findings("broken-import", {**DOCS, "AGENTS.md": "See @docs/gone.md for more."})
    assert (found.line, found.column, found.severity) == (1, 5, "warning")


@pytest.mark.parametrize(("path", "target"), [("AGENTS.md", "docs/Guide.md"), ("docs/AGENTS.md", "Guide.md")])
def test_a_link_in_other_letter_case_names_the_file(path: str, target: str) -> None:
    """It works on some disks, and neither on Linux nor on GitHub."""
    [found] = findings("broken-link", {**DOCS, path: f"See [it]({target})."})
    assert found.message.endswith("does not exist: the file is `docs/guide.md`, and names are case-sensitive")


def test_an_import_begins_at_the_folder_of_its_file() -> None:
    """What lies at the root is not what a file deeper down imports; imported files are looked at too."""
    files = {**DOCS, "AGENTS.md": "@docs/more.md", "docs/more.md": "Read on.\n\n@guide.md\n\n@docs/guide.md\n"}
    assert places("broken-import", files) == [("docs/more.md", 5)]


@pytest.mark.parametrize(
    "text",
    [
        "@docs/guide.md",
        "`@docs/gone.md`",
        "```\n@docs/gone.md\n```",
        "@someone thanks @docs",
        "@pytest.mark.slow",
        "@scope/package",
        "mail me@docs/gone.md",
        "@~/gone.md",
        "<!-- @docs/gone.md -->",
        "@../outside/gone.md",
    ],
)
def test_what_is_no_import_is_not_found(text: str) -> None:
    """Code, names of people and packages, mail, comments, and what lies outside the project."""
    assert not places("broken-import", {**DOCS, "AGENTS.md": f"# A\n\n{text}\n"})


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("See [the guide](docs/gone.md).", 17),
        ("See [`code`](./docs/gone.md#part).", 14),
        ("![A picture](docs/gone.html)", 14),
        ("See [it](<docs/no such.md>).", 11),
        ('See [it](gone.md "Title").', 10),
        ("See [it](mdc:docs/gone.md).", 10),
        ("See [it](/docs/gone.md).", 10),
        ("See [it](docs/sub/).", 10),
        ("[ref]: docs/gone.md", 8),
        ("<!-- See [it](gone.md). -->", 15),
    ],
)
def test_a_link_to_nothing_is_an_error(line: str, column: int) -> None:
    """At the line and column where the path begins."""
    [found] = findings("broken-link", {**DOCS, "AGENTS.md": f"# A\n\n{line}\n"})
    assert (found.line, found.column, found.severity) == (3, column, "error")


@pytest.mark.parametrize(
    "text",
    [
        "See [the guide](docs/guide.md), [notes](docs/my%20notes.md), [docs](docs/), [a](docs/guide.md#set-up-first).",
        "See [x](https://x.org/a.md), [m](mailto:a@b.md), [r](/guide/gone.md), [p](#a).",
        "See [x](path/to/{name}.md), [y](<NAME>.md), [z](...).",
        "See `[x](gone.md)`.",
        "```markdown\n[x](gone.md)\n```",
        "See [wiki](internal-wiki/pools), [x][ref] and [y](word).",
        "See [x](docs/guide), [y](/docs/guide.md), [z](https://github.com/a/b/blob/main/c.md), [w](../blob/main/c.md).",
        '[ref]: docs/guide.md "The guide"\n[^1]: docs/gone.md\n[far]: https://x.org/a.md',
        "See [x](../../outside.md).",
        "[x](local.md)",
    ],
)
def test_links_that_lead_somewhere_are_not_found(text: str) -> None:
    """Files, folders, addresses, stand-ins, code, what git ignores, and what lies outside the project."""
    assert not places("broken-link", {**DOCS, ".gitignore": "local.md\n", "AGENTS.md": f"# A\n\n{text}\n"})


def test_a_link_of_a_linked_file_may_begin_at_either_folder() -> None:
    """CLAUDE.md that is a link to docs/agents.md is read at both places."""
    files = {"docs/agents.md": "See [the guide](guide.md) and [it](docs/guide.md).", **DOCS}
    assert not findings("broken-link", files, links={"CLAUDE.md": "docs/agents.md"})


def test_a_link_begins_at_the_folder_of_its_file() -> None:
    """Not at the root, which is only named; a link may go over a line, and up. Cursor's `mdc:` begins at the root."""
    files = {
        **DOCS,
        "web/AGENTS.md": "See [the\nguide](docs/guide.md), [it](../docs/guide.md), [m](mdc:docs/guide.md).",
    }
    [found] = findings("broken-link", files)
    assert (found.line, found.severity) == (2, "error") and "it is `../docs/guide.md`" in found.message
    assert places("broken-link", {**DOCS, "web/AGENTS.md": "See [it](../docs/gone.md)."}) == [("web/AGENTS.md", 1)]


def test_a_link_in_an_example_is_a_note() -> None:
    """As is one that may be made first, or that has no ending."""
    for text in ("For example [it](gone.md).", "Create [it](gone.md).", "See [it](docs/gone)."):
        [found] = findings("broken-link", {**DOCS, "AGENTS.md": text})
        assert found.severity == "note"


def test_a_link_of_a_skill_is_a_warning() -> None:
    """Skills are copied from project to project."""
    [found] = findings("broken-link", {".agents/skills/a/SKILL.md": "---\nname: a\ndescription: A.\n---\n[x](b.md)"})
    assert found.severity == "warning"


def test_a_link_out_of_the_project_that_only_an_agent_follows_is_found() -> None:
    """The recipe reads AGENTS.md alone in this folder; Claude Code would read the link."""
    files = {"AGENTS.md": "Be brief.", "/etc/motd": "Welcome."}
    [found] = findings("link-outside", files, links={"CLAUDE.md": "/etc/motd"})
    assert (found.path, found.severity) == ("/p/CLAUDE.md", "warning") and "Claude Code" in found.message


def test_an_import_that_stays_in_the_project_leads_to_nothing_outside() -> None:
    """Claude Code skips it, started in the folder below; `overture agents` says so."""
    files = {"AGENTS.md": "Be brief.", "CLAUDE.md": "@AGENTS.md", "web/CLAUDE.md": "Use React."}
    assert not findings("link-outside", files, cwd="/p/web")
