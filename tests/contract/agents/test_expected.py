"""Each agent reads in small trees what it is known to read."""

from pathlib import Path

import pytest

import overture
from tests.contract.agents.trees import Tree, trees


@pytest.mark.slow(unless=("claude", "codex:", "copilot"))
@pytest.mark.parametrize("tree", trees(), ids=repr)
def test_an_agent_reads_what_it_is_known_to_read(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in their order, where they are cut, what is read later and what never."""
    tree.build(tmp_path)
    for name, value in tree.table.get("environment", {}).items():
        monkeypatch.setenv(name, value.replace("@", str(tmp_path)))
    touching = [str(tmp_path / tree.table["touching"])] if "touching" in tree.table else []
    cwd, home = tmp_path / tree.cwd, tmp_path / "home"
    (report,) = overture.agents(tree.agent, cwd=cwd, home=home, touching=touching, read_outside=True)

    told = [file for file in report.of("loaded", "truncated") if file.kind in ("instructions", "rule")]
    assert [relative(file.path, tmp_path) for file in told] == tree.table.get("loaded", [])
    assert {relative(f.path, tmp_path): f.last_line for f in report.of("truncated")} == tree.table.get("truncated", {})
    assert all(file.tokens for file in told if file.kind == "rule" and file.touched)
    for status in ("on_demand", "skipped"):
        assert set(tree.table.get(status, ())) <= paths(report, status, tmp_path), (status, report.files)
    if "skills" in tree.table and not touching:
        found = overture.discover(tree.agent, cwd=cwd, home=home, config={"features.links.outside": True})
        listed = [s.name for s in found.state.skills if not s.disable_model_invocation]
        assert listed == tree.table["skills"]
    if "contains" in tree.table and not touching:
        text = overture.build(tree.agent, cwd=cwd, home=home, read_outside=True).text
        for words in tree.table["contains"]:
            assert words.replace("@TREE", str(tmp_path)) in text, text


def relative(path: str, folder: Path) -> str:
    """A path below the tree."""
    return path.removeprefix(f"{folder}/")


def paths(report: overture.AgentReport, status: str, folder: Path) -> set[str]:
    """The files of which that became."""
    return {relative(file.path, folder) for file in report.files if file.status == status}
