"""Whatever lies on the disk: discovery ends, raises nothing, reports every candidate and stays inside."""

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overture import Discovery

from ..effort import examples
from .disk import find

OPAL = ("AGENTS.md", ".agents/AGENTS.md", ".opal/AGENTS.md", "OPAL.md", ".agents/OPAL.md", ".opal/OPAL.md")
PI = ("AGENTS.md", "CLAUDE.md")
SECRET = "what lies outside"
WALK = ("", "a", "a/b")
PLACES = (
    *OPAL,
    *PI,
    ".git",
    ".agents",
    ".opal",
    ".sf",
    ".sf/SYSTEM.md",
    ".sf/agent/AGENTS.md",
    ".agents/skills",
    ".sf/skills",
    ".github/skills",
    ".agents/skills/x",
    ".agents/skills/x/SKILL.md",
    ".agents/skills/y",
    ".agents/skills/y/SKILL.md",
    ".agents/skills/x/z/SKILL.md",
    ".github/skills/x/SKILL.md",
    ".sf/skills/x/SKILL.md",
)
TARGETS = (".", "..", "../..", "x", "y", "AGENTS.md", "OPAL.md", ".agents", "../AGENTS.md", "../y", "nowhere")
SKILL = "---\nname: x\ndescription: D.\n---\n"


class Node(NamedTuple):
    """Something at a place: a file with content, a folder, a FIFO or a link to a target."""

    folder: str
    place: str
    kind: str
    content: str


folders = st.sampled_from((*WALK, "home"))
nodes = st.builds(
    Node,
    folders,
    st.sampled_from(PLACES),
    st.sampled_from(("file", "file", "folder", "link", "link", "away", "anywhere", "hard", "fifo")),
    st.sampled_from(("", "text", SKILL, "---\n", "\ufeff", *TARGETS)),
)
trees = st.lists(nodes, max_size=14)


def make(node: Node, base: Path) -> None:
    """Put the node there, where the disk permits it."""
    path = base / "top" / node.folder / node.place
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        match node.kind:
            case "file":
                # Not through a link, which might lead to what lies outside.
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w") as file:  # noqa: PTH123
                    file.write(node.content)
            case "folder":
                path.mkdir()
            case "fifo":
                os.mkfifo(path)
            case "link":
                path.symlink_to(node.content if node.content in TARGETS else path.name)
            case "away":
                path.symlink_to(base / "outside" / path.name)
            case "anywhere":
                path.symlink_to(base / "top" / "a" / node.place)
            case "hard":
                path.hardlink_to(base / "top" / "AGENTS.md")
    except OSError:
        pass


def outside(base: Path) -> None:
    """Files that nothing may reach."""
    for name in (*OPAL, *PI, "SYSTEM.md", "x/SKILL.md", "skills/x/SKILL.md", "SKILL.md/x/SKILL.md"):
        path = base / "outside" / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"---\nname: x\ndescription: {SECRET}\n---\n{SECRET}")
        except OSError:
            pass


class Tree(NamedTuple):
    """Where things lie, and how far links may lead, worked out anew: `top` is the root of the walk, `a/b` its end."""

    top: Path
    home: str
    recipe: str

    @property
    def candidates(self) -> tuple[str, ...]:
        """The project files of a folder."""
        return OPAL if self.recipe == "opal" else PI

    @property
    def project(self) -> str:
        """The nearest level with a .git, else the topmost in which something lies, below home for who works there."""
        marked = [level for level in WALK if os.path.lexists(self.top / level / ".git")]
        if marked:
            return marked[-1]
        signs = (*self.candidates, *((".sf/skills", ".agents/skills") if self.recipe == "pi" else ()))
        levels = WALK[:-1] if self.home == "home" else [level for level in WALK[:-1] if len(level) > len(self.home)]
        found = [level for level in levels if any(os.path.lexists(self.top / level / sign) for sign in signs)]
        return found[0] if found else WALK[-1]

    def allowed(self, path: str, place: str) -> list[Path]:
        """The folders that the file at `path`, found in `place` of the walk or of home, may lie in."""
        above = len(place) < len(self.project) and self.home != "home" and len(place) >= len(self.home)
        roots = [self.top / (self.home if above or place == "home" else self.project)]
        if path.startswith(f"{self.top / self.home}/."):  # it may have been found as a place of home
            roots.append(self.top / self.home)
        return roots


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow])
@given(tree=trees, recipe=st.sampled_from(("opal", "pi")), home=st.sampled_from(("home", "", "a")))
def test_any_tree(tree: list[Node], recipe: str, home: str) -> None:
    """In any tree discovery ends, raises nothing, reports every candidate once, and loads nothing from outside."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(os.path.realpath(name))
        top = base / "top"
        (top / "a/b").mkdir(parents=True)
        outside(base)
        for node in tree:
            make(node, base)
        there = Tree(top, home, recipe)
        found = find(top, recipe, cwd="a/b", home=top / home)
        check_record(found, there)
        check_inside(found, there)
        assert SECRET not in repr(found.state)
        check_again(found, find(top, recipe, cwd="a/b", home=top / home, since=found))


def check_record(found: Discovery, there: Tree) -> None:
    """Every path at most once per purpose; every project file, and every skill that is there, exactly once."""
    count = Counter((look.path, look.what) for look in found.looked_at)
    assert not [key for key, times in count.items() if times > 1]
    for level in WALK:
        for name in there.candidates:
            assert count[str(there.top / level / name), "context"] == 1
    closed = {
        look.path for look in found.looked_at if look.what == "skill" and look.outcome not in ("loaded", "absent")
    }
    for place in (there.home, "a/b"):
        folder = there.top / place / ".agents/skills"
        for name in ("x", "y"):
            path = folder / name / "SKILL.md"
            if os.path.lexists(path) and str(folder) not in closed:
                assert count[str(path), "skill"] == 1
    reported = {d.path for d in found.diagnostics}
    for look in found.looked_at:
        if look.outcome in ("unreadable", "outside", "skipped"):
            assert look.path in reported


def check_inside(found: Discovery, there: Tree) -> None:
    """What is loaded lies, links followed, in the folder that links of its place may not leave."""
    places = {str(there.top / level / name): level for level in WALK for name in there.candidates}
    for file in found.state.context_files:
        check_real(file.path, there.allowed(file.path, places.get(file.path, "home")))
    for skill in found.state.skills:
        levels = ("home", *reversed(WALK))
        [level, *_] = [level for level in levels if skill.location.startswith(f"{there.top / level}/.")]
        check_real(skill.location, there.allowed(skill.location, level))


def check_real(path: str, roots: list[Path]) -> None:
    """Whether the file lies in one of the folders, links followed; one that is no link lies where it lies."""
    real = os.path.realpath(path)
    assert real == path or any(Path(real).is_relative_to(os.path.realpath(root)) for root in roots)


def check_again(first: Discovery, second: Discovery) -> None:
    """A second look at the same disk gives the same objects and the same record."""
    assert second.state.context_files is first.state.context_files
    assert second.state.skills is first.state.skills
    assert second.state.overrides is first.state.overrides
    assert second.looked_at == first.looked_at
    assert second.diagnostics == first.diagnostics
