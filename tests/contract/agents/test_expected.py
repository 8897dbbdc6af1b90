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
    uses = overture.agents(tree.agent, cwd=cwd, home=home, touching=touching, read_outside=True).at(tree.agent)

    told = [use for use in uses if use.how in ("loaded", "truncated") and use.is_text]
    cut = {relative(use.path, tmp_path): use.last_line for use in told if use.how == "truncated"}
    assert [relative(use.path, tmp_path) for use in told] == tree.table.get("loaded", [])
    assert cut == tree.table.get("truncated", {})
    later = {relative(use.path, tmp_path) for use in uses if use.how == "on_demand"}
    assert set(tree.table.get("on_demand", ())) <= later
    # Of files in other parts of the project the table says nothing.
    assert not {relative(use.path, tmp_path) for use in uses if use.is_delivered} & {*tree.table.get("skipped", ())}
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
