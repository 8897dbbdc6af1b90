"""How the laboratory reads what agents send, and how it keeps it."""

import tomllib
from argparse import Namespace
from pathlib import Path

import pytest

from tests.contract.agents.lab.compare import moves
from tests.contract.agents.lab.frames import LONGEST, frame_of
from tests.contract.agents.lab.marked import arrived, marked_files
from tests.contract.agents.lab.menus import listed
from tests.contract.agents.lab.replies import reading
from tests.contract.agents.lab.seen import SEEN, as_toml
from tests.contract.agents.worlds import WORLDS, make_world

from .lab.__main__ import worlds_asked
from .lab.packages import PACKAGES
from .lab.progress import Progress

FILES = sorted(SEEN.glob("*.toml"))


def said(folder: Path, *paths: str) -> str:
    """A request that holds files, each below a line that names it."""
    return "\n".join(f"File {path}\n{(folder / path).read_text(encoding='utf-8')}" for path in paths)


def test_files_are_told_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    """A request tells which files it holds, in order, and the line before each."""
    make_world("agents-md", tmp_path)
    paths = ["w/above/repo/pkg/AGENTS.md", "w/above/repo/AGENTS.md"]
    text = said(tmp_path, *paths)
    came = arrived(text, marked_files(tmp_path))
    assert [each.file.path for each in came] == paths
    assert [frame_of(text, each) for each in came] == [f"File {path}" for path in paths]
    assert [each.cut for each in came] == [None, None]


def test_a_cut_is_told_by_the_last_whole_line(tmp_path: Path) -> None:
    """Half a line does not count as arrived, and a line that is missing before others is told apart from a cut."""
    make_world("large-two", tmp_path)
    path = tmp_path / "w/above/repo/AGENTS.md"
    lines = path.read_text(encoding="utf-8").splitlines()
    text = "\n".join([*lines[:3], *lines[4:9], lines[9][:40]])
    (came,) = arrived(text, marked_files(tmp_path))
    assert came.cut == 9
    assert came.gone == [4]


def test_skills_are_told_with_how_much_of_each(tmp_path: Path) -> None:
    """A menu tells its skills in order; a folder in a path is no skill."""
    make_world("skills-60", tmp_path)
    lines = (tmp_path / "w/above/repo/.agents/skills/s002-agents-skills/SKILL.md").read_text("utf-8").splitlines()
    description = lines[2].removeprefix("description: ")[:100]
    menu = f"- s002-agents-skills: {description}\n- s001-agents-skills\n.x/s003-agents-skills/"
    assert listed(menu, marked_files(tmp_path)) == (["s002-agents-skills", "s001-agents-skills"], [[1, 100], [1, 0]])


def test_rules_may_come_as_the_disk_lists_them() -> None:
    """Another order within one folder of rules is no move, another order of folders is one."""
    root, rules = "w/above/repo/AGENTS.md", [f"w/above/repo/.claude/rules/{name}.md" for name in "ab"]
    before = {"name": "rules", "sent": [root, *rules]}
    assert moves("x", "1", before, {"name": "rules", "sent": [root, *reversed(rules)]}) == []
    assert len(moves("x", "1", before, {"name": "rules", "sent": [*rules, root]})) == 1


def test_a_file_is_read_with_whatever_tool_there_is() -> None:
    """A tool for reading is called with the path, a shell with a command that shows the file."""
    reader = {"properties": {"file_path": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["limit"]}
    shell = {"properties": {"command": {"type": "string"}}}
    assert reading({"Read": reader, "Bash": shell}, "/a") == ("Read", {"file_path": "/a", "limit": 1})
    assert reading({"Bash": shell}, "/a") == ("Bash", {"command": "cat '/a'"})
    assert reading({"web": {"properties": {"url": {}}}}, "/a") is None


def test_an_interrupted_run_goes_on_where_it_was() -> None:
    """Without a word every world is run, with `--missing` those that the data lacks."""
    plain = Namespace(world=None, recorded=False, missing=False)
    assert worlds_asked(plain, {"none"}) == list(WORLDS)
    assert worlds_asked(Namespace(world=None, recorded=False, missing=True), {"none"}) == list(WORLDS)[1:]
    assert worlds_asked(Namespace(world=["none", "mix"], recorded=False, missing=True), {"none"}) == ["mix"]
    assert worlds_asked(Namespace(world=None, recorded=True, missing=False), {"mix"}) == ["mix"]


def test_a_run_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Each world is a line that counts agents and worlds, and the sum counts the runs."""
    progress = Progress(agents=2)
    progress.start_agent("codex 1")
    progress.start_worlds(3)
    progress.end_world("none", "0 files, 0 skills")
    assert capsys.readouterr().err.startswith("agent 1 of 2, codex 1: world 1 of 3, none: 0 files, 0 skills (")
    assert progress.sum_up(4).startswith("agents: 2; runs: 1 of ")
    assert progress.sum_up(4).endswith("facts that have moved: 4")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_data_is_as_the_laboratory_writes_it(path: Path) -> None:
    """A file of what was seen names its agent and known worlds, and holds no prose of the agent's own."""
    text = path.read_text(encoding="utf-8")
    seen = tomllib.loads(text)
    assert as_toml(seen) == text
    assert seen["agent"] == path.stem
    assert path.stem in {package.agent for package in PACKAGES}
    assert {world["name"] for world in seen["world"]} <= set(WORLDS)
    assert all(len(frame) <= LONGEST for world in seen["world"] for frame in world.get("frame", {}).values())
