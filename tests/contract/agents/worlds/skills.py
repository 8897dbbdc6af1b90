"""Worlds that ask which skills are listed, which are not, and what of a long menu becomes."""

from .files import write_data
from .places import ROOT
from .tree import Tree, mark
from .world import World

FOLDERS = (
    *(f".{owner}/skills" for owner in ("agents", "claude", "codex", "github", "gemini", "opencode", "qwen", "crush")),
    *(f".{owner}/skills" for owner in ("pi", "cline", "clinerules", "kilo", "kilocode", "factory", "goose", "vibe")),
    *(f".{owner}/skills" for owner in ("kimi", "kimi-code", "continue", "cursor", "windsurf", "roo", "openhands")),
    *(f".{owner}/skills" for owner in ("augment", "copilot", "gptme", "junie", "kiro")),
    *(".opencode/skill", "skills"),
)
HOME_FOLDERS = (
    *(folder for folder in FOLDERS if folder not in (".clinerules/skills", ".github/skills", "skills")),
    *(".pi/agent/skills", ".config/opencode/skill", ".config/opencode/skills", ".config/kilo/skills"),
    *(".config/agents/skills", ".config/goose/skills", ".config/crush/skills", ".codex/skills/.system"),
)
ODD_FOLDERS = (".agents/skills", ".claude/skills", ".pi/skills", ".continue/skills", "skills")


def slug(folder: str) -> str:
    """A folder's path as the part of a skill's name."""
    return folder.replace("/", "-").replace(".", "").strip("-")


def skill(tree: Tree, place: str, path: str, front: dict[str, str], length: int = 0) -> None:
    """A skill whose description begins with a mark; `length` stretches it."""
    lines = ["---", *(f"{key}: {value}" for key, value in front.items()), "---", "", "{mark} body"]
    words = [line.replace("{words}", _words(mark(place, path, number), length)) for number, line in enumerate(lines, 1)]
    tree.lines(place, path, words)


