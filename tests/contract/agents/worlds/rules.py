"""Worlds that ask which rules of a folder of rules are sent, and when."""

from .files import write_data
from .places import PLACES, ROOT
from .tree import Tree, frontmatter
from .world import World

HIT, MISS, ALL, NONE = '"**/*.txt"', '"**/*.zzz"', '"**"', '"["'

FOLDERS = {
    ".claude/rules": ("{}.md", "paths", True),
    ".github/instructions": ("{}.instructions.md", "applyTo", False),
    ".cursor/rules": ("{}.mdc", "globs", False),
    ".clinerules": ("{}.md", "paths", True),
    ".continue/rules": ("{}.md", "globs", True),
    ".qwen/rules": ("{}.md", "paths", True),
    ".kilo/rules": ("{}.md", "paths", True),
    ".augment/rules": ("{}.md", "globs", True),
}
"""A folder, how its files are named, the key for globs, and whether that key holds a list."""

ALWAYS = {
    ".cursor/rules": {"alwaysApply": "true"},
    ".continue/rules": {"alwaysApply": "true"},
    ".augment/rules": {"type": "always_apply"},
    ".github/instructions": {"applyTo": ALL},
}


def _fronts(folder: str, key: str, is_list: bool) -> dict[str, dict[str, str]]:
    """What each rule's frontmatter says, by the rule's name."""
    globs = {"hit": HIT, "miss": MISS, "all": ALL, "noglob": NONE}
    given = {name: {key: f"[{glob}]" if is_list else glob} for name, glob in globs.items()}
    given["emptylist"] = {key: "[]" if is_list else '""'}
    given["always"] = ALWAYS.get(folder, {"description": "always"})
    given["asked"] = {"description": "only a description", **({"alwaysApply": "false"} if key == "globs" else {})}
    given["twoglobs"] = {key: f"[{MISS}, {HIT}]" if is_list else '"**/*.zzz,**/*.txt"'}
    return given


def rules(tree: Tree) -> None:
    """Every kind of rule in every folder of rules, at the root and where the agent starts."""
    write_data(tree)
    for place in ("root", "cwd"):
        for folder, (pattern, key, is_list) in FOLDERS.items():
            for name, front in _fronts(folder, key, is_list).items():
                tree.small(place, f"{folder}/{pattern.format(name)}", front)
            tree.small(place, f"{folder}/{pattern.format('bare')}")
            tree.small(place, f"{folder}/sub/{pattern.format('deep')}")
            broken = [*frontmatter({key: "[unclosed"})[:2], "{mark} never ended", "{mark} last"]
            tree.lines(place, f"{folder}/{pattern.format('broken')}", broken)
            bad = ["---", f'{key}: ["unclosed', "  : - :", "---", "{mark} below bad YAML"]
            tree.lines(place, f"{folder}/{pattern.format('badyaml')}", bad)
            tree.small(place, f"{folder}/notes.txt")


def same_name(tree: Tree) -> None:
    """Rules of one name at home, at the root and where the agent starts."""
    write_data(tree)
    own = (".clinerules", ".kilo/rules", ".kilocode/rules", ".continue/rules", ".claude/rules", ".qwen/rules")
    at_home = ("Documents/Cline/Rules", ".cline/rules", *own[1:])
    tree.everywhere([f"{folder}/same.md" for folder in own], ["root", "cwd"])
    tree.everywhere([f"{folder}/same.md" for folder in at_home], ["home"])


KINDS = {
    "number": "globs: 5",
    "no": "globs: false",
    "map": "globs: {a: b}",
    "asked": "invokable: true",
    "regex": "regex: zzz",
    "manual": "type: manual",
    "requested": "type: agent_requested\ndescription: words",
    "always": "type: always_apply",
    "strange": "type: zzz",
    "triggered": "triggers: [zzz]",
    "named": "name: another-name",
}
"""Words by which rules of Continue, Auggie and OpenHands say when they count."""


def kinds(tree: Tree) -> None:
    """Rules of each kind, also with another ending, deep down and behind a dot."""
    write_data(tree)
    for place in ("root", "home"):
        for folder in (".continue/rules", ".augment/rules", ".openhands/microagents"):
            for name, front in KINDS.items():
                lines = ["---", *front.split("\n"), "---", "{mark} words"]
                tree.lines(place, f"{folder}/{name}.md", lines)
            tree.lines(place, f"{folder}/unread.md", ["---", "x: [", "{mark} within", "---", "{mark} below"])
            for path in ("cursor.mdc", ".hidden/inner.md", ".dot.md", "sub/deep/low.md", "README.md"):
                tree.small(place, f"{folder}/{path}")


def linked(tree: Tree) -> None:
    """A rule of the user that is a link out of its folder, and two of the project: within it and out of it."""
    write_data(tree)
    tree.small("home", "linked/outer.md")
    tree.small("root", "docs/inner.md")
    tree.link("home", ".claude/rules/outer.md", "../../linked/outer.md")
    tree.link("root", ".claude/rules/inner.md", "../../docs/inner.md")
    tree.small("above", "beside.md")
    tree.link("root", ".claude/rules/beside.md", "../../../beside.md")


WORLDS = (
    World(
        "rules", "Which rules are sent at once, which by a file in play?", rules, reads=(f"{PLACES['child']}/data.txt",)
    ),
    World("rules-kinds", "Which kinds of rules count at once?", kinds, cwd=ROOT),
    World("rules-linked", "Which links to rules are followed?", linked, cwd=ROOT),
    World("rules-same-name", "Which of several rules of one name is sent?", same_name),
)
