"""Worlds that ask which `@path` in an instruction file brings in another file."""

import json

from .files import write_data
from .names import MAIN
from .places import PLACES, ROOT
from .tree import Tree
from .world import World

KINDS = ("rel", "dot", "inline", "bullet", "quote", "span", "fence", "tilde", "comment", "link", "abs", "py", "noext")
DEPTH = 10


def _stem(name: str) -> str:
    return name.replace("/", "_").removesuffix(".md").strip(".")


def _importer(tree: Tree, name: str, stem: str) -> list[str]:
    """The lines of a file that imports in every way; a marked line stands between two ways."""
    docs = "../" * name.count("/") + f"docs/{stem}"
    up = "../" * name.count("/")
    ways = [
        [f"@{docs}-rel.md"],
        [f"@./{docs}-dot.md"],
        [f"See @{docs}-inline.md for more."],
        [f"- @{docs}-bullet.md"],
        [f"> @{docs}-quote.md"],
        [f"A code span: `@{docs}-span.md` here."],
        ["```", f"@{docs}-fence.md", "```"],
        ["~~~text", f"@{docs}-tilde.md", "~~~"],
        ["<!--", f"@{docs}-comment.md", "-->"],
        [f"[a link]({docs}-link.md)"],
        [f"@{tree.folder / PLACES['root']}/docs/{stem}-abs.md"],
        [f"@{docs}-py.py"],
        [f"@{docs}-noext"],
        [f"@~/{stem}-home.md"],
        [f"@{up}../{stem}-outside.md"],
        [f"@{docs}-missing.md"],
        [f"@{up}docs"],
    ]
    return ["{mark} before all imports", *(line for way in ways for line in ("", *way, "", "{mark} after an import"))]


def _ways(tree: Tree, name: str) -> None:
    stem = _stem(name)
    for kind in KINDS:
        end = {"py": ".py", "noext": ""}.get(kind, ".md")
        tree.lines("root", f"docs/{stem}-{kind}{end}", ["# {mark} imported" if kind == "py" else "{mark} imported"])
    tree.lines("home", f"{stem}-home.md", ["{mark} imported"])
    tree.lines("above", f"{stem}-outside.md", ["{mark} imported"])
    tree.lines("root", name, _importer(tree, name, stem))


def ways(tree: Tree) -> None:
    """Every way of importing, in each main file."""
    write_data(tree)
    for name in MAIN:
        _ways(tree, name)


def ways_of_agents_md(tree: Tree) -> None:
    """Every way of importing, in AGENTS.md alone."""
    write_data(tree)
    _ways(tree, "AGENTS.md")


def deep(tree: Tree) -> None:
    """A chain of imports, a circle, and a file that imports itself, in each main file."""
    write_data(tree)
    for name in MAIN:
        stem, up = _stem(name), "../" * name.count("/")
        for step in range(1, DEPTH + 1):
            further = [f"@{stem}-step{step + 1}.md"] if step < DEPTH else []
            tree.lines("root", f"docs/{stem}-step{step}.md", ["{mark} imported", *further])
        for one, other in (("one", "two"), ("two", "one"), ("self", "self")):
            tree.lines("root", f"docs/{stem}-{one}.md", ["{mark} imported", f"@{stem}-{other}.md", "{mark} after it"])
        imports = [f"@{up}docs/{stem}-{first}.md" for first in ("step1", "one", "self")]
        tree.lines("root", name, ["{mark} first", *imports, "{mark} last"])


def twice(tree: Tree) -> None:
    """One file imported from two folders, and one that is read anyway."""
    write_data(tree)
    tree.lines("root", "docs/shared.md", ["{mark} imported"])
    for name in MAIN[:4]:
        tree.lines("root", name, ["{mark} first", "@docs/shared.md", "{mark} last"])
        tree.lines("cwd", name, ["{mark} first", "@../../../docs/shared.md", f"@../../../{name}", "{mark} last"])


def claude_imports_agents(tree: Tree) -> None:
    """A CLAUDE.md at the root whose one line imports the AGENTS.md beside it."""
    write_data(tree)
    tree.everywhere(["AGENTS.md"], ["root", "cwd"])
    for name in ("CLAUDE.md", "GEMINI.md"):
        tree.text("root", name, "@AGENTS.md\n")


def approved(tree: Tree) -> None:
    """The same, once imports from outside are approved."""
    claude_imports_agents(tree)
    approval = {"hasTrustDialogAccepted": True, "hasClaudeMdExternalIncludesApproved": True}
    approval["hasClaudeMdExternalIncludesWarningShown"] = True
    projects = {str(tree.folder / PLACES[place]): approval for place in ("root", "cwd")}
    tree.text("home", ".claude.json", json.dumps({"projects": projects}) + "\n")


def comments(tree: Tree) -> None:
    """Frontmatter, and comments on lines of their own and within a line."""
    write_data(tree)
    front = ["---", "title: {mark}", "---"]
    hidden = ["<!-- {mark} on a line of its own -->", "", "<!--", "{mark} over lines", "-->", ""]
    within = ["Text <!-- {mark} within --> goes on.", "", "```", "<!-- {mark} in a fence -->", "```", "{mark} last"]
    for name in MAIN:
        tree.lines("root", name, [*front, "{mark} first", "", *hidden, *within])


WORLDS = (
    World("imports", "Which ways of writing @path import?", ways, cwd=ROOT),
    World("imports-agents-md", "Does AGENTS.md import where it is the only file?", ways_of_agents_md, cwd=ROOT),
    World("imports-deep", "How deep do imports go, and what of circles?", deep, cwd=ROOT),
    World("imports-twice", "Is a file that two files import sent twice?", twice),
    World("imports-agents", "Does `@AGENTS.md` at the root bring it back below the root?", claude_imports_agents),
    World("imports-agents-root", "And at the root itself?", claude_imports_agents, cwd=ROOT),
    World("imports-agents-approved", "And where imports from outside are approved?", approved),
    World("comments", "Do frontmatter and comments arrive?", comments, cwd=ROOT),
)