def _words(start: str, length: int) -> str:
    """A description, stretched to a length where one is given."""
    if not length:
        return f"{start} Use it for work in the laboratory."
    return (f"{start} " + "words that fill the description " * (length // 32 + 1))[: length - 1] + "."


def plain(tree: Tree, place: str, folder: str, name: str, length: int = 0) -> None:
    """A skill as it should be."""
    skill(tree, place, f"{folder}/{name}/SKILL.md", {"name": name, "description": "{words}"}, length)


def everywhere(tree: Tree) -> None:
    """One skill in each folder for skills, in every place."""
    write_data(tree)
    for place in ("above", "root", "mid2", "cwd", "child", "home"):
        for folder in HOME_FOLDERS if place == "home" else FOLDERS:
            plain(tree, place, folder, f"sk-{place}-{slug(folder)}")


def twins(tree: Tree) -> None:
    """One name in two places, and in two folders of one place."""
    write_data(tree)
    for folder in (".agents/skills", ".claude/skills"):
        for place in ("home", "root", "mid2", "cwd"):
            plain(tree, place, folder, "twin")
    for place in ("home", "root"):
        for folder in (".agents/skills", ".claude/skills", ".codex/skills", ".gemini/skills", ".qwen/skills"):
            plain(tree, place, folder, f"pair-{place}")


def odd(tree: Tree) -> None:
    """Skills that something is wrong with."""
    write_data(tree)
    for folder in ODD_FOLDERS:
        for kind, front in ODD.items():
            name = f"{kind}-{slug(folder)}"
            path = f"{folder}/{name}/SKILL.md"
            skill(tree, "root", path, {key: value.replace("{name}", name) for key, value in front.items()})
        _odd_places(tree, folder, slug(folder))


ODD = {
    "fine": {"name": "{name}", "description": "{words}"},
    "noname": {"description": "{words}"},
    "nodesc": {"name": "{name}"},
    "wrongname": {"name": "other-{name}", "description": "{words}"},
    "Upper_Case": {"name": "{name}", "description": "{words}"},
    "colon": {"name": "{name}", "description": "Use when: asked, {words}"},
    "nomodel": {"name": "{name}", "description": "{words}", "disable-model-invocation": "true"},
    "hidden": {"name": "{name}", "description": "{words}", "user-invocable": "false"},
}
"""A kind of oddness, and the frontmatter that shows it."""


def _odd_places(tree: Tree, folder: str, end: str) -> None:
    """Skills whose text is fine, or missing, or long, in places where they should not lie."""
    plain(tree, "root", folder, f"long15-{end}", 1500)
    plain(tree, "root", folder, f"long30-{end}", 3000)
    plain(tree, "root", f"{folder}/group-{end}", f"deep-{end}")
    plain(tree, "root", "shared", f"link-{end}")
    tree.link("root", f"{folder}/link-{end}", "../" * (folder.count("/") + 1) + f"shared/link-{end}")
    front = {"description": "{words}"}
    skill(tree, "root", f"{folder}/flat-{end}.md", {"name": f"flat-{end}", **front})
    skill(tree, "root", f"{folder}/lower-{end}/skill.md", {"name": f"lower-{end}", **front})
    path = f"{folder}/nofront-{end}/SKILL.md"
    tree.text("root", path, f"# A heading\n\n{mark('root', path, 3)} body without frontmatter\n")
    tree.text("root", f"{folder}/nofile-{end}/README.md", "no skill here\n")
    tree.text("root", f"{folder}/void-{end}/SKILL.md", "")


def linked_files(tree: Tree) -> None:
    """Skills whose folder is real, and whose SKILL.md is a link to a file of the project."""
    write_data(tree)
    for folder in ODD_FOLDERS:
        name = f"file-{slug(folder)}"
        plain(tree, "root", "shared", name)
        tree.link("root", f"{folder}/{name}/SKILL.md", "../" * (folder.count("/") + 2) + f"shared/{name}/SKILL.md")


def fallen(tree: Tree) -> None:
    """For each folder a skill that is without frontmatter there, and as it should be in all others and at home."""
    write_data(tree)
    folders = (".agents/skills", ".claude/skills", ".augment/skills", ".gptme/skills", "skills")
    for fallen in folders:
        name = f"fallen-{slug(fallen)}"
        for place in ("root", "home"):
            for folder in folders:
                if (place, folder) == ("root", fallen):
                    tree.lines(place, f"{folder}/{name}/SKILL.md", ["# A heading", "", "{mark} body"])
                else:
                    plain(tree, place, folder, name)


NESTS = (
    *(".agents/skills", ".claude/skills", ".opencode/skills", ".kimi-code/skills", ".augment/skills", ".pi/skills"),
    *(".continue/skills", ".gptme/skills", ".openhands/skills", ".vibe/skills", "skills"),
)


def nested(tree: Tree) -> None:
    """Skills below skills, deep below, behind a dot; files beside them, with frontmatter and without."""
    write_data(tree)
    for folder in NESTS:
        end = slug(folder)
        for place in (
            "nest-{}",
            "nest-{}/inner-{}",
            "a/b/c/d/e/deep-{}",
            ".dot-{}",
            ".hidden/below-{}",
            "x/.hidden/dim-{}",
        ):
            path = place.replace("{}", end)
            name = path.rpartition("/")[2].strip(".")
            skill(tree, "root", f"{folder}/{path}/SKILL.md", {"name": name, "description": "{words}"})
        for path in (f"flat-{end}", f"group/low-{end}", f"nest-{end}/beside-{end}"):
            name = path.rpartition("/")[2]
            skill(tree, "root", f"{folder}/{path}.md", {"name": name, "description": "{words}"})
        tree.lines("root", f"{folder}/bare-{end}.md", ["{mark} first words", "", "{mark} more"])


def many(tree: Tree, count: int) -> None:
    """Many skills with descriptions of 1,000 characters in two folders."""
    write_data(tree)
    for folder in (".agents/skills", ".claude/skills"):
        for number in range(1, count + 1):
            plain(tree, "root", folder, f"s{number:03d}-{slug(folder)}", 1000)


WORLDS = (
    World("skills", "Which folders are looked into for skills?", everywhere),
    World("skills-twins", "Which of several skills of one name is listed?", twins),
    World("skills-odd", "Which skills are taken though something is wrong?", odd, cwd=ROOT),
    World("skills-linked-file", "Is a skill listed whose SKILL.md is a link?", linked_files, cwd=ROOT),
    World("skills-fallen", "Does a skill that can't be listed hide one of its name elsewhere?", fallen, cwd=ROOT),
    World("skills-nested", "Which skills are found below others, deep down, or as plain files?", nested, cwd=ROOT),
    World("skills-60", "How long may the menu be?", lambda tree: many(tree, 60), cwd=ROOT),
    World("skills-400", "And with 400 skills?", lambda tree: many(tree, 400), cwd=ROOT),
)
