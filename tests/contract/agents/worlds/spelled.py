"""Worlds that ask how an import may be spelled, what of other bytes becomes, and what settings say twice."""

from .files import write_data
from .names import HOME_MAIN, MAIN
from .places import PLACES, ROOT
from .skills import plain
from .tree import Tree, mark
from .world import World

SPELLED = {
    "stop": "Look at @{path}.",
    "comma": "Look at @{path}, then go on.",
    "bracket": "(@{path})",
    "square": "[@{path}]",
    "bold": "**@{path}**",
    "quoted": '"@{path}"',
    "equals": "x=@{path}",
    "tag": "<b>@{path}</b>",
    "word": "word@{path}",
    "twice": "@@{path}",
    "part": "@{path}#part",
    "numbers": "@{path}:1-3",
    "escaped": "\\@{path}",
    "indented": "    @{path}",
    "tab": "\t@{path}",
    "list": "- a list\n      @{path}",
    "cell": "| @{path} | cell |",
}
"""Ways of writing `@path` that not every agent follows."""


def _stem(name: str) -> str:
    return name.replace("/", "_").removesuffix(".md").strip(".")


def imports_spelled(tree: Tree) -> None:
    """Each spelling in each main file."""
    write_data(tree)
    for name in MAIN:
        stem, up = _stem(name), "../" * name.count("/")
        lines = ["{mark} first"]
        for kind, way in SPELLED.items():
            path = f"docs/{stem}-{kind}.md"
            tree.lines("root", path, ["{mark} imported"])
            lines += ["", *way.replace("{path}", f"{up}{path}").split("\n"), "", "{mark} after it"]
        tree.lines("root", f"my docs/{stem}.md", ["{mark} imported"])
        tree.lines("root", f"docs/{stem}@at.md", ["{mark} imported"])
        lines += ["", f"@{up}my\\ docs/{stem}.md", "", f"@{up}docs/{stem}@at.md", "", "{mark} last"]
        tree.lines("root", name, lines)


def not_utf_8(tree: Tree) -> None:
    """Main files in Latin-1 at home, at the root and below, and what they import."""
    write_data(tree)
    places = [("home", name) for name in HOME_MAIN] + [(place, name) for place in ("root", "mid1") for name in MAIN]
    for place, name in places:
        text = f"{mark(place, name, 1)} caf\xe9 au lait\n{mark(place, name, 2)} last\n"
        tree.path(place, name).write_bytes(text.encode("latin-1"))
    for name in MAIN[:4]:
        path = f"docs/{_stem(name)}.md"
        tree.path("cwd", path).write_bytes(f"{mark('cwd', path, 1)} caf\xe9\n".encode("latin-1"))
        tree.lines("cwd", name, ["{mark} first", f"@{path}", "{mark} last"])


def said_twice(tree: Tree) -> None:
    """One setting in two files of settings, and a link to a file that has a name of its own."""
    write_data(tree)
    tree.everywhere(["NOTES.md", "CONVENTIONS.md"], ["mid1", "mid2"])
    tree.small("mid2", "CLAUDE.md")
    tree.link("root", "AGENTS.md", "pkg/svc/CLAUDE.md")
    for place, names in (("home", ["CLAUDE.md", "CONVENTIONS.md"]), ("root", ["CLAUDE.md", "NOTES.md"])):
        listed = ", ".join(f'"{name}"' for name in names)
        tree.text(place, ".codex/config.toml", f"project_doc_fallback_filenames = [{listed}]\n")
        for folder in (".gemini", ".qwen"):
            tree.text(place, f"{folder}/settings.json", f'{{"context": {{"fileName": [{listed}]}}}}\n')


def sources(tree: Tree) -> None:
    """Skills in several folders, whose names are not in the order of the places."""
    write_data(tree)
    found = {"root": ("q5", "q2"), "mid1": ("q7",), "cwd": ("q6", "q1"), "home": ("q4", "q0")}
    folders = (".agents/skills", ".claude/skills", ".github/skills")
    for place, names in found.items():
        for folder, letter in zip(folders, "cab", strict=True):
            for name in names:
                plain(tree, place, folder, f"{name}{letter}")


def home_rules(tree: Tree) -> None:
    """Rules under home with patterns that begin at the root, where the agent starts, or anywhere."""
    write_data(tree)
    patterns = {"root": "pkg/**", "here": "child/*.txt", "any": "**/*.txt", "name": "data.txt", "folder": "child/**"}
    for folder in (".claude/rules", ".qwen/rules"):
        for name, pattern in patterns.items():
            tree.small("home", f"{folder}/{name}.md", {"paths": f'"{pattern}"'})
    for name, pattern in patterns.items():
        tree.small("home", f".copilot/instructions/{name}.instructions.md", {"applyTo": f'"{pattern}"'})


READ = (f"{PLACES['child']}/data.txt", f"{PLACES['sib']}/data.txt")
WORLDS = (
    World("imports-spelled", "Which spellings of @path import?", imports_spelled, cwd=ROOT),
    World("not-utf-8", "Are files read that are not UTF-8?", not_utf_8),
    World("settings-twice", "Which of two files of settings counts?", said_twice),
    World("skills-sources", "In which order are skills of several places listed?", sources),
    World("skills-sources-no-git", "And where there is no repository?", sources, git=False),
    World("rules-home", "Where do patterns of rules under home begin?", home_rules, reads=READ),
)
